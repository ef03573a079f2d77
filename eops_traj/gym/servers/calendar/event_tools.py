"""The tools on single events."""

from typing import Any

from eops_traj.gym.api_styles.google import error
from eops_traj.gym.servers.calendar import (
    access,
    event_resources,
    event_writes,
    events,
    quick_add,
    times,
    write_event_parts,
)
from eops_traj.gym.servers.calendar.access import OWNS, READS, WRITES, Place, me
from eops_traj.gym.servers.calendar.events import Occurrence
from eops_traj.gym.servers.calendar.records import change, drop
from eops_traj.gym.tools.call import Call
from eops_traj.gym.tools.tool import tool

_ANSWER = ("responseStatus", "comment", "additionalGuests")
_NOT_IN_THE_RECORD = ("calendarId", "eventId", "sendUpdates", "maxAttendees", "conferenceDataVersion",
                      "supportsAttachments")  # fmt: skip
_LONGEST_TEXT = 1000


@tool
def create_event(call: Call) -> dict[str, Any]:
    """(calendarId!, start!, end!, summary, description, location, attendees, attachments,
      birthdayProperties, colorId = color_id, conferenceData, conferenceDataVersion, eventType,
      extendedProperties, focusTimeProperties, guestsCanInviteOthers, guestsCanModify,
      guestsCanSeeOtherGuests, iCalUID, maxAttendees, originalStartTime, outOfOfficeProperties,
      recurrence, reminders, sendUpdates, sequence, source, status, supportsAttachments, transparency,
      visibility, workingLocationProperties) -> row of events

    Put an event, or with recurrence a series of them, on a calendar. On somebody's main calendar its owner
    is the organizer, elsewhere you are. Guests whom the directory does not know get an account.
    @allow member
    """
    place = access.place(call, call.arguments["calendarId"], WRITES, "create events")
    return _shown(call, place, event_writes.make(call, place, call.arguments))


@tool
def get_event(call: Call) -> dict[str, Any]:
    """(calendarId! = calendar_id, eventId! = event_id, timeZone, maxAttendees) -> row of events

    One event, or one of a series.
    """
    place = access.place(call, call.arguments["calendarId"], READS, "read event")
    return _shown(call, place, call.arguments["eventId"])


@tool
def patch_event(call: Call) -> dict[str, Any]:
    """(calendarId! = calendar_id, eventId! = event_id, start, end, summary, description, location,
      attendees, attachments, birthdayProperties, colorId = color_id, conferenceData,
      conferenceDataVersion, eventType, extendedProperties, focusTimeProperties, guestsCanInviteOthers,
      guestsCanModify, guestsCanSeeOtherGuests, hangoutLink, iCalUID, locked, maxAttendees,
      outOfOfficeProperties, privateCopy, recurrence, reminders, sendUpdates, sequence, source, status,
      supportsAttachments, transparency, visibility, workingLocationProperties) -> row of events

    Change the fields given of an event, and no others. The id of one event of a series changes that one
    alone. On the calendar of a guest, it answers the invitation: give attendees with the guest's own entry.
    @allow member
    """
    if not call.arguments.keys() - set(_NOT_IN_THE_RECORD):
        raise error("INVALID_ARGUMENT", "No fields provided for update")
    return _changed(call, whole=False)


@tool
def update_event(call: Call) -> dict[str, Any]:
    """(calendarId! = calendar_id, eventId! = event_id, start!, end!, summary, description, location,
      attendees, attachments, birthdayProperties, colorId = color_id, conferenceData,
      conferenceDataVersion, eventType, extendedProperties, focusTimeProperties, guestsCanInviteOthers,
      guestsCanModify, guestsCanSeeOtherGuests, hangoutLink, iCalUID, locked, maxAttendees,
      outOfOfficeProperties, privateCopy, recurrence, reminders, sendUpdates, sequence, source, status,
      supportsAttachments, transparency, visibility, workingLocationProperties) -> row of events

    Replace an event as a whole: what is not given goes back to its default, guests and rules included.
    @allow member
    """
    return _changed(call, whole=True)


