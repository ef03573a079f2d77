"""Values as a page shows them: JSON indented and coloured, long texts folded, numbers with their units.

Everything that comes from an episode is escaped here or by the templates; only these functions make markup.
"""

import contextlib
import json
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from difflib import SequenceMatcher
from typing import Any, NamedTuple

from markupsafe import Markup, escape

from eops_traj.metrics.percent import percent as written_share

FOLD_LINES, HEAD_LINES = 24, 8
"""A text of more lines than this is folded, and shows so many of them."""
LONG_TEXT, MAX_COLOURED = 4_000, 60_000
"""Characters from which one line counts as long, and above which JSON is not coloured."""
MAX_FLAT = 96
"""Characters of JSON that stands in one line; with its numbers in quotes it has not twice as many."""
SHOWN = 20_000
"""Characters of a text that the page of an episode shows; the whole of it has a page of its own."""

_ENCODER = json.JSONEncoder(ensure_ascii=False)
_TOKEN = re.compile(
    r'("(?:[^"\\]|\\[\s\S])*(?:"|\\?\Z))(\s*:)?'  # a string that is not closed goes on to the end
    r"|\b(true|false|null)\b|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)"
)


class FoldedText(NamedTuple):
    """A text ready for a page; ``head`` is its beginning where it is to be folded.

    ``cut`` says that it goes on after what is shown.
    """

    text: Markup
    lines: int
    size: str
    head: Markup | None
    cut: bool


