"""Times of events, read from API objects, kept in columns and written again; and sync tokens.

A time is what the clocks show in a time zone. ``2026-01-06T09:00:00-05:00`` on a calendar of New York is
kept as ``2026-01-06 09:00:00.000000`` beside ``America/New_York``, so that a series stays at nine when the
clocks change, and SQL that looks for nine o'clock finds it. A whole day is its midnight.
"""

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo

from eops_traj.gym.api_styles.google import error
from eops_traj.gym.tools.call import Call

_ZONE = re.compile(r"[A-Z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*", re.ASCII)
_TIME = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d([.]\d{1,9})?)?([Zz]|[+-]\d\d:?\d\d)?", re.ASCII)
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
YEARS = range(1900, 2301)


@dataclass(frozen=True)
class EventTime:
    """The beginning or the end of an event: a time by the clocks of a zone, or a whole day."""

    wall: datetime
    zone: str
    all_day: bool = False

    @property
    def instant(self) -> datetime:
        """The moment that it is, in UTC."""
        return self.wall.replace(tzinfo=zone(self.zone)).astimezone(UTC)

    @property
    def column_text(self) -> str:
        """The column's text."""
        return self.wall.isoformat(" ", "microseconds")

    def resource(self, other: str | None = None) -> dict[str, str]:
        """Return the API's object; a time may be in another zone."""
        if self.all_day:
            return {"date": self.wall.date().isoformat()}
        local = self.instant.astimezone(zone(other or self.zone))
        return {"dateTime": local.isoformat("T", "seconds"), "timeZone": self.zone}

    def at(self, wall: datetime) -> "EventTime":
        """Return the same on another day or at another time."""
        return EventTime(wall, self.zone, self.all_day)


@lru_cache(maxsize=512)
def zone(name: str) -> ZoneInfo:
    """Return the time zone of an IANA name."""
    try:
        if _ZONE.fullmatch(name):
            return ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # OSError: the name of a folder
        pass
    raise error("INVALID_ARGUMENT", f"Invalid timeZone '{name}'; must be a valid IANA timezone name")


def parse_time(text: str) -> datetime:
    """Parse an RFC 3339 time, without an offset if it has none."""
    try:
        if not _TIME.fullmatch(text):
            raise ValueError(text)
        parsed = datetime.fromisoformat(text.upper())
        if parsed.year not in YEARS:
            raise ValueError(text)
    except ValueError:
        raise error("INVALID_ARGUMENT", f"Invalid datetime format: {text}") from None
    return parsed.replace(microsecond=0)


def instant(text: str, fallback: str) -> datetime:
    """Return the moment that a text names, in UTC; one without an offset is in the zone given."""
    parsed = parse_time(text if not _DATE.fullmatch(text) else f"{text}T00:00:00")
    return (parsed if parsed.tzinfo else parsed.replace(tzinfo=zone(fallback))).astimezone(UTC)


def from_argument(name: str, value: Mapping[str, Any], fallback: str) -> EventTime:
    """Read the API's object; without a time zone, by its offset, or in the calendar's."""
    clock, day, named = value.get("dateTime"), value.get("date"), value.get("timeZone")
    if bool(clock) == bool(day):
        raise error("INVALID_ARGUMENT", f"'{name}' must have either dateTime or date")
    if named:
        zone(named)
    if day:
        return EventTime(datetime.combine(_day(day), time()), named or fallback, all_day=True)
    parsed = parse_time(str(clock))
    if parsed.tzinfo is None:
        return EventTime(parsed, named or fallback)
    time_zone = named or _zone_of_offset(parsed, fallback)
    return EventTime(parsed.astimezone(zone(time_zone)).replace(tzinfo=None), time_zone)


def _day(text: str) -> date:
    try:
        if not _DATE.fullmatch(text):
            raise ValueError(text)
        day = date.fromisoformat(text)
        if day.year not in YEARS:
            raise ValueError(text)
    except ValueError:
        raise error("INVALID_ARGUMENT", f"Invalid date format: {text}") from None
    return day


def _zone_of_offset(when: datetime, fallback: str) -> str:
    """Return a zone in which the clocks show this time as it was written, if there is one."""
    offset = when.utcoffset() or timedelta()
    for name in (fallback, "UTC"):
        if when.astimezone(zone(name)).utcoffset() == offset:
            return name
    hours, rest = divmod(offset, timedelta(hours=1))
    if rest or not -12 <= hours <= 14:
        return "UTC"
    return f"Etc/GMT{-hours:+d}"  # these names count westward


def from_row(row: Mapping[str, Any], end: str, planned: EventTime | None = None) -> EventTime:
    """Return the beginning (``start``) or the end (``end``) of a row of ``events``.

    `planned` is the time for which a series had it.
    """
    name = row[f"{end}_timezone"] or row["start_timezone"] or "UTC"
    wall = _wall_time(row[f"{end}_datetime"], name)
    return EventTime(wall, name, _is_all_day(row, planned))


def original_start(row: Mapping[str, Any]) -> EventTime | None:
    """Return the time for which the series had planned an event."""
    day, clock = row["originalStartTime_date"], row["originalStartTime_dateTime"]
    name = row["originalStartTime_timeZone"] or row["start_timezone"] or "UTC"
    if day:
        return EventTime(_wall_time(str(day), name), name, all_day=True)
    return EventTime(_wall_time(clock, name), name) if clock else None


def original_columns(when: EventTime) -> dict[str, str | None]:
    """Return the columns that keep a planned time."""
    return {
        "originalStartTime_date": when.wall.date().isoformat() if when.all_day else None,
        "originalStartTime_dateTime": None if when.all_day else when.column_text,
        "originalStartTime_timeZone": when.zone,
    }


def _wall_time(text: str, name: str) -> datetime:
    """Return the time by the clocks of a zone; seeds also write moments with an offset."""
    parsed = datetime.fromisoformat(text)
    return parsed.astimezone(zone(name)).replace(tzinfo=None) if parsed.tzinfo else parsed


def _is_all_day(row: Mapping[str, Any], planned: EventTime | None) -> bool:
    """Check whether an event goes from midnight to midnight and was not given as a time.

    The row of one that a series had at an hour goes on telling that; made a whole day, it ends in no zone.
    """
    if row["originalStartTime_dateTime"] and (planned is None or row["end_timezone"]):
        return False
    midnights = (row["start_datetime"], row["end_datetime"])
    return all(datetime.fromisoformat(text).time() == time() for text in midnights)


def utc(text: str) -> datetime:
    """Return a moment that the database keeps in UTC."""
    moment = datetime.fromisoformat(text)
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


def rfc3339(text: str | None) -> str | None:
    """Write such a moment as the API does."""
    return utc(text).replace(tzinfo=None).isoformat("T", "milliseconds") + "Z" if text else None


# sync tokens: the moment up to which a client knows everything, in base64 as page tokens are


def sync_token(call: Call) -> str:
    """Return the token of now."""
    return base64.b64encode(call.now.encode()).decode()


def sync_token_time(token: str) -> datetime:
    """Return the moment of a token; refuse an unreadable one as stale."""
    try:
        return utc(base64.b64decode(token.encode(), validate=True).decode())
    except (binascii.Error, ValueError, OverflowError):
        message = "Sync token is no longer valid, a full sync is required."
        raise error("GONE", message, "fullSyncRequired") from None
