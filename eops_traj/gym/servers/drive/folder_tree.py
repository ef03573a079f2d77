"""Files in their folders: moves, the trash, removal for good, and the index of paths."""

import json
from collections.abc import Sequence

from eops_traj.gym.servers.drive import records
from eops_traj.gym.servers.drive.access import OWNER
from eops_traj.gym.tools.call import Call, Row

_BELOW = """WITH RECURSIVE below (id, lost) AS (
    SELECT id, 0 FROM files WHERE id = :file
    UNION
    SELECT f.id, {lost} FROM files f JOIN below ON f.parent_id = below.id)
"""
_CLOSURE = """, up (id, ancestor_id, depth) AS (
    SELECT id, id, 0 FROM below
    UNION
    SELECT up.id, f.parent_id, up.depth + 1 FROM up JOIN files f ON f.id = up.ancestor_id
    WHERE f.parent_id IS NOT NULL AND up.depth < 100),
closure (ancestor_id, descendant_id, depth) AS (
    SELECT ancestor_id, id, min(depth) FROM up GROUP BY ancestor_id, id)
"""
_CHANGE_ROLES = """UPDATE permissions SET role = iif(user_id = :caller_id, 'owner', 'writer'),
        pending_owner = 0, expiration_time = NULL, updated_time = :now
    WHERE file_id IN (SELECT id FROM below) AND (role = 'owner' OR user_id = :caller_id) RETURNING id"""
_ADD_OWNER = """INSERT INTO permissions
        (id, file_id, role, type, user_id, email_address, created_time, updated_time)
    SELECT new_ulid(), id, 'owner', 'user', :caller_id, :caller_email, :now, :now FROM below
    WHERE id NOT IN (SELECT file_id FROM permissions WHERE role = 'owner' AND file_id IS NOT NULL)
    RETURNING id"""
_IN_TRASHED_FOLDER = """SELECT f.drive_id FROM files f JOIN files folder ON folder.id = f.parent_id
    WHERE f.id = :file AND folder.trashed IS 1"""
_NOT_REMOVABLE = f"below.lost OR f.drive_id IS NULL AND {OWNER} IS NOT :caller_id"
_TRASHED_BY_ITSELF = "below.lost OR f.explicitly_trashed IS 1"


def contains(call: Call, folder: str, file_id: str) -> bool:
    """Check whether a file is this folder or lies below it."""
    return bool(call.rows(_below("SELECT 1 FROM below WHERE id = :inner"), file=folder, inner=file_id))


def move(call: Call, file_id: str, parent_id: str | None, drive_id: str | None) -> None:
    """Put a file with all below it into a folder, or at the top of a shared drive or of My Drive."""
    call.rows(
        "UPDATE files SET parent_id = :parent, parent_ids = :parents WHERE id = :file RETURNING id",
        file=file_id,
        parent=parent_id,
        parents=json.dumps([parent_id] if parent_id else []),
    )
    sql = """UPDATE files SET drive_id = :drive
        WHERE drive_id IS NOT :drive AND id IN (SELECT id FROM below) RETURNING id"""
    call.rows(_below(sql), file=file_id, drive=drive_id)
    index_paths(call, file_id)


def index_paths(call: Call, file_id: str) -> None:
    """Record in ``path_closure`` which folders a file and everything below it are in."""
    delete_sql = """DELETE FROM path_closure WHERE ancestor_id NOT IN (SELECT id FROM below)
        AND descendant_id IN (SELECT id FROM below) RETURNING depth"""
    call.rows(_below(delete_sql), file=file_id)
    update_sql = """UPDATE path_closure AS p SET depth = c.depth FROM closure c
        WHERE p.ancestor_id = c.ancestor_id AND p.descendant_id = c.descendant_id AND p.depth <> c.depth
        RETURNING depth"""
    insert_sql = """INSERT INTO path_closure SELECT * FROM closure c WHERE NOT EXISTS (
        SELECT 1 FROM path_closure p
        WHERE p.ancestor_id = c.ancestor_id AND p.descendant_id = c.descendant_id) RETURNING depth"""
    for sql in (update_sql, insert_sql):
        call.rows(_below(_CLOSURE + sql), file=file_id)


def trash(call: Call, file_id: str) -> None:
    """Move a file to the trash, and what lies below it with it."""
    sql = """UPDATE files SET trashed = 1, trashed_time = :now, explicitly_trashed = id = :file,
            version = coalesce(version, 0) + 1
        WHERE id IN (SELECT id FROM below) AND (id = :file OR trashed IS NOT 1) RETURNING id"""
    call.rows(_below(sql), file=file_id)


def restore(call: Call, file_id: str) -> None:
    """Take a file out of the trash with what went there because of it; it leaves a folder that stays."""
    sql = """UPDATE files SET trashed = 0, trashed_time = NULL, explicitly_trashed = 0,
            version = coalesce(version, 0) + 1
        WHERE id IN (SELECT id FROM below WHERE NOT lost) AND trashed IS NOT 0 RETURNING id"""
    call.rows(_below(sql, lost=_TRASHED_BY_ITSELF), file=file_id)
    if lost := call.row(_IN_TRASHED_FOLDER, file=file_id):  # or it would go when the trash is emptied
        move(call, file_id, None, lost["drive_id"])


def change_owners(call: Call, file_id: str, to_drive: bool) -> None:
    """Take the owners off files that move into a shared drive; make the caller that of those that leave."""
    remove_owners = """DELETE FROM permissions
        WHERE role = 'owner' AND file_id IN (SELECT id FROM below) RETURNING id"""
    for sql in (remove_owners,) if to_drive else (_CHANGE_ROLES, _ADD_OWNER):
        call.rows(_below(sql), file=file_id)
    flags_sql = """UPDATE files SET owned_by_me = :mine, shared = :drive OR EXISTS (
            SELECT 1 FROM permissions p WHERE p.file_id = files.id AND p.role <> 'owner')
        WHERE id IN (SELECT id FROM below) RETURNING id"""
    mine = not to_drive and bool(call.caller.get("me"))
    call.rows(_below(flags_sql), file=file_id, drive=to_drive, mine=mine)


def remove(call: Call, files: Sequence[Row]) -> list[str]:
    """Remove files for good, and below folders what is the caller's or the shared drive's."""
    removed = []
    doomed = "(SELECT id FROM below WHERE NOT lost)"
    orphan = "UPDATE files SET parent_id = NULL, parent_ids = '[]'"
    for file in files:
        listed = f"SELECT * FROM files WHERE id IN {doomed} ORDER BY id"  # noqa: S608 - text of this function
        for row in call.rows(_below_removable(listed), file=file["id"]):
            records.record_change(call, "file_deleted", row, removed=True)
            removed.append(row["id"])
        outside = f"WHERE parent_id IN {doomed} AND id NOT IN {doomed} RETURNING id"
        call.rows(_below_removable(f"{orphan} {outside}"), file=file["id"])
        call.rows(_below_removable(f"DELETE FROM files WHERE id IN {doomed} RETURNING id"), file=file["id"])  # noqa: S608
    return removed


def _below(rest: str, lost: str = "0") -> str:
    """Return a statement on the table ``below`` of a file and all in it, with a mark on what is ``lost``."""
    return _BELOW.replace("{lost}", lost) + rest


def _below_removable(rest: str) -> str:
    """Return a statement on ``below`` where others' files, and what lies below them, are lost."""
    return _below(rest, _NOT_REMOVABLE)