@tool
def delete_event(call: Call) -> bool:
    """(calendarId! = calendar_id, eventId! = event_id, sendUpdates) -> done of events

    Delete an event; a series with all its events. One event of a series is called off instead. What somebody
    else made takes the owner's role. On the calendar of a guest, it declines the invitation.
    @allow member
    """
    place = access.place(call, call.arguments["calendarId"], WRITES, "delete event")
    one = events.find(call, place, call.arguments["eventId"])
    if place.id != one.row["calendar_id"]:
        _respond(call, place, one, {"responseStatus": "declined"})
    else:
        _needs_owner(call, place, one, "delete event")
        _delete(call, one)
    return True


@tool
def move_event(call: Call) -> dict[str, Any]:
    """(calendarId! = calendar_id, eventId! = event_id, destination! = calendar_id,
      sendUpdates) -> row of events

    Move an event, or a whole series, to another calendar. Only events of the type default move.
    @allow member
    """
    place = access.place(call, call.arguments["calendarId"], WRITES, "move event from")
    one = events.find(call, place, call.arguments["eventId"])
    target = access.place(call, call.arguments["destination"], WRITES, "move event to")
    if one.row["eventType"] != "default":
        kind = f"Cannot move event of type '{one.row['eventType']}'."
        raise error("INVALID_ARGUMENT", f"{kind} Only default events can be moved.")
    if one.planned:
        raise error("INVALID_ARGUMENT", "Cannot move one event of a series.")
    if place.id != one.row["calendar_id"]:
        raise access.forbidden(call, one.row["calendar_id"], WRITES, "move event from")
    _needs_owner(call, place, one, "move event from")
    series = one.row["series_id"] if one.is_series else None
    call.rows(_MOVE, target=target.id, event=one.event_id, series=series)
    return _shown(call, target, one.event_id)


_MOVE = """
UPDATE events SET calendar_id = :target, updated_at = :now
WHERE event_id = :event OR recurring_event_id = :series
"""


@tool
def quick_add_event(call: Call) -> dict[str, Any]:
    """(calendarId!, text!, sendUpdates) -> row of events

    Make an event from a line of English, such as "Lunch with Ana tomorrow at 1pm for 45 minutes". A day
    without a time makes an event of the whole day; neither makes it begin at the next full hour.
      text: What takes place, and when. {type: string}
    @allow member
    """
    place = access.place(call, call.arguments["calendarId"], WRITES, "quick add event")
    if len(call.arguments["text"]) > _LONGEST_TEXT:
        raise error("INVALID_ARGUMENT", f"Unable to parse text: more than {_LONGEST_TEXT} characters")
    now = times.utc(call.now).astimezone(times.zone(place.zone))
    draft = quick_add.parse(call.arguments["text"], now)
    start, end = ({"date" if len(t) == 10 else "dateTime": t} for t in (x.isoformat() for x in draft.span))
    given = {"summary": draft.text, "location": draft.place, "start": start, "end": end}
    return _shown(call, place, event_writes.make(call, place, given))


@tool
def import_event(call: Call) -> dict[str, Any]:
    """(calendarId!, iCalUID!, start!, end!, summary, description, location, organizer,
      status, transparency, visibility, attendees, attendeesOmitted, colorId = color_id, recurrence,
      reminders, attachments, conferenceData, extendedProperties, focusTimeProperties,
      outOfOfficeProperties, originalStartTime, source, sequence, guestsCanInviteOthers,
      guestsCanModify, guestsCanSeeOtherGuests, conferenceDataVersion, supportsAttachments) -> row of events

    Put a private copy of an event from elsewhere on a calendar, under the iCalUID that it already has. Its
    guests and its organizer must be in the directory.
      organizer: Who invites. {type: object, required: [email], properties: {
        email: {type: string, description: Address}, displayName: {type: string, description: Full name}}}
      attendeesOmitted: Whether the guest list given is not the whole one. {type: boolean}
      conferenceDataVersion: {minimum: null, maximum: null}
    @allow member
    """
    given = call.arguments
    place = access.place(call, given["calendarId"], WRITES, "import event")
    for name in ("focusTimeProperties", "outOfOfficeProperties"):
        if given.get(name):
            why = f"{name} is not required as only 'default' eventType can be imported"
            raise error("INVALID_ARGUMENT", why)
    _check_guests(call)
    event_id = event_writes.make(call, place, given, privateCopy=True, **_organizer(call))
    shown = _shown(call, place, event_id)
    return shown | ({"attendeesOmitted": True} if given.get("attendeesOmitted") else {})


