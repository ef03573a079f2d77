"""Whether an answer names a reason: words of which one alternative each must be in it."""

import re
from collections.abc import Sequence

from eops_traj.verify.quotations import quotations

_SAME = str.maketrans(
    {"\u2019": "'", "\u2018": "'", "\u2010": "-", "\u2011": "-", "\u2013": "-", "\u2014": "-"}
)


def names(text: str, group: str) -> bool:
    """Check whether a text has one of a group's alternatives, which are separated by ``|``.

    An alternative is found at the beginning of a word, in any case; apostrophes and dashes are alike in every
    form, and a space stands for a dash too. A number is found only whole: ``2`` is in neither ``2026`` nor
    ``12`` nor ``2.5``. A state that is denied ("not closed yet") is not named.
    """
    plain = text.translate(_SAME)
    return any(_is_named(alternative, plain) for alternative in alternatives(group))


_STATE_WORDS = """
archived booked busy canceled cancelled closed completed deactivated decommissioned deleted disabled
discontinued disposed ended expired full gone inactive lapsed left locked missing occupied overdue overlap
published resolved retired scrapped suspended taken terminated unavailable withdrawn
"""
_STATES = frozenset(_STATE_WORDS.split())
"""What a record is in, or not."""
_DENIED = re.compile(
    r"(?:\b(?:is|are|was|were|has|have|had)(?: not|n't)|\bnever|\bnot yet|\bnot)"
    r"(?: (?:yet|been|currently|actually|really|marked as)){0,3} \Z",
    re.IGNORECASE,
)
_REACH = 40
"""How far before a state its denial begins."""
_OTHER_SENSE = {
    "missing": r"(?! (?:an?|the|its|any|some|his|her|their|your) )",
    "only": r"(?! (?:one|two|\d|after|once|when|if)\b)",
}
"""What must not follow a word: a record that is missing a field is there, "only one" restricts nobody."""


def _is_named(alternative: str, text: str) -> bool:
    found = re.finditer(_pattern(alternative) + _OTHER_SENSE.get(alternative, ""), text, re.IGNORECASE)
    if alternative not in _STATES:
        return any(True for _ in found)
    return not all(_DENIED.search(text[max(0, one.start() - _REACH) : one.start()]) for one in found)


def unnamed(groups: Sequence[str], answer: str, request: str) -> list[str]:
    """Return the groups that an answer names none of.

    A name or number, which has a capital or a digit, counts wherever it stands. A common word does not where
    the answer only repeats what the request quotes: who cannot post "There are two tables." has not said that
    two people have one name.
    """
    own = own_words(answer, request)
    return [group for group in groups if not any(names(one, part) for part, one in _read(group, answer, own))]


def own_words(answer: str, request: str) -> str:
    """Return an answer without the texts of two words or more that the request quotes."""
    answer, request = answer.translate(_SAME), request.translate(_SAME)
    texts = {text.strip(" .,;:!?") for text in quotations(request)}
    for text in sorted((text for text in texts if " " in text), key=len, reverse=True):
        answer = answer.replace(text, "")
    return answer


def _read(group: str, answer: str, own: str) -> list[tuple[str, str]]:
    """Return each alternative, and the text in which it counts."""
    return [
        (part, answer if part != part.lower() or re.match(r"\d", part) else own)
        for part in alternatives(group)
    ]


def alternatives(group: str) -> list[str]:
    """Return the alternatives of a group."""
    return [part.strip() for part in group.split("|") if part.strip()]


def _pattern(alternative: str) -> str:
    words = re.split(r"[\s-]+", alternative.translate(_SAME))
    starts = r"(?<!\w)(?<!\d[.,:])" if re.match(r"\d", alternative) else r"(?<!\w)"
    ends = r"(?!\w)(?![.,:]\d)" if re.search(r"\d\Z", alternative) else ""
    return starts + r"[\s-]+".join(map(re.escape, words)) + ends
