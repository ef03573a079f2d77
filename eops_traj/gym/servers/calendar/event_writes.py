"""Creating and changing events: columns from arguments, series, exceptions, and checks."""

from collections.abc import Mapping, Sequence
from typing import Any

import re2

from eops_traj.gym.api_styles.google import error
from eops_traj.gym.servers.calendar import recurrence, times, write_event_parts
from eops_traj.gym.servers.calendar.access import CalendarAccess, caller
from eops_traj.gym.servers.calendar.events import Occurrence, recurrence_lines
from eops_traj.gym.servers.calendar.records import delete, insert, json_text, new_uuid, update
from eops_traj.gym.servers.calendar.times import EventTime
from eops_traj.gym.tools.call import Call

Arguments = Mapping[str, Any]
_DEFAULTS: dict[str, Any] = {
    "summary": None, "description": None, "location": None, "color_id": None, "status": "confirmed",
    "visibility": "default", "transparency": "opaque", "hangoutLink": None, "privateCopy": False,
    "locked": False, "guestsCanInviteOthers": True, "guestsCanModify": False, "guestsCanSeeOtherGuests": True,
    "focusTimeProperties": None, "outOfOfficeProperties": None, "source": None,
}  # fmt: skip
_KEPT = ("iCalUID", "sequence")
_JSON = ("focusTimeProperties", "outOfOfficeProperties", "source")
_OWN_TYPE = {
    "birthdayProperties": "birthday", "focusTimeProperties": "focusTime",
    "outOfOfficeProperties": "outOfOffice", "workingLocationProperties": "workingLocation",
}  # fmt: skip
_UID = re2.compile(r"[\w.-]+@[\w.-]+\.[A-Za-z]{2,}")


def create(call: Call, calendar: CalendarAccess, arguments: Arguments, **more: Any) -> str:
    """Insert an event with all that is given, and return its id; `more` are columns of its row."""
    start = times.from_argument("start", arguments["start"], calendar.zone)
    end = times.from_argument("end", arguments["end"], calendar.zone)
    kind = arguments.get("eventType", "default")
    _check(call, arguments, start, end, kind)
    if planned := arguments.get("originalStartTime"):
        _check_original_start(arguments["start"], planned)
    event_id, lines = new_uuid(call), arguments.get("recurrence") or []
    if lines:
        recurrence.check_lines(lines, start)
        insert(call, "recurring_events", recurring_event_id=event_id, original_recurrence=json_text(lines))
    columns = {"iCalUID": f"{event_id}@calendar.google.com", "sequence": 0} | _argument_columns(arguments)
    columns |= (
        _organizer_columns(call, calendar) | _time_columns(start, end) | times.original_columns(start) | more
    )
    insert(
        call, "events", event_id=event_id, calendar_id=calendar.id, user_id=caller(call)["user_id"],
        eventType=kind, recurring_event_id=event_id if lines else None, recurrence=json_text(lines),
        created_at=call.now, updated_at=call.now, **columns,
    )  # fmt: skip
    _write_parts(call, event_id, arguments)
    return event_id


def change(call: Call, calendar: CalendarAccess, event: Occurrence, arguments: Arguments, whole: bool) -> str:
    """Change what is given of an event, or (`whole`) replace it by what is given; return its id."""
    row = event.row
    if event.planned and arguments.get("recurrence"):
        raise error("INVALID_ARGUMENT", "recurrence belongs to the series, not to one of its events")
    start = (
        times.from_argument("start", arguments["start"], calendar.zone)
        if "start" in arguments
        else event.start
    )
    end = times.from_argument("end", arguments["end"], calendar.zone) if "end" in arguments else event.end
    _check(call, arguments, start, end, row["eventType"])
    event_id = ensure_row(call, event)
    columns = {"sequence": (row["sequence"] or 0) + 1} | (_DEFAULTS if whole else {})
    columns |= _link_columns(call, event_id, arguments, whole) | _argument_columns(arguments)
    if not event.planned:
        columns |= times.original_columns(start) | _series_columns(call, event, arguments, start, whole)
    columns |= _time_columns(start, end) if {"start", "end"} & arguments.keys() else {}
    if event.planned and start.all_day:
        columns["end_timezone"] = (
            None  # by which a whole day is told from a time: its row goes on telling the hour
        )
    update(call, "events", "event_id", event_id, **columns, updated_at=call.now)
    _write_parts(
        call, event_id, {**dict.fromkeys(write_event_parts.TABLES), **arguments} if whole else arguments
    )
    return event_id


def ensure_row(call: Call, event: Occurrence) -> str:
    """Return the id of an event, after giving it a row if it has none: an exception of its series."""
    if not event.computed or event.planned is None:
        return event.event_id
    source = event.row["event_id"]
    series = event.row["series_id"] or _make_series(call, source, recurrence_lines(event.row))
    columns = {name: event.row[name] for name in call.server.schema.tables["events"].columns}
    columns |= _time_columns(event.start, event.end)
    columns |= times.original_columns(event.planned) | {"created_at": call.now, "updated_at": call.now}
    columns |= {"event_id": event.event_id, "recurring_event_id": series, "recurrence": None}
    insert(call, "events", **columns)
    write_event_parts.copy(call, source, event.event_id)
    return event.event_id


def _make_series(call: Call, event_id: str, lines: Sequence[str]) -> str:
    insert(call, "recurring_events", recurring_event_id=event_id, original_recurrence=json_text(lines))
    update(call, "events", "event_id", event_id, recurring_event_id=event_id)
    return event_id


