"""Times of events: read from API objects, kept in columns, shown again.

A time is what the clocks show in a time zone. ``2026-01-06T09:00:00-05:00`` on a calendar of New York is
kept as ``2026-01-06 09:00:00.000000`` beside ``America/New_York``, so that a series stays at nine when the
clocks change, and SQL that looks for nine o'clock finds it. A whole day is its midnight.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo

from eops_traj.gym.api_styles.google import error

_ZONE = re.compile(r"[A-Z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*", re.ASCII)
_TIME = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d([.]\d{1,9})?)?([Zz]|[+-]\d\d:?\d\d)?", re.ASCII)
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
YEARS = range(1900, 2301)


@dataclass(frozen=True)
class When:
    """The beginning or the end of an event: the clock's time in a zone, or a whole day."""

    wall: datetime
    zone: str
    all_day: bool = False

    @property
    def instant(self) -> datetime:
        """The moment that it is, in UTC."""
        return self.wall.replace(tzinfo=zone(self.zone)).astimezone(UTC)

    @property
    def stored(self) -> str:
        """The column's text."""
        return self.wall.isoformat(" ", "microseconds")

    def shown(self, other: str | None = None) -> dict[str, str]:
        """The API's object; a time may be told in another zone."""
        if self.all_day:
            return {"date": self.wall.date().isoformat()}
        told = self.instant.astimezone(zone(other or self.zone))
        return {"dateTime": told.isoformat("T", "seconds"), "timeZone": self.zone}

    def moved(self, wall: datetime) -> "When":
        """The same on another day or at another time."""
        return When(wall, self.zone, self.all_day)


@lru_cache(maxsize=512)
def zone(name: str) -> ZoneInfo:
    """The time zone of an IANA name."""
    try:
        if _ZONE.fullmatch(name):
            return ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # OSError: the name of a folder
        pass
    raise error("INVALID_ARGUMENT", f"Invalid timeZone '{name}'; must be a valid IANA timezone name")


def parse(text: str) -> datetime:
    """An RFC 3339 time, without an offset if it has none."""
    try:
        if not _TIME.fullmatch(text):
            raise ValueError(text)
        found = datetime.fromisoformat(text.upper())
        if found.year not in YEARS:
            raise ValueError(text)
    except ValueError:
        raise error("INVALID_ARGUMENT", f"Invalid datetime format: {text}") from None
    return found.replace(microsecond=0)


def instant(text: str, fallback: str) -> datetime:
    """The moment that a time names, in UTC; one without an offset is told in the zone given."""
    found = parse(text if not _DATE.fullmatch(text) else f"{text}T00:00:00")
    return (found if found.tzinfo else found.replace(tzinfo=zone(fallback))).astimezone(UTC)


def given(name: str, value: Mapping[str, Any], fallback: str) -> When:
    """What the API's object says; without a time zone, by its offset, or in the calendar's."""
    clock, day, named = value.get("dateTime"), value.get("date"), value.get("timeZone")
    if bool(clock) == bool(day):
        raise error("INVALID_ARGUMENT", f"'{name}' must have either dateTime or date")
    if named:
        zone(named)
    if day:
        return When(datetime.combine(_day(day), time()), named or fallback, all_day=True)
    found = parse(str(clock))
    if found.tzinfo is None:
        return When(found, named or fallback)
    told = named or _told(found, fallback)
    return When(found.astimezone(zone(told)).replace(tzinfo=None), told)


def _day(text: str) -> date:
    try:
        if not _DATE.fullmatch(text):
            raise ValueError(text)
        found = date.fromisoformat(text)
        if found.year not in YEARS:
            raise ValueError(text)
    except ValueError:
        raise error("INVALID_ARGUMENT", f"Invalid date format: {text}") from None
    return found


def _told(found: datetime, fallback: str) -> str:
    """A zone in which the clocks show this time as it was written, if there is one."""
    offset = found.utcoffset() or timedelta()
    for name in (fallback, "UTC"):
        if found.astimezone(zone(name)).utcoffset() == offset:
            return name
    hours, rest = divmod(offset, timedelta(hours=1))
    if rest or not -12 <= hours <= 14:
        return "UTC"
    return f"Etc/GMT{-hours:+d}"  # these names count westward


def stored(row: Mapping[str, Any], end: str) -> When:
    """The beginning (``start``) or the end (``end``) of a row of ``events``."""
    name = row[f"{end}_timezone"] or row["start_timezone"] or "UTC"
    wall = _wall(row[f"{end}_datetime"], name)
    return When(wall, name, _all_day(row))


def original(row: Mapping[str, Any]) -> When | None:
    """When the series had planned an event."""
    day, clock = row["originalStartTime_date"], row["originalStartTime_dateTime"]
    name = row["originalStartTime_timeZone"] or row["start_timezone"] or "UTC"
    if day:
        return When(_wall(str(day), name), name, all_day=True)
    return When(_wall(clock, name), name) if clock else None


def original_columns(when: When) -> dict[str, str | None]:
    """The columns that keep a planned time."""
    return {
        "originalStartTime_date": when.wall.date().isoformat() if when.all_day else None,
        "originalStartTime_dateTime": None if when.all_day else when.stored,
        "originalStartTime_timeZone": when.zone,
    }


def _wall(text: str, name: str) -> datetime:
    """The clock's time; seeds also write moments with an offset."""
    found = datetime.fromisoformat(text)
    return found.astimezone(zone(name)).replace(tzinfo=None) if found.tzinfo else found


def _all_day(row: Mapping[str, Any]) -> bool:
    """An event from midnight to midnight that was not given as a time."""
    midnights = (row["start_datetime"], row["end_datetime"])
    return not row["originalStartTime_dateTime"] and all(
        datetime.fromisoformat(text).time() == time() for text in midnights
    )


def utc(text: str) -> datetime:
    """A moment that the database keeps in UTC."""
    found = datetime.fromisoformat(text)
    return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)


def rfc3339(text: str | None) -> str | None:
    """Such a moment as the API shows it."""
    return utc(text).replace(tzinfo=None).isoformat("T", "milliseconds") + "Z" if text else None
