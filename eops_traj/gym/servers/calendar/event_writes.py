"""Making events and changing them: columns from arguments, series, exceptions, and what must not be."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from eops_traj.gym.api_styles.google import error
from eops_traj.gym.servers.calendar import recurrence, times, write_event_parts
from eops_traj.gym.servers.calendar.access import Place, me
from eops_traj.gym.servers.calendar.events import Occurrence, rules
from eops_traj.gym.servers.calendar.records import change, drop, insert, text, uuid
from eops_traj.gym.servers.calendar.times import When
from eops_traj.gym.tools.call import Call, Row

Given = Mapping[str, Any]
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
_UID = re.compile(r"[\w.-]+@[\w.-]+\.[A-Za-z]{2,}", re.ASCII)


def make(call: Call, place: Place, given: Given, **more: Any) -> str:
    """Insert an event with all that is given, and give its id; `more` are columns of its row."""
    start = times.given("start", given["start"], place.zone)
    end = times.given("end", given["end"], place.zone)
    kind = given.get("eventType", "default")
    _check(call, given, start, end, kind)
    if planned := given.get("originalStartTime"):
        _check_planned(given["start"], planned)
    event_id, lines = uuid(call), given.get("recurrence") or []
    if lines:
        recurrence.check(lines, start)
        insert(call, "recurring_events", recurring_event_id=event_id, original_recurrence=text(lines))
    columns = {"iCalUID": f"{event_id}@calendar.google.com", "sequence": 0} | _columns(given)
    columns |= _organizer(call, place) | _time_columns(start, end) | times.original_columns(start) | more
    insert(
        call, "events", event_id=event_id, calendar_id=place.id, user_id=me(call)["user_id"], eventType=kind,
        recurring_event_id=event_id if lines else None, recurrence=text(lines), created_at=call.now,
        updated_at=call.now, **columns,
    )  # fmt: skip
    _attach(call, event_id, given)
    return event_id


def alter(call: Call, place: Place, one: Occurrence, given: Given, whole: bool) -> str:
    """Change what is given of an event, or (`whole`) replace it by what is given; and give its id."""
    row = one.row
    if one.planned and given.get("recurrence"):
        raise error("INVALID_ARGUMENT", "recurrence belongs to the series, not to one of its events")
    start = times.given("start", given["start"], place.zone) if "start" in given else one.start
    end = times.given("end", given["end"], place.zone) if "end" in given else one.end
    _check(call, given, start, end, row["eventType"])
    event_id = own_row(call, one)
    columns = {"sequence": (row["sequence"] or 0) + 1} | (_DEFAULTS if whole else {}) | _columns(given)
    if not one.planned:
        columns |= times.original_columns(start) | _series(call, one, given, start, whole)
    columns |= _time_columns(start, end) if {"start", "end"} & given.keys() else {}
    change(call, "events", "event_id", event_id, **columns, updated_at=call.now)
    _attach(call, event_id, {**dict.fromkeys(write_event_parts.TABLES), **given} if whole else given)
    return event_id


def own_row(call: Call, one: Occurrence) -> str:
    """The id of an event that has a row, or of the one it gets now: an exception of its series."""
    if not one.computed or one.planned is None:
        return one.event_id
    source = one.row["event_id"]
    series = one.row["series_id"] or _make_series(call, source, rules(one.row))
    columns = {name: one.row[name] for name in call.server.schema.tables["events"].columns}
    columns |= _time_columns(one.start, one.end)
    columns |= times.original_columns(one.planned) | {"created_at": call.now, "updated_at": call.now}
    columns |= {"event_id": one.event_id, "recurring_event_id": series, "recurrence": None}
    insert(call, "events", **columns)
    write_event_parts.copy(call, source, one.event_id)
    return one.event_id


def _make_series(call: Call, event_id: str, lines: Sequence[str]) -> str:
    insert(call, "recurring_events", recurring_event_id=event_id, original_recurrence=text(lines))
    change(call, "events", "event_id", event_id, recurring_event_id=event_id)
    return event_id


def _series(call: Call, one: Occurrence, given: Given, start: When, whole: bool) -> dict[str, Any]:
    """The columns of the rules, and what a change of rules or times does to exceptions."""
    if not whole and not {"start", "end", "recurrence"} & given.keys():
        return {}
    lines = given.get("recurrence", [] if whole else rules(one.row)) or []
    if not lines:
        if one.is_series:
            _end_series(call, one.row)
        return {"recurrence": None, "recurring_event_id": None}
    recurrence.check(lines, start)
    series = one.row["series_id"] or _make_series(call, one.event_id, lines)
    if one.is_series and (start.wall, start.zone, lines) != (one.start.wall, one.start.zone, rules(one.row)):
        call.rows(_DROP_EXCEPTIONS, series=series)  # as Google does: they were exceptions to other rules
    return {"recurrence": text(lines), "recurring_event_id": series}


_DROP_EXCEPTIONS = "DELETE FROM events WHERE recurring_event_id = :series AND recurrence IS NULL"


def _end_series(call: Call, row: Row) -> None:
    call.rows(_DROP_EXCEPTIONS, series=row["series_id"])
    change(call, "events", "event_id", row["event_id"], recurring_event_id=None)
    drop(call, "recurring_events", "recurring_event_id", row["series_id"])


def _organizer(call: Call, place: Place) -> dict[str, Any]:
    """Who invites: whose main calendar it is, even when somebody else writes there; else the caller."""
    mine, who = me(call), None
    if place.row["is_primary"] and place.row["user_id"] != mine["user_id"]:
        who = call.row("SELECT * FROM users WHERE user_id = :owner", owner=place.row["user_id"])
    row = who or mine
    return {
        "organizer_id": row["user_id"],
        "organizer_email": row["email"],
        "organizer_display_name": row["name"],
        "organizer_self": who is None,
    }


def _columns(given: Given) -> dict[str, Any]:
    """The columns that arguments fill by themselves."""
    found = {name: given[name] for name in (*_DEFAULTS, *_KEPT) if name in given}
    found |= {name: text(found[name]) for name in _JSON if name in found}
    return found | ({"color_id": given["colorId"]} if "colorId" in given else {})


def _time_columns(start: When, end: When) -> dict[str, str]:
    return {
        "start_datetime": start.stored, "start_timezone": start.zone,
        "end_datetime": end.stored, "end_timezone": end.zone,
    }  # fmt: skip


def _attach(call: Call, event_id: str, given: Given) -> None:
    """Write the parts; files and conferences only where the caller says that it knows of them."""
    for name in write_event_parts.TABLES:
        if name == "attachments" and not given.get("supportsAttachments"):
            continue
        if name == "conferenceData" and not given.get("conferenceDataVersion"):
            continue
        if name in given:
            write_event_parts.write(call, event_id, name, given[name])


def _check(call: Call, given: Given, start: When, end: When, kind: str) -> None:
    """Refuse what an event cannot be."""
    if start.all_day != end.all_day:
        raise error("INVALID_ARGUMENT", "start and end must both be dates, or both be times")
    if end.instant <= start.instant:
        raise error("INVALID_ARGUMENT", "Event end time must be after start time")
    if given.get("eventType", kind) != kind:
        wanted = f"Expecting value: {kind}. Got {given['eventType']}"
        raise error("INVALID_ARGUMENT", f"EventType once set can not be modified. {wanted}")
    for name, only in _OWN_TYPE.items():
        if given.get(name) and kind != only:
            raise error("INVALID_ARGUMENT", f"Use {name} only when eventType is set to '{only}'")
    _check_texts(given)
    color = given.get("colorId")
    sql = "SELECT 1 FROM colors WHERE color_type = 'EVENT' AND color_id = :color"
    if color and not call.row(sql, color=color):
        why = f"Invalid event colorId: '{color}'. Check available colors with GET /colors"
        raise error("INVALID_ARGUMENT", why)


def _check_texts(given: Given) -> None:
    uid, source = given.get("iCalUID"), given.get("source")
    if uid and not _UID.fullmatch(uid):
        why = "Invalid iCalUID format. Expected something like 'abcd123@google.com'."
        raise error("INVALID_ARGUMENT", why)
    if source and not str(source.get("url", "")).startswith(("https://", "http://")):
        raise error("INVALID_ARGUMENT", "Invalid 'url' in source: must be an https or http URL")


def _check_planned(start: Given, planned: Given) -> None:
    """An event that is made is not an exception yet: when it was planned is when it begins."""
    for name in ("date", "dateTime", "timeZone"):
        if start.get(name) and planned.get(name) and start[name] != planned[name]:
            raise error(
                "INVALID_ARGUMENT", f"originalStartTime.{name} must match start.{name} when both are provided"
            )
    if bool(start.get("date")) != bool(planned.get("date")):
        why = "originalStartTime and start must both be either all-day (date) or timed (dateTime) events"
        raise error("INVALID_ARGUMENT", why)
