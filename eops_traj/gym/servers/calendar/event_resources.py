"""Events and collections of them, as the API returns them."""

from collections.abc import Mapping, Sequence
from typing import Any

from eops_traj.gym.servers.calendar import read_event_parts
from eops_traj.gym.servers.calendar.access import CalendarAccess, caller
from eops_traj.gym.servers.calendar.events import Occurrence, recurrence_lines
from eops_traj.gym.servers.calendar.records import etag, from_json, without_nulls
from eops_traj.gym.servers.calendar.times import rfc3339
from eops_traj.gym.tools.call import Call, Row

_GUESTS = ("guestsCanInviteOthers", "guestsCanModify", "guestsCanSeeOtherGuests")
_PROPERTIES = ("focusTimeProperties", "outOfOfficeProperties", "source")
_OTHER_PARTS = (
    "extendedProperties", "conferenceData", "attachments", "birthdayProperties", "workingLocationProperties",
)  # fmt: skip


def event_resource(call: Call, calendar: CalendarAccess, event: Occurrence) -> dict[str, Any]:
    """Return one event as a resource."""
    return event_resource_list(call, calendar, [event])[0]


def event_resource_list(
    call: Call, calendar: CalendarAccess, events: Sequence[Occurrence]
) -> list[dict[str, Any]]:
    """Return events in the zone that the call names; else each in its own."""
    parts_of = read_event_parts.read(call, (event.row["event_id"] for event in events))
    return [_resource(call, calendar, event, parts_of[event.row["event_id"]]) for event in events]


def collection(
    call: Call, calendar: CalendarAccess, items: list[dict[str, Any]], **tokens: str | None
) -> dict[str, Any]:
    """Return a list of events under the heading of its calendar."""
    row = calendar.row
    return without_nulls(
        kind="calendar#events", etag=etag([item["etag"] for item in items], row["updated_at"]),
        summary=row["summary"], description=row["description"], updated=rfc3339(row["updated_at"]),
        timeZone=call.arguments.get("timeZone") or calendar.zone, accessRole=calendar.role,
        defaultReminders=from_json(row["default_reminders"]) or [], **tokens, items=items,
    )  # fmt: skip


def _resource(
    call: Call, calendar: CalendarAccess, event: Occurrence, own: Mapping[str, Any]
) -> dict[str, Any]:
    row, zone = event.row, call.arguments.get("timeZone")
    guests = _guests(call, calendar, row, own.get("attendees", []))
    most = call.arguments.get("maxAttendees")
    shortened = most is not None and len(guests) > most
    return without_nulls(
        kind="calendar#event",
        etag=etag(event.event_id, row["updated_at"], row["sequence"]),
        id=event.event_id,
        status=row["status"],
        htmlLink=f"https://calendar.google.com/event?eid={event.event_id}",
        created=rfc3339(row["created_at"]),
        updated=rfc3339(row["updated_at"]),
        **{name: row[name] for name in ("summary", "description", "location")},
        colorId=row["color_id"],
        creator=_person(call, row["user_id"], row["creator_email"], row["creator_name"]),
        organizer=_organizer(call, row),
        start=event.start.resource(zone),
        end=event.end.resource(zone),
        recurrence=recurrence_lines(row) or None if not event.planned else None,
        recurringEventId=row["series_id"] if event.planned else None,
        originalStartTime=event.planned.resource(zone) if event.planned else None,
        transparency=row["transparency"],
        visibility=row["visibility"],
        iCalUID=row["iCalUID"],
        sequence=row["sequence"],
        attendees=(guests[:most] if shortened else guests) or None,
        attendeesOmitted=shortened or len(guests) < len(own.get("attendees", [])) or None,
        **{name: row[name] for name in (*_GUESTS, "hangoutLink", "privateCopy", "locked")},
        reminders=own.get("reminders", {"useDefault": False, "overrides": []}),
        eventType=row["eventType"],
        **{name: from_json(row[name]) for name in _PROPERTIES},
        **{name: own.get(name) for name in _OTHER_PARTS},
    )


def _person(call: Call, user_id: str, email: str | None, name: str | None) -> dict[str, Any]:
    return without_nulls(id=user_id, email=email, displayName=name, self=user_id == caller(call)["user_id"])


def _organizer(call: Call, row: Row) -> dict[str, Any] | None:
    if not row["organizer_email"]:
        return None
    return _person(call, row["organizer_id"], row["organizer_email"], row["organizer_display_name"])


def _guests(
    call: Call, calendar: CalendarAccess, row: Row, guests: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return the guests whom the caller may see."""
    user_id = caller(call)["user_id"]
    everyone = row["guestsCanSeeOtherGuests"] or user_id in (row["organizer_id"], row["user_id"])
    if not everyone and calendar.id == row["calendar_id"]:
        everyone = calendar.role in ("owner", "writer")
    return [
        {name: value for name, value in guest.items() if name != "user_id"}
        | {"organizer": guest.get("user_id") == row["organizer_id"], "self": guest.get("user_id") == user_id}
        for guest in guests
        if everyone or guest.get("user_id") == user_id
    ]
