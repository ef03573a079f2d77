"""The tools on your calendar list: which calendars it shows, in which colours, with which reminders.

The list keeps its settings with the calendar, so a calendar that several people share looks the same to all.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

from eops_traj.gym.api_styles.google import error, listing
from eops_traj.gym.servers.calendar import access, tokens
from eops_traj.gym.servers.calendar.access import OWNS, READS, ROLES, WRITES, Place, me
from eops_traj.gym.servers.calendar.records import change, decoded, etag, shown, text
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
    given = call.arguments
    if "syncToken" in given and "minAccessRole" in given:
        why = "minAccessRole query parameter cannot be specified together with syncToken"
        raise error("INVALID_ARGUMENT", why)
    found = [place for place in _listed(call) if _wanted(place, given)] if given["maxResults"] else []
    page = listing(call, "calendar#calendarList", "items", found, partial(_entry, call), size="maxResults")
    more = {} if "nextPageToken" in page else {"nextSyncToken": tokens.sync_token(call)}
    return {"kind": page.pop("kind"), "etag": etag([p.row["updated_at"] for p in found])} | more | page


@tool
def get_calendar_from_list(call: Call) -> dict[str, Any]:
    """(calendarId!) -> row of calendars

    A calendar as your list shows it.
    """
    return _entry(call, _place(call, call.arguments["calendarId"], READS, "read calendar list entry"))


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
    place = access.place(call, call.arguments["id"], READS, "add calendar to list")
    changes = _changes(call) | ({"deleted": False} if place.row["deleted"] else {})
    if not changes:
        return _entry(call, place)
    if not place.gives(WRITES):
        raise access.forbidden(call, place.id, WRITES, "add calendar to list")
    return _changed(call, place, changes)


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
    place = _place(call, call.arguments["calendarId"], WRITES, "update calendar list entry")
    return _changed(call, place, _changes(call))


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
    place = _place(call, call.arguments["calendarId"], WRITES, "update calendar list entry")
    kept = {} if "conferenceProperties" in call.arguments else {"conference_properties"}
    blank = {_COLUMNS[name]: value for name, value in _DEFAULTS.items() if _COLUMNS[name] not in kept}
    return _changed(call, place, blank | _changes(call))


@tool
def remove_calendar_from_list(call: Call) -> bool:
    """(calendarId!) -> done of calendars

    Take a calendar off the list; the calendar and its events stay. A main calendar stays on the list.
    @allow member
    """
    place = _place(call, call.arguments["calendarId"], OWNS, "remove calendar from list")
    if place.row["is_primary"]:
        raise error("INVALID_ARGUMENT", "Cannot remove primary calendar from calendar list")
    _changed(call, place, {"deleted": True})
    return True


def _listed(call: Call) -> list[Place]:
    mine = access.roles(call)
    rows = call.rows(_LISTED, me=me(call)["user_id"], email=me(call)["email"])
    return [Place(row, mine.get(row["calendar_id"], "none")) for row in rows]


def _wanted(place: Place, given: Mapping[str, Any]) -> bool:
    if ROLES.index(place.role) < ROLES.index(given.get("minAccessRole", "freeBusyReader")):
        return False
    if "syncToken" in given:
        return utc(place.row["updated_at"] or "1900-01-01") > tokens.moment(given["syncToken"])
    hidden = place.row["hidden"] and not given.get("showHidden")
    return not hidden and (bool(given.get("showDeleted")) or not place.row["deleted"])


def _place(call: Call, calendar_id: str, needed: tuple[str, ...], operation: str) -> Place:
    """The calendar, if it has not been taken off the list."""
    place = access.place(call, calendar_id, needed, operation)
    if place.row["deleted"]:
        raise error("NOT_FOUND", f"Calendar not found: {calendar_id}")
    return place


def _changes(call: Call) -> Changes:
    """The columns of the arguments given, colours and visibility made to agree."""
    given = {name: value for name, value in call.arguments.items() if name in _COLUMNS}
    given = {n: v for n, v in given.items() if v is not None or n not in ("hidden", "selected")}
    if given.get("hidden") is not None and (given["hidden"] or "selected" not in given):
        given["selected"] = not given["hidden"]
    given |= _colors(call, given)
    given |= {name: text(given[name]) for name in _JSON if name in given}
    return {_COLUMNS[name]: value for name, value in given.items()}


def _colors(call: Call, given: Changes) -> Changes:
    """Colours by number bring their shades along; shades of a numbered colour its number."""
    shades = {name: given[name] for name in ("backgroundColor", "foregroundColor") if given.get(name)}
    if shades and not call.arguments.get("colorRgbFormat"):
        why = "To set backgroundColor/foregroundColor you must set colorRgbFormat=true"
        raise error("INVALID_ARGUMENT", why)
    if shades:
        known = call.row(_BY_SHADES, **{"backgroundColor": None, "foregroundColor": None} | shades)
        return shades | ({"colorId": known["color_id"]} if len(shades) == 2 and known else {"colorId": None})
    if not given.get("colorId"):
        return {}
    color = call.row("SELECT * FROM colors WHERE color_type = 'CALENDAR' AND color_id = :colorId")
    if color is None:
        why = f"Invalid calendar colorId: '{given['colorId']}'. Check available colorId with GET /colors"
        raise error("INVALID_ARGUMENT", why)
    return {"backgroundColor": color["background"], "foregroundColor": color["foreground"]}


_BY_SHADES = """
SELECT color_id FROM colors WHERE color_type = 'CALENDAR'
    AND lower(background) = lower(:backgroundColor) AND lower(foreground) = lower(:foregroundColor)
"""


def _changed(call: Call, place: Place, changes: Changes) -> dict[str, Any]:
    change(call, "calendars", "calendar_id", place.id, **changes, updated_at=call.now)
    row = access.found(call, place.id)
    assert row is not None
    return _entry(call, Place(row, place.role))


def _entry(call: Call, place: Place) -> dict[str, Any]:
    row: Row = place.row
    return shown(
        kind="calendar#calendarListEntry", etag=etag("entry", row["calendar_id"], row["updated_at"]),
        id=row["calendar_id"], summary=row["summary_override"] or row["summary"],
        **{name: row[name] for name in ("description", "location")}, timeZone=row["time_zone"],
        summaryOverride=row["summary_override"], colorId=row["color_id"],
        backgroundColor=row["background_color"], foregroundColor=row["foreground_color"],
        **{name: row[name] for name in ("hidden", "selected")}, accessRole=place.role,
        **{name: decoded(row[_COLUMNS[name]]) for name in _JSON},
        primary=row["is_primary"] and row["user_id"] == me(call)["user_id"], deleted=row["deleted"],
    )  # fmt: skip
