"""Series: the lines of RFC 5545 that make one, checked part by part and expanded by dateutil.

Rules run on wall-clock times, so that a meeting at nine stays at nine when the clocks change.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from dateutil import rrule

from eops_traj.gym.api_styles.google import error
from eops_traj.gym.servers.calendar.times import EventTime, zone

_LINE = re.compile(r"(RRULE|EXRULE|RDATE|EXDATE)((?:;[A-Z-]+=[^:;]+)*):(.+)", re.ASCII)
_ENDING = re.compile(r"\s*RRULE[^:]*:(?:[^:]*;)?(?:COUNT|UNTIL)=", re.ASCII | re.IGNORECASE)
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


def refusal(reason: str) -> Exception:
    """Return the refusal of an impossible series."""
    return error("INVALID_ARGUMENT", f"Invalid recurrence pattern: {reason}")


def check_lines(lines: Sequence[str], start: EventTime) -> None:
    """Refuse lines that do not parse, and series without any event."""
    if next(iter_starts(lines, start), None) is None:
        raise refusal("the series has no events")


def has_end(lines: Sequence[str]) -> bool:
    """Check whether the rule of a series says how many events it has, or until when."""
    return any(map(_ENDING.match, lines))


def iter_starts(lines: Sequence[str], start: EventTime) -> Iterator[datetime]:
    """Return an iterator over the starts of the events of a series, by the clocks of its zone, in order."""
    if len(lines) > _MOST_LINES:
        raise refusal(f"more than {_MOST_LINES} lines")
    read = [_read_line(line) for line in lines]
    names = [name for name, _, _ in read]
    if names.count("RRULE") != 1 or names.count("EXRULE") > 1:
        raise refusal("one RRULE is needed, and no more than one; likewise at most one EXRULE")
    rules = rrule.rruleset()
    for name, parameters, value in read:
        if name in ("RRULE", "EXRULE"):
            (rules.rrule if name == "RRULE" else rules.exrule)(_rule(value, start))
            continue
        for text in value.split(","):
            day = _shifted(_date(text, parameters, start))
            (rules.rdate if name == "RDATE" else rules.exdate)(day)
    return (when.replace(year=when.year - _CYCLE) for when in rules)


def _read_line(line: str) -> tuple[str, dict[str, str], str]:
    matched = _LINE.fullmatch(line.strip())
    if not matched:
        raise refusal(f"cannot read {line!r}")
    parameters = dict(part.split("=", 1) for part in matched[2].split(";")[1:])
    return matched[1], parameters, matched[3]


def _rule(text: str, start: EventTime) -> rrule.rrule:
    parts: dict[str, str] = {}
    for pair in text.strip(";").split(";"):
        name, _, value = pair.upper().partition("=")
        if not value or name in parts:
            raise refusal(f"cannot read {pair!r}")
        parts[name] = value
    frequency = parts.pop("FREQ", "")
    if frequency not in _FREQUENCIES:
        raise refusal(f"FREQ must be one of {', '.join(_FREQUENCIES)}, not {frequency!r}")
    if {"COUNT", "UNTIL"} <= parts.keys():
        raise refusal("COUNT and UNTIL cannot both be specified")
    values = {name: _part(name, value, frequency, start) for name, value in parts.items()}
    arguments = {"byweekday" if name == "BYDAY" else name.lower(): value for name, value in values.items()}
    try:
        return rrule.rrule(_FREQUENCIES[frequency], dtstart=_shifted(start.wall), **arguments)
    except ValueError as problem:
        raise refusal(str(problem)) from None


def _part(name: str, value: str, frequency: str, start: EventTime) -> Any:
    """Return the value of a part of a rule, as dateutil takes it."""
    if name == "UNTIL":
        return _shifted(_until(value, start))
    if name == "BYDAY":
        return [_weekday(text, frequency) for text in value.split(",")]
    if name == "WKST" and value in _WEEKDAYS:
        return _WEEKDAYS[value]
    if name in _MOST:
        return _number(name, value, 1, _MOST[name])
    if name in _NUMBERS and frequency in _NUMBERS[name][2]:
        least, most, _ = _NUMBERS[name]
        return [_number(name, text, least, most) for text in value.split(",")]
    raise refusal(f"{name}={value} does not go with FREQ={frequency}")


def _number(name: str, text: str, least: int, most: int) -> int:
    number = int(text) if _NUMBER.fullmatch(text) else 0
    if not number or not least <= number <= most:
        raise refusal(f"{name} must be from {least} to {most}, not {text!r}")
    return number


def _weekday(text: str, frequency: str) -> Any:
    matched = _WEEKDAY.fullmatch(text)
    if not matched:
        raise refusal(f"BYDAY has no day {text!r}")
    if not matched[1]:
        return _WEEKDAYS[matched[2]]
    if frequency not in ("MONTHLY", "YEARLY"):
        raise refusal(f"BYDAY={text} does not go with FREQ={frequency}")
    return _WEEKDAYS[matched[2]](_number("BYDAY", matched[1], -53, 53))


def _until(text: str, start: EventTime) -> datetime:
    """Return the last moment of a rule; a day is meant to its end."""
    moment = _date(text, {}, start)
    return moment if "T" in text else moment.replace(hour=23, minute=59, second=59)


def _date(text: str, parameters: dict[str, str], start: EventTime) -> datetime:
    """Read a date of RFC 5545 by the clocks of the series; a day alone has the hour of its events."""
    matched = _DATE.fullmatch(text.strip())
    try:
        if not matched:
            raise ValueError(text)
        year, month, day, *clock = (int(part or 0) for part in matched.groups()[:6])
        if not 1900 <= year < 2400:
            raise ValueError(text)
        if matched[4] is None:
            return start.wall.replace(year=year, month=month, day=day)
        moment = datetime(year, month, day, clock[0], clock[1], clock[2])
    except ValueError:
        raise refusal(f"cannot read the date {text!r}") from None
    if matched[7] or "TZID" in parameters:
        zoned = moment.replace(tzinfo=UTC if matched[7] else zone(parameters["TZID"]))
        return zoned.astimezone(zone(start.zone)).replace(tzinfo=None)
    return moment


def _shifted(when: datetime) -> datetime:
    return when.replace(year=when.year + _CYCLE)


def duration(start: EventTime, end: EventTime) -> timedelta:
    """Return how long an event lasts, by the clocks."""
    if start.zone == end.zone:
        return end.wall - start.wall
    return end.instant - start.instant
