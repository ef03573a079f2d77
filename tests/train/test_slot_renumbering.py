"""Slots get other numbers in prompt and reply alike; who asks, the loss and all other words stay."""

import functools
import re
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from eops_traj.llm.chat_template import ChatTemplate
from eops_traj.recipes.sft import add_copying_aids
from eops_traj.train.name_augmentation import IGNORED, NameAugmentation
from eops_traj.train.scratch_model import ScratchConfig, train_tokenizer
from eops_traj.train.slot_renumbering import SlotRenumbering

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

ASKED = "As [name 1]: Put [name 2] and [name 3] ([address 3]) into [text 1], as [name 2.1] said [date 1]."
PLAN = (
    '1. find(first="[name 2.1]", last="[name 2.2]", of="[address 3]", by="[name 1]")\n2. act(x="[name 3.1]")'
)
TALK = [{"role": "user", "content": ASKED}, {"role": "assistant", "content": PLAN}]
SLOT = re.compile(r"\[(\w+) (\d)(?:\.(\d))?\]")


@functools.cache
def tokenizer() -> "PreTrainedTokenizerBase":
    return train_tokenizer([{"messages": TALK, "tools": None}], 500, pieces="slots")


def row(asked: str = ASKED) -> dict[str, Any]:
    tokens = ChatTemplate.of(tokenizer(), "small").encode([{"role": "user", "content": asked}, TALK[1]], [])
    labels = [n if on else IGNORED for n, on in zip(tokens.ids, tokens.mask, strict=True)]
    return {"input_ids": tokens.ids, "labels": labels}


def renumbered(seed: int) -> dict[str, Any]:
    new: dict[str, Any] = SlotRenumbering(list, tokenizer(), share=1.0, seed=seed)([row()])[0]
    return new


def test_a_value_has_one_number_everywhere_and_no_two_share_one() -> None:
    seen = set()
    for seed in range(8):
        before, after = (SLOT.findall(tokenizer().decode(r["input_ids"])) for r in (row(), renumbered(seed)))
        dealt = {(kind, old): new for (kind, old, _), (_, new, _) in zip(before, after, strict=True)}
        assert [(k, dealt[k, n], part) for k, n, part in before] == after
        assert len({(kind, new) for (kind, _), new in dealt.items()}) == len(dealt)
        assert dealt["name", "1"] == dealt["date", "1"] == "1" and dealt["address", "3"] == "3"
        seen.add((dealt["name", "2"], dealt["name", "3"]))
    assert seen == {("2", "3"), ("3", "2")}


def test_all_else_stays_and_loss_falls_on_the_new_numbers() -> None:
    swapped = next(new for new in map(renumbered, range(8)) if new != row())
    assert SLOT.sub("", tokenizer().decode(swapped["input_ids"])) == SLOT.sub(
        "", tokenizer().decode(row()["input_ids"])
    )
    labelled = list(zip(swapped["labels"], row()["labels"], swapped["input_ids"], strict=True))
    assert all((new == IGNORED) is (old == IGNORED) for new, old, _ in labelled)
    assert all(new in (IGNORED, token) for new, _, token in labelled)


def test_a_plan_keeps_the_numbers_that_its_prompt_tells_beside_the_values() -> None:
    numbered = row("As [name 1: Ana Ruiz]: Put [name 2: Jane Park] and [name 3: Omar Diaz] into [text 1: A].")
    collate = SlotRenumbering(list, tokenizer(), share=1.0, seed=0)
    assert all(collate.renumbered(numbered) == numbered for _ in range(8))


def test_the_share_of_rows_is_drawn() -> None:
    assert SlotRenumbering(list, tokenizer(), share=0.0, seed=0)([row()]) == [row()]
    some = SlotRenumbering(list, tokenizer(), share=0.5, seed=0)([row()] * 40)
    assert 4 < sum(new != row() for new in some) < 20  # half of the half are dealt as they were


@pytest.mark.parametrize(
    ("pieces", "share", "collator"),
    [("slots", 0.5, SlotRenumbering), ("plan", 0.5, NameAugmentation), ("slots", 0.0, type(list))],
)
def test_the_pieces_of_a_model_decide_what_is_exchanged(pieces: str, share: float, collator: type) -> None:
    trainer = SimpleNamespace(data_collator=list, args=SimpleNamespace(seed=1))
    scratch = ScratchConfig.model_validate({"pieces": pieces, "renaming": share})
    add_copying_aids(cast(Any, trainer), tokenizer(), scratch, first=True)
    assert type(trainer.data_collator) is collator
