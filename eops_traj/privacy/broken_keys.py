"""Keys with a sign of their own that spaces break up, told from words that make one without their spaces.

A key goes on where a space broke it, and words end there: each piece is looked at as it stood in the text.
"""

import functools
import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate, groupby
from typing import TYPE_CHECKING

from eops_traj.privacy.disguises import squashed, words_of
from eops_traj.privacy.linear import Anywhere, group_of, linear, utf8
from eops_traj.privacy.signed_keys import SIGNED

if TYPE_CHECKING:
    import re2

DIGITS = 3
"""Digits of a key that is looked for in a text without its spaces."""
WORD = re.compile(rb"(?<![^ ])(?:[A-Z]?[a-z]+(?:-[a-z]+)*|[A-Z]+)(?![^ .,:;])")
"""A word between spaces; the words of a sign have other signs beside them."""
MIXED = re.compile(rb"[A-Za-z0-9]*(?:[0-9][A-Za-z]|[a-z][A-Z])[A-Za-z0-9]*")
"""Letters and digits as chance mixes them; the numbers of people stand behind letters, as in `Q3`."""
WORDS, MIXTURE = 1 / 2, 1 / 10
"""How much of a key words may be at most, and mixed letters and digits have to be at least."""
SHORT_SIGNS = ("Discord Bot Token", "Telegram Bot Token", "Twilio API Key", "Mailchimp Access Key")
"""Kinds whose sign is a letter, a word or a number that any text has."""
ADDRESSES = tuple(kind for kind in SIGNED if kind.endswith("webhook"))
"""Kinds whose sign is an address, which no words make."""
TELLING = 8
"""Letters and digits of a first piece that tells, behind such a sign, that a key begins."""
MORE = re.compile(r"(\{\d+,\d*\})(?!\?)")
"""A count that goes as far as it can."""


def broken_keys(text: str) -> Iterator[str]:
    """Yield the kinds of keys that stand in a text, decoded and without its spaces, and are no words."""
    joined = utf8(squashed(text))
    if _all_signed().stands_in(joined):
        pieces = Pieces(words_of(text))
        yield from (kind for kind in SIGNED if any(pieces.make(kind, *key) for key in _keys(kind, joined)))


def _keys(kind: str, joined: bytes) -> Iterator[tuple[int, int]]:
    """Yield where the keys of a kind begin, and where the shortest that begins there ends."""
    for match in linear(SIGNED[kind].pattern).finditer(joined):
        begin, end = match.span(group_of(match))
        digits = len(re.findall(rb"[0-9]", key := joined[begin:end]))
        if digits >= DIGITS and SIGNED[kind].is_secret(key.decode("utf-8", "replace")):
            least = _least(kind).match(joined[match.start() : end])
            yield begin, match.start() + least.end() if least else end


class Pieces:
    """What stood between the spaces of a text, by its place in the text without them."""

    def __init__(self, words: list[str]) -> None:
        """Take letters that stand alone as one piece: they spell something."""
        runs = [(alone, list(run)) for alone, run in groupby(words, key=_alone)]
        pieces = [(alone, piece) for alone, run in runs for piece in (["".join(run)] if alone else run)]
        self._pieces = [(alone, utf8(piece)) for alone, piece in pieces]
        self._begins = [0, *accumulate(len(piece) for _, piece in self._pieces)]

    def make(self, kind: str, begin: int, end: int) -> bool:
        """Check that pieces drawn by chance make the key from here to there, which begins where one does."""
        parts = list(self._between(begin, end))
        tells = kind not in SHORT_SIGNS or _mixture(parts[0]) >= TELLING
        drawn = kind in ADDRESSES or _drawn(b" ".join(parts))
        return tells and drawn and self._begins_at(begin)

    def _begins_at(self, place: int) -> bool:
        number = bisect_right(self._begins, place) - 1
        alone, piece = self._pieces[number]
        return alone or not piece[: place - self._begins[number]][-1:].isalnum()

    def _between(self, begin: int, end: int) -> Iterator[bytes]:
        number = bisect_right(self._begins, begin) - 1
        while self._begins[number] < end:
            at, (_, piece) = self._begins[number], self._pieces[number]
            yield piece[max(begin - at, 0) : end - at]
            number += 1


def _alone(word: str) -> bool:
    """Check that a word is a letter or a digit, with quotes or stops beside it at most."""
    return len(word) < 4 and sum(map(str.isalnum, word)) < 2


def _drawn(key: bytes) -> bool:
    """Check that a key, with its spaces, is not of words and numbers."""
    words = sum(map(len, WORD.findall(key)))
    return words <= WORDS * len(key) and _mixture(key) >= MIXTURE * len(key)


def _mixture(key: bytes) -> int:
    return sum(map(len, MIXED.findall(key)))


@functools.cache
def _all_signed() -> Anywhere:
    return Anywhere([pattern for pattern, _ in SIGNED.values()])


@functools.cache
def _least(kind: str) -> "re2._Regexp":
    """Return the expression of a kind that ends as soon as there is a key: words may stand behind it."""
    return linear(MORE.sub(r"\1?", SIGNED[kind].pattern))
