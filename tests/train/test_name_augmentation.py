"""Names are exchanged in prompt and reply alike; all else stays."""

import functools
from typing import TYPE_CHECKING, Any

from eops_traj.llm.chat_template import ChatTemplate
from eops_traj.train.name_augmentation import IGNORED, NameAugmentation
from eops_traj.train.scratch_model import train_tokenizer

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

Talk = list[dict[str, str]]


def talk(first: str, last: str, number: str, note: str) -> Talk:
    request = f"Please give {first} {last} the case {number} of {first} Frei, low urgency, new note: "
    request += f'"{note}". Thanks'
    plan = f"""1. list_users(first_name_like="{first}", last_name_like="{last}")
2. require(count($1.users[*active=true]) == 1)
3. require($1.status in ["new", "ready"])
4. update_hr_case(number="{number}", urgency="low", status="work_in_progress", worknotes="{note}")"""
    return [{"role": "user", "content": request}, {"role": "assistant", "content": plan}]


ANA = talk("Ana", "Ruiz", "HRC0000808", "All is told")
BRAM = talk("Bram", "Postma", "HRC0000713", "No open questions")


@functools.cache
def tokenizer() -> "PreTrainedTokenizerBase":
    rows = [{"messages": messages, "tools": None} for messages in (ANA, BRAM)]
    return train_tokenizer(rows, 500, pieces="plan")


def row(messages: Talk) -> dict[str, Any]:
    tokens = ChatTemplate.of(tokenizer(), "small").encode(messages, [])
    labels = [n if on else IGNORED for n, on in zip(tokens.ids, tokens.mask, strict=True)]
    return {"input_ids": tokens.ids, "labels": labels}


def renamed(seed: int) -> tuple[str, str]:
    """Rename Ana's row, after Bram's: its prompt and its reply."""
    new = NameAugmentation(list, tokenizer(), share=1.0, seed=seed)([row(BRAM), row(ANA)])[1]
    pairs = list(zip(new["input_ids"], new["labels"], strict=True))
    prompt, reply = [n for n, label in pairs if label == IGNORED], [n for n, label in pairs if label == n]
    assert len(prompt) + len(reply) == len(pairs)
    return str(tokenizer().decode(prompt)), str(tokenizer().decode(reply))


def test_what_the_reply_copies_is_exchanged_in_both() -> None:
    firsts, numbers = set(), set()
    for seed in range(20):
        prompt, reply = renamed(seed)
        values = reply.split('"')
        first, last, number, note = values[1], values[3], values[9], values[15]
        assert f"give {first} {last} the case {number} of {first} Frei" in prompt
        assert f'"{note}". Thanks' in prompt
        firsts.add(first)
        numbers.add(number)
    assert {"Ana", "Bram"} < firsts, "real names, and invented ones"
    assert len(numbers) > 5 and not firsts & numbers


def test_a_name_within_a_longer_text_of_the_reply_is_exchanged_too() -> None:
    asked, planned = (message["content"] for message in ANA)
    told = f'{planned}\n5. post(text="Ana Ruiz has HRC0000808")\n6. require($4.ok == true) -- Ana has left'
    longer = row([{"role": "user", "content": asked}, {"role": "assistant", "content": told}])
    collate = NameAugmentation(list, tokenizer(), share=1.0, seed=0)
    collate.renamed(row(BRAM))
    for _ in range(20):
        reply = str(tokenizer().decode(collate.renamed(longer)["input_ids"])).partition("assistant")[2]
        first, last = reply.split('"')[1:4:2]
        assert f'text="{first} {last} has ' in reply and f"-- {first} has left" in reply
        assert "5. post(" in reply and "$4.ok" in reply


def test_the_words_of_plans_and_requests_stay() -> None:
    prompt, reply = renamed(3)
    assert "Please give" in prompt and "low urgency, new note" in prompt
    assert 'require($1.status in ["new", "ready"])' in reply
    assert 'urgency="low", status="work_in_progress"' in reply


def test_the_same_seed_renames_the_same() -> None:
    assert renamed(1) == renamed(1) and len({renamed(seed) for seed in range(5)}) > 1


def test_no_share_changes_nothing() -> None:
    assert NameAugmentation(list, tokenizer(), share=0.0, seed=0)([row(ANA)]) == [row(ANA)]


def test_digits_of_the_request_are_not_exchanged_where_a_plan_counts() -> None:
    asked = "Please give Ana Ruiz the 4 of Ana Frei. Thanks"
    planned = '1. list_users()\n2. require(count($1.users) == 4)\n3. update_hr_case(number="4")'
    talk = [{"role": "user", "content": asked}, {"role": "assistant", "content": planned}]
    collate = NameAugmentation(list, tokenizer(), share=1.0, seed=0)
    collate.renamed(row(ANA))
    replies = [str(tokenizer().decode(collate.renamed(row(talk))["input_ids"])) for _ in range(9)]
    assert all("== 4)" in reply for reply in replies)
    assert any('number="4"' not in reply for reply in replies)
