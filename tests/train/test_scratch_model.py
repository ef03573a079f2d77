"""The tokenizer of models from scratch: nothing is lost, and a prompt's tokens begin those of the whole."""

import pytest

from eops_traj.train.scratch_model import train_tokenizer

PLAN = """1. get_user(email="ana.ruiz@corvane.example")
2. require(count($1.users[*active=true]) == 1)
3. list_users(first_name_like="Ana", last_name_like="Ruiz")
4. update_case(case="{$1.case_id}", owner=$3.users[*active=true][0].user_id, note="Ana is told")"""
ASKED = "Ana Ruiz takes CS-0001183. 2. Note: $5 (or so), tell ana.ruiz@corvane.example"


def conversation(plan: str) -> dict[str, object]:
    messages = [{"role": "user", "content": ASKED}, {"role": "assistant", "content": plan}]
    return {"messages": messages, "tools": None}


@pytest.mark.parametrize("pieces", ["text", "plan", "slots"])
def test_what_is_encoded_is_decoded_again(pieces: str) -> None:
    tokenizer = train_tokenizer([conversation(PLAN)] * 3, 500, pieces=pieces)
    for text in (PLAN, ASKED, "REFUSE: não é permitido\n\t$"):
        assert tokenizer.decode(tokenizer.encode(text)) == text


def test_a_name_is_the_same_tokens_wherever_it_stands() -> None:
    tokenizer = train_tokenizer([conversation(PLAN)] * 3, 500, pieces="plan")
    for text in (PLAN, ASKED):
        assert " ".join(tokenizer.tokenize("Ruiz")) in " ".join(tokenizer.tokenize(text))
    assert "$3.users[*active=true][0].user_id" in tokenizer.tokenize(PLAN)


def test_a_slot_is_one_token_and_words_take_their_space() -> None:
    plan = '1. get_user(email="[address 1]")\n2. when count($1.users[0].ids) > 2: tell(text="to [name 2.1]")'
    tokenizer = train_tokenizer([conversation(plan)] * 3, 500, pieces="slots")
    read = [tokenizer.decode([token]) for token in tokenizer.encode(plan)]
    assert {"[address 1]", "[name 2.1]", 'get_user(email="', '")\n2. ', "$1", ".users[0].ids"} <= set(read)
    asked = [tokenizer.decode([token]) for token in tokenizer.encode("Ana Ruiz takes")]
    assert asked[-1] == " takes"


def test_what_plans_say_in_the_same_words_is_one_token_up_to_a_slot() -> None:
    plan = '1. f(q="[name 1]", _select="id,mail")\n2. require(count($1) == 1) -- [name 1] fits nobody here'
    tokenizer = train_tokenizer([conversation(plan + "\n3. g()")] * 3, 700, pieces="slots")
    read = [tokenizer.decode([token]) for token in tokenizer.encode(plan + "\n3. g()")]
    assert {"id,mail", "require(count(", ") == 1)", " -- ", "[name 1]", " fits nobody here"} <= set(read)
    asked = [tokenizer.decode([token]) for token in tokenizer.encode("[name 1] fits nobody here. I asked.")]
    assert asked[0] == "[name 1]" and " fits nobody here" not in asked


@pytest.mark.parametrize("pieces", ["text", "plan", "slots"])
def test_the_tokens_of_a_prompt_begin_those_of_the_whole(pieces: str) -> None:
    """Or nothing could be learnt from two replies to one prompt."""
    tokenizer = train_tokenizer([conversation(PLAN)] * 3, 500, pieces=pieces)
    messages = [{"role": "user", "content": ASKED}]
    prompt = tokenizer.apply_chat_template(messages, add_generation_prompt=True, tokenize=False)
    prompt_ids, whole = tokenizer.encode(prompt), tokenizer.encode(prompt + PLAN)
    assert whole == prompt_ids + tokenizer.encode(PLAN)
