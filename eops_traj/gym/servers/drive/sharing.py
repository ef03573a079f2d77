"""Permissions given, changed and taken away, and the rows that record them.

A file is opened by a permission; a shared drive by a permission and by membership, which are kept alike.
"""

from eops_traj.gym.api_styles.google import error
from eops_traj.gym.servers.drive import access, records
from eops_traj.gym.servers.drive.sharing_rules import (
    Grantee,
    SharedItem,
    Terms,
    check_grant,
    check_stays_in_charge,
)
from eops_traj.gym.tools.call import Call, Row


def open_item(call: Call) -> SharedItem:
    """Return the file or the shared drive that ``fileId`` names."""
    item_id = call.arguments["fileId"]
    if call.row("SELECT 1 FROM drives WHERE id = :drive", drive=item_id):
        return SharedItem(None, access.open_drive(call, drive_id=item_id, location="fileId"))
    return item_of(call, access.open_file(call))


def item_of(call: Call, file: Row) -> SharedItem:
    """Return a file as an item to share."""
    return SharedItem(file, call.row("SELECT * FROM drives WHERE id = :drive", drive=file["drive_id"]))


def find_grantee(call: Call, type: str, email: str | None, domain: str | None) -> Grantee:
    """Return whom the arguments of a permission mean."""
    if type == "anyone":
        return Grantee(type)
    if type == "domain":
        return Grantee(type, domain=_require(domain, "domain", type))
    email = _require(email, "emailAddress", type)
    table, other = ("users", "groups") if type == "user" else ("groups", "users")
    row = call.row(f"SELECT id, email FROM {table} WHERE lower(email) = lower(:email)", email=email)  # noqa: S608
    stray = call.row(f"SELECT 1 FROM {other} WHERE lower(email) = lower(:email)", email=email)  # noqa: S608
    at_home = email.rpartition("@")[2].lower() == str(call.caller.get("domain")).lower()
    if row is None and (type == "group" or stray or at_home):
        raise error("INVALID_ARGUMENT", f"No {type} has the address {email}.", "invalidSharingRequest")
    ids = {f"{type}_id": row["id"]} if row else {}
    return Grantee(type, email=row["email"] if row else email, **ids)


def grant(call: Call, item: SharedItem, grantee: Grantee, terms: Terms) -> str:
    """Give a permission, or change the one that the grantee has; return its id. An owner stays owner."""
    check_grant(call, item, grantee, terms)
    return grant_unchecked(call, item, grantee, terms)


def grant_unchecked(call: Call, item: SharedItem, grantee: Grantee, terms: Terms) -> str:
    """Give a permission without a check of whether the caller may; return its id."""
    drive_id = item.drive["id"] if item.drive and not item.file else None
    values = vars(grantee) | vars(terms) | {"file": item.file and item.file["id"], "drive": drive_id}
    permission = call.row(_SELECT, **values)
    if permission and permission["role"] == "owner" != terms.role:
        return str(permission["id"])
    if permission:
        check_stays_in_charge(call, item, permission, terms.role)
    row = call.row(_UPDATE if permission else _INSERT, id=permission and permission["id"], **values)
    assert row is not None
    if terms.role == "owner" and not (permission and permission["role"] == "owner"):
        demote_previous_owner(call, item, row["id"])
    record_permission_change(call, item, row["id"], "perm_updated" if permission else "perm_created")
    return str(row["id"])


_SELECT = """SELECT * FROM permissions WHERE file_id IS :file AND drive_id IS :drive AND type = :type
    AND user_id IS :user_id AND group_id IS :group_id AND domain IS :domain
    AND (user_id IS NOT NULL OR group_id IS NOT NULL OR lower(email_address) IS lower(:email))"""
_INSERT = """INSERT INTO permissions (id, file_id, drive_id, role, type, user_id, group_id, email_address,
        domain, allow_file_discovery, "view", created_time, updated_time, expiration_time, pending_owner)
    VALUES (new_ulid(), :file, :drive, :role, :type, :user_id, :group_id, :email, :domain,
        :discoverable, :view, :now, :now, :expires, :pending_owner) RETURNING id"""
