"""What a number in an answer counts: ``sent 1 alert`` tells no count of tasks beside ``it has 7 tasks``."""

import re
from collections.abc import Callable, Set
from itertools import takewhile

_ASKED = re.compile(r"\b(?:how many|number of)(?: of)?(?: (?:all|their|the|these|our))* (?P<phrase>.+)")
_OWN_WORD = re.compile(
    r"(?!(?:a|an|are|as|at|come|ever|for|go|had|has|have|he|i|in|is|it|of|on|she|stand|that|the|there|they|to|was"
    r"|we|were|will|with|you)$)[A-Za-z]+"
)
"""A word of the phrase that says what is counted, which a verb or a preposition ends."""
_PLURAL = re.compile(r"[A-Za-z]+(?<![su])s|people")
_NUMBER = r"(?<![\w.,])(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b"
_BETWEEN = r"(?:[^.;!?\d]|(?<=[\w-])\d){0,90}?"
"""What may stand between a noun and its number: no other number, but one in an id."""
_ENDING = re.compile(r"(?:ies|es|s|y)$")
_FUNCTION_WORD = re.compile(
    "a|altogether|an|and|are|as|at|because|been|but|by|during|for|from|had|has|have|here|i|if|in|is|it|just|now|of"
    "|on|ones|only|or|out|overall|per|since|so|still|that|the|then|there|this|to|today|under|was|were|when|which|while"
    "|who|whom|with|yet|[a-z]+ly"
)
"""Words that begin no noun: what is counted was said before."""
_QUALITY = re.compile(
    "active|additional|critical|current|different|extra|free|further|high|low|moderate|more|new|old|open|other|own"
    "|[a-z]+(?:ed|ing)"
)
_REACH = 60
"""Characters around a number that tell what it counts."""
_LABELS = re.compile(r"\b(?:grade|group|level|line|no|part|phase|priority|section|stage|step|tier)\.? $")
"""Words before a number that is a name."""


def counted_noun(what: str) -> str | None:
    """Return the noun whose number is asked for: ``tasks`` of ``how many open tasks the case has``."""
    found = _ASKED.search(what)
    words = found["phrase"].split() if found else []
    own = list(takewhile(_OWN_WORD.fullmatch, words))
    return next(filter(_PLURAL.fullmatch, own), own[-1]).lower() if own else None


def counts_another(noun: str, text: str, what: str = "") -> Callable[[re.Match[str]], bool]:
    """Return a check of a number's match in a text: it counts, or names, something else than the noun does.

    What it counts may be told by another name, where the text has no other number of the noun, or with a
    quality that is asked for in ``what``: ``3 open incidents`` of ``how many tickets are open``.
    """
    named = rf"\b{re.escape(_ENDING.sub('', noun))}(?:ies|es|s|y|e)?\b"
    numbered = re.compile(rf"{_NUMBER}(?: (?!of )[a-z'-]+){{0,2}}? {named}|{named}{_BETWEEN}(?<!-){_NUMBER}")
    qualities = set(filter(_QUALITY.fullmatch, what.lower().split()))
    ends = {found.end() for found in numbered.finditer(text)}

    def check(match: re.Match[str]) -> bool:
        before = text[max(0, match.start() - _REACH) : match.start()]
        behind = text[match.end() : match.end() + _REACH]
        return bool(_LABELS.search(before)) or (
            len(ends) > (match.end() in ends) and _is_another(behind, named, qualities)
        )

    return check


def _is_another(behind: str, named: str, qualities: Set[str]) -> bool:
    """Check whether the words behind a number begin with a noun, before any that ends what is counted."""
    found = re.match(r"(?: [a-z][a-z'-]*){0,3}", behind)
    if found and re.match(rf" \([^()]*{named}", behind[found.end() :]):  # its parts are told
        return False
    words = found[0].split() if found else []
    if any(word in qualities or re.match(named, word) for word in words):
        return False
    for word in words:
        if _FUNCTION_WORD.fullmatch(word):
            return False
        if not _QUALITY.fullmatch(word):
            return True
    return False
