"""New files: their location, the columns derived for them, and the rows that come with them."""

import hashlib
from collections.abc import Mapping
from typing import Any, Final

from eops_traj.gym.api_styles.google import forbidden, invalid
from eops_traj.gym.servers.drive import access, folder_tree, records
from eops_traj.gym.servers.drive.access import FOLDER, RANKS
from eops_traj.gym.servers.drive.resources import DOCUMENTS, SHORTCUT
from eops_traj.gym.tools.call import Call, Row

Location = tuple[str | None, str | None]
"""The folder and the shared drive that a file is in."""

_EDITORS: Final = {"document": "document", "spreadsheet": "spreadsheets", "presentation": "presentation"}
_EMPTY: Final = b""
_COPIED: Final = (
    "mime_type", "size_bytes", "md5_checksum", "sha1_checksum", "quota_bytes_used", "description",
    "properties", "app_properties", "original_filename", "indexable_text", "shortcut_target_id",
    "shortcut_target_mime",
    "is_shortcut", "copy_requires_writer_permission", "writers_can_share", "thumbnail_link",
)  # fmt: skip


def destination(call: Call, parents: list[str] | None, location: str = "parents") -> Location:
    """Return where the caller wants a file: a folder or shared drive that they may add to, or My Drive."""
    if not parents or parents == ["root"]:
        return None, None
    if len(parents) > 1:
        raise invalid(location, "A file has one parent only; use shortcuts to show it elsewhere.")
    if call.row("SELECT 1 FROM drives WHERE id = :drive", drive=parents[0]):
        return None, access.open_drive(call, "writer", parents[0], location)["id"]
    folder = access.open_file(call, file_id=parents[0], location=location)
    if folder["rank"] < RANKS["writer"]:
        message = "Insufficient permissions for the specified parent."
        raise forbidden("insufficientParentPermissions", message, location)
    if folder["mime_type"] != FOLDER:
        raise forbidden("parentNotAFolder", "The specified parent is not a folder.", location)
    return folder["id"], folder["drive_id"]


def copy_destination(call: Call, source: Row) -> Location:
    """Return where a copy goes by default: beside its source, if the caller may add files there."""
    if source["parent_id"] and access.rank_on_file(call, source["parent_id"]) >= RANKS["writer"]:
        return source["parent_id"], source["drive_id"]
    if source["drive_id"] and access.rank_on_drive(call, source["drive_id"]) >= RANKS["writer"]:
        return None, source["drive_id"]
    return None, None


def make_file(call: Call, values: Mapping[str, Any], location: Location) -> Row:
    """Insert a file of the caller's with these columns, its owner, first revision and place in the tree."""
    file_id, (parent, drive), mine = records.new_id(call), location, bool(call.caller.get("me"))
    row = derived_columns(file_id, values["name"], values["mime_type"]) | {
        "id": file_id, "drive_id": drive, "parent_id": parent, "parent_ids": [parent] if parent else [],
        "created_by": call.caller.get("id"), "modified_by": call.caller.get("id"), "created_time": call.now,
        "modified_time": call.now, "owned_by_me": mine and not drive, "modified_by_me": mine,
        "shared": drive is not None,
    } | dict(values)  # fmt: skip
    file = records.insert(call, "files", row)
    if not drive:
        add_owner(call, file["id"])
    if file["mime_type"] not in (FOLDER, SHORTCUT):
        _first_revision(call, file)
    folder_tree.index_paths(call, file["id"])
    records.record_change(call, "file_created", file, mime_type=file["mime_type"])
    return file


def copied_columns(source: Row) -> dict[str, Any]:
    """Return the columns that a copy takes over from its source."""
    return {name: source[name] for name in _COPIED}


def derived_columns(file_id: str, name: str, mime_type: str) -> dict[str, Any]:
    """Return the columns that follow from id, name and type of a file whose content is still empty."""
    icon = f"https://drive-thirdparty.googleusercontent.com/16/type/{mime_type}"
    columns: dict[str, Any] = {"web_view_link": view_link(file_id, mime_type), "icon_link": icon}
    if mime_type.startswith(DOCUMENTS):
        return columns
    return columns | extensions(name) | {
        "web_content_link": f"https://drive.google.com/uc?id={file_id}&export=download",
        "original_filename": name,
        "size_bytes": len(_EMPTY),
        "md5_checksum": hashlib.md5(_EMPTY, usedforsecurity=False).hexdigest(),
        "sha1_checksum": hashlib.sha1(_EMPTY, usedforsecurity=False).hexdigest(),
    }  # fmt: skip


def view_link(file_id: str, mime_type: str) -> str:
    """Return the link that opens a file."""
    kind = mime_type.removeprefix(DOCUMENTS)
    if mime_type == FOLDER:
        return f"https://drive.google.com/drive/folders/{file_id}"
    if kind in _EDITORS:
        return f"https://docs.google.com/{_EDITORS[kind]}/d/{file_id}/edit"
    return f"https://drive.google.com/file/d/{file_id}/view"


def extensions(name: str) -> dict[str, str | None]:
    """Return the short and the full extension of a file's name."""
    full = name.partition(".")[2] or None
    return {"file_extension": full and full.rpartition(".")[2], "full_file_extension": full}


def add_owner(call: Call, file_id: str) -> None:
    """Make the caller the owner of a file."""
    records.insert(call, "permissions", {
        "id": records.new_id(call), "file_id": file_id, "role": "owner", "type": "user",
        "user_id": call.caller.get("id"), "email_address": call.caller.get("email"),
        "created_time": call.now, "updated_time": call.now,
    })  # fmt: skip


def _first_revision(call: Call, file: Row) -> None:
    revision = records.insert(call, "revisions", {
        "id": records.new_id(call), "file_id": file["id"], "revision_number": 1,
        "mime_type": file["mime_type"], "md5_checksum": file["md5_checksum"],
        "size_bytes": file["size_bytes"], "original_filename": file["original_filename"],
        "last_modifying_user_id": call.caller.get("id"),
        "keep_forever": call.arguments.get("keepRevisionForever", False), "created_time": call.now,
        "modified_time": call.now,
    })  # fmt: skip
    sql = "UPDATE files SET head_revision_id = :revision WHERE id = :file RETURNING id"
    call.rows(sql, revision=revision["id"], file=file["id"])
