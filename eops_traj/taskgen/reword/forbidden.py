"""What a request forbids: another wording has to forbid it as well, and where it speaks of it.

A word that denies somewhere in the text is not enough, since it may deny something else: the part of the
other wording that says most of what is forbidden has to deny it. What stands in quotation marks is a value,
and neither forbids nor denies anything.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from eops_traj.verify.quotations import QUOTED

SENTENCE = re.compile(r"(?<=[.!?;])[\"'\u201d\u2019)]*\s+|\n+")
_PART = re.compile(r"[,;:()]\s+|\s[\u2013\u2014-]\s|\b(?:and|but|so|while)\b", re.IGNORECASE)
_FORBIDS = re.compile(
    r"\b(?:(?:do|must|should|may|need|shall) not|(?:do|must|should|need)n['\u2019]t|never|without)\b",
    re.IGNORECASE,
)
_DENIES = re.compile(
    r"\b(?:no|not|cannot|none|never|nothing|nobody|neither|nor|without|except|avoid|refrain|spare|skip|omit"
    r"|untouched|unchanged|forbidden|prohibited|(?:leave|leaving|left) [^,.;]{0,40}\b(?:alone|out))\b"
    r"|n['\u2019]t\b",
    re.IGNORECASE,
)
Reader = Callable[[str], set[str]]


class Part(NamedTuple):
    """A part of a sentence: what it speaks of, the work that its verbs are of, and the words that deny in it.

    Those of a part that forbids are the ones that it has besides: "skip" denies nothing that is not to be
    skipped.
    """

    stems: set[str]
    kinds: set[str]
    denials: set[str]

    def denies(self, other: "Part") -> bool:
        """Check whether it denies what another part forbids."""
        return not self.denials <= other.denials

    def says(self, other: "Part") -> bool:
        """Check whether it speaks of the work that another part is about, and not only of the same things."""
        both = self.stems & other.stems
        return bool(self.kinds & other.kinds) if other.kinds else len(both) > 1 or both == other.stems

    def nearness(self, other: "Part") -> int:
        """Count what both speak of; work of one kind counts as a word."""
        return len(self.stems & other.stems) + bool(self.kinds & other.kinds)


def allowed_now(request: str, text: str, stems: Reader, kinds: Reader) -> str | None:
    """Return a sentence that forbids something which the other wording does not; None where there is none."""

    def read(part: str) -> Part:
        return Part(stems(part), kinds(part), {match[0][:4].lower() for match in _DENIES.finditer(part)})

    def sentences(of: str) -> dict[str, list[Part]]:
        unquoted = SENTENCE.split(QUOTED.sub(" ", of))
        return {sentence: [read(part) for part in _PART.split(sentence)] for sentence in unquoted}

    asked, told = sentences(request), list(sentences(text).values())
    for sentence in asked:
        others = [part for other, parts in asked.items() if other != sentence for part in parts]
        for part in _forbidding(sentence):
            forbidden = read(part)._replace(denials=read(_FORBIDS.sub(" ", part)).denials)
            if not any(_forbids(parts, forbidden, others) for parts in _nearest(told, forbidden)):
                return sentence
    return None


def _forbidding(sentence: str) -> list[str]:
    """Return the parts of a sentence that forbid; all of it where such a part says nothing by itself."""
    found = []
    for part in _PART.split(sentence):
        if match := _FORBIDS.search(part):
            after = part[match.start() :] if match[0].lower() == "without" else part
            found.append(after if len(after) > len(match[0]) + 2 else sentence)
    return found


def _nearest(sentences: list[list[Part]], forbidden: Part) -> list[list[Part]]:
    """Return the sentences with the part that is nearest to what is forbidden."""
    near = [max(part.nearness(forbidden) for part in parts) for parts in sentences]
    return [parts for parts, one in zip(sentences, near, strict=True) if one == max(near)]


def _forbids(parts: list[Part], forbidden: Part, others: list[Part]) -> bool:
    """Check whether a sentence denies what is forbidden: in the part that says it, or for it.

    A part that bids the work without a word that denies allows it, unless the part before, of the same work,
    denies both. One that only names what it is about leaves it to the parts beside it, but for those that
    deny what another sentence of the request is about.
    """
    nearest = max(part.nearness(forbidden) for part in parts)
    for before, part in zip([None, *parts], parts, strict=False):
        if part.nearness(forbidden) < nearest:
            continue
        if part.denies(forbidden) or (before and before.denies(forbidden) and before.kinds & forbidden.kinds):
            return True
        if not part.says(forbidden) and any(
            one.denies(forbidden) and all(one.nearness(other) <= one.nearness(forbidden) for other in others)
            for one in parts
        ):
            return True
    return False