_UPDATE = """UPDATE permissions SET role = :role, allow_file_discovery = :discoverable, updated_time = :now,
    expiration_time = :expires, pending_owner = :pending_owner WHERE id = :id RETURNING id"""


def demote_previous_owner(call: Call, item: SharedItem, permission_id: str) -> None:
    """Make the previous owner a writer, now that this permission, which did not, names another owner."""
    assert item.file is not None
    demoted = call.rows(
        """UPDATE permissions SET role = 'writer', updated_time = :now
        WHERE file_id = :file AND role = 'owner' AND id <> :permission RETURNING id""",
        file=item.file["id"],
        permission=permission_id,
    )
    creator = call.row("SELECT id, email FROM users WHERE id = :creator", creator=item.file["created_by"])
    if creator and not demoted:
        # who owned the file by having made it had no permission to lower
        grant_unchecked(call, item, Grantee("user", creator["id"], email=creator["email"]), Terms("writer"))
    call.rows(
        """UPDATE files SET owned_by_me = EXISTS (SELECT 1 FROM permissions p JOIN users u ON u.id = p.user_id
            WHERE p.id = :permission AND u.me) WHERE id = :file RETURNING id""",
        file=item.file["id"],
        permission=permission_id,
    )


def record_permission_change(call: Call, item: SharedItem, permission_id: str, change: str) -> None:
    """Update the file's flag or the drive's members after a change of a permission, and record it."""
    if item.file:
        call.rows(
            """UPDATE files SET version = coalesce(version, 0) + 1, shared = drive_id IS NOT NULL OR EXISTS (
                SELECT 1 FROM permissions WHERE file_id = :file AND role <> 'owner')
            WHERE id = :file RETURNING id""",
            file=item.file["id"],
        )
        return records.record_change(call, change, item.file, permission_id=permission_id)
    assert item.drive is not None
    if change != "perm_deleted":
        _sync_membership(call, permission_id)
    return records.record_change(call, change, drive_id=item.drive["id"], permission_id=permission_id)


def revoke(call: Call, item: SharedItem, permission: Row) -> None:
    """Take a permission away, with the membership that goes with it."""
    membership_sql = f"""DELETE FROM drive_memberships AS m
        WHERE id = :permission OR EXISTS (SELECT 1 {_MEMBERSHIP}) RETURNING id"""  # noqa: S608
    call.rows(membership_sql, permission=permission["id"])
    call.rows("DELETE FROM permissions WHERE id = :permission RETURNING id", permission=permission["id"])
    record_permission_change(call, item, permission["id"], "perm_deleted")


_MEMBERSHIP = """FROM permissions p WHERE p.id = :permission AND p.drive_id = m.drive_id AND p.type = m.type
    AND p.user_id IS m.user_id AND p.group_id IS m.group_id"""


def _sync_membership(call: Call, permission_id: str) -> None:
    """Give the membership of a shared drive the role of its permission; without one, add one."""
    update_sql = f"""UPDATE drive_memberships AS m SET role = (SELECT p.role {_MEMBERSHIP})
        WHERE EXISTS (SELECT 1 {_MEMBERSHIP}) RETURNING id"""  # noqa: S608 - text of this module
    insert_sql = """INSERT INTO drive_memberships (id, drive_id, type, user_id, group_id, role, created_time)
        SELECT new_ulid(), drive_id, type, user_id, group_id, role, :now FROM permissions
        WHERE id = :permission AND coalesce(user_id, group_id) IS NOT NULL RETURNING id"""
    if not call.row(update_sql, permission=permission_id):
        call.row(insert_sql, permission=permission_id)


def _require(value: str | None, argument: str, type: str) -> str:
    if not value:
        message = f"A permission of type {type} needs {argument}."
        raise error("INVALID_ARGUMENT", message, "required", argument)
    return value
