"""The texts of a JSON value: its strings, the keys of its objects, and what keys and lists join together."""

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

NAMES_A_VALUE = re.compile(
    r"(?i)pass|pwd|secret|key|token|auth|cred|cookie|sig|conn|phone|mobile|fax|tel|birth|dob|born|ssn|social|tax"
    r"|iban|nhs|aadhaar|national|insurance|bsn|pesel|cpr|tfn|personn"
)
"""Names that tell what their value is; with another name a value says as much alone."""
OF_A_PERSON = re.compile(
    r"(?i)phone|mobil|\b(?:tel|fax|handy|handynummer|mob|sms)\b|whatsapp|contact n|birth|\bd\.?o\.?b\b"
    r"|social (?:security|insurance)|\b(?:ssn|sin|nhs|tin|tfn|dni|nif|nie|bsn|pnr|cpr|mbi|aba|pps|cnp|egn|oib"
    r"|amka|svnr|nric|fin)\b|passport|steuer|\btax|medicare|routing|sort code|pesel|personn|kimlik|isikukood"
    r"|zehut|dsels|\bid (?:no|nr|num|number|card)\b|national id|identity"
)
"""Names of personal data, with spaces between their words."""
CASES = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[_-]")
"""Where a word of a key ends, as in `socialSecurityNumber` and `social_security_number`."""
VALUE = re.compile(r"""[^\s{\["]\S{0,200}|[+(\d][\d\s()./+-]{0,40}|\w{1,12}\.? \w{1,12},? \d{4}""")
"""One word, a number or a date: a sentence is no value of a name, but tells of it."""
LABELS = ("name", "key", "field", "label", "header", "variable", "parameter", "param", "property", "column")
VALUES = ("value", "values", "val", "content", "data", "new_value", "newvalue", "new", "old", "default")
"""Keys of an object that names its value: `{"name": "phone", "value": ...}`."""
DESCRIBES = re.compile(
    r"(?i)^\$|type|kind|format|desc|title|label|pattern|encod|algo|method|scheme|policy|status|state"
    r"|id$|_at$|name$|version|unit|creat|updat|expir|last"
)
"""Keys whose value describes what the key above names, and is none: `{"password": {"format": ...}}`."""
LABELLED, NAME, RANDOM = 12, 64, 20
"""Keys of an object with a label, characters of a name, and of a word that is a key rather than a name."""
KEYS = 1 << 12
"""Keys of which it is cached what they say: records repeat theirs."""
LONG_NUMBER = 10**8
"""Numbers from this on are searched as texts are: a card is a number too."""
PIECE = 200
"""Characters of a text that may be a piece of a longer one."""


def texts(value: Any) -> Iterator[tuple[str, str]]:
    """Yield every text of a JSON value with its place, keys of objects too, depth first.

    A text that is itself JSON is opened: its escapes would hide where a number or an address begins.
    """
    for place, text in leaves(value):
        inner = open_json(text)
        if inner is None:
            yield place, text
        else:
            yield from ((join(place, part), inside) for part, inside in texts(inner))


def leaves(value: Any) -> Iterator[tuple[str, str]]:
    """Yield the strings of a JSON value as they stand, keys of objects too, each with its place.

    A value whose key tells what it is comes a second time, behind its key, also where it lies deeper;
    so do short texts of a list, joined.
    """
    waiting = [("", value, "")]
    while waiting:
        place, part, name = waiting.pop()
        if isinstance(part, dict):
            inner = [(join(place, str(key)), str(key), value) for key, value in part.items()]
            for at, key, value in inner:
                yield from ((at, text) for text in _pair(key, value))
            if "kty" in part:
                yield from ((place, text) for text in _web_key(part))
            label = _label(part)
            waiting += [(at, value, _name(key, value, name, label)) for at, key, value in reversed(inner)]
        elif isinstance(part, list | tuple):
            if _all_letters(part):
                yield place, "".join(map(chr, part))
            if not _all_numbers(part):
                yield from ((place, text) for text in (*_joined(part), *_neighbours(part)))
                waiting += [(f"{place}[{n}]", part[n], name) for n in reversed(range(len(part)))]
        elif (text := _written(part)) is not None:
            yield place, text
            if name and VALUE.fullmatch(text):
                yield from ((place, f"{written}: {_quoted(text)}") for written in _written_names(name))


def join(place: str, part: str) -> str:
    """Return the place of a part: `a.b`, `a[0]`."""
    return f"{place}.{part}" if place and part and part[0] != "[" else place + part


