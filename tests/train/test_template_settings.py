"""A run settles its chat template before a weight is read: told its variables, with tools, or refused."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from eops_traj.errors import InputError
from eops_traj.llm.chat_template import ChatTemplate
from eops_traj.train.load_model import set_chat_template
from eops_traj.train.training_sequences import (
    describe_sequences,
    make_sequences,
    measure_sequences,
    servable_rows,
)
from tests.llm.template_families import FAMILIES, TOOLS, Family, bundled, conversation, tokenizer_of

TEMPLATES = Path(__file__).parents[1] / "fixtures" / "templates"
BARE = Family("{{ bos_token }}{% for m in messages %}<|im_start|>{{ m.content }}<|im_end|>{% endfor %}", str)


def settled(template: str, **settings: Any) -> Any:
    """Return a tokenizer as a run has it, whose model came with this template."""
    tokenizer = tokenizer_of(BARE)
    tokenizer.chat_template = template
    config = {"model": "the/model", "chat_template": None, "chat_template_kwargs": {}, **settings}
    return set_chat_template(tokenizer, SimpleNamespace(**config))


def test_a_model_whose_template_drops_tools_gets_them_and_a_line_says_so(capsys) -> None:
    own = (TEMPLATES / "smollm2.jinja").read_text(encoding="utf-8")
    tokenizer = settled(own)
    said = conversation(ChatTemplate.of(tokenizer, "it"))
    line = "the/model: its chat template leaves tools out, so conversations with tools get recipes/"
    assert capsys.readouterr().out == f"{line}chatml_tools.jinja\n"
    qwen = tokenizer.apply_chat_template(said, tools=TOOLS, tokenize=False, chat_template=bundled("qwen2_5"))
    assert tokenizer.apply_chat_template(said, tools=TOOLS, tokenize=False) == qwen
    for plain in (said[:2], said[1:2]):  # with a system message, and with the model's own
        alone = tokenizer.apply_chat_template(plain, tokenize=False, chat_template=own)
        assert tokenizer.apply_chat_template(plain, tokenize=False) == alone
    assert settled(tokenizer.chat_template).chat_template == tokenizer.chat_template
    assert not capsys.readouterr().out


def test_what_a_template_is_told_is_its_default_wherever_the_model_is_served() -> None:
    off = settled(bundled("qwen3"), chat_template_kwargs={"enable_thinking": False})
    asked = [{"role": "user", "content": "Hi."}]
    closed = "<|im_start|>assistant\n<think>\n\n</think>\n\n"
    assert off.apply_chat_template(asked, tokenize=False, add_generation_prompt=True).endswith(closed)
    told = {"tokenize": False, "add_generation_prompt": True, "enable_thinking": True}
    assert off.apply_chat_template(asked, **told).endswith("<|im_start|>assistant\n")
    again = settled(off.chat_template, chat_template_kwargs={"enable_thinking": False})
    assert again.chat_template == off.chat_template
    dated = settled(
        bundled("llama3_2").replace("<|eot_id|>", "<|im_end|>"),
        chat_template_kwargs={"date_string": 'a "b" é'},
    )
    assert 'Today Date: a "b" é\n' in dated.apply_chat_template(asked, tokenize=False)


@pytest.mark.parametrize(("template", "told"), [("qwen2_5", "enable_thinking"), ("qwen3", "enable_thinkin")])
def test_a_variable_that_the_template_does_not_read_is_refused(template: str, told: str) -> None:
    with pytest.raises(InputError, match=f"the/model: the chat template reads no {told}"):
        settled(bundled(template), chat_template_kwargs={told: False})


def test_the_token_that_ends_a_reply_ends_generation() -> None:
    assert tokenizer_of(BARE).eos_token == "<|endoftext|>"
    assert settled(bundled("qwen2_5")).eos_token == "<|im_end|>"


def test_a_model_without_a_usable_template_is_refused() -> None:
    for template, why in (
        (None, "has no chat template; give one"),
        (BARE.template, "nothing begins a reply"),
    ):
        with pytest.raises(InputError, match=f"the/model: .*{why}"):
            settled(template)


def rows(*conversations: list) -> Any:
    """Return rows as the trainer gets them."""
    from datasets import Dataset, Features, Json, List

    features = Features({"messages": List(Json()), "tools": List(Json())})
    return Dataset.from_dict(
        {"messages": list(conversations), "tools": [TOOLS] * len(conversations)}, features
    )


def test_rows_become_the_sequences_that_were_measured_and_a_line_says_how_many(capsys) -> None:
    tokenizer = tokenizer_of(FAMILIES["Qwen3, thinking off"]())
    template = ChatTemplate.of(tokenizer, "it")
    said = conversation(template, thoughts=True, requests=1)
    data = rows(said, said[:3])
    made = make_sequences(data, tokenizer, "it")
    assert len(made) == 4 and capsys.readouterr().out == (
        "chat template: it leaves out thoughts, in 2 of 2 rows\n"
        "chat template: it writes earlier replies otherwise once others follow, so 2 rows are trained as 4 "
        f"sequences of {sum(made['length'])} tokens, each as the model would be served\n"
        "chat template: chat_template=trl:qwen3_training keeps what was written, and rows whole\n"
    )
    sizes = list(measure_sequences(data, tokenizer, "it"))
    losses = [sum(label != -100 for label in labels) for labels in made["labels"]]
    assert [size.with_loss for size in sizes] == [sum(losses[:3]), losses[3]]
    assert sizes[0].length == max(made["length"][:3]) == len(made["input_ids"][2])
    assert sizes[0].reply == max(losses[:3])
    whole = ChatTemplate.of(tokenizer_of(FAMILIES["Qwen2.5"]()), "it")
    assert describe_sequences([{"messages": said[:2]}], [7], whole) == []


def test_a_template_that_keeps_the_past_trains_a_conversation_whole() -> None:
    for told in ({}, {"enable_thinking": False}):
        tokenizer = settled("", chat_template=Path("trl:qwen3_training"), chat_template_kwargs=told)
        keeping = ChatTemplate.of(tokenizer, "it")
        for thoughts in (False, True):
            assert len(keeping.sequences(conversation(keeping, thoughts=thoughts), TOOLS)) == 1
    with pytest.raises(InputError, match="no chat template at 'trl:none'"):
        settled("", chat_template=Path("trl:none"))


def test_rows_that_the_template_would_shorten_are_refused_by_their_number() -> None:
    said = conversation(ChatTemplate.of(tokenizer_of(FAMILIES["Qwen2.5"]()), "it"), requests=1)
    llama = tokenizer_of(FAMILIES["Llama-3.2"]())
    found = measure_sequences(rows(said[:4], said), llama, "the/model")
    assert next(found).with_loss > 0
    with pytest.raises(
        InputError, match=r"the/model: row 2 cannot be trained on: .* several calls in a reply"
    ):
        next(found)


def test_a_pair_behind_a_prompt_that_no_one_is_served_is_refused() -> None:
    thinking = FAMILIES["Qwen3-Thinking-2507"]()
    asked = [{"role": "user", "content": "Hi."}]
    reply = {"role": "assistant", "content": "1. find_user()"}
    pairs = [
        {"prompt": asked, "chosen": [{**reply, "reasoning_content": "Hm."}], "rejected": [side]}
        for side in ({**reply, "reasoning_content": "Oh."}, reply)
    ]
    checked = servable_rows(pairs, tokenizer_of(thinking))
    assert next(checked) == pairs[0]
    with pytest.raises(InputError, match=r"row 2 .*renders the prompt otherwise alone than before a reply"):
        next(checked)
    assert len(list(servable_rows(pairs, tokenizer_of(FAMILIES["Qwen3"]())))) == 2
