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
from eops_traj.gym.servers.calendar.access import OWNS, READS, WRITES, CalendarAccess, caller
from eops_traj.gym.servers.calendar.events import Occurrence
from eops_traj.gym.servers.calendar.records import delete, update
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
    calendar = access.open_calendar(call, call.arguments["calendarId"], WRITES, "create events")
    return _written(call, calendar, event_writes.create(call, calendar, call.arguments))


@tool
def get_event(call: Call) -> dict[str, Any]:
    """(calendarId! = calendar_id, eventId! = event_id, timeZone, maxAttendees) -> row of events

    One event, or one of a series.
    """
    calendar = access.open_calendar(call, call.arguments["calendarId"], READS, "read event")
    event = events.find(call, calendar, call.arguments["eventId"])
    return event_resources.event_resource(call, calendar, event)


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
    return _change_event(call, whole=False)


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
    return _change_event(call, whole=True)


@tool
def delete_event(call: Call) -> bool:
    """(calendarId! = calendar_id, eventId! = event_id, sendUpdates) -> done of events

    Delete an event; a series with all its events. One event of a series is called off instead. What somebody
    else made takes the owner's role. On the calendar of a guest, it declines the invitation.
    @allow member
    """
    calendar = access.open_calendar(call, call.arguments["calendarId"], WRITES, "delete event")
    event = events.find(call, calendar, call.arguments["eventId"])
    if calendar.id != event.row["calendar_id"]:
        _answer_invitation(call, calendar, event, {"responseStatus": "declined"})
    else:
        _check_owner(call, calendar, event, "delete event")
        _delete(call, event)
    return True


@tool
def move_event(call: Call) -> dict[str, Any]:
    """(calendarId! = calendar_id, eventId! = event_id, destination! = calendar_id,
      sendUpdates) -> row of events

    Move an event, or a whole series, to another calendar. Only events of the type default move.
    @allow member
    """
    calendar = access.open_calendar(call, call.arguments["calendarId"], WRITES, "move event from")
    event = events.find(call, calendar, call.arguments["eventId"])
    target = access.open_calendar(call, call.arguments["destination"], WRITES, "move event to")
    if event.row["eventType"] != "default":
        kind = f"Cannot move event of type '{event.row['eventType']}'."
        raise error("INVALID_ARGUMENT", f"{kind} Only default events can be moved.")
    if event.planned:
        raise error("INVALID_ARGUMENT", "Cannot move one event of a series.")
    if calendar.id != event.row["calendar_id"]:
        raise access.forbidden(call, event.row["calendar_id"], WRITES, "move event from")
    _check_owner(call, calendar, event, "move event from")
    series = event.row["series_id"] if event.is_series else None
    call.rows(_MOVE, target=target.id, event=event.event_id, series=series)
    return _written(call, target, event.event_id)


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
    calendar = access.open_calendar(call, call.arguments["calendarId"], WRITES, "quick add event")
    if len(call.arguments["text"]) > _LONGEST_TEXT:
        raise error("INVALID_ARGUMENT", f"Unable to parse text: more than {_LONGEST_TEXT} characters")
    now = times.utc(call.now).astimezone(times.zone(calendar.zone))
    draft = quick_add.parse(call.arguments["text"], now)
    start, end = ({"date" if len(t) == 10 else "dateTime": t} for t in (x.isoformat() for x in draft.span))
    arguments = {"summary": draft.text, "location": draft.place, "start": start, "end": end}
    return _written(call, calendar, event_writes.create(call, calendar, arguments))


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
    arguments = call.arguments
    calendar = access.open_calendar(call, arguments["calendarId"], WRITES, "import event")
    for name in ("focusTimeProperties", "outOfOfficeProperties"):
        if arguments.get(name):
            message = f"{name} is not required as only 'default' eventType can be imported"
            raise error("INVALID_ARGUMENT", message)
    _check_guests(call)
    event_id = event_writes.create(call, calendar, arguments, privateCopy=True, **_organizer_columns(call))
    resource = _written(call, calendar, event_id)
    return resource | ({"attendeesOmitted": True} if arguments.get("attendeesOmitted") else {})


