"""The tools that create webinars and town halls. Their other tools are in tools.sql."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from eops_traj.gym.servers.teams.graph import entity
from eops_traj.gym.servers.teams.people import find_person, get_person
from eops_traj.gym.servers.teams.tools import insert, new_uuid
from eops_traj.gym.tools.call import Call, Row
from eops_traj.gym.tools.errors import ErrorResult
from eops_traj.gym.tools.tool import tool

_UTC_OFFSETS = {
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
"""Hours from UTC in winter by the Windows names of time zones: enough to compare two times."""

_TOWNHALL_ERROR = (
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
    coorganizers = _coorganizers(call)
    key = f"{new_uuid(call)}@{new_uuid(call)}"
    insert(call, "virtual_event_webinars", id=key, **_event_columns(call))
    _insert_coorganizers(call, "virtual_event_webinar_coorganizers", "webinar_id", key, coorganizers)
    return entity(call, {"id": key}, "FROM graph_webinar WHERE id = :id")


@tool
def create_virtual_event_townhall(call: Call) -> Row | ErrorResult:
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
    coorganizers = _coorganizers(call)
    invitees = [_invitee(call, entry["id"]) for entry in call.arguments.get("invitedAttendees", ())]
    key = f"{new_uuid(call)}@{new_uuid(call)}"
    is_invite_only = call.arguments.get("isInviteOnly", False)
    insert(call, "virtual_event_townhalls", id=key, is_invite_only=is_invite_only, **_event_columns(call))
    _insert_coorganizers(call, "virtual_event_townhall_coorganizers", "townhall_id", key, coorganizers)
    for invitee in {i["identity_id"]: i for i in invitees}.values():
        insert(
            call, "virtual_event_townhall_invited_attendees", org_id=call.caller["org_id"], townhall_id=key,
            added_at=call.now, **invitee,
        )  # fmt: skip
    if "townhall_reply" in call.server.quirks:
        return ErrorResult(_TOWNHALL_ERROR)
    return entity(call, {"id": key}, "FROM graph_townhall WHERE id = :id")


def _event_columns(call: Call) -> Row:
    """Return the columns that webinars and town halls share."""
    arguments = call.arguments
    if not 1 <= len(arguments["displayName"].strip()) <= 500:
        call.refuse("displayName must have 1 to 500 characters")
    start, end = (_parse_datetime(call, name) for name in ("startDateTime", "endDateTime"))
    if end <= start:
        call.refuse("endDateTime must be after startDateTime")
    settings = arguments.get("settings", {})
    return {
        "org_id": call.caller["org_id"], "display_name": arguments["displayName"], "status": "draft",
        "description_content_type": arguments["description"]["contentType"],
        "description_content": arguments["description"]["content"], "audience": arguments["audience"],
        "start_date_time": arguments["startDateTime"]["dateTime"],
        "start_time_zone": arguments["startDateTime"]["timeZone"],
        "end_date_time": arguments["endDateTime"]["dateTime"],
        "end_time_zone": arguments["endDateTime"]["timeZone"], "created_by_user_id": call.caller["user_id"],
        "created_by_display_name": call.caller["display_name"],
        "created_by_tenant_id": call.caller["tenant_id"], "created_at": call.now, "updated_at": call.now,
        "is_attendee_email_notification_enabled": settings.get("isAttendeeEmailNotificationEnabled", False),
    }  # fmt: skip


def _parse_datetime(call: Call, name: str) -> datetime:
    value = call.arguments[name]
    if value["timeZone"] not in _UTC_OFFSETS:
        call.refuse(
            f"Invalid timeZone '{value['timeZone']}' in {name}. Only Windows time zone names are supported"
        )
    try:
        when = datetime.fromisoformat(value["dateTime"]).replace(tzinfo=None)
        return when - timedelta(hours=_UTC_OFFSETS[value["timeZone"]])
    except (ValueError, OverflowError):
        call.refuse(f"Invalid dateTime '{value['dateTime']}' in {name}")


def _coorganizers(call: Call) -> list[Row]:
    rows = [get_person(call, entry["id"]) for entry in call.arguments.get("coOrganizers", ())]
    return list({row["user_id"]: row for row in rows}.values())


def _insert_coorganizers(call: Call, table: str, column: str, key: str, coorganizers: Iterable[Row]) -> None:
    for row in coorganizers:
        key_columns = {"org_id": call.caller["org_id"], column: key}
        insert(call, table, **key_columns, user_id=row["user_id"], added_at=call.now)


def _invitee(call: Call, reference: str) -> Row:
    """Return the columns of an invitee: a person of the organization, or an address from outside."""
    person = find_person(call, reference)
    if person is None and "@" in reference:
        kind = {"identity_type": "communicationsGuestIdentity", "guest_email": reference}
        return {"identity_id": reference, "display_name": reference} | kind
    person = person or get_person(call, reference)
    kind = {"identity_type": "communicationsUserIdentity", "tenant_id": call.caller["tenant_id"]}
    return {"identity_id": person["user_id"], "display_name": person["display_name"]} | kind
