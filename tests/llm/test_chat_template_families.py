"""The families of models that people use: loss, tools, thoughts, and the text that is served.

The rows of the table in docs/recipes.md are the parameters of these tests; what it says is what they find.
"""

import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from eops_traj.llm.base import EndpointError, Request
from eops_traj.llm.chat_template import ChatTemplate
from eops_traj.llm.local_model import LocalModel
from eops_traj.llm.local_rows import ReplyRow, length_of
from eops_traj.llm.rendering import Unrenderable
from eops_traj.llm.template_defaults import reads
from eops_traj.llm.tool_template import FILE
from eops_traj.messages import Message
from tests.llm.template_families import FAMILIES, TOOLS, OneDay, conversation, runs, tokenizer_of

PAGE = Path(__file__).parents[2] / "docs" / "recipes.md"
ENDS = ("<|im_end|>", "<|eot_id|>", "<end_of_turn>", "<|call|>", "<|return|>")


@pytest.fixture(autouse=True)
def one_day(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("transformers.utils.chat_template_utils.datetime", OneDay)


def chosen(family: str) -> ChatTemplate:
    """Return a family's template, with a small tokenizer."""
    return ChatTemplate.of(tokenizer_of(FAMILIES[family]()), family)


def tools_of(template: ChatTemplate) -> list:
    return TOOLS if template.abilities.tools else []


def served(template: ChatTemplate) -> LocalModel:
    """Return the model as it is served, without weights: prompts are rendered, and replies read."""
    known = template.tokenizer.get_vocab()
    ends = [known[end] for end in ENDS if end in known]
    model = SimpleNamespace(
        device=None, config=SimpleNamespace(), generation_config=SimpleNamespace(eos_token_id=ends)
    )
    return LocalModel(model, template.tokenizer)


def places(said: list[Message]) -> list[int]:
    return [at for at, message in enumerate(said) if message["role"] == "assistant"]


def plain(template: ChatTemplate, said: list[Message]) -> list[Message]:
    """Leave out the thoughts that a template has no place for: no one would send them back."""
    keep = template.abilities.thoughts
    return [{k: v for k, v in message.items() if keep or k != "reasoning_content"} for message in said]


def trained_and_written(family: str, thoughts: bool) -> tuple[list[str], list[str]]:
    """Return what carries loss, run by run, and what a model of the family writes, reply by reply."""
    template, write = chosen(family), FAMILIES[family]().write
    said = conversation(template, thoughts=thoughts)
    sequences = template.sequences(said, tools_of(template))
    trained = [str(template.tokenizer.decode(ids)) for each in sequences for _, ids in runs(each)]
    assert template.leak(said, tools_of(template), sequences) is None
    replies = plain(template, said)
    return trained, [write(replies[at]) for at in places(said)]


def trained_and_served(family: str, thoughts: bool) -> tuple[list[list[int]], list[list[int]]]:
    """Return the tokens before each reply in training, and those that the model is served."""
    template = chosen(family)
    local, said = served(template), conversation(template, thoughts=thoughts)
    sequences = template.sequences(said, tools_of(template))
    before = [each.ids[:start] for each in sequences for start, _ in runs(each)]
    history = plain(template, said)
    prompts = [local.prompt(Request(history[:at], tools_of(template))) for at in places(said)]
    return before, [list(prompt.ids) for prompt in prompts]


@pytest.mark.parametrize("thoughts", [False, True], ids=["plain", "thoughts"])
@pytest.mark.parametrize("family", FAMILIES)
def test_loss_is_on_what_the_model_writes_and_on_no_other_token(family: str, thoughts: bool) -> None:
    trained, written = trained_and_written(family, thoughts)
    assert trained == written


@pytest.mark.parametrize("thoughts", [False, True], ids=["plain", "thoughts"])
@pytest.mark.parametrize("family", FAMILIES)
def test_what_stands_before_a_reply_in_training_is_what_the_model_is_served(
    family: str, thoughts: bool
) -> None:
    before, prompts = trained_and_served(family, thoughts)
    assert before == prompts


@pytest.mark.parametrize("thoughts", [False, True], ids=["plain", "thoughts"])
@pytest.mark.parametrize("family", FAMILIES)
def test_a_reply_is_read_back_as_what_was_trained(family: str, thoughts: bool) -> None:
    template = chosen(family)
    local, said = served(template), conversation(template, thoughts=thoughts)
    history, tools = plain(template, said), tools_of(template)
    trained = [ids for each in template.sequences(said, tools) for _, ids in runs(each)]
    for at, ids in zip(places(said), trained, strict=True):
        prompt, message = local.prompt(Request(history[:at], tools)), history[at]
        row = ReplyRow(prompt.ids, None, None, 200)
        row.take(ids, [0.0] * len(ids), length_of(list(ids), local._ends, (), str))
        parts = local._reply(prompt, row).parsed()
        calls = [(call.name, call.arguments.value, call.arguments.raw) for call in parts.calls]
        functions = [call["function"] for call in message.get("tool_calls", ())]
        assert calls == [(function["name"], function["arguments"], None) for function in functions]
        moved = family == "gpt-oss" and message["content"] and functions  # its template says it as a thought
        thought = message["content"] if moved else message.get("reasoning_content")
        assert (parts.text, parts.reasoning) == ("" if moved else message["content"], thought)


@pytest.mark.parametrize("family", FAMILIES)
def test_what_a_template_leaves_out_is_refused_in_training_and_in_service(family: str) -> None:
    template = chosen(family)
    said = conversation(chosen("Qwen2.5"))
    missing = template.abilities.missing(said, TOOLS)
    assert bool(missing) == (tools_cell(template) in ("no", "one call a reply"))
    if missing:
        with pytest.raises(Unrenderable, match="the chat template leaves out"):
            template.sequences(said, TOOLS)
        with pytest.raises(EndpointError, match=r"the chat template (leaves out|refuses)"):
            served(template).prompt(Request(said[:-1], TOOLS))


def tools_cell(template: ChatTemplate) -> str:
    """Say how a family's models get tools."""
    can = template.abilities
    return "no" if not can.calls else "yes" if can.parallel_calls else "one call a reply"


def template_cell(family: str) -> str:
    """Say where a family's template is from."""
    own = FAMILIES[family]().template
    settled = chosen(family).text
    assert settled.endswith((own, own + "{% endif %}"))
    return "its own" if settled.endswith(own) else f"its own; with tools `recipes/{FILE}`"


def thoughts_cell(template: ChatTemplate) -> str:
    """Say what determines whether a family's models think."""
    if not template.abilities.thoughts:
        return "no"
    switches = [name for name in ("enable_thinking", "reasoning_effort") if reads(template.text, name)]
    return " ".join(f"`{name}`" for name in switches) or "always"


def cut(template: ChatTemplate, *, thoughts: bool) -> str:
    """Say how many sequences a conversation becomes."""
    one, two = (
        len(template.sequences(conversation(template, thoughts=thoughts, requests=n), tools_of(template)))
        for n in (1, 2)
    )
    return "reply" if one > 1 else "request" if two > 1 else "whole"


def sequences_cell(template: ChatTemplate) -> str:
    """Say what a sequence of training holds."""
    without = cut(template, thoughts=False)
    with_thoughts = cut(template, thoughts=True) if template.abilities.thoughts else without
    return without if with_thoughts == without else f"{with_thoughts}; without thoughts {without}"


def table() -> dict[str, list[str]]:
    """Read the table of families: its cells by the family's name."""
    _, _, rest = PAGE.read_text(encoding="utf-8").partition("| family |")
    rows = re.findall(r"^\| (.*) \|$", rest.partition("\n\n")[0], re.MULTILINE)
    cells = [row.split(" | ") for row in rows]
    return {name: others for name, *others in cells if not set(name) <= set("-| ")}


def test_the_table_names_the_families_that_are_tested() -> None:
    assert list(table()) == list(FAMILIES)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_table_says_what_is_found(family: str) -> None:
    template = chosen(family)
    both = [(trained_and_written(family, on), trained_and_served(family, on)) for on in (False, True)]
    exact, same = (all(one == other for one, other in found) for found in zip(*both, strict=True))
    settings = ", ".join(f"`{k}: {json.dumps(v)}`" for k, v in FAMILIES[family]().variables.items())
    found = [
        template_cell(family),
        "exact" if exact else "not exact",
        tools_cell(template),
        thoughts_cell(template),
        "yes" if same else "no",
        sequences_cell(template),
        settings or "none",
    ]
    assert table()[family][: len(found)] == found
