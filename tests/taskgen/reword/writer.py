"""A writer that rewords honestly by rule: small words go between those that need not stay together."""

import re
from collections.abc import Iterable
from random import Random

from eops_traj.verify.quotations import quotations

_SMALL = ("well,", "indeed", "then", "so", "of course", "as it is", "rather", "simply")


def honest(request: str, keep: Iterable[str] = ()) -> str:
    """Reword a request: whatever is to be kept stays, and few runs of four words do."""
    rng = Random(request)
    kept = sorted({*keep, *quotations(request)}, key=len, reverse=True)
    pattern = "|".join([*(re.escape(fact) for fact in kept), r"[^\s\"']+"])
    tokens = re.findall(rf"[\"'(]*(?:{pattern})[.,:;?!)\"']*|\S+", request, re.IGNORECASE)
    words: list[str] = []
    for left, right in zip(tokens, [*tokens[1:], "End."], strict=True):
        words.append(left)
        if _is_plain(left) and _is_plain(right) and rng.random() < 0.9:
            words.append(rng.choice(_SMALL))
    return " ".join(words)


def _is_plain(word: str) -> bool:
    return re.fullmatch(r"[a-z]{2,}", word) is not None
