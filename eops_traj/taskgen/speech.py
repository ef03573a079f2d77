"""How a request is worded: of many ways to say each part the one least like what was said before.

A draw, which seeds every choice of a task, may end in the numbers of the ways chosen (``SEED~3.0.17~2``:
those of the parts, then that of the whole): so the same request can be said again without what was heard.
"""

from collections.abc import Callable
from random import Random

from eops_traj.tasks.language import ngrams, words_of

WAYS = 32
"""How many ways to say a part, or the whole, are looked at."""
_SIZES = (2, 3, 4)  # of the runs of words in which requests are compared

Say = Callable[[Random], str]


class Heard:
    """The runs of words of the requests so far."""

    def __init__(self) -> None:
        """Have heard nothing."""
        self._grams: set[tuple[str, ...]] = set()

    def add(self, request: str) -> None:
        """Remember a request."""
        words = words_of(request)
        self._grams.update(gram for size in _SIZES for gram in ngrams(words, size))

    def likeness(self, text: str) -> float:
        """Return the share of a text's runs of words that were heard: 0 for all new, 1 for none."""
        words = words_of(text)
        grams = {gram for size in _SIZES for gram in ngrams(words, size)}
        return len(grams & self._grams) / max(len(grams), 1)


class Speech:
    """The ways in which one request is said; those that its draw does not name are chosen, or the first."""

    def __init__(self, draw: str, heard: Heard | None = None) -> None:
        """Read a draw. What was ``heard`` decides where the draw does not."""
        self.seed, _, named = draw.partition("~")
        parts, _, whole = named.partition("~")
        self._known = {place: int(number) for place, number in enumerate(filter(None, parts.split(".")))}
        self._known_whole = int(whole or 0)
        self._heard = None if named else heard
        self._parts: list[int] = []
        self._whole = 0

    def part(self, say: Say) -> str:
        """Say the next part."""
        place = len(self._parts)
        number, text = self._choose(f"{place}", self._known.get(place, 0), say)
        self._parts.append(number)
        return text

    def whole(self, say: Say) -> str:
        """Say the whole, of parts that are said."""
        self._whole, text = self._choose("whole", self._known_whole, say)
        return text

    @property
    def draw(self) -> str:
        """The draw with the ways chosen, where they were chosen."""
        if not any(self._parts) and not self._whole:
            return self.seed
        return f"{self.seed}~{'.'.join(map(str, self._parts))}~{self._whole}"

    def _choose(self, place: str, known: int, say: Say) -> tuple[int, str]:
        if self._heard is None:
            return known, self._say(place, known, say)
        best = (1.1, 0, "")
        for number in range(WAYS):
            way = self._say(place, number, say)
            best = min(best, (self._heard.likeness(way), number, way))
            if not best[0]:
                break  # nothing of it was heard, and none before it was as new
        return best[1:]

    def _say(self, place: str, number: int, say: Say) -> str:
        return say(Random(f"{self.seed}:words:{place}:{number}"))
