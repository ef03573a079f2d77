"""Words as held-out texts are looked for by: whatever their case, letters' forms, marks and signs are.

A step of a plan is found by its words alone, near one another: so quotes of another kind, brackets, numbers,
lines, the order of arguments and JSON around them do not hide it.
"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from eops_traj.filter.similarity import UNSPACED
from eops_traj.privacy.disguises import DEPTH, LOOKALIKES, decoded, encoded_in
from eops_traj.privacy.texts import texts

Words = tuple[str, ...]
SLACK = 3
"""Words that may stand between those of a step, and one more for every third of its own."""
_WORD = re.compile(rf"[{UNSPACED}]|[^\W_{UNSPACED}]+|[\u2600-\u27bf\U0001f000-\U0001faff]")
"""A word, or a picture: plans of one family can differ in these alone."""
_HYPHENATED = re.compile(r"(?<=\w)-[ \t]*\r?\n[ \t]*(?=\w)")
_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9]{0,20} ?/?>")
_MARGIN = re.compile(r"(?m)^[ \t]{0,16}\d{1,6}[ \t]{0,4}[|:\t][ \t]?")
"""Numbers of lines, as programs show them."""
_SPELLED = re.compile(r"(?:[^\s] (?: {2})?){20,}")
"""Letters with a space between them, and three between words."""


def words(text: str) -> Words:
    """Return the words and numbers of a text, each in one form; an underscore parts two."""
    text = _TAG.sub(" ", _HYPHENATED.sub("", text))
    if not text.isascii():
        text = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).translate(LOOKALIKES))
        text = "".join(letter for letter in text if unicodedata.category(letter) != "Mn")
    return tuple(_WORD.findall(text.casefold()))


def forms(leaf: str) -> Iterator[str]:
    """Yield the forms in which a text is searched: as it is, opened where it is JSON, decoded, drawn up."""
    yield leaf
    for _, text in texts(leaf):
        yield from _clear(text, DEPTH)


def _clear(text: str, depth: int) -> Iterator[str]:
    yield (clear := decoded(text))
    yield _MARGIN.sub("", clear)
    yield from (_drawn_together(spelled[0]) for spelled in _SPELLED.finditer(clear))
    if depth:
        for inner in encoded_in(clear):
            yield from _clear(inner, depth - 1)


def _drawn_together(text: str) -> str:
    return text.replace("   ", "\0").replace(" ", "").replace("\0", " ")


class StepFinder:
    """Finds steps of plans among the words of a text."""

    def __init__(self, steps: Iterable[str]) -> None:
        """``steps`` are lines of plans, without their numbers and reasons."""
        self._of_name: dict[Words, list[tuple[str, Counter[str]]]] = defaultdict(list)
        for step in steps:
            said = Counter(words(re.sub(r"\$\w*", " ", step)))
            called = re.search(r"\b\w++(?=\()", step)  # behind "for $2:", where the step is one for each
            if name := words(called[0] if called else step)[:2]:
                self._of_name[name].append((step, said))

    def find(self, said: Words) -> set[str]:
        """Return the steps whose words all stand near their tool's name, on one side of it or around it."""
        there = self._there(set(said))
        return {
            step
            for place, word in enumerate(said)
            for name, step, own in there.get(word, ())
            if said[place : place + len(name)] == name and _near(own, said, place)
        }

    def _there(self, said: set[str]) -> dict[str, list[tuple[Words, str, Counter[str]]]]:
        """Return the steps all of whose words are said somewhere, by the first word of their tool's name."""
        there: dict[str, list[tuple[Words, str, Counter[str]]]] = defaultdict(list)
        for name, steps in self._of_name.items():
            if said.issuperset(name):
                there[name[0]] += [(name, step, own) for step, own in steps if said >= own.keys()]
        return there


def _near(own: Counter[str], said: Words, place: int) -> bool:
    """Check whether all of these words stand near a place, as many of each as there are."""
    reach = own.total() + own.total() // 3 + SLACK
    return own <= Counter(said[place : place + reach]) or own <= Counter(
        said[max(place - reach, 0) : place + reach]
    )
