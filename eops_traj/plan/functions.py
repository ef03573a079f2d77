"""The functions of the plan language: numbers, texts, choices, and times with zones.

Each takes values and returns a value. One that cannot be computed raises ValueError, with a message that a
model can use.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

UTC = ZoneInfo("UTC")
_SPAN = re.compile(r"\s*([+-]?\d+)\s*(week|day|hour|minute)s?\s*", re.IGNORECASE)
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_TIME = re.compile(
    r"(?P<start>\d{4}-\d\d-\d\d)(?P<sign>[T ])(?P<clock>\d\d:\d\d)"
    r"(?P<seconds>:\d\d)?(?P<fraction>\.\d+)?(?P<zone>Z|[+-]\d\d:?\d\d)?"
)


@dataclass(frozen=True)
class Signature:
    """A function: what computes it, how many arguments it takes, and what it is for."""

    compute: Callable[..., Any]
    least: int
    most: int
    use: str


def as_text(value: Any) -> str:
    """Return a value as it stands within a text: as JSON, where it is none itself."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _sum(values: Any) -> Any:
    return sum(map(_number, _list(values)))


def _add(*values: Any) -> Any:
    return sum(map(_number, values))


def _subtract(left: Any, right: Any) -> Any:
    return _number(left) - _number(right)


def _map(value: Any, table: Any, *default: Any) -> Any:
    if not isinstance(table, Mapping):
        raise ValueError("map takes an object of values by key")
    key = as_text(int(value) if isinstance(value, float) and value.is_integer() else value)
    if key in table:
        return table[key]
    if default:
        return default[0]
    raise ValueError(f"map has no entry for {key!r}, only {', '.join(map(str, table))}")


def _join(values: Any, separator: Any = ", ") -> str:
    return as_text(separator).join(map(as_text, _list(values)))


def _part(text: Any, separator: Any, place: Any) -> str:
    try:
        return as_text(text).split(as_text(separator))[int(place)]
    except IndexError:
        raise ValueError(f"{text!r} has no part {place} between {separator!r}") from None


def _concat(*lists: Any) -> list[Any]:
    return [value for some in lists for value in _list(some)]


def _shift(moment: Any, span: Any) -> str:
    return _write(_read(moment) + _span(span), str(moment))


def _date(moment: Any, zone: Any = None) -> str:
    return _local(moment, zone).date().isoformat()


def _clock(moment: Any, zone: Any = None) -> str:
    return _local(moment, zone).strftime("%H:%M")


def _weekday(moment: Any, zone: Any = None) -> str:
    return _local(moment, zone).strftime("%A")


def _at(day: Any, clock: Any, zone: Any = "UTC") -> str:
    try:
        local = datetime.combine(date.fromisoformat(str(day)[:10]), time.fromisoformat(str(clock)))
    except ValueError:
        raise ValueError(f"at takes a date and a time of day, not {day!r} and {clock!r}") from None
    return local.replace(tzinfo=_zone(zone)).isoformat()


def _utc(moment: Any, zone: Any = "UTC") -> str:
    read = _read(moment)
    aware = read if read.tzinfo else read.replace(tzinfo=_zone(zone))
    return aware.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _minutes(start: Any, end: Any) -> int:
    return round((_aware(end) - _aware(start)).total_seconds() / 60)


