"""The tools on calendars themselves."""

from typing import Any

from eops_traj.gym.api_styles.google import error
from eops_traj.gym.servers.calendar import access
from eops_traj.gym.servers.calendar.access import OWNS, READS, WRITES, caller
from eops_traj.gym.servers.calendar.acl_tools import find_or_add_scope
from eops_traj.gym.servers.calendar.records import (
    etag,
    from_json,
    insert,
    json_text,
    new_uuid,
    update,
    without_nulls,
)
from eops_traj.gym.servers.calendar.times import zone
from eops_traj.gym.tools.call import Call, Row
from eops_traj.gym.tools.tool import tool

_COLUMNS = {
    "summary": "summary", "description": "description", "location": "location", "timeZone": "time_zone",
    "conferenceProperties": "conference_properties",
}  # fmt: skip
_NEVER_EMPTY = ("summary", "timeZone")


@tool
def create_calendar(call: Call) -> dict[str, Any]:
    """(summary!, description, location, timeZone = time_zone, conferenceProperties) -> row of calendars

    Make a calendar beside your main one. You become its owner.
      timeZone: {default: UTC}
    @allow member
    """
    calendar_id, owner = new_uuid(call), caller(call)
    stamps = {"created_at": call.now, "updated_at": call.now}
    insert(call, "calendars", calendar_id=calendar_id, user_id=owner["user_id"], **_columns(call), **stamps)
    scope = find_or_add_scope(call, "user", owner["email"])
    rule = {"id": new_uuid(call), "calendar_id": calendar_id, "user_id": owner["user_id"], "scope_id": scope}
    insert(call, "acls", **rule, role="owner", etag=f'"{new_uuid(call)}"', **stamps)
    return _resource(call, calendar_id)


@tool
def get_calendar(call: Call) -> dict[str, Any]:
    """(calendarId!) -> row of calendars

    Title, time zone and the like of a calendar.
    """
    return _resource(
        call, access.open_calendar(call, call.arguments["calendarId"], READS, "read calendar").id
    )


@tool
def patch_calendar(call: Call) -> dict[str, Any]:
    """(calendarId!, summary, description, location, timeZone = time_zone,
      conferenceProperties) -> row of calendars

    Change the fields given of a calendar, and no others.
      timeZone: IANA time zone of the calendar.
    @allow member
    """
    if len(call.arguments) < 2:
        raise error("INVALID_ARGUMENT", "No fields provided for patch")
    return _update(call, _columns(call))


@tool
def update_calendar(call: Call) -> dict[str, Any]:
    """(calendarId!, summary, description?, location?, timeZone = time_zone,
      conferenceProperties?) -> row of calendars

    Change the fields given of a calendar; null clears description, location and conferenceProperties.
      timeZone: IANA time zone of the calendar.
    @blank null
    @allow member
    """
    return _update(call, _columns(call))


@tool
def delete_calendar(call: Call) -> bool:
    """(calendarId!) -> done of calendars

    Delete a calendar with all its events. A main calendar stays; it can be cleared.
    @allow member
    """
    calendar = access.open_calendar(call, call.arguments["calendarId"], OWNS, "delete calendar")
    if calendar.row["is_primary"]:
        raise error("INVALID_ARGUMENT", "Cannot delete primary calendar.")
    _clear(call, calendar.id)
    call.rows("DELETE FROM calendars WHERE calendar_id = :calendar", calendar=calendar.id)
    return True


@tool
def clear_calendar(call: Call) -> bool:
    """(calendarId!) -> done of calendars

    Delete all events of a calendar, and keep the calendar.
    @allow member
    """
    _clear(call, access.open_calendar(call, call.arguments["calendarId"], WRITES, "clear calendar").id)
    return True


def _clear(call: Call, calendar_id: str) -> None:
    series = "SELECT recurring_event_id FROM events WHERE calendar_id = :calendar AND recurrence IS NOT NULL"
    call.rows(f"DELETE FROM recurring_events WHERE recurring_event_id IN ({series})", calendar=calendar_id)  # noqa: S608
    call.rows("DELETE FROM events WHERE calendar_id = :calendar", calendar=calendar_id)


def _columns(call: Call) -> dict[str, Any]:
    """Return the columns of the arguments given."""
    arguments = {name: value for name, value in call.arguments.items() if name in _COLUMNS}
    arguments = {
        name: value for name, value in arguments.items() if value is not None or name not in _NEVER_EMPTY
    }
    if "timeZone" in arguments:
        zone(arguments["timeZone"])
    if "conferenceProperties" in arguments:
        arguments["conferenceProperties"] = json_text(arguments["conferenceProperties"])
    return {_COLUMNS[name]: value for name, value in arguments.items()}


def _update(call: Call, columns: dict[str, Any]) -> dict[str, Any]:
    calendar = access.open_calendar(call, call.arguments["calendarId"], WRITES, "update calendar")
    update(call, "calendars", "calendar_id", calendar.id, **columns, updated_at=call.now)
    return _resource(call, calendar.id)


def _resource(call: Call, calendar_id: str) -> dict[str, Any]:
    row: Row | None = access.find_calendar(call, calendar_id)
    assert row is not None
    return without_nulls(
        kind="calendar#calendar", etag=etag(row["calendar_id"], row["updated_at"]), id=row["calendar_id"],
        summary=row["summary"], description=row["description"], location=row["location"],
        timeZone=row["time_zone"], conferenceProperties=from_json(row["conference_properties"]),
    )  # fmt: skip
