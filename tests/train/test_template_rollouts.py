"""Rollouts with tools get a parser of replies, and a template that leaves earlier replies as they were."""

import pytest

from eops_traj.errors import InputError
from eops_traj.llm.chat_template import ChatTemplate
from eops_traj.llm.rendering import Renderer
from eops_traj.train.rollout_template import prepare_rollouts
from tests.llm.template_families import FAMILIES, TOOLS, Family, OneDay, conversation, tokenizer_of

PREPARED = [
    "Qwen3",
    "Qwen3, thinking off",
    "Qwen3-Instruct-2507",
    "Qwen2.5",
    "SmolLM2",
    "Llama-3.2",
    "gpt-oss",
]


@pytest.fixture(autouse=True)
def one_day(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("transformers.utils.chat_template_utils.datetime", OneDay)


@pytest.mark.parametrize("family", PREPARED)
def test_a_reply_is_parsed_and_the_past_stays_as_it_was_written(family: str) -> None:
    from trl.chat_template_utils import is_chat_template_prefix_preserving, parse_response

    made = FAMILIES[family]()
    tokenizer = tokenizer_of(made)
    own = ChatTemplate.of(tokenizer, family)
    said = conversation(own, requests=1)
    prepare_rollouts(tokenizer, family)
    assert is_chat_template_prefix_preserving(tokenizer)
    assert len(ChatTemplate.of(tokenizer, family).sequences(said, TOOLS)) == 1
    prompt = Renderer(tokenizer, str(tokenizer.chat_template)).text(said[:2], TOOLS, reply_next=True)
    assert prompt == Renderer(tokenizer, own.text).text(said[:2], TOOLS, reply_next=True)
    ids = tokenizer(made.write(said[2]), add_special_tokens=False)["input_ids"]
    prefix = tokenizer(prompt, add_special_tokens=False)["input_ids"]
    [call] = parse_response(tokenizer, ids, prefix=prefix, tools=TOOLS)["tool_calls"]
    assert call["function"] == said[2]["tool_calls"][0]["function"]


def test_a_template_that_trl_cannot_follow_is_refused() -> None:
    with pytest.raises(InputError, match="it: its chat template writes earlier replies otherwise"):
        prepare_rollouts(tokenizer_of(FAMILIES["Qwen3-Thinking-2507"]()), "it")
    with pytest.raises(InputError, match="it: nothing in its chat template tells TRL how it writes calls"):
        prepare_rollouts(tokenizer_of(FAMILIES["Gemma 3"]()), "it")


def test_a_template_is_known_by_what_it_renders_and_not_by_its_letters() -> None:
    qwen = FAMILIES["Qwen3"]()
    reworded = qwen.template.replace("reasoning_content", "thoughts").replace(
        "message.thoughts", "message.reasoning_content"
    )
    changed = qwen.template.replace("<think>\\n' + reasoning_content", "<think>\\n\\n' + reasoning_content")
    assert qwen.template not in (reworded, changed)
    prepare_rollouts(tokenizer_of(Family(reworded, qwen.write)), "it")
    with pytest.raises(InputError, match="TRL has no variant of it"):
        prepare_rollouts(tokenizer_of(Family(changed, qwen.write)), "it")
