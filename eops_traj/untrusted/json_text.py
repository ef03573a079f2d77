"""JSON from outside: read within limits of size and depth, or refused with one line."""

import json
import re
from typing import Any

import re2

from eops_traj.errors import FormatError
from eops_traj.hashing import clean

MOST_CHARS = 256 * 2**20
"""The size of a text that is parsed. pydantic-core's own limits: a depth of 200, and 4,300 digits."""
SHOWN_CHARS = 80
"""Characters of a refused value that an error repeats."""

_ESCAPE = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F]|\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\.")
_ENORMOUS = re2.compile(r"[eE]\+?\d{3}|\d{200}")
"""What a number too large for a float has in it: an exponent of three digits, or so many digits that two do.
RE2 looks for it in half the time that parsing takes."""
_HALF_PAIR_CHARS = 6


def parse_json(text: str | bytes, most: int = MOST_CHARS) -> Any:
    """Parse the JSON of a text; half a surrogate pair becomes U+FFFD.

    Raises FormatError for what is not JSON (NaN and infinities are not), larger than ``most`` characters, or
    nested too deeply.
    """
    from pydantic_core import from_json  # 20 ms that a command without JSON from outside does not pay

    if len(text) > most:
        raise FormatError(f"{len(text)} characters, of at most {most}")
    try:
        value = from_json(text, allow_inf_nan=False)
    except ValueError as error:
        if "hex escape" not in str(error):
            raise FormatError(f"not JSON ({error})") from None
        value = _parse_mended(text if isinstance(text, str) else text.decode("utf-8", "replace"))
    except TypeError:  # half a pair not as an escape but as a character, which only a str can hold
        return parse_json(clean(str(text)), most)
    if _ENORMOUS.search(text):
        _check_finite(value)
    return value


def _check_finite(value: Any) -> None:
    """Raise FormatError where a number was larger than a float can hold, and has become an infinity."""
    try:
        json.dumps(value, allow_nan=False)
    except ValueError as error:
        raise FormatError("not JSON (a number out of range)") from error


def _parse_mended(text: str) -> Any:
    """Parse a text with half a surrogate pair, which models write and UTF-8 cannot hold."""
    from pydantic_core import from_json

    try:
        return from_json(_ESCAPE.sub(_mended, text), allow_inf_nan=False)
    except ValueError as error:
        raise FormatError(f"not JSON ({error})") from None


def _mended(escape: re.Match[str]) -> str:
    half = len(escape.group()) == _HALF_PAIR_CHARS
    return r"\ufffd" if half else escape.group()


def shorten_value(value: object) -> str:
    """Return a value as an error may repeat it: at most `SHOWN_CHARS` characters, on one line."""
    if isinstance(value, str | bytes):
        value = value[:SHOWN_CHARS]
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # an integer of more digits than Python writes; a deep nest
        text = f"{type(value).__name__} too large to show"
    return text if len(text) <= SHOWN_CHARS else f"{text[: SHOWN_CHARS - 3]}..."
