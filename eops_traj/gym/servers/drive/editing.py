"""Changing files, moving them, and throwing them away."""

from typing import Any

from eops_traj.gym.api_styles.google import forbidden, invalid
from eops_traj.gym.servers.drive import access, create_files, folder_tree, records
from eops_traj.gym.servers.drive.access import RANKS
from eops_traj.gym.servers.drive.create_files import destination
from eops_traj.gym.servers.drive.errors import not_found
from eops_traj.gym.servers.drive.records import argument_columns
from eops_traj.gym.servers.drive.resources import DOCUMENTS, Resource, file_resource
from eops_traj.gym.tools.call import Call, Row
from eops_traj.gym.tools.tool import tool


@tool
def update_files(call: Call) -> Resource:
    """(fileId! = files.id, name, description, mimeType = mime_type, starred, trashed, properties,
      appProperties = app_properties, addParents, removeParents, supportsAllDrives, includePermissionsForView,
      includeLabels) -> row of files

    Change what is known about a file, move it, throw it away or take it back. Only the fields given change;
    of properties only the keys given, and null takes a key away.
      trashed: true throws the file away, with all below a folder; false takes it back.
      addParents: Id of the folder or shared drive to move the file to. {type: string}
      removeParents: Id of the folder that the file leaves. {type: string}
    @closed
    """
    file, arguments = access.open_file(call), call.arguments
    changes = {name: value for name, value in argument_columns(call).items() if name not in ("id", "trashed")}
    moving = arguments.get("addParents") or arguments.get("removeParents")
    if not (changes or moving or "trashed" in arguments):
        raise call.server.responses.nothing_given(call.tool)
    if (changes.keys() - {"starred"} or moving) and file["rank"] < RANKS["writer"]:
        raise access.denied()
    if changes:
        _update(call, file, changes)
    if "trashed" in arguments and bool(file["trashed"]) != arguments["trashed"]:
        _trash(call, file, arguments["trashed"])
    if moving:
        _move(call, file)
    return file_resource(call, file["id"])


@tool
def delete_files(call: Call) -> bool:
    """(fileId! = files.id) -> done of files

    Remove a file for good, past the trash; with a folder goes what is below it. Its owner may, or an
    organizer of its shared drive.
    @closed
    """
    folder_tree.remove(call, [access.open_with_full_rank(call)])
    return True


@tool
def empty_files_trash(call: Call) -> bool:
    """(driveId) -> done of files

    Remove for good what lies in your trash, or in that of a shared drive, for which it takes an organizer.
    @closed
    """
    drive_id = call.arguments.get("driveId")
    if drive_id:
        access.open_drive(call, "organizer")
    mine = "f.drive_id = :drive" if drive_id else "f.drive_id IS NULL AND visible.rank = :owner"
    values = {"drive": drive_id, "owner": RANKS["owner"]}
    rows = access.visible_files(call, f"f.trashed IS 1 AND {mine}", values)
    for file_id in folder_tree.remove(call, rows):
        call.rows(
            """INSERT INTO trash_log (id, file_id, emptied_time, actor_id)
            VALUES (new_ulid(), :file, :now, :caller_id) RETURNING id""",
            file=file_id,
        )
    return True


def _update(call: Call, file: Row, changes: dict[str, Any]) -> None:
    """Write the fields given; properties are merged, and null takes a key away."""
    if "name" in changes:
        _check_unlocked(file)
        if not (changes.get("mime_type") or file["mime_type"] or "").startswith(DOCUMENTS):
            changes |= create_files.extensions(changes["name"])
    merged = {
        name: f"json_patch(coalesce({name}, '{{}}'), :{name})" for name in ("properties", "app_properties")
    }
    assignments = [f"{name} = {merged.get(name, f':{name}')}" for name in changes]
    if changes.keys() - {"starred"}:
        assignments += ["modified_time = :now", "modified_by = :caller_id", "modified_by_me = :caller_me"]
    assignments.append("version = coalesce(version, 0) + 1")
    sql = f"UPDATE files SET {', '.join(assignments)} WHERE id = :fileId RETURNING id"  # noqa: S608
    call.rows(sql, **changes)
    records.record_change(call, "file_updated", file, fields=sorted(changes))


def _check_unlocked(file: Row) -> None:
    """Refuse to rename a file whose content is locked."""
    if any(entry.get("readOnly") for entry in file["content_restrictions"] or ()):
        message = "The content of this file is read-only, so it cannot be renamed."
        raise forbidden("fileContentRestricted", message, "fileId")


def _trash(call: Call, file: Row, away: bool) -> None:
    if not access.may_trash(file):
        raise access.denied()
    (folder_tree.trash if away else folder_tree.restore)(call, file["id"])
    records.record_change(call, "file_trashed" if away else "file_untrashed", file)


def _move(call: Call, file: Row) -> None:
    """Put the file where ``addParents`` says, or at the top if it only leaves its folder."""
    add, remove = (_ids(call, name) for name in ("addParents", "removeParents"))
    parents = (file["parent_id"],) if file["parent_id"] else (file["drive_id"], "root")
    if strays := [parent for parent in remove if parent not in parents]:
        raise not_found("removeParents", strays[0])
    if add and file["parent_id"] and not remove and add != [file["parent_id"]]:
        message = "Increasing the number of parents is not allowed."
        raise forbidden("cannotAddParent", message, "addParents")
    folder, drive = destination(call, add, "addParents") if add else (None, file["drive_id"])
    if folder and folder_tree.contains(call, file["id"], folder):
        raise invalid("addParents", "A folder cannot lie in itself or below itself.")
    _check_move(file, drive)
    if drive != file["drive_id"]:
        folder_tree.change_owners(call, file["id"], to_drive=drive is not None)
    folder_tree.move(call, file["id"], folder, drive)
    records.record_change(call, "file_moved", file | {"drive_id": drive}, parent=folder)


def _check_move(file: Row, drive: str | None) -> None:
    """Refuse a move for which the caller's role is too low: within a drive, out of it, or into one."""
    if drive == file["drive_id"]:
        least = RANKS["fileOrganizer" if drive else "writer"]
    else:
        least = access.full_rank(file)
    if file["rank"] < least:
        raise access.denied()


def _ids(call: Call, name: str) -> list[str]:
    return [part.strip() for part in (call.arguments.get(name) or "").split(",") if part.strip()]
