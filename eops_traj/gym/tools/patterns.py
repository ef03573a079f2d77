"""Patterns of texts, as JSON Schemas have them and as pydantic's engine reads them."""

import re
from functools import lru_cache

_LONGEST = 1_000  # characters of a text that has to match: a name, an address, a link
_END = re.compile(r"(\\.|\[\^?\]?(?:\\.|[^\]\\])*(?:\]|\Z))|\$", re.DOTALL)
"""A ``$`` that means the end; first what holds one that does not: an escape, and a set of characters."""


def matches(pattern: str, text: str) -> bool:
    """Check whether a text matches somewhere; too long a one does not, as not all patterns are linear."""
    return len(text) <= _LONGEST and _compiled(pattern).search(text) is not None


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile a pattern: pydantic's ``$`` is the end of the text alone, Python's also its last line break."""
    return re.compile(_END.sub(lambda match: match[1] or r"\Z", pattern))
