"""Events and collections of them, as the API shows them."""

from collections.abc import Mapping, Sequence
from typing import Any

from eops_traj.gym.servers.calendar import read_event_parts
from eops_traj.gym.servers.calendar.access import Place, me
from eops_traj.gym.servers.calendar.events import Occurrence, rules
from eops_traj.gym.servers.calendar.records import decoded, etag, shown
from eops_traj.gym.servers.calendar.times import rfc3339
from eops_traj.gym.tools.call import Call, Row

_GUESTS = ("guestsCanInviteOthers", "guestsCanModify", "guestsCanSeeOtherGuests")
_PROPERTIES = ("focusTimeProperties", "outOfOfficeProperties", "source")
_OTHER_PARTS = (
    "extendedProperties", "conferenceData", "attachments", "birthdayProperties", "workingLocationProperties",
)  # fmt: skip


def event(call: Call, place: Place, one: Occurrence) -> dict[str, Any]:
    """One event."""
    return events(call, place, [one])[0]


def events(call: Call, place: Place, some: Sequence[Occurrence]) -> list[dict[str, Any]]:
    """Events in the zone that the call names; else each in its own."""
    parts_of = read_event_parts.read(call, (one.row["event_id"] for one in some))
    return [_event(call, place, one, parts_of[one.row["event_id"]]) for one in some]


def collection(call: Call, place: Place, items: list[dict[str, Any]], **tokens: str | None) -> dict[str, Any]:
    """A list of events under the heading of its calendar."""
    row = place.row
    return shown(
        kind="calendar#events", etag=etag([item["etag"] for item in items], row["updated_at"]),
        summary=row["summary"], description=row["description"], updated=rfc3339(row["updated_at"]),
        timeZone=call.arguments.get("timeZone") or place.zone, accessRole=place.role,
        defaultReminders=decoded(row["default_reminders"]) or [], **tokens, items=items,
    )  # fmt: skip


def _event(call: Call, place: Place, one: Occurrence, own: Mapping[str, Any]) -> dict[str, Any]:
    row, told = one.row, call.arguments.get("timeZone")
    guests = _guests(call, place, row, own.get("attendees", []))
    most = call.arguments.get("maxAttendees")
    left_out = most is not None and len(guests) > most
    return shown(
        kind="calendar#event",
        etag=etag(one.event_id, row["updated_at"], row["sequence"]),
        id=one.event_id,
        status=row["status"],
        htmlLink=f"https://calendar.google.com/event?eid={one.event_id}",
        created=rfc3339(row["created_at"]),
        updated=rfc3339(row["updated_at"]),
        **{name: row[name] for name in ("summary", "description", "location")},
        colorId=row["color_id"],
        creator=_person(call, row["user_id"], row["creator_email"], row["creator_name"]),
        organizer=_organizer(call, row),
        start=one.start.shown(told),
        end=one.end.shown(told),
        recurrence=rules(row) or None if not one.planned else None,
        recurringEventId=row["series_id"] if one.planned else None,
        originalStartTime=one.planned.shown(told) if one.planned else None,
        transparency=row["transparency"],
        visibility=row["visibility"],
        iCalUID=row["iCalUID"],
        sequence=row["sequence"],
        attendees=(guests[:most] if left_out else guests) or None,
        attendeesOmitted=left_out or len(guests) < len(own.get("attendees", [])) or None,
        **{name: row[name] for name in (*_GUESTS, "hangoutLink", "privateCopy", "locked")},
        reminders=own.get("reminders", {"useDefault": False, "overrides": []}),
        eventType=row["eventType"],
        **{name: decoded(row[name]) for name in _PROPERTIES},
        **{name: own.get(name) for name in _OTHER_PARTS},
    )


def _person(call: Call, user_id: str, email: str | None, name: str | None) -> dict[str, Any]:
    return shown(id=user_id, email=email, displayName=name, self=user_id == me(call)["user_id"])


def _organizer(call: Call, row: Row) -> dict[str, Any] | None:
    if not row["organizer_email"]:
        return None
    return _person(call, row["organizer_id"], row["organizer_email"], row["organizer_display_name"])


def _guests(call: Call, place: Place, row: Row, guests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The guests whom the caller may see."""
    mine = me(call)["user_id"]
    everyone = row["guestsCanSeeOtherGuests"] or mine in (row["organizer_id"], row["user_id"])
    if not everyone and place.id == row["calendar_id"]:
        everyone = place.role in ("owner", "writer")
    return [
        {name: value for name, value in guest.items() if name != "user_id"}
        | {"organizer": guest.get("user_id") == row["organizer_id"], "self": guest.get("user_id") == mine}
        for guest in guests
        if everyone or guest.get("user_id") == mine
    ]
