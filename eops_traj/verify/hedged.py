"""What an answer does not stand by: a value that it denies, doubts, asks about, or has several of."""

import re

from eops_traj.verify.moment_forms import DATES_AND_TIMES

ONES = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
WORDS = (
    "zero", *ONES, "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"
)  # fmt: skip
TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_COUNT = rf"(?:\d+(?:[.,]\d+)*|{'|'.join((*WORDS, *TENS))})"
ONE_OF_SEVERAL = re.compile(
    rf"\bbetween {_COUNT} and {_COUNT}(?!\w)|(?<!\w)(?:{_COUNT}, ){{0,20}}{_COUNT},? or {_COUNT}(?!\w)"
    rf"|\b(?:is|are|was|were|has|have|about) {_COUNT} to {_COUNT}(?!\w)"
)
"""Numbers of which one is meant, so that none is told."""
_DENIED = re.compile(
    r"(?:(?:\b(?:not|never|no longer|rather than|instead of)|n't)"
    r"(?: (?:yet|been|be|currently|exactly|the|an?|to|on|in|at|by|for|from|with|as|of"
    r"|belong|owned|held|led|managed|chaired|written|due|called|named|based|set))*"
    r"|(?<!\bno )(?<!\bnot )\b(?:more|fewer|less) than|\b(?:may|might|could) be(?: the| an?)?"
    r"|\b(?:maybe|perhaps|possibly)(?: (?:there (?:is|are)|it is|the|an?))?"
    r"|\b(?:wrong|false|untrue|incorrect|not (?:true|correct|right|the case)) (?:that|to say)\b[^.;:!?,]*)"
    r"(?: ;)? ?[\"'(]*$",
    re.IGNORECASE,
)
"""What stands before a value that is not so, or may not be; "I did not close CS001" does tell of it."""
_CONTRASTED = re.compile(
    r"(?:(?:,|\bbut|\band) not|\brather than|\binstead of|(?:\bnot|n't) wait(?:ing)?)"
    r"(?: (?:the|to|on|in|at|by|for|from|with|as|of|any|our|their|your))* $"
)
"""What stands before a word that another is put in the place of; "you are not a manager" does tell of it."""
_BOUND_BEFORE = re.compile(
    r"(?:\bat least|\bupwards of|(?<=[\w:] )>=?"
    r"|(?<!ed )(?<!took )(?<!taken )(?<!left )(?<!went )(?<!going )(?<!spread )(?<!all )(?<!hand )\bover)"
    r" ?[\"'(]*$"
)
_BOUND_BEHIND = re.compile(r"\+(?!\d)| or (?:more|fewer|less|so)\b")
"""What makes a number a bound of the one meant."""
_QUESTION = re.compile(
    r"[.;:!?,] (?:is|are|was|were|do|does|did|has|have|had|can|could|would|should|shall) [^.;:!?]*$"
)
_ASKED = re.compile(r"[^.;:!?]{0,80}\?")
_CORRECTED = re.compile(r"[^.;!?]{0,120}[.;!?]\W{0,4}correction:[^.;!?]{0,80}\d")
_BEFORE_MOMENT = r"(?: (?:on|at|the|[a-z]{3,6}day,?))*"
_OTHER_MOMENT = re.compile(
    rf"(?:,? \d{{4}})?,? or{_BEFORE_MOMENT} (?:{DATES_AND_TIMES.pattern})", DATES_AND_TIMES.flags
)
_MOMENT_BEFORE = re.compile(
    rf"(?:{DATES_AND_TIMES.pattern}),? or{_BEFORE_MOMENT} $", DATES_AND_TIMES.flags & ~re.MULTILINE
)
_REACH = 60
"""Characters before a value in which it may be taken back."""


def is_claimed(match: re.Match[str]) -> bool:
    """Check that a value is neither denied before it, nor a moment that is one of two."""
    before = _before(match)
    behind = match.string[match.end() : match.end() + _REACH]
    return not (_DENIED.search(before) or _OTHER_MOMENT.match(behind) or _MOMENT_BEFORE.search(before))


def is_counted(match: re.Match[str]) -> bool:
    """Check that a number is told as the one meant: no bound of it, not asked about, and not corrected."""
    before, behind = _before(match), match.string[match.end() : match.end() + 4 * _REACH]
    return not (
        _DENIED.search(before)
        or _BOUND_BEFORE.search(before)
        or _BOUND_BEHIND.match(behind)
        or (_QUESTION.search(before) and _ASKED.match(behind))
        or _CORRECTED.match(behind)
    )


def is_not_contrasted(match: re.Match[str]) -> bool:
    """Check that a common word is not what another one is put in the place of."""
    return _CONTRASTED.search(_before(match)) is None


def _before(match: re.Match[str]) -> str:
    """Return what stands before a match; a text begins as behind the end of a sentence."""
    start = match.start()
    return match.string[start - _REACH : start] if start > _REACH else f". {match.string[:start]}"
