"""Loss falls on the reply and on nothing else: the tokens that carry it are decoded."""

import pytest

from eops_traj.errors import InputError
from eops_traj.export.checks import Row
from eops_traj.export.row_masks import ReplyMask
from tests.llm.test_chat_template import STOP, template
from tests.tokenizers import tokenizer

PROMPT = [{"role": "system", "content": "A policy."}, {"role": "user", "content": "A request."}]
PLAN = '1. find_user(name="Odile") -- who\n2. close(user=$1.id)'


def row(**replies):
    messages = {side: [{"role": "assistant", "content": text}] for side, text in replies.items()}
    return Row("", {"prompt": PROMPT, **messages}, [], [])


def with_loss(mask, text):
    """The tokens with loss, decoded: those of the whole that are not the prompt's."""
    begin = mask.tokenizer.apply_chat_template(PROMPT, add_generation_prompt=True, tokenize=False)
    whole = [*PROMPT, {"role": "assistant", "content": text}]
    ids = mask.tokenizer.apply_chat_template(whole, tokenize=True, return_dict=True)["input_ids"]
    return mask.tokenizer.decode(ids[len(mask.tokenizer(begin)["input_ids"]) :])


def test_only_the_plan_and_its_end_carry_loss():
    mask = ReplyMask.of(tokenizer(), "it")
    counts = mask.count_tokens(row(completion=PLAN))
    assert counts.leak is None and with_loss(mask, PLAN).strip() == PLAN + STOP
    trained = mask.tokenizer(with_loss(mask, PLAN), add_special_tokens=False)["input_ids"]
    assert counts.with_loss == len(trained) < counts.tokens == counts.longest


def test_both_sides_of_a_pair_are_weighed():
    mask = ReplyMask.of(tokenizer(), "it")
    one, other = mask.count_tokens(row(completion=PLAN)), mask.count_tokens(row(completion="REFUSE: no"))
    both = mask.count_tokens(row(chosen=PLAN, rejected="REFUSE: no"))
    assert both.tokens == one.tokens + other.tokens and both.longest == one.longest
    assert both.with_loss == one.with_loss + other.with_loss


def test_a_row_without_a_reply_has_no_loss():
    counts = ReplyMask.of(tokenizer(), "it").count_tokens(row())
    assert counts.with_loss == 0 < counts.tokens and counts.leak is None


LEAKS = {
    "renders the prompt otherwise": "{{ messages | length }}" + template(),
    "not the reply's text": template().replace("'assistant' %}", "'assistant' %}Here it is: "),
    "would not learn to stop": template().replace(STOP, ""),
}


@pytest.mark.parametrize("why", LEAKS)
def test_a_template_that_gets_it_wrong_is_found(why):
    assert why in str(ReplyMask.of(tokenizer(LEAKS[why]), "it").count_tokens(row(completion=PLAN)).leak)


def test_a_tokenizer_without_a_chat_template_is_bad_input():
    with pytest.raises(InputError, match="the-model: the tokenizer has no chat template"):
        ReplyMask.of(tokenizer(""), "the-model")
