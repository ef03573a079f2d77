"""Rows under other names: values that a plan has from its request are exchanged, in both alike.

A small model on a thousand rows learns the names in them by heart, and then writes those in the place of new
ones. Where a row's names and numbers are other ones each time, copying is all that helps. The meaning of a
row stays the same; the rows themselves, which were proven by execution, are not touched.
"""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

IGNORED = -100
"""The label of tokens that carry no loss, as TRL gives rows to its collator."""

INVENTED = 0.25
"""The share of words and numbers that are random syllables and digits, for names unlike all in the rows."""

Span = tuple[int, int]
"""Start and end among a row's tokens."""


class NameAugmentation:
    """A collator that gives some rows of each batch other names before another collator makes the batch.

    A value stands between the words of a plan: between quotes, or from a ``=`` to the next comma or bracket.
    Values that stand in the prompt too are copied, and are exchanged for those that other rows have in the
    same place: a first name for a first name. The tokenizer has to keep values apart from what surrounds
    them (``pieces: plan``).
    """

    def __init__(self, collate: Callable[..., Any], tokenizer: Any, share: float, seed: int) -> None:
        """Rename ``share`` of the rows, drawn from ``seed``."""
        self._collate, self._share, self._rng = collate, share, random.Random(seed)
        special = set(tokenizer.all_special_ids)
        self._texts = ["" if n in special else tokenizer.decode([n]) for n in range(len(tokenizer))]
        self._kinds = [_kind(text) for text in self._texts]
        self._tokens: dict[str, list[int]] = {"digits": [], "capital": [], "small": [], "other": []}
        for token, kind in enumerate(self._kinds):
            self._tokens[kind].append(token)
        self._digits: dict[int, list[int]] = {}
        for token in self._tokens["digits"]:
            self._digits.setdefault(len(self._texts[token]), []).append(token)
        self._seen: dict[int, dict[tuple[int, ...], None]] = {}
        """By the token before a value: the values that rows had there so far."""

    def __call__(self, rows: Sequence[dict[str, Any]], return_tensors: Any = None) -> Any:
        """Make the batch, some of its rows renamed."""
        return self._collate([self.renamed(row) if self._rng.random() < self._share else row for row in rows])

    def renamed(self, row: dict[str, Any]) -> dict[str, Any]:
        """Return a row (``input_ids``, ``labels``) with other values wherever prompt and reply share one."""
        ids, labels = list(row["input_ids"]), list(row["labels"])
        start = next((n for n, label in enumerate(labels) if label != IGNORED), len(ids))
        new: dict[Span, list[int]] = {}
        for value, spans in self._values(ids, start).items():
            found = [span for span in self._occurrences(ids, value) if not _overlaps(span, new)]
            copied = [span for span in found if span[1] <= start]
            if copied:
                told = found if self._is_name(value) else copied  # digits of a reply may be a step's
                new |= dict.fromkeys([*told, *spans], self._other_value(ids[spans[0][0] - 1], value))
        new_labels = {
            span: tokens if labels[span[0]] != IGNORED else [IGNORED] * len(tokens)
            for span, tokens in new.items()
        }
        return {**row, "input_ids": _spliced(ids, new), "labels": _spliced(labels, new_labels)}

    def _values(self, ids: list[int], start: int) -> dict[tuple[int, ...], list[Span]]:
        """Find the values of the reply that begins at ``start``, longest first, and their spans in it."""
        values: dict[tuple[int, ...], list[Span]] = {}
        opened = None
        for place in range(start, len(ids)):
            text = self._texts[ids[place]]
            if opened is not None and text[:1] in ('"', ",", ")", "]", ""):
                if any(self._names_something(token) for token in ids[opened:place]):
                    values.setdefault(tuple(ids[opened:place]), []).append((opened, place))
                opened = None
            if text[-1:] in ('"', "="):
                opened = place + 1
        return dict(sorted(values.items(), key=lambda item: -len(item[0])))

    def _names_something(self, token: int) -> bool:
        """Check whether a value with this token is a name, number, address or sentence, no plan's word."""
        return self._kinds[token] in ("digits", "capital") or "@" in self._texts[token]

    def _is_name(self, value: tuple[int, ...]) -> bool:
        """Check for a value that means one thing wherever a reply says it: within texts and reasons, too."""
        return any(self._kinds[token] == "capital" or "@" in self._texts[token] for token in value)

    def _occurrences(self, ids: list[int], value: tuple[int, ...]) -> Iterator[Span]:
        """Find the spans of a value among tokens, as whole words."""
        size = len(value)
        for place in range(1, len(ids) - size):
            if ids[place] == value[0] and tuple(ids[place : place + size]) == value:
                around = (ids[place - 1], ids[place + size])
                if all(self._kinds[token] == "other" for token in around):
                    yield place, place + size

    def _other_value(self, before: int, value: tuple[int, ...]) -> list[int]:
        """Choose a value in another's place: one that a row had after the same token, or nearly that."""
        seen = self._seen.setdefault(before, {})
        seen.setdefault(value)
        other: list[int] = []
        for kind, run in groupby(self._rng.choice(list(seen)), lambda token: KINDS[self._kinds[token]]):
            word = list(run)
            invented = kind != "other" and self._rng.random() < INVENTED
            other += self._invented_word(word) if invented else word
        return other

    def _invented_word(self, word: list[int]) -> list[int]:
        """Draw random tokens that look like a word: as many digits, or a few syllables."""
        kind = self._kinds[word[0]]
        if kind == "digits":
            return [self._rng.choice(self._digits[len(self._texts[token])]) for token in word]
        more = self._rng.randrange(4)
        return [self._rng.choice(self._tokens[k]) for k in (kind, *["small"] * more)]


KINDS = {"digits": "digits", "capital": "letters", "small": "letters", "other": "other"}
"""The kinds of token that make a word together."""


def _kind(text: str) -> str:
    if text.isdecimal():
        return "digits"
    if text.isalpha():
        return "capital" if text[0].isupper() else "small"
    return "other"


def _overlaps(span: Span, others: Iterable[Span]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in others)


def _spliced(tokens: list[int], new: Mapping[Span, list[int]]) -> list[int]:
    """Return tokens with those of some spans exchanged."""
    spliced, end = [], 0
    for start, stop in sorted(new):
        spliced += tokens[end:start] + new[start, stop]
        end = stop
    return spliced + tokens[end:]
