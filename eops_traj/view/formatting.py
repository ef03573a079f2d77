"""Values as a page shows them: JSON set out and coloured, long texts folded, figures with their units.

Everything that comes from an episode is escaped here or by the templates; only these functions make markup.
"""

import json
import re
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from typing import Any, NamedTuple

from markupsafe import Markup, escape

FOLD, HEAD = 24, 8
"""A text of more lines than this is folded, and shows so many of them."""
WIDE, COLOURED = 4_000, 60_000
"""Characters from which one line counts as long, and above which JSON is not coloured."""

_TOKEN = re.compile(r'("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null)\b|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)')


class Shown(NamedTuple):
    """A text ready for a page; ``head`` is its beginning where it is to be folded."""

    text: Markup
    lines: int
    size: str
    head: Markup | None


def shown(text: str | None) -> Shown:
    """A text of a tool or a model; JSON is set out, anything else is as it is."""
    said = set_out(text or "")
    lines = said.split("\n")
    folded = len(lines) > FOLD or len(said) > WIDE
    head = coloured("\n".join(lines[:HEAD])[: WIDE // 4]) if folded else None
    return Shown(coloured(said), len(lines), size(len(text or "")), head)


def set_out(text: str, nested: bool = False) -> str:
    """JSON objects and lists over several lines, short ones in one; any other text as it is.

    With ``nested``, JSON inside a string of JSON is opened as well.
    """
    value = _decoded(text)
    if not isinstance(value, dict | list):
        return text
    value = _opened(value) if nested else value
    flat = json.dumps(value, ensure_ascii=False)
    return flat if len(flat) <= 96 else json.dumps(value, indent=2, ensure_ascii=False)


def _decoded(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _opened(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _opened(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_opened(part) for part in value]
    inner = _decoded(value) if isinstance(value, str) else None
    return _opened(inner) if isinstance(inner, dict | list) else value


def coloured(text: str) -> Markup:
    """A text with the parts of JSON marked by what they are; plain where it is no JSON, or too long."""
    if len(text) > COLOURED or text[:1] not in "{[":
        return escape(text)
    return Markup("").join(_marked(text))


def _marked(text: str) -> Iterator[Markup]:
    end = 0
    for token in _TOKEN.finditer(text):
        yield escape(text[end : token.start()])
        string, colon, word, number = token.groups()
        kind = ("k" if colon else "s") if string else "b" if word else "n"
        yield Markup('<span class="{}">{}</span>{}').format(kind, string or word or number, colon or "")
        end = token.end()
    yield escape(text[end:])


class Column(NamedTuple):
    """A column of a changed row, before and after; None where the row was not there."""

    name: str
    before: Markup | None
    after: Markup | None


def columns(before: str | None, after: str | None) -> list[Column]:
    """A changed row, column by column, the lines that differ marked where both sides are there.

    ``before`` and ``after`` are JSON objects; of a text that is none the whole is one column.
    """
    old, new = _row(before), _row(after)
    names = dict.fromkeys([*(new or {}), *(old or {})])
    return [Column(name, *_sides(_side(old, name), _side(new, name))) for name in names]


def _row(text: str | None) -> dict[str, Any] | None:
    if text is None:
        return None
    value = _decoded(text)
    return value if isinstance(value, dict) else {"": text}


def _side(row: dict[str, Any] | None, name: str) -> str | None:
    """A value of a row as text; None where there is no row or no such column in it."""
    if row is None or name not in row:
        return None
    value = row[name]
    return set_out(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), nested=True)


def _sides(before: str | None, after: str | None) -> tuple[Markup | None, Markup | None]:
    if before is None or after is None or max(before.count("\n"), after.count("\n")) not in range(1, 2_000):
        return (None if before is None else escape(before)), (None if after is None else escape(after))
    old, new = before.split("\n"), after.split("\n")
    same = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    gone = [n for tag, a, b, _, _ in same if tag != "equal" for n in range(a, b)]
    come = [n for tag, _, _, a, b in same if tag != "equal" for n in range(a, b)]
    return _with_marks(old, gone, "del"), _with_marks(new, come, "ins")


def _with_marks(lines: list[str], marked: Iterable[int], tag: str) -> Markup:
    """Lines with some of them in an element of their own."""
    chosen = set(marked)
    wrap = Markup(f"<{tag}>{{}}</{tag}>")
    return Markup("\n").join(
        wrap.format(line) if n in chosen else escape(line) for n, line in enumerate(lines)
    )


def size(characters: int) -> str:
    """A length in characters: ``812``, ``12.3k``."""
    return str(characters) if characters < 1000 else f"{characters / 1000:.1f}k"


def number(value: float | None) -> str:
    """A count with separators; a dash where it is not known."""
    return "–" if value is None else f"{value:,}"


def dollars(value: float | None) -> str:
    """An amount of US dollars; a dash where it is not known."""
    return "–" if value is None else f"${value:.4f}" if value < 1 else f"${value:,.2f}"


def seconds(milliseconds: float | None) -> str:
    """A time that something took: ``450 ms``, ``1.2 s``, ``3 m 20 s``; a dash where it is not known."""
    if milliseconds is None:
        return "–"
    if milliseconds < 1000:
        return f"{milliseconds:.0f} ms" if milliseconds >= 1 else "<1 ms"
    whole = milliseconds / 1000
    return f"{whole:.1f} s" if whole < 60 else f"{whole // 60:.0f} m {whole % 60:02.0f} s"


def percent(share: float | None) -> str:
    """A share of 1 in percent; a dash where it is not known."""
    return "–" if share is None else f"{share:.0%}"


def day(time: str | None) -> str:
    """A time in ISO 8601 to the minute; a dash where it is not known."""
    return "–" if time is None else time[:16].replace("T", " ")


FILTERS = {
    "shown": shown, "number": number, "dollars": dollars, "seconds": seconds, "percent": percent, "day": day,
    "set_out": set_out,
}  # fmt: skip
"""What templates may call, by name."""
