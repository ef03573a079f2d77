"""Series: the lines of RFC 5545 that make one, checked part by part and expanded by dateutil.

Rules run on wall-clock times, so that a meeting at nine stays at nine when the clocks change.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from dateutil import rrule

from eops_traj.gym.api_styles.google import error
from eops_traj.gym.servers.calendar.times import When, zone

_LINE = re.compile(r"(RRULE|EXRULE|RDATE|EXDATE)((?:;[A-Z-]+=[^:;]+)*):(.+)", re.ASCII)
_DATE = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z)?)?", re.ASCII)
_WEEKDAY = re.compile(r"([+-]?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)", re.ASCII)
_NUMBER = re.compile(r"[+-]?\d{1,5}", re.ASCII)
_FREQUENCIES = {f: getattr(rrule, f) for f in ("DAILY", "WEEKLY", "MONTHLY", "YEARLY")}
_WEEKDAYS = {d: getattr(rrule, d) for d in ("MO", "TU", "WE", "TH", "FR", "SA", "SU")}
_NUMBERS = {  # part: its range, and the frequencies that it goes with
    "BYMONTH": (1, 12, tuple(_FREQUENCIES)),
    "BYMONTHDAY": (-31, 31, ("DAILY", "MONTHLY", "YEARLY")),
    "BYYEARDAY": (-366, 366, ("YEARLY",)),
    "BYWEEKNO": (-53, 53, ("YEARLY",)),
    "BYSETPOS": (-366, 366, tuple(_FREQUENCIES)),
}
_MOST = {"COUNT": 9999, "INTERVAL": 999}
_MOST_LINES = 50
_CYCLE = 7600
"""Years by which rules are moved while they run. The calendar repeats every 400 years, weekdays included, and
dateutil searches a rule that never holds until the year 9999: from here, that is not far."""


def refuse(why: str) -> Exception:
    """The refusal of a series that cannot be."""
    return error("INVALID_ARGUMENT", f"Invalid recurrence pattern: {why}")


def check(lines: Sequence[str], start: When) -> None:
    """Refuse lines that do not parse, and series without any event."""
    if next(occurrences(lines, start), None) is None:
        raise refuse("the series has no events")


def occurrences(lines: Sequence[str], start: When) -> Iterator[datetime]:
    """When the events of a series begin, by the clocks of its zone, in order."""
    if len(lines) > _MOST_LINES:
        raise refuse(f"more than {_MOST_LINES} lines")
    read = [_read(line) for line in lines]
    names = [name for name, _, _ in read]
    if names.count("RRULE") != 1 or names.count("EXRULE") > 1:
        raise refuse("one RRULE is needed, and no more than one; likewise at most one EXRULE")
    found = rrule.rruleset()
    for name, parameters, value in read:
        if name in ("RRULE", "EXRULE"):
            (found.rrule if name == "RRULE" else found.exrule)(_rule(value, start))
            continue
        for text in value.split(","):
            day = _later(_date(text, parameters, start))
            (found.rdate if name == "RDATE" else found.exdate)(day)
    return (when.replace(year=when.year - _CYCLE) for when in found)


def _read(line: str) -> tuple[str, dict[str, str], str]:
    matched = _LINE.fullmatch(line.strip())
    if not matched:
        raise refuse(f"cannot read {line!r}")
    parameters = dict(part.split("=", 1) for part in matched[2].split(";")[1:])
    return matched[1], parameters, matched[3]


def _rule(text: str, start: When) -> rrule.rrule:
    parts: dict[str, str] = {}
    for pair in text.strip(";").split(";"):
        name, _, value = pair.upper().partition("=")
        if not value or name in parts:
            raise refuse(f"cannot read {pair!r}")
        parts[name] = value
    frequency = parts.pop("FREQ", "")
    if frequency not in _FREQUENCIES:
        raise refuse(f"FREQ must be one of {', '.join(_FREQUENCIES)}, not {frequency!r}")
    if {"COUNT", "UNTIL"} <= parts.keys():
        raise refuse("COUNT and UNTIL cannot both be specified")
    arguments = {_argument(name): _part(name, value, frequency, start) for name, value in parts.items()}
    try:
        return rrule.rrule(_FREQUENCIES[frequency], dtstart=_later(start.wall), **arguments)
    except ValueError as why:
        raise refuse(str(why)) from None


def _argument(name: str) -> str:
    return "byweekday" if name == "BYDAY" else name.lower()


def _part(name: str, value: str, frequency: str, start: When) -> Any:
    """The value of a part of a rule, as dateutil takes it."""
    if name == "UNTIL":
        return _later(_until(value, start))
    if name == "BYDAY":
        return [_weekday(text, frequency) for text in value.split(",")]
    if name == "WKST" and value in _WEEKDAYS:
        return _WEEKDAYS[value]
    if name in _MOST:
        return _number(name, value, 1, _MOST[name])
    if name in _NUMBERS and frequency in _NUMBERS[name][2]:
        least, most, _ = _NUMBERS[name]
        return [_number(name, text, least, most) for text in value.split(",")]
    raise refuse(f"{name}={value} does not go with FREQ={frequency}")


def _number(name: str, text: str, least: int, most: int) -> int:
    number = int(text) if _NUMBER.fullmatch(text) else 0
    if not number or not least <= number <= most:
        raise refuse(f"{name} must be from {least} to {most}, not {text!r}")
    return number


def _weekday(text: str, frequency: str) -> Any:
    matched = _WEEKDAY.fullmatch(text)
    if not matched:
        raise refuse(f"BYDAY has no day {text!r}")
    if not matched[1]:
        return _WEEKDAYS[matched[2]]
    if frequency not in ("MONTHLY", "YEARLY"):
        raise refuse(f"BYDAY={text} does not go with FREQ={frequency}")
    return _WEEKDAYS[matched[2]](_number("BYDAY", matched[1], -53, 53))


def _until(text: str, start: When) -> datetime:
    """The last moment of a rule; a day is meant to its end."""
    found = _date(text, {}, start)
    return found if "T" in text else found.replace(hour=23, minute=59, second=59)


def _date(text: str, parameters: dict[str, str], start: When) -> datetime:
    """A date of RFC 5545 by the clocks of the series; a day alone has the hour of its events."""
    matched = _DATE.fullmatch(text.strip())
    try:
        if not matched:
            raise ValueError(text)
        year, month, day, *clock = (int(part or 0) for part in matched.groups()[:6])
        if not 1900 <= year < 2400:
            raise ValueError(text)
        if matched[4] is None:
            return start.wall.replace(year=year, month=month, day=day)
        found = datetime(year, month, day, clock[0], clock[1], clock[2])
    except ValueError:
        raise refuse(f"cannot read the date {text!r}") from None
    if matched[7] or "TZID" in parameters:
        told = found.replace(tzinfo=UTC if matched[7] else zone(parameters["TZID"]))
        return told.astimezone(zone(start.zone)).replace(tzinfo=None)
    return found


def _later(when: datetime) -> datetime:
    return when.replace(year=when.year + _CYCLE)


def span(start: When, end: When) -> timedelta:
    """How long an event lasts, by the clocks."""
    if start.zone == end.zone:
        return end.wall - start.wall
    return end.instant - start.instant
