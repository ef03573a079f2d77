"""The tools on the calendar list: the calendars that it shows, their colours and their reminders.

The list keeps its settings with the calendar, so a calendar that several people share looks the same to all.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

from eops_traj.gym.api_styles.google import error, listing
from eops_traj.gym.servers.calendar import access, times
from eops_traj.gym.servers.calendar.access import OWNS, READS, ROLES, WRITES, CalendarAccess, caller
from eops_traj.gym.servers.calendar.records import etag, from_json, json_text, update, without_nulls
from eops_traj.gym.servers.calendar.times import utc
from eops_traj.gym.tools.call import Call, Row
from eops_traj.gym.tools.tool import tool

Changes = dict[str, Any]
_COLUMNS = {
    "summaryOverride": "summary_override", "colorId": "color_id", "backgroundColor": "background_color",
    "foregroundColor": "foreground_color", "hidden": "hidden", "selected": "selected",
    "defaultReminders": "default_reminders", "notificationSettings": "notification_settings",
    "conferenceProperties": "conference_properties",
}  # fmt: skip
_DEFAULTS: Changes = dict.fromkeys(_COLUMNS) | {"hidden": False, "selected": True}
_JSON = ("defaultReminders", "notificationSettings", "conferenceProperties")
_LISTED = """
SELECT c.*, u.email AS owner_email FROM calendars c JOIN users u ON u.user_id = c.user_id
WHERE c.user_id = :me OR EXISTS (
    SELECT 1 FROM acls a JOIN scopes s ON s.id = a.scope_id
    WHERE a.calendar_id = c.calendar_id AND a.role <> 'none'
        AND s.type = 'user' AND lower(s.value) = lower(:email)
) ORDER BY c.calendar_id
"""


@tool
def get_calendar_list(call: Call) -> dict[str, Any]:
    """(maxResults, minAccessRole, pageToken, showDeleted, showHidden, syncToken) -> row of calendars

    The calendars on your list, your own and those that somebody lets you in by name, ordered by id.
      maxResults: How many to show at most; 0 shows none. {minimum: 0, maximum: 250, default: 100}
      minAccessRole: Only those on which you are at least this. {type: string,
        enum: [freeBusyReader, reader, writer, owner]}
      showDeleted: Whether to show those taken off the list, too. {type: boolean}
      showHidden: Whether to show hidden ones, too. {type: boolean}
    """
    arguments = call.arguments
    if "syncToken" in arguments and "minAccessRole" in arguments:
        message = "minAccessRole query parameter cannot be specified together with syncToken"
        raise error("INVALID_ARGUMENT", message)
    calendars = (
        [calendar for calendar in _listed(call) if _matches(calendar, arguments)]
        if arguments["maxResults"]
        else []
    )
    page = listing(
        call, "calendar#calendarList", "items", calendars, partial(_entry, call), size="maxResults"
    )
    more = {} if "nextPageToken" in page else {"nextSyncToken": times.sync_token(call)}
    return {"kind": page.pop("kind"), "etag": etag([p.row["updated_at"] for p in calendars])} | more | page


@tool
def get_calendar_from_list(call: Call) -> dict[str, Any]:
    """(calendarId!) -> row of calendars

    A calendar as your list shows it.
    """
    return _entry(call, _open_listed(call, call.arguments["calendarId"], READS, "read calendar list entry"))


@tool
def add_calendar_to_list(call: Call) -> dict[str, Any]:
    """(id!, colorRgbFormat, summaryOverride = summary_override, colorId = color_id,
      backgroundColor = background_color, foregroundColor = foreground_color, hidden, selected,
      defaultReminders, notificationSettings) -> row of calendars

    Put a calendar that exists on your list, or back on it. To set how it looks takes the role of a writer.
      id: Id of the calendar. {type: string, minLength: 1, examples: [primary]}
      backgroundColor: {pattern: '^#[0-9A-Fa-f]{6}$'}
      foregroundColor: {pattern: '^#[0-9A-Fa-f]{6}$'}
    @allow member
    """
    calendar = access.open_calendar(call, call.arguments["id"], READS, "add calendar to list")
    changes = _changed_columns(call) | ({"deleted": False} if calendar.row["deleted"] else {})
    if not changes:
        return _entry(call, calendar)
    if not calendar.has_role(WRITES):
        raise access.forbidden(call, calendar.id, WRITES, "add calendar to list")
    return _change_calendar(call, calendar, changes)


@tool
def update_calendar_in_list(call: Call) -> dict[str, Any]:
    """(calendarId!, colorRgbFormat, summaryOverride? = summary_override,
      colorId? = color_id, backgroundColor? = background_color, foregroundColor? = foreground_color,
      hidden, selected, defaultReminders?, notificationSettings?) -> row of calendars

    Change how your list shows a calendar: the fields given, and no others; null clears one. What is hidden is
    not selected either.
      backgroundColor: {pattern: '^#[0-9A-Fa-f]{6}$'}
      foregroundColor: {pattern: '^#[0-9A-Fa-f]{6}$'}
    @blank null
    @allow member
    """
    if not call.arguments.keys() & _COLUMNS.keys():
        raise error("INVALID_ARGUMENT", "No fields provided for update")
    calendar = _open_listed(call, call.arguments["calendarId"], WRITES, "update calendar list entry")
    return _change_calendar(call, calendar, _changed_columns(call))


@tool
def replace_calendar_in_list(call: Call) -> dict[str, Any]:
    """(calendarId!, colorRgbFormat, summaryOverride? = summary_override,
      colorId? = color_id, backgroundColor? = background_color, foregroundColor? = foreground_color,
      hidden, selected, defaultReminders?, notificationSettings?, conferenceProperties?) -> row of calendars

    Replace how your list shows a calendar: what is not given goes back to its default.
      backgroundColor: {pattern: '^#[0-9A-Fa-f]{6}$'}
      foregroundColor: {pattern: '^#[0-9A-Fa-f]{6}$'}
    @blank null
    @allow member
    """
    calendar = _open_listed(call, call.arguments["calendarId"], WRITES, "update calendar list entry")
    kept = {} if "conferenceProperties" in call.arguments else {"conference_properties"}
    blank = {_COLUMNS[name]: value for name, value in _DEFAULTS.items() if _COLUMNS[name] not in kept}
    return _change_calendar(call, calendar, blank | _changed_columns(call))


@tool
def remove_calendar_from_list(call: Call) -> bool:
    """(calendarId!) -> done of calendars

    Take a calendar off the list; the calendar and its events stay. A main calendar stays on the list.
    @allow member
    """
    calendar = _open_listed(call, call.arguments["calendarId"], OWNS, "remove calendar from list")
    if calendar.row["is_primary"]:
        raise error("INVALID_ARGUMENT", "Cannot remove primary calendar from calendar list")
    _change_calendar(call, calendar, {"deleted": True})
    return True


def _listed(call: Call) -> list[CalendarAccess]:
    roles = access.roles(call)
    rows = call.rows(_LISTED, me=caller(call)["user_id"], email=caller(call)["email"])
    return [CalendarAccess(row, roles.get(row["calendar_id"], "none")) for row in rows]


def _matches(calendar: CalendarAccess, arguments: Mapping[str, Any]) -> bool:
    if ROLES.index(calendar.role) < ROLES.index(arguments.get("minAccessRole", "freeBusyReader")):
        return False
    if "syncToken" in arguments:
        return utc(calendar.row["updated_at"] or "1900-01-01") > times.sync_token_time(arguments["syncToken"])
    hidden = calendar.row["hidden"] and not arguments.get("showHidden")
    return not hidden and (bool(arguments.get("showDeleted")) or not calendar.row["deleted"])


def _open_listed(call: Call, calendar_id: str, needed: tuple[str, ...], operation: str) -> CalendarAccess:
    """Return the calendar, if it has not been taken off the list."""
    calendar = access.open_calendar(call, calendar_id, needed, operation)
    if calendar.row["deleted"]:
        raise error("NOT_FOUND", f"Calendar not found: {calendar_id}")
    return calendar


def _changed_columns(call: Call) -> Changes:
    """Return the columns of the arguments given, with colours and visibility made to agree."""
    arguments = {name: value for name, value in call.arguments.items() if name in _COLUMNS}
    arguments = {n: v for n, v in arguments.items() if v is not None or n not in ("hidden", "selected")}
    if arguments.get("hidden") is not None and (arguments["hidden"] or "selected" not in arguments):
        arguments["selected"] = not arguments["hidden"]
    arguments |= _colors(call, arguments)
    arguments |= {name: json_text(arguments[name]) for name in _JSON if name in arguments}
    return {_COLUMNS[name]: value for name, value in arguments.items()}


def _colors(call: Call, arguments: Changes) -> Changes:
    """Return the shades of a colour given by number, or the number of a colour given by shades."""
    shades = {name: arguments[name] for name in ("backgroundColor", "foregroundColor") if arguments.get(name)}
    if shades and not call.arguments.get("colorRgbFormat"):
        message = "To set backgroundColor/foregroundColor you must set colorRgbFormat=true"
        raise error("INVALID_ARGUMENT", message)
    if shades:
        known = call.row(_BY_SHADES, **{"backgroundColor": None, "foregroundColor": None} | shades)
        return shades | ({"colorId": known["color_id"]} if len(shades) == 2 and known else {"colorId": None})
    if not arguments.get("colorId"):
        return {}
    color = call.row("SELECT * FROM colors WHERE color_type = 'CALENDAR' AND color_id = :colorId")
    if color is None:
        message = (
            f"Invalid calendar colorId: '{arguments['colorId']}'. Check available colorId with GET /colors"
        )
        raise error("INVALID_ARGUMENT", message)
    return {"backgroundColor": color["background"], "foregroundColor": color["foreground"]}


_BY_SHADES = """
SELECT color_id FROM colors WHERE color_type = 'CALENDAR'
    AND lower(background) = lower(:backgroundColor) AND lower(foreground) = lower(:foregroundColor)
"""


def _change_calendar(call: Call, calendar: CalendarAccess, changes: Changes) -> dict[str, Any]:
    update(call, "calendars", "calendar_id", calendar.id, **changes, updated_at=call.now)
    row = access.find_calendar(call, calendar.id)
    assert row is not None
    return _entry(call, CalendarAccess(row, calendar.role))


def _entry(call: Call, calendar: CalendarAccess) -> dict[str, Any]:
    row: Row = calendar.row
    return without_nulls(
        kind="calendar#calendarListEntry", etag=etag("entry", row["calendar_id"], row["updated_at"]),
        id=row["calendar_id"], summary=row["summary_override"] or row["summary"],
        **{name: row[name] for name in ("description", "location")}, timeZone=row["time_zone"],
        summaryOverride=row["summary_override"], colorId=row["color_id"],
        backgroundColor=row["background_color"], foregroundColor=row["foreground_color"],
        **{name: row[name] for name in ("hidden", "selected")}, accessRole=calendar.role,
        **{name: from_json(row[_COLUMNS[name]]) for name in _JSON},
        primary=row["is_primary"] and row["user_id"] == caller(call)["user_id"], deleted=row["deleted"],
    )  # fmt: skip
