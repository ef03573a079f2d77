"""Rows of files, labels, shared drives and permissions as Drive's resources."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from eops_traj.gym.api_styles.google import resource, rfc3339
from eops_traj.gym.servers.drive import access
from eops_traj.gym.servers.drive.access import FOLDER, RANKS
from eops_traj.gym.tools.call import Call, Row

Resource = dict[str, Any]
DOCUMENTS: Final = "application/vnd.google-apps."
"""The beginning of the types of Google's own documents; their files have no bytes."""
SHORTCUT: Final = DOCUMENTS + "shortcut"


def user_sql(column: str) -> str:
    """Return the SQL of the user resource of a column that holds a user's id."""
    return f"""(SELECT json_patch('{{}}', json_object('kind', 'drive#user', 'displayName', display_name,
        'photoLink', photo_url, 'me', json(iif(id = :caller_id, 'true', 'false')),
        'permissionId', permission_id, 'emailAddress', email)) FROM users WHERE id = {column})"""  # noqa: S608


# files

_FILE = f"""
SELECT f.*, {access.RESTRICTIONS}, {user_sql("f.modified_by")} AS "lastModifyingUser JSON",
    iif(f.drive_id IS NULL, {user_sql(access.OWNER)}, NULL) AS "owner JSON",
    (SELECT json_group_array(id) FROM permissions WHERE file_id = f.id) AS "permissionIds JSON",
    (SELECT min(created_time) FROM permissions
        WHERE file_id = f.id AND user_id = :caller_id AND role <> 'owner') AS shared_time
FROM files f LEFT JOIN drives d ON d.id = f.drive_id WHERE f.id = :file"""  # noqa: S608 - text of this module
_HIDDEN = (
    "parent_id", "parent_ids", "size_bytes", "created_by", "modified_by", "is_shortcut", "shortcut_target_id",
    "shortcut_target_mime", "space", "owned_by_me", "version", "quota_bytes_used", "indexable_text", "rank",
    "guarded", "folders_guarded", "owner", "shared_time",
)  # fmt: skip


def file_resource(call: Call, file_id: str, rank: int | None = None) -> Resource:
    """Return a file as the caller sees it, who has this rank on it."""
    row = call.row(_FILE, file=file_id)
    assert row is not None
    row["rank"] = access.rank_on_file(call, file_id) if rank is None else rank
    owner, parent = row["owner"], row["parent_id"] or row["drive_id"]
    target = {"targetId": row["shortcut_target_id"], "targetMimeType": row["shortcut_target_mime"]}
    return resource(
        row, *_HIDDEN,
        parents=[parent] if parent else None,
        size=_text(row["size_bytes"]),
        version=_text(row["version"]),
        quotaBytesUsed=_text(row["quota_bytes_used"]),
        spaces=[row["space"] or "drive"],
        teamDriveId=row["drive_id"],
        owners=[owner] if owner else None,
        ownedByMe=owner["me"] if owner else None,
        sharedWithMeTime=row["shared_time"] and rfc3339(row["shared_time"]),
        shortcutDetails=target if row["is_shortcut"] else None,
        hasThumbnail=row["thumbnail_link"] is not None,
        capabilities=_capabilities(row),
        labelInfo=_label_info(call, file_id),
    )  # fmt: skip


def _text(number: int | None) -> str | None:
    """Return a number as text, as numbers of 64 bits travel."""
    return None if number is None else str(number)


def _capabilities(row: Row) -> dict[str, bool]:
    folder, writes = row["mime_type"] == FOLDER, row["rank"] >= RANKS["writer"]
    return {
        "canEdit": writes,
        "canComment": row["rank"] >= RANKS["commenter"],
        "canCopy": not folder and access.may_copy(row),
        "canDownload": not folder and access.may_copy(row),
        "canShare": access.may_share(row),
        "canTrash": access.may_trash(row),
        "canDelete": row["rank"] >= access.full_rank(row),
        "canListChildren": folder,
        "canAddChildren": folder and writes,
        "canReadRevisions": writes and not folder,
        "canModifyLabels": writes,
    }