def _free(busy: Any, start: Any, end: Any, span: Any, step: Any = None) -> str | None:
    """Return the start of the first gap of this length between two times; None where there is none.

    With a step it starts on one: every half hour from the first time on.
    """
    earliest, last, length = _aware(start), _aware(end), _length(span)
    stride = _length(step) if step is not None else timedelta(minutes=1)
    first = earliest
    for begin, until in sorted((_aware(_bound(r, "start")), _aware(_bound(r, "end"))) for r in _list(busy)):
        if first + length <= begin:
            break
        first = max(first, earliest - (earliest - until) // stride * stride)
    if first + length > last:
        return None
    return _write(first.astimezone(earliest.tzinfo), str(start))


def _bound(row: Any, name: str) -> Any:
    """Return when a busy time starts or ends: ``{start, end}``, or with ``dateTime`` inside them."""
    bound = row.get(name) if isinstance(row, Mapping) else None
    return bound.get("dateTime", bound.get("date")) if isinstance(bound, Mapping) else bound


FUNCTIONS: dict[str, Signature] = {
    "map": Signature(_map, 2, 3, "what a table has for a key; the third argument where it has none"),
    "add": Signature(_add, 2, 9, "the sum of numbers"),
    "subtract": Signature(_subtract, 2, 2, "the first number less the second"),
    "sum": Signature(_sum, 1, 1, "the sum of a list of numbers"),
    "join": Signature(_join, 1, 2, "the values of a list in one text, with a separator between them"),
    "concat": Signature(_concat, 2, 9, "the values of several lists in one"),
    "length": Signature(lambda text: len(as_text(text)), 1, 1, "how many characters a text has"),
    "part": Signature(_part, 3, 3, "the part of a text at a place, split at a separator"),
    "shift": Signature(_shift, 2, 2, 'a date or time moved by a span: "-2 days", "90 minutes", "1 week"'),
    "date": Signature(_date, 1, 2, "the date of a time, in a zone"),
    "clock": Signature(_clock, 1, 2, "the time of day, in a zone"),
    "weekday": Signature(_weekday, 1, 2, "the name of the day, in a zone"),
    "at": Signature(_at, 2, 3, "a time on a date in a zone, with the zone's offset"),
    "utc": Signature(_utc, 1, 2, "a time in UTC; one without an offset is in the zone given"),
    "minutes": Signature(_minutes, 2, 2, "the minutes from one time to another; a span too"),
    "free": Signature(_free, 4, 5, "the start of the first gap among busy times, between two times, or null"),
}
"""Every function of values; ``count`` and ``ok`` measure results."""
SPECIAL = {"either": (1, 9), "each": (2, 2)}
"""Functions that are more than one of values, with the least and the most arguments: the first value that is
there, and a list made of a list, in which ``$item`` is the element."""


def compute(name: str, arguments: Sequence[Any]) -> Any:
    """Compute a function of values. Raises ValueError where it has none for them."""
    try:
        return FUNCTIONS[name].compute(*arguments)
    except (TypeError, OverflowError) as error:
        raise ValueError(f"{name}: {error}") from None


def _number(value: Any) -> Any:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    try:
        return float(str(value)) if "." in str(value) else int(str(value))
    except ValueError:
        raise ValueError(f"{value!r} is no number") from None


def _list(value: Any) -> Sequence[Any]:
    if not isinstance(value, list):
        raise ValueError(f"a list is wanted, not {str(value)[:60]!r}")
    return value


def _span(text: Any) -> timedelta:
    if isinstance(text, int) and not isinstance(text, bool):
        return timedelta(minutes=text)
    match = _SPAN.fullmatch(str(text))
    if match is None:
        raise ValueError(f'a span is like "2 days", "-1 week", "90 minutes"; not {text!r}')
    return timedelta(**{f"{match[2].lower()}s": int(match[1])})


def _length(text: Any) -> timedelta:
    """Read a span that something takes. Raises ValueError for one that takes no time, or less."""
    span = _span(text)
    if span <= timedelta(0):
        raise ValueError(f"a gap and its step are longer than nothing, not {text!r}")
    return span


def _zone(name: Any) -> ZoneInfo:
    try:
        return ZoneInfo(str(name))
    except (KeyError, ValueError, OSError):
        raise ValueError(f'a zone is like "Europe/London", not {name!r}') from None


def _read(moment: Any) -> datetime:
    text = str(moment)
    if not (_DATE.fullmatch(text) or _TIME.fullmatch(text)):
        raise ValueError(f"a date or a time is like 2026-01-05 or 2026-01-05T14:30:00Z, not {text[:40]!r}")
    return datetime.fromisoformat(text)


def _aware(moment: Any) -> datetime:
    read = _read(moment)
    return read if read.tzinfo else read.replace(tzinfo=UTC)


def _local(moment: Any, zone: Any) -> datetime:
    """Return a time as a zone has it; a day without a time is that day in all of them."""
    is_day = _DATE.fullmatch(str(moment)) is not None
    return _read(moment) if zone is None or is_day else _aware(moment).astimezone(_zone(zone))


def _write(moment: datetime, form: str) -> str:
    """Write a time in the form of another: date alone, seconds or none, a fraction, ``Z`` or an offset."""
    like = _TIME.fullmatch(form)
    if like is None:
        return moment.date().isoformat()
    text = f"{moment:%Y-%m-%d}{like['sign']}{moment:%H:%M}"
    text += f":{moment:%S}" if like["seconds"] else ""
    text += f".{moment:%f}"[: len(like["fraction"])] if like["fraction"] else ""
    if like["zone"] == "Z":
        return f"{text}Z"
    offset = moment.strftime("%z") if like["zone"] else ""
    return f"{text}{offset[:3]}:{offset[3:]}" if offset and ":" in (like["zone"] or "") else text + offset
