"""A reply is read from its tokens as its family writes it, whatever the prompt has begun."""

import pytest

from eops_traj.llm.reply_reader import ReplyReader
from tests.llm.template_families import FAMILIES, tokenizer_of

THOUGHTFUL = ("Qwen3", "Qwen3-Thinking-2507", "gpt-oss")
PLAN = {"role": "assistant", "content": '1. find_user(name="Zoë")\n2. close(id=$1)'}


@pytest.mark.parametrize("family", FAMILIES)
def test_the_plan_comes_out_without_the_thoughts_before_it(family: str) -> None:
    made = FAMILIES[family]()
    thought = {"reasoning_content": "Hm.\n\nFirst find her."} if family in THOUGHTFUL else {}
    reader = ReplyReader.of(tokenizer_of(made))
    ids = reader.tokenizer(made.write({**PLAN, **thought}), add_special_tokens=False)["input_ids"]
    parts = reader.read(ids)
    assert (parts.text.strip(), parts.calls) == (PLAN["content"], ())
    assert parts.reasoning == thought.get("reasoning_content")
    assert reader.opened == (family == "Qwen3-Thinking-2507")
