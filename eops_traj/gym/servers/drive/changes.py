"""Following changes: page tokens, the list of changes, and channels that notify of them."""

from datetime import UTC, datetime
from itertools import islice
from typing import Final

from eops_traj.gym.api_styles.google import error, invalid, parse_time, resource, rfc3339
from eops_traj.gym.servers.drive import access, records
from eops_traj.gym.servers.drive.resources import Resource, drive_resource, file_resource
from eops_traj.gym.tools.call import Call, Row
from eops_traj.gym.tools.tool import tool

_FIRST_TOKEN: Final = "0"
"""The page token of the time before any change."""
_IN_DRIVE: Final = "coalesce(c.drive_id, f.drive_id)"
"""The shared drive of a change ``c`` of a file ``f``, which real rows leave to the file."""
_DAY_MS: Final = 24 * 60 * 60 * 1000


@tool
def get_changes_start_page_token(call: Call) -> Resource:
    """(driveId, supportsAllDrives, supportsTeamDrives, teamDriveId) -> row of changes

    The token from which list_changes tells what happens from now on, for all that you see or one shared
    drive.
      supportsTeamDrives: Old name of supportsAllDrives. {type: boolean}
    @closed
    """
    drive_id = call.arguments.get("driveId") or call.arguments.get("teamDriveId")
    if drive_id:
        access.open_drive(call, drive_id=drive_id)
    return {"kind": "drive#startPageToken", "startPageToken": _newest_token(call, drive_id)}


@tool
def list_changes(call: Call) -> Resource:
    """(pageToken! = token, driveId, includeCorpusRemovals, includeItemsFromAllDrives, includeRemoved,
      pageSize, restrictToMyDrive, spaces, supportsAllDrives, includePermissionsForView, includeLabels)
      -> rows of changes

    What has changed since a token, oldest first, as far as you see it. The last page has the
    newStartPageToken to go on from later.
      pageToken: The startPageToken, or the nextPageToken of the page before. {minLength: 1}
      includeItemsFromAllDrives: {default: false}
      includeRemoved: Whether files are shown that are gone, with their id alone.
        {type: boolean, default: false}
      pageSize: {maximum: 1000}
    @closed
    """
    drive_id = call.arguments.get("driveId")
    if drive_id:
        access.open_drive(call)
    _check_page_token(call)
    size = call.arguments["pageSize"]
    changes = ((row["token"], _change_resource(call, row)) for row in _changes_since(call))
    visible = list(islice((change for change in changes if change[1] is not None), size + 1))
    page = {"kind": "drive#changeList", "changes": [change for _, change in visible[:size]]}
    if len(visible) > size:
        return page | {"nextPageToken": visible[size - 1][0]}
    return page | {"newStartPageToken": _newest_token(call, drive_id)}


@tool
def watch_changes(call: Call) -> Resource:
    """(pageToken! = changes.token, driveId, includeCorpusRemovals, includeItemsFromAllDrives,
      includePermissionsForView, includeRemoved, restrictToMyDrive, spaces, supportsAllDrives, id!, type,
      address!, token, expiration, params, payload, resourceUri = resource_uri, resourceId = resource_id)
      -> row of channels

    Open a channel that notifies of changes, in all that you see or in one shared drive. Without an expiration
    it ends after a day.
      pageToken: The startPageToken to follow changes from. {minLength: 1}
      id: {minLength: 1}
      includeItemsFromAllDrives: Whether changes in shared drives are told of. {type: boolean, default: true}
      includeRemoved: Whether removals are told of. {type: boolean, default: true}
      spaces: {default: drive}
      supportsAllDrives: {default: true}
      address: Where notifications go; an HTTPS address.
        {minLength: 1, examples: ["https://hooks.example.com/drive"]}
      type: {default: web_hook}
      expiration: {type: integer, minimum: 0, examples: [1769904000000]}
      params: {additionalProperties: {type: string}}
      payload: {default: true}
      resourceUri: {minLength: 1}
      resourceId: {minLength: 1}
    @closed
    @outward
    """
    arguments = call.arguments
    drive_parameter = ""
    if arguments.get("driveId"):
        drive_parameter = f"driveId={access.open_drive(call)['id']}&"
    _check_page_token(call)
    uri = (
        arguments.get("resourceUri")
        or f"https://www.googleapis.com/drive/v3/changes?{drive_parameter}pageToken={arguments['pageToken']}"
    )
    return _open_channel(call, arguments.get("resourceId"), uri, arguments.get("expiration"))


