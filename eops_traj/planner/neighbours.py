"""The nearest of many texts by the words that they share, without comparing each with each."""

from collections import defaultdict
from collections.abc import Mapping
from math import ceil


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text, in lower case."""
    return frozenset(text.lower().split())


class WordIndex:
    """Texts as sets of words, by number, to be asked which is nearest (Jaccard)."""

    def __init__(self, texts: Mapping[int, frozenset[str]]) -> None:
        self._texts = texts
        self._holders: dict[str, list[int]] = defaultdict(list)
        for number, words in texts.items():
            for word in words:
                self._holders[word].append(number)

    def nearest(self, words: frozenset[str], least: float) -> int | None:
        """Return the number of the text that has most in common with these words, the lowest of equals.

        None where none has a share of ``least``, above 0, in common. A text that has lacks at most the rest
        of the words, and so has one of any that are more: only those with one of the rarest are compared.
        """
        lacking = len(words) - ceil(least * len(words) - 1e-9)
        rarest = sorted(words, key=lambda word: len(self._holders.get(word, ())))[: lacking + 1]
        near = {number for word in rarest for number in self._holders.get(word, ())}
        likeness, number = max(((_likeness(words, self._texts[n]), -n) for n in near), default=(0.0, 0))
        return -number if likeness >= least else None


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other)
