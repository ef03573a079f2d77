"""Slots and tools have tokens of their own, and nothing else has."""

from typing import Any

from eops_traj.train.scratch_model import train_tokenizer
from eops_traj.train.slot_tokens import MOST, SlotTokens

ASKED = "Move [code 1] to [name 2.1].\n\nfind_user\nfind_user_group(name) -> id\ncheck user\nlist_cases"
PLAN = '1. find_user(name="[name 2]")\n2. when count($1) > 2: find_user_group(id=$1.id)\n3. require(ok($2))'


def conversation(asked: str = ASKED, plan: str = PLAN) -> list[dict[str, Any]]:
    return [{"role": "user", "content": asked}, {"role": "assistant", "content": plan}]


def test_each_marker_up_to_the_highest_of_its_kind_has_one() -> None:
    assert SlotTokens([conversation(), conversation("[date 3]", "")]).markers == [
        "[code 1]", "[date 1]", "[date 2]", "[date 3]", "[name 1]", "[name 1.1]", "[name 2]", "[name 2.1]",
    ]  # fmt: skip
    assert len(SlotTokens([conversation("[x 999]", "")]).markers) == MOST


def test_a_tool_has_one_where_a_prompt_lists_it_and_a_reply_calls_it() -> None:
    assert SlotTokens([conversation()]).tools == ["find_user", "find_user_group"]
    assert SlotTokens([conversation(plan="REFUSE: no"), conversation("list them", "list()")]).tools == []


def test_a_step_that_a_reply_refers_to_has_one_and_no_sum_of_money() -> None:
    plan = "1. find()\n12. check($1.of[0].id)\n13. find(id=$12.id, at=$1, to=$1234)"
    assert SlotTokens([conversation("pay $5", plan)]).steps == ["$12", "$1"]
    tokenizer = train_tokenizer(
        [{"messages": conversation("pay $5", plan), "tools": None}], 400, pieces="slots"
    )
    assert {"$1", "$12"} <= tokenizer.get_added_vocab().keys() and "$5" not in tokenizer.get_added_vocab()
    read = [tokenizer.decode([token]) for token in tokenizer.encode("$12$1 of $12")]
    assert read[:2] + read[-1:] == ["$12", "$1", "$12"]


def test_they_are_found_whole_and_only_as_words() -> None:
    rows = [{"messages": conversation(), "tools": None}]
    tokenizer = train_tokenizer(rows, 400, pieces="slots")
    text = "1. find_user(x)\n2. find_user_group(id=[name 2.1])\n3. prefind_user find_users [name 12]"
    read = [tokenizer.decode([token]) for token in tokenizer.encode(text)]
    own = tokenizer.get_added_vocab().keys() - tokenizer.all_special_tokens
    assert [piece for piece in read if piece in own] == ["find_user", "find_user_group", "[name 2.1]"]
    assert "".join(read) == text
    assert len(train_tokenizer(rows, 400, pieces="plan").get_added_vocab()) == 3


def test_the_texts_between_them_are_what_pieces_are_learnt_from() -> None:
    tokens = SlotTokens([conversation()])
    assert tokens.between("2. find_user_group(a=[name 2], find_users)") == ["2. ", "(a=", ", find_users)"]
    assert tokens.between("a=$1.id, b=$7") == ["a=", ".id, b=$7"]
    assert SlotTokens([conversation(plan="f(a=$12, b=$1)")]).between("$1 of $12$7") == ["", " of ", "$7"]
    assert SlotTokens([]).between("find_user") == ["find_user"]
