"""Webinars and town halls: making them. The rest of what is done with them is in tools.sql."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from eops_traj.gym.servers.teams.graph import entity
from eops_traj.gym.servers.teams.people import find, person
from eops_traj.gym.servers.teams.records import insert, new_uuid
from eops_traj.gym.tools.call import Call, Row
from eops_traj.gym.tools.errors import Failed
from eops_traj.gym.tools.tool import tool

_ZONES = {
    "UTC": 0, "GMT Standard Time": 0, "Greenwich Standard Time": 0, "W. Europe Standard Time": 1,
    "Central Europe Standard Time": 1, "Romance Standard Time": 1, "Central European Standard Time": 1,
    "GTB Standard Time": 2, "FLE Standard Time": 2, "E. Europe Standard Time": 2,
    "South Africa Standard Time": 2,
    "Israel Standard Time": 2, "Turkey Standard Time": 3, "Russian Standard Time": 3, "Arab Standard Time": 3,
    "Arabian Standard Time": 4, "Pakistan Standard Time": 5, "West Asia Standard Time": 5,
    "India Standard Time": 5.5, "Bangladesh Standard Time": 6, "SE Asia Standard Time": 7,
    "China Standard Time": 8, "Singapore Standard Time": 8, "W. Australia Standard Time": 8,
    "Tokyo Standard Time": 9, "Korea Standard Time": 9, "AUS Eastern Standard Time": 10,
    "E. Australia Standard Time": 10, "New Zealand Standard Time": 12, "Hawaiian Standard Time": -10,
    "Alaskan Standard Time": -9, "Pacific Standard Time": -8, "Mountain Standard Time": -7,
    "US Mountain Standard Time": -7, "Central Standard Time": -6, "Eastern Standard Time": -5,
    "SA Pacific Standard Time": -5, "Atlantic Standard Time": -4, "E. South America Standard Time": -3,
    "Argentina Standard Time": -3,
}  # fmt: skip
"""Time zones by their Windows names, hours from UTC in winter: enough to tell which of two times is later."""

_BUG = (
    "Failed to create townhall: schemas.virtual_event_townhall.VirtualEventTownhallResponse() argument "
    "after ** must be a mapping, not NoneType"
)


@tool
def create_virtual_event_webinar(call: Call) -> Row:
    """(displayName!, description!, startDateTime!, endDateTime!, audience!, coOrganizers, settings)
      -> row of virtual_event_webinars

    Plan a webinar. It is a draft until its organizer, who is the caller, publishes it.
      displayName: What the webinar is called, 500 characters at most. {type: string}
      description: What it is about. {type: object, required: [contentType, content], properties: {
        contentType: {type: string, enum: [text, html]}, content: {type: string}}}
    @allow admin, teams_admin, user_admin, member
    """
    helpers = _helpers(call)
    key = f"{new_uuid(call)}@{new_uuid(call)}"
    insert(call, "virtual_event_webinars", id=key, **_event(call))
    _help(call, "virtual_event_webinar_coorganizers", "webinar_id", key, helpers)
    return entity(call, {"id": key}, "FROM graph_webinar WHERE id = :id")


@tool
def create_virtual_event_townhall(call: Call) -> Row | Failed:
    """(displayName!, description!, startDateTime!, endDateTime!, audience!, isInviteOnly, invitedAttendees,
      coOrganizers, settings) -> row of virtual_event_townhalls

    Plan a town hall. It is a draft at first; the caller is its organizer.
      displayName: What the town hall is called, 500 characters at most. {type: string}
      description: What it is about. {type: object, required: [contentType, content], properties: {
        contentType: {type: string, enum: [text, html]}, content: {type: string}}}
      isInviteOnly: Whether only those invited may come; for the organization alone.
        {type: boolean, default: false}
      invitedAttendees: Who is invited, by user id or by address. {type: array, items: {type: object,
        required: [id], properties: {id: {type: string}}}}
    @allow admin, teams_admin
    @refuse isInviteOnly requires the audience 'organization'
        WHEN :isInviteOnly AND :audience <> 'organization'
    """
    helpers, guests = (
        _helpers(call),
        [_guest(call, s["id"]) for s in call.arguments.get("invitedAttendees", ())],
    )
    key = f"{new_uuid(call)}@{new_uuid(call)}"
    invites = call.arguments.get("isInviteOnly", False)
    insert(call, "virtual_event_townhalls", id=key, is_invite_only=invites, **_event(call))
    _help(call, "virtual_event_townhall_coorganizers", "townhall_id", key, helpers)
    for guest in {g["identity_id"]: g for g in guests}.values():
        insert(
            call, "virtual_event_townhall_invited_attendees", org_id=call.caller["org_id"], townhall_id=key,
            added_at=call.now, **guest,
        )  # fmt: skip
    if "townhall_reply" in call.server.quirks:
        return Failed(_BUG)
    return entity(call, {"id": key}, "FROM graph_townhall WHERE id = :id")


def _event(call: Call) -> Row:
    """The columns that webinars and town halls share."""
    given = call.arguments
    if not 1 <= len(given["displayName"].strip()) <= 500:
        call.refuse("displayName must have 1 to 500 characters")
    start, end = (_moment(call, name) for name in ("startDateTime", "endDateTime"))
    if end <= start:
        call.refuse("endDateTime must be after startDateTime")
    settings = given.get("settings", {})
    return {
        "org_id": call.caller["org_id"], "display_name": given["displayName"], "status": "draft",
        "description_content_type": given["description"]["contentType"],
        "description_content": given["description"]["content"], "audience": given["audience"],
        "start_date_time": given["startDateTime"]["dateTime"],
        "start_time_zone": given["startDateTime"]["timeZone"],
        "end_date_time": given["endDateTime"]["dateTime"], "end_time_zone": given["endDateTime"]["timeZone"],
        "created_by_user_id": call.caller["user_id"], "created_by_display_name": call.caller["display_name"],
        "created_by_tenant_id": call.caller["tenant_id"], "created_at": call.now, "updated_at": call.now,
        "is_attendee_email_notification_enabled": settings.get("isAttendeeEmailNotificationEnabled", False),
    }  # fmt: skip


def _moment(call: Call, name: str) -> datetime:
    said = call.arguments[name]
    if said["timeZone"] not in _ZONES:
        call.refuse(
            f"Invalid timeZone '{said['timeZone']}' in {name}. Only Windows time zone names are supported"
        )
    try:
        when = datetime.fromisoformat(said["dateTime"]).replace(tzinfo=None)
        return when - timedelta(hours=_ZONES[said["timeZone"]])
    except (ValueError, OverflowError):
        call.refuse(f"Invalid dateTime '{said['dateTime']}' in {name}")


def _helpers(call: Call) -> list[Row]:
    rows = [person(call, said["id"]) for said in call.arguments.get("coOrganizers", ())]
    return list({row["user_id"]: row for row in rows}.values())


def _help(call: Call, table: str, column: str, key: str, helpers: Iterable[Row]) -> None:
    for row in helpers:
        place = {"org_id": call.caller["org_id"], column: key}
        insert(call, table, **place, user_id=row["user_id"], added_at=call.now)


def _guest(call: Call, said: str) -> Row:
    """Someone who is invited: a person of the organization, or an address from outside."""
    inside = find(call, said)
    if inside is None and "@" in said:
        kind = {"identity_type": "communicationsGuestIdentity", "guest_email": said}
        return {"identity_id": said, "display_name": said} | kind
    row = inside or person(call, said)
    kind = {"identity_type": "communicationsUserIdentity", "tenant_id": call.caller["tenant_id"]}
    return {"identity_id": row["user_id"], "display_name": row["display_name"]} | kind
