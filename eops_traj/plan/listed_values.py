"""What a plan may write for an argument whose schema lists values: one rule for its reader and its grammar.

A listed value, of the very type; an empty text, to clear one; a marker, which stands for a value of the
request; a reference, a function or a list; a text that begins with a reference where texts are listed;
``count(...)`` where numbers are. Null where it is listed, or the argument may be left out.
"""

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from eops_traj.plan.ast import Function, Measure, Ref, Text
from eops_traj.plan.functions import FUNCTIONS, SPECIAL

MARKER = re.compile(r"\[(?P<kind>[a-z]+) (?P<number>[1-9]\d{0,2})(?:\.(?P<word>[1-9]))?\]")
"""What stands for a value of the request where a planner was told these by their numbers: ``[name 2]``."""
_BEGUN_MARKER = re.compile(r'"\[(?:[a-z]+(?: (?:[1-9]\d{0,2}(?:\.(?:[1-9](?:\]"?)?)?|\]"?)?)?)?)?')
_WORDS = tuple(f"{name}(" for name in (*SPECIAL, *FUNCTIONS))
_UNLISTED = ("true", "false", "null", "-1", "count(")
"""What other arguments may be; of those with listed values only where it is one."""
_COUNT = re.compile(r"count\s*\(")
_TEXT = re.compile(r'"(?:[^"\\]|\\.)*(?P<end>"?)', re.DOTALL)


def listed_values(schema: Any, name: str) -> Sequence[Any]:
    """Return the values that a tool's schema lists for an argument; none where it may be any."""
    argument = (schema.get("properties") or {}).get(name)
    listed = tuple(argument.get("enum") or ()) if isinstance(argument, Mapping) else ()
    may_lack = bool(listed) and None not in listed and name not in (schema.get("required") or ())
    return (*listed, None) if may_lack else listed


def written(choices: Iterable[Any]) -> tuple[str, ...]:
    """Return listed values as a plan writes them."""
    return tuple(json.dumps(choice, ensure_ascii=False) for choice in choices)


def takes_texts(choices: Iterable[Any]) -> bool:
    """Check whether texts are listed."""
    return any(isinstance(choice, str) for choice in choices)


def takes_counts(choices: Iterable[Any]) -> bool:
    """Check whether numbers are listed."""
    return any(isinstance(choice, int | float) and not isinstance(choice, bool) for choice in choices)


def may_be(value: Any, choices: Sequence[Any]) -> bool:
    """Check whether a value may stand for an argument that lists these."""
    match value:
        case Ref() | Function() | list():
            return True
        case Text(parts=parts):
            return takes_texts(choices) and isinstance(parts[0], Ref)
        case Measure():
            return takes_counts(choices)
        case str() if value == "" or MARKER.fullmatch(value):
            return True
    return any(type(value) is type(choice) and value == choice for choice in choices)


def may_begin(line: str, choices: Sequence[Any], at_hand: Collection[str]) -> bool:
    """Check whether a value that may be open yet can become one; references begin with one of ``at_hand``."""
    if line.startswith("{"):
        return any(isinstance(choice, dict) for choice in choices)
    if _COUNT.match(line):
        return takes_counts(choices)
    if text := _TEXT.match(line):
        return _text_may_be(text[0] if text["end"] else line, choices, at_hand)
    words = (*written(choices), *_WORDS, *(["count("] if takes_counts(choices) else []))
    return not _is_begun(line, _UNLISTED) or _is_begun(line, words)


def _text_may_be(text: str, choices: Sequence[Any], at_hand: Collection[str]) -> bool:
    """Check a text as it stands in a plan, closed or not: what other escapes would make of it is none."""
    refs = tuple(f'"{{${name}' for name in at_hand) if takes_texts(choices) else ()
    if text.startswith(refs) or _is_begun(text, (*written(("", *choices)), *refs)):
        return True
    return _BEGUN_MARKER.fullmatch(text) is not None


def _is_begun(text: str, words: Iterable[str]) -> bool:
    return bool(text) and any(word.startswith(text) for word in words)