# labels

_VALUES: Mapping[str, tuple[str, Callable[[Any], str]]] = {
    "enum": ("selection", str),
    "boolean": ("selection", lambda value: str(bool(value)).lower()),
    "number": ("integer", lambda value: str(int(value) if value == int(value) else value)),
    "date": ("dateString", str),
    "string": ("text", str),
}
"""The name and the text form of the value of each type of label."""


def file_labels(call: Call, file_id: str) -> list[Resource]:
    """Return the labels on a file, each with its value."""
    sql = """SELECT l.*, t.key, t.type FROM file_labels l JOIN labels t ON t.id = l.label_id
        WHERE l.file_id = :file ORDER BY l.created_time, l.id"""
    return [_label(row) for row in call.rows(sql, file=file_id)]


def _label(row: Row) -> Resource:
    held = [type for type in (row["type"], *_VALUES) if row.get(f"value_{type}") is not None]
    type = held[0] if held else row["type"]  # real rows hold a value of another type than the label's
    kind, write = _VALUES.get(type, ("text", str))
    value = row.get(f"value_{type}")
    values = {} if value is None else {kind: [write(value)]}
    field = {"kind": "drive#labelField", "id": row["key"], "valueType": kind} | values
    return {"kind": "drive#label", "id": row["label_id"], "fields": {row["key"]: field}}


def _label_info(call: Call, file_id: str) -> Resource | None:
    """Return the labels on the file that the call asks to see."""
    label_ids = {name.strip() for name in (call.arguments.get("includeLabels") or "").split(",")} - {""}
    if not label_ids:
        return None
    return {"labels": [label for label in file_labels(call, file_id) if label["id"] in label_ids]}


# shared drives

_RESTRICTIONS = (
    "admin_managed_restrictions", "copy_requires_writer_permission", "domain_users_only",
    "drive_members_only", "sharing_folders_requires_organizer_permission",
)  # fmt: skip
_DOWNLOADS = ("download_restricted_for_readers", "download_restricted_for_writers")


def drive_resource(row: Row, kind: str = "drive#drive") -> Resource:
    """Return a shared drive with a rank, as the caller sees it."""
    organizes, writes = row["rank"] >= RANKS["organizer"], row["rank"] >= RANKS["writer"]
    restrictions = resource({name: bool(row[name]) for name in _RESTRICTIONS})
    readers, writers = (bool(row[name]) for name in _DOWNLOADS)
    restrictions["downloadRestriction"] = {"restrictedForReaders": readers, "restrictedForWriters": writers}
    return resource(
        row, *_RESTRICTIONS, *_DOWNLOADS, "rank", "request_id", "trashed", "modified_time",
        "restricted_to_domain",
        kind=kind,
        restrictions=restrictions,
        capabilities={
            "canAddChildren": writes,
            "canEdit": writes,
            "canComment": row["rank"] >= RANKS["commenter"],
            "canListChildren": True,
            "canManageMembers": organizes,
            "canRenameDrive": organizes,
            "canChangeDriveBackground": organizes,
            "canDeleteDrive": organizes,
            "canTrashChildren": row["rank"] >= RANKS["fileOrganizer"],
            "canDeleteChildren": organizes,
        },
    )  # fmt: skip


# permissions


def permission_resource(row: Row) -> Resource:
    """Return a permission of a file or a shared drive as a resource."""
    inheritance = {
        "role": row["role"],
        "inherited": bool(row["inherited"]),
        "inheritedFrom": row["inherited_from"],
    }
    detail = {"permissionType": "member" if row["drive_id"] else "file"} | inheritance
    flags = {name: bool(row[name]) for name in ("allow_file_discovery", "deleted", "pending_owner")}
    return resource(
        row | flags, "file_id", "drive_id", "user_id", "group_id", "created_time", "updated_time",
        "inherited", "inherited_from",
        permissionDetails=[{name: value for name, value in detail.items() if value is not None}],
    )  # fmt: skip
