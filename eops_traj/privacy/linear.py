"""Expressions that RE2 searches in linear time, and how they are asked first whether anything is there."""

import functools
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re2

MEMORY = 64 << 20
"""Bytes that an expression may take for its states. Without room it takes thirty times as long a byte."""
TOGETHER = 40
"""Shapes in one expression: all of secrets together have too many states for any room."""
_LOOK_AROUND = re.compile(r"\(\?<?[!=][^()]*\)")
_WIDER = {r"\d": r"\p{Nd}", r"\s": r"\t-\r\x1c-\x20\x{85}\p{Z}", r"\w": r"_\p{L}\p{N}"}
"""What Python means in all alphabets, and RE2 in one: digits, spaces and what words are made of."""


@functools.cache
def linear(pattern: str, *, groups: bool = True) -> "re2._Regexp":
    """Compile an expression of RE2's syntax, which searches bytes in linear time, with its groups or not."""
    import re2

    options = re2.Options()
    options.max_mem = MEMORY
    options.never_capture = not groups
    return re2.compile(pattern.encode(), options)


class Anywhere:
    """Tells whether one of some expressions is anywhere in a text, and not where.

    A search that tells where goes back over what it found for the beginning, which takes a hundred times as
    long for so many shapes.
    """

    def __init__(self, patterns: Sequence[str]) -> None:
        parts = [patterns[start : start + TOGETHER] for start in range(0, len(patterns), TOGETHER)]
        either = ["|".join(f"(?:{pattern})" for pattern in part) for part in parts]
        self._parts = [linear(rf"\C*?(?:{part})", groups=False) for part in either]

    @classmethod
    def of(cls, *patterns: re.Pattern[str]) -> "Anywhere":
        """Compile Python's expressions without what RE2 lacks: it may say yes where there is none."""
        return cls([_widened(_LOOK_AROUND.sub("", pattern.pattern)) for pattern in patterns])

    def stands_in(self, text: bytes) -> bool:
        """Check whether one of them is in a text in UTF-8, in a few ns a byte."""
        return any(part.match(text) for part in self._parts)


def group_of(match: "re2._Match[bytes]") -> int:
    """Return the number of the first group that has something; 0, which is all of it, where none has."""
    return next((i for i in range(1, len(match.groups()) + 1) if match.start(i) >= 0), 0)


def _widened(pattern: str) -> str:
    """Return an expression without bounds of words, and with classes as wide as Python's."""
    written, in_brackets = "", False
    for token in re.findall(r"\\?.", pattern.replace(r"\b", ""), re.DOTALL):
        in_brackets = token == "[" or (in_brackets and token != "]")
        wide = _WIDER.get(token, token)
        written += wide if in_brackets or wide == token else f"[{wide}]"
    return written


def matches(shape: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Yield a shape's matches in a text. RE2 is asked first, since most texts have none."""
    if _anywhere(shape).stands_in(utf8(text)):
        yield from shape.finditer(text)


@functools.lru_cache(maxsize=2)
def utf8(text: str) -> bytes:
    """Encode a text, even one with half a character; kept, since fifty shapes are looked for in turn."""
    return text.encode("utf-8", "surrogatepass")


@functools.cache
def _anywhere(shape: re.Pattern[str]) -> Anywhere:
    return Anywhere.of(shape)
