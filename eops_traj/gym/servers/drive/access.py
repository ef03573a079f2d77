"""Access: the role that the caller has on a file or a shared drive.

A role comes from a permission on the file, on a folder above it or on its shared drive, and reaches the
caller directly, through a group, through their domain, or because everyone has it. The highest one counts.
What the caller cannot see does not exist for them.
"""

from collections.abc import Mapping
from typing import Any, Final

from eops_traj.gym.api_styles.google import GoogleRefusal, forbidden
from eops_traj.gym.servers.drive.errors import not_found
from eops_traj.gym.tools.call import Call, Row
from eops_traj.gym.tools.statements import Statement

ROLES: Final = ("reader", "commenter", "writer", "fileOrganizer", "organizer", "owner")
"""From the lowest to the highest; an organizer is to a shared drive what an owner is to My Drive."""
RANKS: Final = {role: rank for rank, role in enumerate(ROLES, 1)}
ADMINISTRATORS: Final = "drive-admins@"
"""The beginning of the address of the group whose members administer the domain."""

FOLDER: Final = "application/vnd.google-apps.folder"
RESTRICTIONS: Final = """
    f.copy_requires_writer_permission IS 1 OR d.copy_requires_writer_permission IS 1 AS guarded,
    coalesce(d.sharing_folders_requires_organizer_permission, 0) AS folders_guarded"""
"""The restrictions of a file ``f`` and its shared drive ``d``, as columns that the checks below read."""
OWNER: Final = """coalesce((SELECT p.user_id FROM permissions p WHERE p.file_id = f.id AND p.role = 'owner'),
    f.created_by)"""
"""The owner of a file ``f`` of My Drive; real seeds hold files without a permission of their owner."""

_RANK = "CASE role " + " ".join(f"WHEN '{role}' THEN {rank}" for role, rank in RANKS.items()) + " ELSE 0 END"
_MY_GROUPS = "(SELECT group_id FROM group_memberships WHERE user_id = :caller_id)"
_PERMITTED = f"""(p.type = 'anyone' OR p.type = 'domain' AND p.domain = :caller_domain
        OR p.type = 'user' AND (p.user_id = :caller_id OR p.email_address = :caller_email)
        OR p.type = 'group' AND p.group_id IN {_MY_GROUPS})
    AND p.deleted IS NOT 1 AND coalesce(p.expiration_time > :now, 1)"""
_MEMBER = f"""(m.user_id = :caller_id OR m.group_id IN {_MY_GROUPS} OR m.domain = :caller_domain)"""
_SEEN = f"""
direct (id, rank) AS (
    SELECT reach.id, {_RANK} FROM reach CROSS JOIN permissions p ON p.file_id = reach.id
    WHERE {_PERMITTED} AND (p.type IN ('user', 'group') OR p.allow_file_discovery OR :linked)
    UNION ALL
    SELECT reach.id, {_RANK} FROM reach CROSS JOIN permissions p ON p.drive_id = reach.drive_id
    WHERE reach.parent_id IS NULL AND {_PERMITTED}
    UNION ALL
    SELECT reach.id, {_RANK} FROM reach CROSS JOIN drive_memberships m ON m.drive_id = reach.drive_id
    WHERE reach.parent_id IS NULL AND {_MEMBER}
    UNION ALL
    SELECT id, {RANKS["owner"]} FROM reach f WHERE drive_id IS NULL AND {OWNER} = :caller_id),
seen (id, rank) AS (
    SELECT id, rank FROM direct
    UNION
    SELECT f.id, iif(seen.rank = {RANKS["owner"]}, {RANKS["writer"]}, seen.rank)
    FROM seen JOIN reach f ON f.parent_id = seen.id
    WHERE f.inherited_permissions_disabled IS NOT 1 OR seen.rank = {RANKS["organizer"]})"""  # noqa: S608 - text of this module
_REACH = "id, parent_id, drive_id, created_by, inherited_permissions_disabled"
_FILE = f"SELECT f.*, {RESTRICTIONS} FROM files f LEFT JOIN drives d ON d.id = f.drive_id WHERE f.id = :file"  # noqa: S608
_ON_FILE = f"""
WITH RECURSIVE reach ({_REACH}) AS (
    SELECT {_REACH} FROM files WHERE id = :file
    UNION
    SELECT f.id, f.parent_id, f.drive_id, f.created_by, f.inherited_permissions_disabled
    FROM files f JOIN reach ON f.id = reach.parent_id),{_SEEN}
SELECT max(rank) AS rank FROM seen WHERE id = :file"""  # noqa: S608 - text of this module
RANK_ON_DRIVE: Final = f"""(SELECT max(rank) FROM (
    SELECT {_RANK} AS rank FROM permissions p WHERE p.drive_id = d.id AND {_PERMITTED}
    UNION ALL SELECT {_RANK} FROM drive_memberships m WHERE m.drive_id = d.id AND {_MEMBER}))"""  # noqa: S608
