"""Rows whose slots have other numbers: what ``[name 2]`` stood for is ``[name 4]``, in prompt and plan alike.

A small model on some thousand rows learns which number a value has in requests of a kind, and is wrong where
a request says more or in another order. Where the numbers are other ones each time, only the place where the
request names a slot tells which one is meant.
"""

import random
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from eops_traj.plan.listed_values import MARKER
from eops_traj.train.name_augmentation import IGNORED

ASKER = frozenset({("name", 1), ("address", 1), ("date", 1), ("time", 1)})
"""Who asks, and the moment: they come first in every prompt, and stay."""

Numbered = tuple[str, int]
"""A slot's kind and number."""


class SlotRenumbering:
    """A collator that gives the slots of some rows other numbers before another collator makes the batch.

    The numbers that a prompt has of a kind are dealt out anew among its slots of that kind, their parts with
    them. The tokenizer has to have a token for each slot (``pieces: slots``).
    """

    def __init__(self, collate: Callable[..., Any], tokenizer: Any, share: float, seed: int) -> None:
        """Renumber ``share`` of the rows, drawn from ``seed``."""
        self._collate, self._share, self._rng = collate, share, random.Random(seed)
        self._slots: dict[int, tuple[Numbered, str]] = {}
        self._tokens: dict[tuple[Numbered, str], int] = {}
        for text, token in tokenizer.get_added_vocab().items():
            if found := MARKER.fullmatch(text):
                slot = (found["kind"], int(found["number"])), found["word"] or ""
                self._slots[token], self._tokens[slot] = slot, token

    def __call__(self, rows: Sequence[dict[str, Any]], return_tensors: Any = None) -> Any:
        """Make the batch, some of its rows renumbered."""
        return self._collate(
            [self.renumbered(row) if self._rng.random() < self._share else row for row in rows]
        )

    def renumbered(self, row: dict[str, Any]) -> dict[str, Any]:
        """Return a row (``input_ids``, ``labels``) with its slots' numbers dealt out anew.

        A slot that no token of the prompt names (``[name 2: Jane Park]``, of values ``numbered``) stays as it
        is: its number would be another in the plan alone.
        """
        told = zip(row["input_ids"], row["labels"], strict=True)
        asked = {self._slots[n][0] for n, label in told if label == IGNORED and n in self._slots}
        dealt = self._dealt(asked)
        new = {
            token: self._tokens[dealt[slot], part]
            for token, (slot, part) in self._slots.items()
            if slot in dealt
        }
        return {**row, **{name: [new.get(n, n) for n in row[name]] for name in ("input_ids", "labels")}}

    def _dealt(self, slots: set[Numbered]) -> dict[Numbered, Numbered]:
        """Return for each of a row's slots which one it becomes."""
        of_kind = defaultdict[str, list[Numbered]](list)
        for slot in sorted(slots - ASKER):
            of_kind[slot[0]].append(slot)
        return {
            slot: other
            for same in of_kind.values()
            for slot, other in zip(same, self._rng.sample(same, len(same)), strict=True)
        }