def _series_columns(
    call: Call, event: Occurrence, arguments: Arguments, start: EventTime, whole: bool
) -> dict[str, Any]:
    """Return the columns of the rules; drop the exceptions that a change of rules or times makes void."""
    if not whole and not {"start", "end", "recurrence"} & arguments.keys():
        return {}
    lines = arguments.get("recurrence", [] if whole else recurrence_lines(event.row)) or []
    if not lines:
        if event.is_series:
            call.rows(_DROP_EXCEPTIONS, series=event.row["series_id"])
            update(call, "events", "event_id", event.row["event_id"], recurring_event_id=None)
            delete(call, "recurring_events", "recurring_event_id", event.row["series_id"])
        return {"recurrence": None, "recurring_event_id": None}
    recurrence.check_lines(lines, start)
    series = event.row["series_id"] or _make_series(call, event.event_id, lines)
    before = (event.start.wall, event.start.zone, recurrence_lines(event.row))
    if event.is_series and (start.wall, start.zone, lines) != before:
        call.rows(_DROP_EXCEPTIONS, series=series)  # as Google does: they were exceptions to other rules
    return {"recurrence": json_text(lines), "recurring_event_id": series}


_DROP_EXCEPTIONS = "DELETE FROM events WHERE recurring_event_id = :series AND recurrence IS NULL"


def _organizer_columns(call: Call, calendar: CalendarAccess) -> dict[str, Any]:
    """Return the columns of the organizer: the owner of a main calendar, elsewhere the caller."""
    me, owner = caller(call), None
    if calendar.row["is_primary"] and calendar.row["user_id"] != me["user_id"]:
        owner = call.row("SELECT * FROM users WHERE user_id = :owner", owner=calendar.row["user_id"])
    row = owner or me
    return {
        "organizer_id": row["user_id"],
        "organizer_email": row["email"],
        "organizer_display_name": row["name"],
        "organizer_self": owner is None,
    }


def _argument_columns(arguments: Arguments) -> dict[str, Any]:
    """Return the columns that arguments fill by themselves."""
    columns = {name: arguments[name] for name in (*_DEFAULTS, *_KEPT) if name in arguments}
    columns |= {name: json_text(columns[name]) for name in _JSON if name in columns}
    return columns | ({"color_id": arguments["colorId"]} if "colorId" in arguments else {})


def _link_columns(call: Call, event_id: str, arguments: Arguments, whole: bool) -> dict[str, Any]:
    """Return the column of the link to join: it goes with the conference, and stays where that stays."""
    if arguments.get("conferenceDataVersion"):
        return {"hangoutLink": None} if whole or "conferenceData" in arguments else {}
    sql = "SELECT hangoutLink FROM events JOIN conference_data USING (event_id) WHERE event_id = :event"
    return dict(call.row(sql, event=event_id) or {}) if whole else {}


def _time_columns(start: EventTime, end: EventTime) -> dict[str, str]:
    return {
        "start_datetime": start.column_text, "start_timezone": start.zone,
        "end_datetime": end.column_text, "end_timezone": end.zone,
    }  # fmt: skip


def _write_parts(call: Call, event_id: str, arguments: Arguments) -> None:
    """Write the parts; files and conferences only where the caller says that it knows of them."""
    for name in write_event_parts.TABLES:
        if name == "attachments" and not arguments.get("supportsAttachments"):
            continue
        if name == "conferenceData" and not arguments.get("conferenceDataVersion"):
            continue
        if name in arguments:
            write_event_parts.write(call, event_id, name, arguments[name])


def _check(call: Call, arguments: Arguments, start: EventTime, end: EventTime, kind: str) -> None:
    """Refuse values that an event cannot have."""
    if start.all_day != end.all_day:
        raise error("INVALID_ARGUMENT", "start and end must both be dates, or both be times")
    if end.instant <= start.instant:
        raise error("INVALID_ARGUMENT", "Event end time must be after start time")
    if arguments.get("eventType", kind) != kind:
        difference = f"Expecting value: {kind}. Got {arguments['eventType']}"
        raise error("INVALID_ARGUMENT", f"EventType once set can not be modified. {difference}")
    for name, only in _OWN_TYPE.items():
        if arguments.get(name) and kind != only:
            raise error("INVALID_ARGUMENT", f"Use {name} only when eventType is set to '{only}'")
    _check_texts(arguments)
    color = arguments.get("colorId")
    sql = "SELECT 1 FROM colors WHERE color_type = 'EVENT' AND color_id = :color"
    if color and not call.row(sql, color=color):
        message = f"Invalid event colorId: '{color}'. Check available colors with GET /colors"
        raise error("INVALID_ARGUMENT", message)


def _check_texts(arguments: Arguments) -> None:
    uid, source = arguments.get("iCalUID"), arguments.get("source")
    if uid and not _UID.fullmatch(uid):
        message = "Invalid iCalUID format. Expected something like 'abcd123@google.com'."
        raise error("INVALID_ARGUMENT", message)
    if source and not str(source.get("url", "")).startswith(("https://", "http://")):
        raise error("INVALID_ARGUMENT", "Invalid 'url' in source: must be an https or http URL")


def _check_original_start(start: Arguments, planned: Arguments) -> None:
    """Refuse a new event that was planned for another time: it is not an exception yet."""
    for name in ("date", "dateTime", "timeZone"):
        if start.get(name) and planned.get(name) and start[name] != planned[name]:
            raise error(
                "INVALID_ARGUMENT", f"originalStartTime.{name} must match start.{name} when both are provided"
            )
    if bool(start.get("date")) != bool(planned.get("date")):
        message = "originalStartTime and start must both be either all-day (date) or timed (dateTime) events"
        raise error("INVALID_ARGUMENT", message)