"""The caller's rank on a shared drive ``d``."""
_ON_DRIVE = f"SELECT {RANK_ON_DRIVE} AS rank FROM drives d WHERE id = :drive"  # noqa: S608
_VISIBLE = f"""
WITH RECURSIVE reach AS (SELECT {_REACH} FROM files),{_SEEN},
visible (id, rank) AS (SELECT id, max(rank) FROM seen GROUP BY id)
SELECT f.id, f.name, f.mime_type, f.parent_id, f.drive_id, f.created_time, f.modified_time, f.modified_by_me,
    f.viewed_by_me_time, f.quota_bytes_used, f.starred, visible.rank AS rank,
    (SELECT min(created_time) FROM permissions
        WHERE file_id = f.id AND user_id = :caller_id AND role <> 'owner') AS shared_time
FROM visible JOIN files f ON f.id = visible.id"""  # noqa: S608 - text of this module


def visible_files(call: Call, condition: str, values: Mapping[str, Any]) -> list[Row]:
    """Return the files that the caller sees and that match an SQL condition on ``f``, newest first."""
    sql = f"{_VISIBLE} WHERE {condition} ORDER BY f.modified_time DESC, f.id"
    return call.run(Statement(sql, call.server.schema.tables["files"], ()), {"linked": 0} | dict(values))


def open_file(call: Call, role: str = "reader", file_id: str | None = None, location: str = "fileId") -> Row:
    """Return the file of the call, or another, with the caller's ``rank``, at least that of the role."""
    file_id = call.arguments["fileId"] if file_id is None else file_id
    row = call.row(_FILE, file=file_id)
    rank = rank_on_file(call, file_id) if row else 0
    if row and row["drive_id"] and as_administrator(call):
        rank = RANKS["organizer"]
    if row is None or not rank:
        raise not_found(location, file_id)
    if rank < RANKS[role]:
        raise denied()
    return row | {"rank": rank}


def open_with_full_rank(call: Call, file_id: str | None = None) -> Row:
    """Return the file likewise, where only its owner or an organizer of its shared drive may go on."""
    row = open_file(call, file_id=file_id)
    if row["rank"] < full_rank(row):
        raise denied()
    return row


def open_drive(
    call: Call, role: str = "reader", drive_id: str | None = None, location: str = "driveId"
) -> Row:
    """Return the shared drive of the call, or another, with the caller's ``rank`` on it."""
    drive_id = call.arguments[location] if drive_id is None else drive_id
    row = call.row("SELECT * FROM drives WHERE id = :drive", drive=drive_id)
    rank = rank_on_drive(call, drive_id) if row else 0
    if row is None or not rank:
        raise not_found(location, drive_id)
    if rank < RANKS[role]:
        raise denied("shared drive")
    return row | {"rank": rank}


def rank_on_file(call: Call, file_id: str) -> int:
    """Return the caller's rank on a file; 0 without any role."""
    row = call.row(_ON_FILE, file=file_id, linked=1)
    return int(row["rank"] or 0) if row else 0


def rank_on_drive(call: Call, drive_id: str) -> int:
    """Return the caller's rank on a shared drive; a declared administrator is an organizer of every one."""
    if as_administrator(call):
        return RANKS["organizer"]
    row = call.row(_ON_DRIVE, drive=drive_id)
    return int(row["rank"] or 0) if row else 0


def as_administrator(call: Call) -> bool:
    """Check whether the call acts as a domain administrator; where there are none, anyone may."""
    if not call.arguments.get("useDomainAdminAccess", call.arguments.get("use_domain_admin_access")):
        return False
    administrators_sql = "SELECT 1 FROM groups WHERE email LIKE :administrators"
    if call.caller.get("role") != "admin" and call.row(
        administrators_sql, administrators=f"{ADMINISTRATORS}%"
    ):
        raise forbidden("domainPolicy", "The user is not an administrator of the domain.")
    return True


def full_rank(row: Row) -> int:
    """Return the highest rank that anyone has on a file: in a shared drive, or in someone's My Drive."""
    return RANKS["organizer" if row["drive_id"] else "owner"]


def may_copy(row: Row) -> bool:
    """Check whether the caller may copy, export or download a file."""
    return bool(row["rank"] >= RANKS["writer" if row["guarded"] else "reader"])


def may_trash(row: Row) -> bool:
    """Check whether the caller may move a file to the trash and back."""
    return bool(row["rank"] >= RANKS["fileOrganizer" if row["drive_id"] else "owner"])


def may_share(row: Row) -> bool:
    """Check whether the caller may let others in: writers may, unless owner or shared drive forbids it."""
    if row["drive_id"] and row["mime_type"] == FOLDER:
        return bool(row["rank"] >= RANKS["organizer" if row["folders_guarded"] else "fileOrganizer"])
    by_writers = row["drive_id"] or row["writers_can_share"] is not False
    return bool(row["rank"] >= RANKS["writer" if by_writers else "owner"])


def denied(kind: str = "file") -> GoogleRefusal:
    """Return the refusal of a caller whose role is too low."""
    message = f"The user does not have sufficient permissions for this {kind}."
    return forbidden("insufficientFilePermissions", message)