def open_json(text: str) -> Any:
    """Return the value of a text that is a JSON object, list or string; None for any other."""
    if text[:1] not in ("{", "[", '"'):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _written(value: Any) -> str | None:
    """Return a string, or the digits of a long number, however it is written; None for anything else."""
    if isinstance(value, str):
        return value
    whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    return str(abs(int(value))) if whole and abs(value) >= LONG_NUMBER else None


def _pair(key: str, value: Any) -> Iterator[str]:
    """Yield a key; with its value where it tells what that is, or may be the beginning of it."""
    yield key
    if isinstance(value, str | int) and _names_a_value(key):
        yield from (f"{name}: {_quoted(value)}" for name in _written_names(key))
    if isinstance(value, str) and len(value) <= PIECE and (key[-1:] in "_-." or not key.isalpha()):
        yield f"{key}{value}"


def _quoted(value: str | int) -> str:
    """Return a value in quotes, as JSON has it: without them, a sign may be taken for its end."""
    return json.dumps(str(value), ensure_ascii=False)


def _web_key(part: dict[Any, Any]) -> Iterator[str]:
    """Yield what is secret of a JSON Web Key, behind what tells that it is one: its names are letters."""
    for name in ("k", "d"):
        if isinstance(value := part.get(name), str):
            yield f'"kty": "", "{name}": "{value}"'


def _label(part: dict[Any, Any]) -> str:
    """Return what an object of a name and a value calls its value, where that tells what it is."""
    if len(part) > LABELLED:
        return ""
    labels = (value for key, value in part.items() if str(key).lower() in LABELS)
    return next((label for label in labels if isinstance(label, str) and _is_name(label)), "")


def _name(key: str, value: Any, outer: str, label: str) -> str:
    """Return the name of the values within a value: its key, its label, or the name of what it lies in."""
    if label and key.lower() in VALUES:
        return label
    if _names_a_value(key):
        return "" if isinstance(value, str | int) else key
    return "" if not outer or _describes(key) else outer


def _is_name(text: str) -> bool:
    return len(text) <= NAME and _names_a_value(text)


def _names_a_value(key: str) -> bool:
    return _says(key).names if len(key) <= NAME else NAMES_A_VALUE.search(key) is not None


def _written_names(key: str) -> tuple[str, ...]:
    """Return a key, and of personal data its words too, as a text would have them."""
    words = _says(key).words if len(key) <= NAME else ""
    return (key, words) if words else (key,)


def _describes(key: str) -> bool:
    return _says(key).describes if len(key) <= NAME else DESCRIBES.search(key) is not None


class _Says(NamedTuple):
    names: bool
    describes: bool
    words: str
    """The words of a key of personal data, where they are written as one."""


@lru_cache(maxsize=KEYS)
def _says(key: str) -> _Says:
    """Return what a key of usual length says of its value."""
    words = CASES.sub(" ", key)
    personal = OF_A_PERSON.search(words) is not None
    names = personal or NAMES_A_VALUE.search(key) is not None
    return _Says(names, DESCRIBES.search(key) is not None, words if personal and words != key else "")


def _neighbours(part: list[Any] | tuple[Any, ...]) -> Iterator[str]:
    """Yield options of a command with what follows them, and a name with its value where a list is a pair."""
    for name, value in pairwise(part):
        if isinstance(name, str) and isinstance(value, str) and VALUE.fullmatch(value) and _is_name(name):
            random = len(value) >= RANDOM and any(letter.isdigit() for letter in value)
            word = value.isidentifier() and not random  # such as the next name of a list of names
            if value[0] != "-" and (name[0] == "-" or (len(part) == 2 and not word)):
                yield f"{name.lstrip('-')}: {value}"


def _joined(part: list[Any] | tuple[Any, ...]) -> Iterator[str]:
    pieces = [piece for piece in part if isinstance(piece, str) and len(piece) <= PIECE]
    if len(pieces) > 1:  # a line that begins with `@` decorates code
        yield "".join(f"\n{piece}" if piece[:1] == "@" else piece for piece in pieces)


def _all_letters(part: list[Any] | tuple[Any, ...]) -> bool:
    """Check whether a list is a text letter by letter, each as its code in ASCII."""
    return len(part) >= RANDOM and all(type(number) is int and 32 <= number <= 126 for number in part)


def _all_numbers(part: list[Any] | tuple[Any, ...]) -> bool:
    """Check whether a list is of token ids or logprobs: many, and all of a kind."""
    small = (type(number) in (int, float) and not abs(number) >= LONG_NUMBER for number in part)
    return bool(part) and all(small)
