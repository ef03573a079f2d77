"""Events of calendars, found by calendar or by id, with series expanded into their events.

A series is one row with its rules; its events are computed. One of them has a row of its own, an exception,
only once it was changed or called off: same ``recurring_event_id``, no rules, and the time the series had
planned in ``originalStartTime_*``. The id of an event of a series is the id of the series and that time.

An event stands on one calendar. It shows on the main calendar of everyone invited, too.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cached_property
from itertools import islice

from eops_traj.gym.api_styles.google import error
from eops_traj.gym.servers.calendar import recurrence, times
from eops_traj.gym.servers.calendar.access import CalendarAccess, caller
from eops_traj.gym.servers.calendar.records import from_json
from eops_traj.gym.servers.calendar.times import EventTime
from eops_traj.gym.tools.call import Call, Row
from eops_traj.gym.tools.errors import Refusal

MOST, MOST_FINITE = 365, 9999
"""The most events of a series that are listed: of one without an end, and up to an end or a time."""
_ID = re.compile(r"(.+)_(\d{8})(?:T(\d{6})Z)?", re.ASCII)
_ON_CALENDAR = """
SELECT * FROM shown_events WHERE shown_on = :calendar AND (recurrence IS NOT NULL OR (
    substr(end_datetime, 1, 10) >= :first AND substr(start_datetime, 1, 10) <= :last
)) ORDER BY start_datetime, event_id
"""
_ONE = "SELECT * FROM shown_events WHERE shown_on = :calendar AND event_id = :event"
_AT_HOME = "SELECT * FROM shown_events WHERE shown_on = calendar_id AND event_id = :event"
_SERIES = (
    "SELECT * FROM shown_events WHERE shown_on = :calendar AND recurring_event_id = :event AND is_series"
)
_EXCEPTIONS = """
SELECT * FROM events WHERE recurrence IS NULL AND recurring_event_id IN (SELECT value FROM json_each(:ids))
"""
_DAY = timedelta(days=1)  # the clocks of an event's zone may be on another day than UTC
_LONG_AGO, _FAR_OFF = "0000-01-01", "9999-12-31"


@dataclass(frozen=True)
class Occurrence:
    """An event: its row, or its place in the series that the row makes."""

    row: Row
    event_id: str
    start: EventTime
    end: EventTime
    planned: EventTime | None = None
    """For an event of a series, the time at which the series has it."""
    computed: bool = False
    """True if it has no row of its own."""

    @cached_property
    def span(self) -> tuple[datetime, datetime]:
        """Its beginning and end, in UTC."""
        return self.start.instant, self.end.instant

    @property
    def is_series(self) -> bool:
        """True if it stands for all events of a series."""
        return bool(self.row["is_series"]) and not self.computed

    @property
    def cancelled(self) -> bool:
        """True if it was called off."""
        return bool(self.row["status"] == "cancelled")


def occurrence_of(row: Row) -> Occurrence:
    """Return the event of a row."""
    planned = times.original_start(row) if row["series_id"] and not row["is_series"] else None
    start, end = (times.from_row(row, name, planned) for name in ("start", "end"))
    return Occurrence(row, row["event_id"], start, end, planned)


def recurrence_lines(row: Row) -> list[str]:
    """Return the lines that make a series."""
    lines = from_json(row["recurrence"])
    return [str(line) for line in lines] if isinstance(lines, list) else []


def stored_events(
    call: Call,
    calendar: CalendarAccess,
    since: datetime | None,
    before: datetime | None,
    unread: bool = False,
) -> list[Occurrence]:
    """Return the stored events on a calendar, without single ones that are surely outside of this time.

    With `unread`, those are among them that the caller may not read.
    """
    first = (since - _DAY).date().isoformat() if since else _LONG_AGO
    last = (before + _DAY).date().isoformat() if before else _FAR_OFF
    rows = call.rows(_ON_CALENDAR, calendar=calendar.id, first=first, last=last)
    return [occurrence_of(row) for row in rows if unread or may_read(call, calendar, row)]


def exception_starts(call: Call, series: Iterable[Occurrence]) -> dict[str, list[EventTime]]:
    """Return the planned times of the events of each series that have a row of their own, on any calendar."""
    starts: dict[str, list[EventTime]] = {event.row["series_id"]: [] for event in series}
    for row in call.rows(_EXCEPTIONS, ids=json.dumps([key for key in starts if key])):
        if planned := times.original_start(row):
            starts[row["recurring_event_id"]].append(planned)
    return starts


def computed_events(
    series: Occurrence, own: Iterable[EventTime], since: datetime | None = None
) -> Iterator[Occurrence]:
    """Yield the events of a series without a row of their own, from those that end after this moment."""
    taken = {when.wall for when in own}
    length = recurrence.duration(series.start, series.end)
    surely_over = since.replace(tzinfo=None) - length - _DAY if since else datetime.min
    try:
        for wall in recurrence.iter_starts(recurrence_lines(series.row), series.start):
            if wall > surely_over and wall not in taken:
                event = _series_event(series, wall, length)
                if since is None or event.span[1] > since:
                    yield event
    except Refusal:  # a seed's rules that do not parse: the one event that is sure
        yield _series_event(series, series.start.wall, length)


def expand_series(
    series: Occurrence, own: Iterable[EventTime], since: datetime | None, before: datetime | None
) -> list[Occurrence]:
    """Return the computed events of a series in a span of time, at most `MOST` where neither has an end."""
    events = []
    finite = before or recurrence.has_end(recurrence_lines(series.row))
    for member in islice(computed_events(series, own, since), MOST_FINITE if finite else MOST):
        if before and member.span[0] >= before:
            break
        events.append(member)
    return events


def find(call: Call, calendar: CalendarAccess, event_id: str) -> Occurrence:
    """Find the event of this id on a calendar, which may be one of a series."""
    row = _readable_row(call, calendar, event_id)
    if row:
        return occurrence_of(row)
    if parts := _ID.fullmatch(event_id):
        series = _readable_row(call, calendar, parts[1])
        if series and series["is_series"]:
            member = _find_computed(call, occurrence_of(series), event_id, _id_time(parts[2], parts[3]))
            if member:
                return member
    raise error("NOT_FOUND", f"Event not found: {event_id}")


def written_event(call: Call, event_id: str) -> Occurrence:
    """Return the event of a row that this call wrote: answered even to a caller who may no longer read it."""
    row = call.row(_AT_HOME, event=event_id)
    assert row is not None
    return occurrence_of(row)


def find_series(call: Call, calendar: CalendarAccess, event_id: str) -> Occurrence:
    """Find the series of this id, or the one that the event of this id belongs to."""
    row = call.row(_SERIES, calendar=calendar.id, event=event_id)
    series = occurrence_of(row) if row and may_read(call, calendar, row) else find(call, calendar, event_id)
    if not series.is_series:
        raise error("INVALID_ARGUMENT", f"Event is not recurring: {event_id}")
    return series


def may_read(call: Call, calendar: CalendarAccess, row: Row) -> bool:
    """Check whether the caller may read an event; a private one only those it concerns and the owner may."""
    if calendar.role == "owner" or row["visibility"] not in ("private", "confidential"):
        return True
    user_id = caller(call)["user_id"]
    if user_id == row["user_id"] or row["visibility"] == "confidential":
        return bool(user_id == row["user_id"])
    return user_id == row["organizer_id"] or find_invitation(call, row["event_id"], user_id) is not None


def find_invitation(call: Call, event_id: str, user_id: str) -> Row | None:
    """Find the invitation of a person to an event."""
    sql = "SELECT * FROM attendees WHERE event_id = :event AND user_id = :user"
    return call.row(sql, event=event_id, user=user_id)


def _find_computed(call: Call, series: Occurrence, event_id: str, moment: datetime) -> Occurrence | None:
    own = exception_starts(call, [series])[series.row["series_id"]]
    for member in computed_events(series, own, moment - _DAY):
        if member.event_id == event_id:
            return member
        if member.span[0] > moment + _DAY:
            break
    return None


def _readable_row(call: Call, calendar: CalendarAccess, event_id: str) -> Row | None:
    row = call.row(_ONE, calendar=calendar.id, event=event_id)
    return row if row and may_read(call, calendar, row) else None


def _series_event(series: Occurrence, wall: datetime, length: timedelta) -> Occurrence:
    start = series.start.at(wall)
    if series.start.zone == series.end.zone:
        end = series.end.at(wall + length)
    else:
        end_time = (start.instant + length).astimezone(times.zone(series.end.zone))
        end = series.end.at(end_time.replace(tzinfo=None))
    suffix = f"{wall:%Y%m%d}" if start.all_day else f"{start.instant:%Y%m%dT%H%M%SZ}"
    event_id = f"{series.row['event_id']}_{suffix}"
    return replace(series, event_id=event_id, start=start, end=end, planned=start, computed=True)


def _id_time(day: str, clock: str | None) -> datetime:
    """Return the moment in an id; a long past one if it cannot be read."""
    try:
        moment = datetime.strptime(f"{day}{clock or '000000'}", "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        moment = datetime.min.replace(tzinfo=UTC)
    return moment if moment.year in times.YEARS else datetime(times.YEARS.start, 1, 2, tzinfo=UTC)
