"""The tools that list: events, the events of a series, free and busy times."""

from datetime import timedelta
from typing import Any

from eops_traj.gym.api_styles.google import error, page
from eops_traj.gym.servers.calendar import access, event_lists, event_resources, events
from eops_traj.gym.servers.calendar.access import READS, SEES_BUSY, CalendarAccess
from eops_traj.gym.servers.calendar.events import Occurrence
from eops_traj.gym.servers.calendar.records import without_nulls
from eops_traj.gym.servers.calendar.times import instant, sync_token, zone
from eops_traj.gym.tools.call import Call
from eops_traj.gym.tools.tool import tool

_PAGE = 250
_MOST_CALENDARS, _MOST_DAYS = 50, 366


@tool
def list_events(call: Call) -> dict[str, Any]:
    """(calendarId!, timeMin, timeMax, q, singleEvents, orderBy, showDeleted, eventTypes,
      iCalUID, maxAttendees, maxResults, pageToken, privateExtendedProperty, sharedExtendedProperty,
      showHiddenInvitations, syncToken, timeZone, updatedMin) -> row of events

    The events of a calendar that match every filter given, first those that begin first. A person's main
    calendar also shows what the person is invited to. A series is one entry, unless singleEvents is set.
      q: Words that must occur, "phrases" that must, and -words that must not. {type: string}
      singleEvents: Whether to show each event of a series, and not the series. {type: boolean}
      orderBy: The beginning (the default), or the last change, newest first. {type: string,
        enum: [startTime, updated]}
      eventTypes: Sorts of events to show, with commas between. {type: string, enum: null}
      iCalUID: The one that all calendar programs know by this id; not with q. {type: string}
      maxResults: {minimum: 1, maximum: 2500}
      privateExtendedProperty: Name and value, as name=value, among the private properties. {type: string}
      sharedExtendedProperty: Name and value, as name=value, among the shared properties. {type: string}
      showHiddenInvitations: Whether to show declined invitations, too. {type: boolean}
      updatedMin: Only what was changed at this moment or later; then also what was called off. {type: string}
    """
    calendar = _open(call, "list events")
    return _page(call, calendar, event_lists.list_events(call, calendar), syncing=True)


@tool
def get_event_instances(call: Call) -> dict[str, Any]:
    """(calendarId! = calendar_id, eventId! = event_id, maxAttendees, maxResults, originalStart,
      pageToken, showDeleted, timeMin, timeMax, timeZone) -> row of events

    The events of a series, at most 365 where it has no end and timeMax is not given.
      eventId: Id of the series. {type: string}
      originalStart: Only the event that the series had planned for this moment. {type: string}
      maxResults: {minimum: 1, maximum: 2500}
    """
    calendar = _open(call, "read event instances")
    series = events.find_series(call, calendar, call.arguments["eventId"])
    return _page(call, calendar, event_lists.list_instances(call, calendar, series), syncing=False)


@tool
def query_freebusy(call: Call) -> dict[str, Any]:
    """(timeMin!, timeMax!, items!, timeZone, groupExpansionMax, calendarExpansionMax) -> row of calendars

    When calendars are taken. Confirmed events take time, unless they are transparent or their owner declined.
      timeMin: Beginning of the time in question. {type: string}
      timeMax: End of the time in question, at most 366 days later. {type: string}
      timeZone: IANA time zone of times without an offset; UTC by default. {type: string}
      items: The calendars, by id or by the address of a person or room. {type: array, items: {type: object,
        required: [id], properties: {id: {type: string, description: Calendar or address}}}}
      groupExpansionMax: How many members of a group to ask about. {type: integer, minimum: 1}
      calendarExpansionMax: How many calendars to answer for. {type: integer, minimum: 1}
    """
    arguments = call.arguments
    since, before = (
        instant(arguments[name], arguments.get("timeZone", "UTC")) for name in ("timeMin", "timeMax")
    )
    if not timedelta() < before - since <= timedelta(days=_MOST_DAYS):
        raise error("INVALID_ARGUMENT", f"Time range is invalid or too large (max {_MOST_DAYS} days)")
    items = [item["id"] for item in arguments["items"]]
    if not items:
        raise error("INVALID_ARGUMENT", "At least one calendar item is required")
    if len(items) > min(_MOST_CALENDARS, arguments.get("calendarExpansionMax", _MOST_CALENDARS)):
        raise error("INVALID_ARGUMENT", f"Maximum {_MOST_CALENDARS} calendars allowed per query")
    calendars: dict[str, Any] = {}
    for name in items:
        calendar = _open_busy(call, name)
        unknown = {"errors": [{"domain": "global", "reason": "notFound"}], "busy": []}
        calendars[name] = (
            {"busy": event_lists.busy_times(call, calendar, since, before)} if calendar else unknown
        )
    return {
        "kind": "calendar#freeBusy",
        "timeMin": arguments["timeMin"],
        "timeMax": arguments["timeMax"],
        "calendars": calendars,
    }


def _open(call: Call, operation: str) -> CalendarAccess:
    if time_zone := call.arguments.get("timeZone"):
        zone(time_zone)
    return access.open_calendar(call, call.arguments["calendarId"], READS, operation)


def _open_busy(call: Call, name: str) -> CalendarAccess | None:
    """Return the calendar, if the caller may know when it is taken."""
    row = access.find_calendar(call, name)
    if row is None:
        return None
    calendar = CalendarAccess(row, access.roles(call, row["calendar_id"]).get(row["calendar_id"], "none"))
    return calendar if calendar.has_role(SEES_BUSY) else None


def _page(call: Call, calendar: CalendarAccess, listed: list[Occurrence], syncing: bool) -> dict[str, Any]:
    """Return a page of events; after the last one, the token to go on from later."""
    rows, following = page(listed, call.arguments.get("maxResults", _PAGE), call.arguments.get("pageToken"))
    sync = sync_token(call) if syncing and not following else None
    more = without_nulls(nextPageToken=following, nextSyncToken=sync)
    return event_resources.collection(
        call, calendar, event_resources.event_resource_list(call, calendar, rows), **more
    )