def fold_text(text: str | None) -> FoldedText:
    """Prepare a text of a tool or a model for a page; JSON is indented, anything else is as it is."""
    indented = indent_json(text or "")
    lines = indented.split("\n")
    folded = len(lines) > FOLD_LINES or len(indented) > LONG_TEXT
    head = colour_json("\n".join(lines[:HEAD_LINES])[: LONG_TEXT // 4]) if folded else None
    size = short_count(len(text or ""))
    return FoldedText(colour_json(indented[:SHOWN]), len(lines), size, head, len(indented) > SHOWN)


def indent_json(text: str, nested: bool = False) -> str:
    """Indent JSON objects and lists over several lines, short ones in one; any other text is as it is.

    Numbers stay as they are written, and an object that has a key twice is no JSON here. With ``nested``,
    JSON inside a string of JSON is opened as well.
    """
    value = _decode_json(text)
    if not isinstance(value, dict | list):
        return text
    try:
        value = _open_nested(value) if nested else value
        flat = _encode_json(value) if len(_ENCODER.encode(value)) <= 2 * MAX_FLAT else None
        return flat if flat and len(flat) <= MAX_FLAT else _encode_json(value, "\n")
    except RecursionError:
        return text


class _Numeral(str):
    """A number as it is written: read as one, 10.10 would become 10.1, and 1e400 infinite."""


def _decode_json(text: str) -> Any:
    """Decode JSON with its numbers as they are written; None where it is none, or has a key twice."""
    as_written: dict[str, Any] = dict.fromkeys(("parse_int", "parse_float", "parse_constant"), _Numeral)
    try:
        return json.loads(text, object_pairs_hook=_unrepeated, **as_written)
    except (ValueError, RecursionError):
        return None


def _unrepeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON. Raises ValueError where a key is there twice."""
    value = dict(pairs)
    if len(value) < len(pairs):
        raise ValueError("a key is there twice")
    return value


def _encode_json(value: Any, line: str = "") -> str:
    """Encode what :func:`_decode_json` returned, over several lines where ``line`` begins a new one."""
    if not isinstance(value, dict | list) or not value:
        return value if isinstance(value, _Numeral) else _ENCODER.encode(value)
    inner = line and f"{line}  "
    parts = (_encode_json(part, inner) for part in (value.values() if isinstance(value, dict) else value))
    if isinstance(value, dict):
        parts = (f"{_encode_json(name)}: {part}" for name, part in zip(value, parts, strict=True))
    opened, closed = "{}" if isinstance(value, dict) else "[]"
    return f"{opened}{inner}{(f',{inner}' if line else ', ').join(parts)}{line}{closed}"


def _open_nested(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _open_nested(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_open_nested(part) for part in value]
    inner = _decode_json(value) if isinstance(value, str) else None
    return _open_nested(inner) if isinstance(inner, dict | list) else value


def colour_json(text: str) -> Markup:
    """Mark the parts of a JSON text by their kind; a text that is no JSON, or too long, stays plain."""
    if len(text) > MAX_COLOURED or text[:1] not in "{[":
        return escape(text)
    return Markup("").join(_colour_tokens(text))


def _colour_tokens(text: str) -> Iterator[Markup]:
    end = 0
    for token in _TOKEN.finditer(text):
        yield escape(text[end : token.start()])
        string, colon, word, number = token.groups()
        kind = ("k" if colon else "s") if string else "b" if word else "n"
        yield Markup('<span class="{}">{}</span>{}').format(kind, string or word or number, colon or "")
        end = token.end()
    yield escape(text[end:])


class ChangedColumn(NamedTuple):
    """A column of a changed row, before and after; None where the row was not there."""

    name: str
    before: Markup | None
    after: Markup | None


def changed_columns(before: str | None, after: str | None) -> list[ChangedColumn]:
    """Split a changed row into columns, the lines that differ marked where both sides are there.

    ``before`` and ``after`` are JSON objects; a text that is none is one column.
    """
    old, new = _decode_row(before), _decode_row(after)
    names = dict.fromkeys([*(new or {}), *(old or {})])
    return [
        ChangedColumn(name, *_mark_differences(_column_text(old, name), _column_text(new, name)))
        for name in names
    ]


def _decode_row(text: str | None) -> dict[str, Any] | None:
    if text is None:
        return None
    value = _decode_json(text)
    return value if isinstance(value, dict) else {"": text}


def _column_text(row: dict[str, Any] | None, name: str) -> str | None:
    """Return a value of a row as text; None where there is no row or no such column in it."""
    if row is None or name not in row:
        return None
    value = row[name]
    return indent_json(value if isinstance(value, str) else _encode_json(value), nested=True)


def _mark_differences(before: str | None, after: str | None) -> tuple[Markup | None, Markup | None]:
    if before is None or after is None or max(before.count("\n"), after.count("\n")) not in range(1, 2_000):
        return (None if before is None else escape(before)), (None if after is None else escape(after))
    old, new = before.split("\n"), after.split("\n")
    steps = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    deleted = [n for tag, a, b, _, _ in steps if tag != "equal" for n in range(a, b)]
    inserted = [n for tag, _, _, a, b in steps if tag != "equal" for n in range(a, b)]
    return _mark_lines(old, deleted, "del"), _mark_lines(new, inserted, "ins")


def _mark_lines(lines: list[str], marked: Iterable[int], tag: str) -> Markup:
    """Join lines, some of them in an element of their own."""
    numbers, wrap = set(marked), Markup(f"<{tag}>{{}}</{tag}>")
    escaped = (wrap.format(line) if n in numbers else escape(line) for n, line in enumerate(lines))
    return Markup("\n").join(escaped)


def cut_text(text: str) -> tuple[str, bool]:
    """Return as much of a text as the page of an episode shows, and whether it goes on."""
    return text[:SHOWN], len(text) > SHOWN


def short_count(characters: int) -> str:
    """Format a length in characters: ``812``, ``12.3k``."""
    return str(characters) if characters < 1000 else f"{characters / 1000:.1f}k"


def number(value: float | None) -> str:
    """Format a count with separators; a dash where it is not known."""
    return "–" if value is None else f"{value:,}"


def dollars(value: float | None) -> str:
    """Format an amount of US dollars; a dash where it is not known."""
    return "–" if value is None else f"${value:.4f}" if value < 1 else f"${value:,.2f}"


def seconds(milliseconds: float | None) -> str:
    """Format a duration: ``450 ms``, ``1.2 s``, ``3 m 20 s``, ``2 h 05 m``; a dash where it is not known."""
    if milliseconds is None:
        return "–"
    if round(milliseconds) < 1000:
        return f"{milliseconds:.0f} ms" if milliseconds >= 1 else "<1 ms"
    if round(milliseconds / 1000, 1) < 60:
        return f"{milliseconds / 1000:.1f} s"
    minutes, left = divmod(round(milliseconds / 1000), 60)  # rounded before: there is no minute of 60 s
    return f"{minutes} m {left:02} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02} m"


def percent(share: float | None) -> str:
    """Format a share of 1 in percent; a dash where it is not known."""
    return "–" if share is None else written_share(share, 0)


def day(time: str | None) -> str:
    """Format a time in ISO 8601 to the minute, in UTC; a dash where it is not known."""
    if time is None:
        return "–"
    with contextlib.suppress(ValueError, OverflowError):  # no time, or one that no calendar has in UTC
        moment = datetime.fromisoformat(time)
        time = moment.astimezone(UTC).isoformat() if moment.tzinfo else time
    return time[:16].replace("T", " ")


FILTERS = {
    "folded": fold_text, "number": number, "dollars": dollars, "seconds": seconds, "percent": percent,
    "day": day, "indent_json": indent_json, "cut": cut_text,
}  # fmt: skip
"""The functions that templates may call, by name."""