def _check_guests(call: Call) -> None:
    sql = "SELECT 1 FROM users WHERE lower(email) = lower(:email)"
    for guest in call.arguments.get("attendees", []):
        if not call.row(sql, email=guest["email"]):
            message = "not found in database. All attendee emails must be valid and present in the system."
            raise error("INVALID_ARGUMENT", f"Attendee email '{guest['email']}' {message}")


def _organizer_columns(call: Call) -> dict[str, Any]:
    """Return the columns of the organizer of an imported event."""
    arguments = call.arguments.get("organizer")
    if not arguments:
        return {}
    user = call.row("SELECT * FROM users WHERE lower(email) = lower(:email)", email=arguments["email"])
    if user is None:
        raise error("INVALID_ARGUMENT", "Organizer email does not exist")
    if arguments.get("displayName", user["name"]) != user["name"]:
        raise error("INVALID_ARGUMENT", "Please enter valid name in the organizer displayName")
    return {
        "organizer_id": user["user_id"],
        "organizer_email": user["email"],
        "organizer_display_name": user["name"],
        "organizer_self": user["user_id"] == caller(call)["user_id"],
    }


def _written(call: Call, calendar: CalendarAccess, event_id: str) -> dict[str, Any]:
    return event_resources.event_resource(call, calendar, events.written_event(call, event_id))


def _change_event(call: Call, whole: bool) -> dict[str, Any]:
    """Change an event where the caller may; a guest may answer."""
    calendar = access.open_calendar(call, call.arguments["calendarId"], WRITES, "update event")
    event = events.find(call, calendar, call.arguments["eventId"])
    home_id = event.row["calendar_id"]
    if (
        home_id == calendar.id
        or event.row["guestsCanModify"]
        or access.roles(call, home_id).get(home_id) in WRITES
    ):
        return _written(call, calendar, event_writes.change(call, calendar, event, call.arguments, whole))
    if whole or call.arguments.keys() - {*_NOT_IN_THE_RECORD, "attendees"}:
        raise access.forbidden(call, home_id, WRITES, "update event")
    guest = calendar.row["owner_email"].lower()
    own = [entry for entry in call.arguments["attendees"] if entry["email"].lower() == guest]
    _answer_invitation(call, calendar, event, own[0] if own else {})
    return _written(call, calendar, event.event_id)


def _answer_invitation(
    call: Call, calendar: CalendarAccess, event: Occurrence, entry: dict[str, Any]
) -> None:
    """Answer the invitation of the calendar's owner."""
    answer = {name: entry[name] for name in _ANSWER if name in entry}
    if not answer:
        raise error("INVALID_ARGUMENT", "A guest may only change their own answer: give attendees with it")
    event_id = event_writes.ensure_row(call, event)
    invitation = events.find_invitation(call, event_id, calendar.row["user_id"])
    if invitation:
        write_event_parts.answer(call, invitation, answer)
        update(call, "events", "event_id", event_id, updated_at=call.now)


def _check_owner(call: Call, calendar: CalendarAccess, event: Occurrence, operation: str) -> None:
    """Refuse to take away what someone else made, except to the calendar's owner."""
    if event.row["user_id"] != caller(call)["user_id"] and not calendar.has_role(OWNS):
        raise access.forbidden(call, calendar.id, OWNS, operation)


def _delete(call: Call, event: Occurrence) -> None:
    if event.planned:
        columns = {"status": "cancelled", "updated_at": call.now}
        update(call, "events", "event_id", event_writes.ensure_row(call, event), **columns)
        return
    if event.is_series and event.row["series_id"]:
        delete(
            call, "recurring_events", "recurring_event_id", event.row["series_id"]
        )  # and with it its events
    delete(call, "events", "event_id", event.event_id)
