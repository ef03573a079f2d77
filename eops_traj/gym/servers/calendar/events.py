"""Events as callers find them: on a calendar, by id, a series expanded into its events.

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
from eops_traj.gym.servers.calendar.access import Place, me
from eops_traj.gym.servers.calendar.records import decoded
from eops_traj.gym.servers.calendar.times import When
from eops_traj.gym.tools.call import Call, Row
from eops_traj.gym.tools.errors import Refusal

MOST, MOST_WITHIN = 365, 2500
"""How many events of a series are shown at most: from a time on, and within a span of time."""
_ID = re.compile(r"(.+)_(\d{8})(?:T(\d{6})Z)?", re.ASCII)
_ON = """
SELECT * FROM shown_events WHERE shown_on = :calendar AND (recurrence IS NOT NULL OR (
    substr(end_datetime, 1, 10) >= :first AND substr(start_datetime, 1, 10) <= :last
)) ORDER BY start_datetime, event_id
"""
_ONE = "SELECT * FROM shown_events WHERE shown_on = :calendar AND event_id = :event"
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
    """An event as it is shown: its row, or its place in the series that the row makes."""

    row: Row
    event_id: str
    start: When
    end: When
    planned: When | None = None
    """For an event of a series, when the series has it."""
    computed: bool = False
    """Whether it has no row of its own."""

    @cached_property
    def span(self) -> tuple[datetime, datetime]:
        """When it begins and ends, in UTC."""
        return self.start.instant, self.end.instant

    @property
    def is_series(self) -> bool:
        """Whether it stands for all events of a series."""
        return bool(self.row["is_series"]) and not self.computed

    @property
    def cancelled(self) -> bool:
        """Whether it was called off."""
        return bool(self.row["status"] == "cancelled")


def stored(row: Row) -> Occurrence:
    """The event of a row."""
    planned = times.original(row) if row["series_id"] and not row["is_series"] else None
    return Occurrence(row, row["event_id"], times.stored(row, "start"), times.stored(row, "end"), planned)


def rules(row: Row) -> list[str]:
    """The lines that make a series."""
    found = decoded(row["recurrence"])
    return [str(line) for line in found] if isinstance(found, list) else []


def on(
    call: Call, place: Place, since: datetime | None, before: datetime | None, unread: bool = False
) -> list[Occurrence]:
    """The stored events that a calendar shows, but for single ones that are surely outside of this time.

    With `unread`, those are among them that the caller may not read.
    """
    first = (since - _DAY).date().isoformat() if since else _LONG_AGO
    last = (before + _DAY).date().isoformat() if before else _FAR_OFF
    rows = call.rows(_ON, calendar=place.id, first=first, last=last)
    return [stored(row) for row in rows if unread or readable(call, place, row)]


def exceptions(call: Call, series: Iterable[Occurrence]) -> dict[str, list[When]]:
    """The events of each series that have a row of their own, wherever it stands: when they were planned."""
    found: dict[str, list[When]] = {one.row["series_id"]: [] for one in series}
    for row in call.rows(_EXCEPTIONS, ids=json.dumps([key for key in found if key])):
        if planned := times.original(row):
            found[row["recurring_event_id"]].append(planned)
    return found


def computed(series: Occurrence, own: Iterable[When], since: datetime | None = None) -> Iterator[Occurrence]:
    """The events of a series that have no row of their own, from those that end after this moment."""
    taken = {when.wall for when in own}
    length = recurrence.span(series.start, series.end)
    surely_over = since.replace(tzinfo=None) - length - _DAY if since else datetime.min
    try:
        for wall in recurrence.occurrences(rules(series.row), series.start):
            if wall > surely_over and wall not in taken:
                found = _member(series, wall, length)
                if since is None or found.span[1] > since:
                    yield found
    except Refusal:  # a seed's rules that do not parse: the one event that is sure
        yield _member(series, series.start.wall, length)


def expanded(
    series: Occurrence, own: Iterable[When], since: datetime | None, before: datetime | None
) -> list[Occurrence]:
    """The computed events of a series in a span of time, at most `MOST` of them where it has no end."""
    found = []
    for member in islice(computed(series, own, since), MOST_WITHIN if before else MOST):
        if before and member.span[0] >= before:
            break
        found.append(member)
    return found


def find(call: Call, place: Place, event_id: str) -> Occurrence:
    """The event of this id on a calendar, which may be one of a series."""
    row = _row(call, place, event_id)
    if row:
        return stored(row)
    if parts := _ID.fullmatch(event_id):
        series = _row(call, place, parts[1])
        if series and series["is_series"]:
            member = _computed(call, stored(series), event_id, _moment(parts[2], parts[3]))
            if member:
                return member
    raise error("NOT_FOUND", f"Event not found: {event_id}")


def find_series(call: Call, place: Place, event_id: str) -> Occurrence:
    """The series of this id, or the one that the event of this id belongs to."""
    known = call.row(_SERIES, calendar=place.id, event=event_id)
    found = stored(known) if known and readable(call, place, known) else find(call, place, event_id)
    if not found.is_series:
        raise error("INVALID_ARGUMENT", f"Event is not recurring: {event_id}")
    return found


def readable(call: Call, place: Place, row: Row) -> bool:
    """Whether the caller may read an event. Private ones are for those they concern, and the owner's eyes."""
    if place.role == "owner" or row["visibility"] not in ("private", "confidential"):
        return True
    mine = me(call)["user_id"]
    if mine == row["user_id"] or row["visibility"] == "confidential":
        return bool(mine == row["user_id"])
    return mine == row["organizer_id"] or invited(call, row["event_id"], mine) is not None


def invited(call: Call, event_id: str, user_id: str) -> Row | None:
    """The invitation of a person to an event."""
    sql = "SELECT * FROM attendees WHERE event_id = :event AND user_id = :user"
    return call.row(sql, event=event_id, user=user_id)


def _computed(call: Call, series: Occurrence, event_id: str, moment: datetime) -> Occurrence | None:
    own = exceptions(call, [series])[series.row["series_id"]]
    for member in computed(series, own, moment - _DAY):
        if member.event_id == event_id:
            return member
        if member.span[0] > moment + _DAY:
            break
    return None


def _row(call: Call, place: Place, event_id: str) -> Row | None:
    row = call.row(_ONE, calendar=place.id, event=event_id)
    return row if row and readable(call, place, row) else None


def _member(series: Occurrence, wall: datetime, length: timedelta) -> Occurrence:
    start = series.start.moved(wall)
    if series.start.zone == series.end.zone:
        end = series.end.moved(wall + length)
    else:
        told = (start.instant + length).astimezone(times.zone(series.end.zone))
        end = series.end.moved(told.replace(tzinfo=None))
    suffix = f"{wall:%Y%m%d}" if start.all_day else f"{start.instant:%Y%m%dT%H%M%SZ}"
    event_id = f"{series.row['event_id']}_{suffix}"
    return replace(series, event_id=event_id, start=start, end=end, planned=start, computed=True)


def _moment(day: str, clock: str | None) -> datetime:
    """The moment in an id; long ago for what is none."""
    try:
        found = datetime.strptime(f"{day}{clock or '000000'}", "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        found = datetime.min.replace(tzinfo=UTC)
    return found if found.year in times.YEARS else datetime(times.YEARS.start, 1, 2, tzinfo=UTC)