def _check_guests(call: Call) -> None:
    sql = "SELECT 1 FROM users WHERE lower(email) = lower(:email)"
    for guest in call.arguments.get("attendees", []):
        if not call.row(sql, email=guest["email"]):
            why = "not found in database. All attendee emails must be valid and present in the system."
            raise error("INVALID_ARGUMENT", f"Attendee email '{guest['email']}' {why}")


def _organizer(call: Call) -> dict[str, Any]:
    """The columns that say who invites to an imported event."""
    given = call.arguments.get("organizer")
    if not given:
        return {}
    who = call.row("SELECT * FROM users WHERE lower(email) = lower(:email)", email=given["email"])
    if who is None:
        raise error("INVALID_ARGUMENT", "Organizer email does not exist")
    if given.get("displayName", who["name"]) != who["name"]:
        raise error("INVALID_ARGUMENT", "Please enter valid name in the organizer displayName")
    return {
        "organizer_id": who["user_id"],
        "organizer_email": who["email"],
        "organizer_display_name": who["name"],
        "organizer_self": who["user_id"] == me(call)["user_id"],
    }


def _shown(call: Call, place: Place, event_id: str) -> dict[str, Any]:
    return event_resources.event(call, place, events.find(call, place, event_id))


def _changed(call: Call, whole: bool) -> dict[str, Any]:
    """Change an event where the caller may; a guest may answer."""
    place = access.place(call, call.arguments["calendarId"], WRITES, "update event")
    one = events.find(call, place, call.arguments["eventId"])
    home = one.row["calendar_id"]
    if home == place.id or one.row["guestsCanModify"] or access.roles(call, home).get(home) in WRITES:
        return _shown(call, place, event_writes.alter(call, place, one, call.arguments, whole))
    if whole or call.arguments.keys() - {*_NOT_IN_THE_RECORD, "attendees"}:
        raise access.forbidden(call, home, WRITES, "update event")
    guest = place.row["owner_email"].lower()
    own = [entry for entry in call.arguments["attendees"] if entry["email"].lower() == guest]
    _respond(call, place, one, own[0] if own else {})
    return _shown(call, place, one.event_id)


def _respond(call: Call, place: Place, one: Occurrence, entry: dict[str, Any]) -> None:
    """Answer the invitation of the calendar's owner."""
    answer = {name: entry[name] for name in _ANSWER if name in entry}
    if not answer:
        raise error("INVALID_ARGUMENT", "A guest may only change their own answer: give attendees with it")
    event_id = event_writes.own_row(call, one)
    invitation = events.invited(call, event_id, place.row["user_id"])
    if invitation:
        write_event_parts.answer(call, invitation, answer)
        change(call, "events", "event_id", event_id, updated_at=call.now)


def _needs_owner(call: Call, place: Place, one: Occurrence, operation: str) -> None:
    """What somebody else made is the calendar's owner's to take away."""
    if one.row["user_id"] != me(call)["user_id"] and not place.gives(OWNS):
        raise access.forbidden(call, place.id, OWNS, operation)


def _delete(call: Call, one: Occurrence) -> None:
    if one.planned:
        columns = {"status": "cancelled", "updated_at": call.now}
        change(call, "events", "event_id", event_writes.own_row(call, one), **columns)
        return
    if one.is_series and one.row["series_id"]:
        drop(call, "recurring_events", "recurring_event_id", one.row["series_id"])  # and with it its events
    drop(call, "events", "event_id", one.event_id)
