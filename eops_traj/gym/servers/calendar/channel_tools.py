"""The tools that open channels, which notify a web address of changes for a time."""

from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from eops_traj.gym.api_styles.google import error
from eops_traj.gym.servers.calendar import access
from eops_traj.gym.servers.calendar.access import READS, WRITES, caller
from eops_traj.gym.servers.calendar.event_lists import KINDS
from eops_traj.gym.servers.calendar.records import insert, json_text, new_uuid, without_nulls
from eops_traj.gym.servers.calendar.times import rfc3339, utc
from eops_traj.gym.tools.call import Call
from eops_traj.gym.tools.tool import tool

_DAY_SECONDS = 24 * 60 * 60
_MOST_SECONDS = 30 * _DAY_SECONDS


@tool
def watch_acl(call: Call) -> dict[str, Any]:
    """(calendarId!, id!, type!, address!, token,
      params) -> row

    Have changes of a calendar's access rules told to a web address.
      type: {default: web_hook}
    @allow member
    @outward
    """
    calendar = access.open_calendar(call, call.arguments["calendarId"], WRITES, "watch ACL rules")
    return _open(call, "acl", calendar.id, f"/calendars/{calendar.id}/acl", f"acl-{calendar.id}")


@tool
def watch_events(call: Call) -> dict[str, Any]:
    """(calendarId!, id!, type!, address!, token, params,
      eventTypes) -> row

    Have changes of a calendar's events told to a web address.
      eventTypes: Only events of this sort. {type: string}
    @allow member
    @outward
    """
    calendar = access.open_calendar(call, call.arguments["calendarId"], READS, "watch events")
    kind = call.arguments.get("eventTypes")
    if kind and kind not in KINDS:
        choices = ", ".join(f"'{name}'" for name in KINDS)
        message = f"Invalid eventTypes value '{kind}'. Acceptable values are: {choices}"
        raise error("INVALID_ARGUMENT", message)
    path = f"/calendars/{calendar.id}/events" + (f"?eventTypes={kind}" if kind else "")
    return _open(call, "event", calendar.id, path, f"events-{calendar.id}", eventTypes=kind)


@tool
def watch_calendar_list(call: Call) -> dict[str, Any]:
    """(id!, type!, address!, token, params) -> row

    Have changes of your calendar list told to a web address.
      type: {default: web_hook, enum: [web_hook, webhook]}
      address: {format: uri}
      token: {maxLength: 256}
    @allow member
    @outward
    """
    return _open(
        call, "calendar_list", "", "/users/me/calendarList", f"calendarList-{caller(call)['user_id']}"
    )


@tool
def watch_settings(call: Call) -> dict[str, Any]:
    """(id!, type!, address!, token, params) -> row

    Have changes of your settings told to a web address.
      type: {default: web_hook, enum: [web_hook]}
      address: {format: uri}
    @allow member
    @outward
    """
    return _open(call, "settings", "", "/settings", f"settings-{caller(call)['user_id']}")


def notify(call: Call, calendar_id: str) -> None:
    """Count a notification for every open channel that watches the access rules of a calendar."""
    call.rows(_NOTIFY, calendar=calendar_id)


_NOTIFY = """
UPDATE watch_channels SET notification_count = notification_count + 1, last_notification_at = :now
WHERE calendar_id = :calendar AND resource_type = 'acl' AND is_active = 'true'
    AND (expires_at IS NULL OR replace(expires_at, 'T', ' ') > :now)
"""


def _open(call: Call, kind: str, calendar_id: str, path: str, resource: str, **more: Any) -> dict[str, Any]:
    """Open a channel, under an id that no one has used."""
    _check(call)
    arguments, params = call.arguments, call.arguments.get("params") or {}
    address, resource_id = arguments["address"].strip(), f"{resource}-{new_uuid(call)[:8]}"
    ends = utc(call.now) + timedelta(seconds=_seconds(params.get("ttl")))
    expires = ends.replace(tzinfo=None).isoformat(" ", "microseconds")
    insert(
        call, "watch_channels", id=arguments["id"], resource_id=resource_id, resource_uri=path,
        resource_type=kind, calendar_id=calendar_id, user_id=caller(call)["user_id"], webhook_address=address,
        webhook_token=arguments.get("token"), webhook_type="web_hook",
        params=json_text(params | without_nulls(**more)), created_at=call.now, expires_at=expires,
    )  # fmt: skip
    return without_nulls(
        kind="api#channel", id=arguments["id"], resourceId=resource_id, resourceUri=path,
        token=arguments.get("token"), expiration=rfc3339(expires), type="web_hook", address=address,
    )  # fmt: skip


def _check(call: Call) -> None:
    arguments = call.arguments
    if arguments["type"].strip().lower() not in ("web_hook", "webhook"):
        raise error("INVALID_ARGUMENT", "Only channel type 'web_hook' is supported")
    try:
        url = urlsplit(arguments["address"].strip())
    except ValueError:
        url = urlsplit("")
    if url.scheme != "https" or not url.netloc:
        raise error("INVALID_ARGUMENT", "Invalid 'address': must be an https URL")
    if call.row("SELECT 1 FROM watch_channels WHERE id = :id"):
        raise error("INVALID_ARGUMENT", f"Channel with Id {arguments['id']} already exists")


def _seconds(ttl: str | None) -> int:
    """Return how long a channel stays open: a day, or as long as is asked for, up to a limit."""
    if ttl is None:
        return _DAY_SECONDS
    if not ttl.isascii() or not ttl.isdigit() or int(ttl[:12]) == 0:
        raise error("INVALID_ARGUMENT", "params.ttl must be an integer string representing seconds")
    return min(int(ttl[:12]), _MOST_SECONDS)
