"""Requests as they are sent: a part for each thing asked, in the order of the work, in one of many genres."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random

from eops_traj.taskgen.genres import Genre, as_a_whole, choose_genre, paragraphs
from eops_traj.taskgen.wording import vary

SHORTEST, LONGEST = 25, 260
"""Words of a request; real ones have 23 to 355."""
BESIDE = 0.08
"""The share of requests with a sentence beside the point."""


@dataclass(frozen=True)
class Composition:
    """A request before it is put into words: its parts, with what is beside the point, and its genre."""

    genre: Genre
    pieces: Sequence[str]
    name: str
    asides: list[str]
    """The sentences in it that are beside the point."""

    @classmethod
    def drawn(
        cls, rng: Random, parts: Sequence[str], name: str, asides: Sequence[str], beside: float = BESIDE
    ) -> "Composition":
        """Draw a genre, and what is said beside the point, in this share of requests; ``name`` may sign it.

        Parts too short to be a request alone get as many sentences as it takes.
        """
        pieces = [_capitalize(part) for part in parts]
        spare = [vary(rng, aside) for aside in rng.sample(list(asides), min(4, len(asides)))]
        added = list[str]()
        wanted = rng.random() < beside and count_words(pieces) < LONGEST - 40
        while spare and (wanted or count_words([*pieces, *added]) < SHORTEST):
            added.append(spare.pop())
            wanted = False
        for aside in added:
            pieces = _with_aside(rng, pieces, aside)
        return cls(choose_genre(rng), pieces, name, added)

    def write(self, rng: Random, *, whole: bool = False) -> str:
        """Write the request. Several parts are asked for as a whole, and one if it is to be ``whole``."""
        pieces = [*self.pieces]
        if whole or len(pieces) > 1:
            ending = as_a_whole(rng)
            pieces[-1:] = [pieces[-1], ending] if self.genre is paragraphs else [f"{pieces[-1]} {ending}"]
        return self.genre(rng, pieces, self.name)


def _with_aside(rng: Random, pieces: Sequence[str], aside: str) -> list[str]:
    """Put an aside before or after one of the parts."""
    at, before = rng.randrange(len(pieces)), rng.random() < 0.5
    with_it = f"{aside} {pieces[at]}" if before else f"{pieces[at]} {aside}"
    return [*pieces[:at], with_it, *pieces[at + 1 :]]


def count_words(texts: str | Iterable[str]) -> int:
    """Count the words of a text, or of several."""
    return len((texts if isinstance(texts, str) else " ".join(texts)).split())


def _capitalize(part: str) -> str:
    """Return the part as a sentence of its own; an address at its start stays as it is."""
    part = part.strip()
    start = re.match(r"[a-z](?!\S*@)", part)
    return part[0].upper() + part[1:] if start else part
