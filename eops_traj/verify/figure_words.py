"""Which of several figures a number in an answer is, by the words of its clause.

Asked for 22 high and 18 breached ones, ``High: 18, breached: 22`` tells neither.
"""

import re
from bisect import bisect
from collections.abc import Callable, Iterable

_END = re.compile(r"[.,](?!\d)|[;!?|]")
_WORD = re.compile(r"[a-z]{4,}")
_NUMBER = re.compile(r"(?<![\w-])\d")
_EVERYWHERE = re.compile(
    "been|does|figure|from|have|into|many|number|still|that|theirs?|them|there|these|they|this|those|were|which"
    "|will|with"
)
_STEM = 5
"""Letters by which forms of a word are the same: ``breached``, ``breach``."""


def tells_another(what: str, beside: Iterable[str], text: str) -> Callable[[re.Match[str]], bool]:
    """Return a check of a number's match in a text: its clause names a figure ``beside``, and not this one.

    Where no clause has a number and a word of this figure, it may be told in other words.
    """
    mine, others = _stems(what), {stem for other in beside for stem in _stems(other)}
    own, foreign = mine - others, others - mine
    starts = [0, *(found.end() for found in _END.finditer(text))]
    clauses = [text[at:end] for at, end in zip(starts, [*starts[1:], len(text)], strict=True)]
    stems = [_stems(clause) for clause in clauses]
    told = any(own & words and _NUMBER.search(clause) for words, clause in zip(stems, clauses, strict=True))

    def check(match: re.Match[str]) -> bool:
        at = bisect(starts, match.start()) - 1
        return told and bool(foreign & stems[at]) and not own & stems[at]

    return check


def _stems(text: str) -> set[str]:
    return {word[:_STEM] for word in _WORD.findall(text.lower()) if not _EVERYWHERE.fullmatch(word)}