@tool
def watch_files(call: Call) -> Resource:
    """(fileId! = files.id, supportsAllDrives, acknowledgeAbuse, includePermissionsForView, includeLabels,
      id!, token, expiration, address!, payload, type, params, kind, resourceId! = resource_id,
      resourceUri! = resource_uri) -> row of channels

    Open a channel that notifies of changes of one file. Without an expiration it ends after a day.
      expiration: When the channel ends, as a time (RFC 3339) or in milliseconds since 1970.
        {examples: ["2026-02-01T00:00:00Z"]}
      payload: {default: false}
      address: Where notifications go; an HTTPS address. {examples: ["https://hooks.example.com/drive"]}
      type: {default: web_hook}
      params: {additionalProperties: {type: string}}
      kind: What this resource is. {type: string, default: api#channel}
    @closed
    @outward
    """
    arguments = call.arguments
    access.open_file(call)
    return _open_channel(
        call, arguments["resourceId"], arguments["resourceUri"], _milliseconds(arguments.get("expiration"))
    )


def _newest_token(call: Call, drive_id: str | None) -> str:
    scope = f"drive:{drive_id}" if drive_id else "global"
    row = call.row("SELECT last_token FROM change_tokens WHERE scope = :scope", scope=scope)
    return str(row["last_token"]) if row and row["last_token"] else _FIRST_TOKEN


def _check_page_token(call: Call) -> None:
    """Refuse a page token that no change has."""
    token = call.arguments["pageToken"]
    if token != _FIRST_TOKEN and not call.row("SELECT 1 FROM changes WHERE token = :pageToken"):
        raise invalid("pageToken")


def _changes_since(call: Call) -> list[Row]:
    """Return the changes after the page token that the arguments ask for, visible or not."""
    arguments = call.arguments
    where = ["c.rowid > coalesce((SELECT rowid FROM changes WHERE token = :pageToken), 0)"]
    if arguments.get("driveId"):
        where.append(f"{_IN_DRIVE} = :driveId")
    elif arguments["restrictToMyDrive"] or not arguments["includeItemsFromAllDrives"]:
        where.append(f"{_IN_DRIVE} IS NULL")
    if not arguments["includeRemoved"]:
        where.append("c.removed IS NOT 1")
    sql = f"SELECT c.*, {_IN_DRIVE} AS drive_id FROM changes c LEFT JOIN files f ON f.id = c.file_id"  # noqa: S608
    return call.rows(f"{sql} WHERE {' AND '.join(where)} ORDER BY c.rowid")


def _change_resource(call: Call, row: Row) -> Resource | None:
    """Return a change as the caller sees it, or None where they see neither the file nor the drive."""
    of_file = row["file_id"] is not None
    change = {
        "kind": "drive#change", "changeType": "file" if of_file else "drive", "type": row["change_type"],
        "time": row["change_time"] and rfc3339(row["change_time"]), "removed": bool(row["removed"]),
        "fileId": row["file_id"], "driveId": row["drive_id"],
    }  # fmt: skip
    if not row["removed"]:
        item = _visible_file(call, row["file_id"]) if of_file else _visible_drive(call, row["drive_id"])
        if item is None:
            return None
        change |= {"file" if of_file else "drive": item}
    return {name: value for name, value in change.items() if value is not None}


def _visible_file(call: Call, file_id: str) -> Resource | None:
    rank = access.rank_on_file(call, file_id)
    return file_resource(call, file_id, rank) if rank else None


def _visible_drive(call: Call, drive_id: str) -> Resource | None:
    row = call.row("SELECT * FROM drives WHERE id = :drive", drive=drive_id)
    rank = access.rank_on_drive(call, drive_id)
    return drive_resource(row | {"rank": rank}) if row and rank else None


def _open_channel(call: Call, resource_id: str | None, uri: str, expiration: int | None) -> Resource:
    arguments, now = call.arguments, int(call.database.now().timestamp() * 1000)
    if arguments.get("type") not in ("web_hook", "webhook"):
        raise error(
            "INVALID_ARGUMENT", f"Unknown channel type: {arguments.get('type')}", "channelUnknown", "type"
        )
    if not arguments["address"].startswith("https://"):
        message = f"WebHook callback must be HTTPS: {arguments['address']}"
        raise error("INVALID_ARGUMENT", message, "push.webhookUrlNotHttps", "address")
    if expiration is not None and not now < expiration < 10**15:
        raise invalid("expiration", "The expiration of a channel lies in the future.")
    if call.row("SELECT 1 FROM channels WHERE id = :id"):
        raise error(
            "INVALID_ARGUMENT", f"Channel id {arguments['id']} not unique", "channelIdNotUnique", "id"
        )
    row = records.insert(call, "channels", records.argument_columns(call) | {
        "resource_id": resource_id or records.new_id(call), "resource_uri": uri,
        "expiration": str(now + _DAY_MS if expiration is None else expiration),
        "user_id": call.caller.get("id"), "created_time": call.now,
    })  # fmt: skip
    return resource(row, "active", "user_id", "created_time", kind="api#channel")


def _milliseconds(text: str | None) -> int | None:
    """Convert an expiration to milliseconds since 1970."""
    if text is None:
        return None
    if text.isascii() and text.isdigit():
        return int(text[:20])
    stored = parse_time(text, "expiration")
    return int(datetime.fromisoformat(stored).replace(tzinfo=UTC).timestamp() * 1000)
