"""Letting others in, and what is written down for it.

A file is opened by a permission; a shared drive by a permission and by membership, which are kept alike.
"""

from eops_traj.gym.api_styles.google import error
from eops_traj.gym.servers.drive import access, history
from eops_traj.gym.servers.drive.sharing_rules import Grantee, Item, Terms, check, keep_in_charge
from eops_traj.gym.tools.call import Call, Row


def open_item(call: Call) -> Item:
    """The file or the shared drive that ``fileId`` names."""
    wanted = call.arguments["fileId"]
    if call.row("SELECT 1 FROM drives WHERE id = :drive", drive=wanted):
        return Item(None, access.open_drive(call, drive_id=wanted, location="fileId"))
    return item_of(call, access.open_file(call))


def item_of(call: Call, file: Row) -> Item:
    """A file as something to share."""
    return Item(file, call.row("SELECT * FROM drives WHERE id = :drive", drive=file["drive_id"]))


def grantee(call: Call, type: str, email: str | None, domain: str | None) -> Grantee:
    """Whom the arguments of a permission mean."""
    if type == "anyone":
        return Grantee(type)
    if type == "domain":
        return Grantee(type, domain=_given(domain, "domain", type))
    email = _given(email, "emailAddress", type)
    table, other = ("users", "groups") if type == "user" else ("groups", "users")
    row = call.row(f"SELECT id, email FROM {table} WHERE lower(email) = lower(:email)", email=email)  # noqa: S608
    stray = call.row(f"SELECT 1 FROM {other} WHERE lower(email) = lower(:email)", email=email)  # noqa: S608
    at_home = email.rpartition("@")[2].lower() == str(call.caller.get("domain")).lower()
    if row is None and (type == "group" or stray or at_home):
        raise error("INVALID_ARGUMENT", f"No {type} has the address {email}.", "invalidSharingRequest")
    known = {f"{type}_id": row["id"]} if row else {}
    return Grantee(type, email=row["email"] if row else email, **known)


def grant(call: Call, item: Item, who: Grantee, terms: Terms) -> str:
    """Give a permission, or change the one that the grantee has already; its id. An owner stays one."""
    check(call, item, who, terms)
    return admit(call, item, who, terms)


def admit(call: Call, item: Item, who: Grantee, terms: Terms) -> str:
    """The same without a look at whether the caller may."""
    drive_id = item.drive["id"] if item.drive and not item.file else None
    values = vars(who) | vars(terms) | {"file": item.file and item.file["id"], "drive": drive_id}
    held = call.row(_HELD, **values)
    if held and held["role"] == "owner" != terms.role:
        return str(held["id"])
    if held:
        keep_in_charge(call, item, held, terms.role)
    made = call.row(_UPDATE if held else _INSERT, id=held and held["id"], **values)
    assert made is not None
    if terms.role == "owner":
        hand_over(call, item, made["id"])
    follow(call, item, made["id"], "perm_updated" if held else "perm_created")
    return str(made["id"])


_HELD = """SELECT * FROM permissions WHERE file_id IS :file AND drive_id IS :drive AND type = :type
    AND user_id IS :user_id AND group_id IS :group_id AND domain IS :domain
    AND (user_id IS NOT NULL OR group_id IS NOT NULL OR lower(email_address) IS lower(:email))"""
_INSERT = """INSERT INTO permissions (id, file_id, drive_id, role, type, user_id, group_id, email_address,
        domain, allow_file_discovery, "view", created_time, updated_time, expiration_time, pending_owner)
    VALUES (new_ulid(), :file, :drive, :role, :type, :user_id, :group_id, :email, :domain,
        :discoverable, :view, :now, :now, :expires, :pending_owner) RETURNING id"""
_UPDATE = """UPDATE permissions SET role = :role, allow_file_discovery = :discoverable, updated_time = :now,
    expiration_time = :expires, pending_owner = :pending_owner WHERE id = :id RETURNING id"""


def hand_over(call: Call, item: Item, permission_id: str) -> None:
    """Make the owner before a writer, now that this permission names another."""
    assert item.file is not None
    call.rows(
        """UPDATE permissions SET role = 'writer', updated_time = :now
        WHERE file_id = :file AND role = 'owner' AND id <> :permission RETURNING id""",
        file=item.file["id"],
        permission=permission_id,
    )
    call.rows(
        """UPDATE files SET owned_by_me = EXISTS (SELECT 1 FROM permissions p JOIN users u ON u.id = p.user_id
            WHERE p.id = :permission AND u.me) WHERE id = :file RETURNING id""",
        file=item.file["id"],
        permission=permission_id,
    )


def follow(call: Call, item: Item, permission_id: str, change: str) -> None:
    """After a permission was given, changed or taken: the file's flag, the drive's members, the record."""
    if item.file:
        call.rows(
            """UPDATE files SET version = coalesce(version, 0) + 1, shared = drive_id IS NOT NULL OR EXISTS (
                SELECT 1 FROM permissions WHERE file_id = :file AND role <> 'owner')
            WHERE id = :file RETURNING id""",
            file=item.file["id"],
        )
        return history.record(call, change, item.file, permission_id=permission_id)
    assert item.drive is not None
    if change != "perm_deleted":
        _keep_membership(call, permission_id)
    return history.record(call, change, drive_id=item.drive["id"], permission_id=permission_id)


def withdraw(call: Call, item: Item, held: Row) -> None:
    """Take a permission away, with the membership that goes with it."""
    of_it = f"""DELETE FROM drive_memberships AS m
        WHERE id = :permission OR EXISTS (SELECT 1 {_ITS_MEMBER}) RETURNING id"""  # noqa: S608
    call.rows(of_it, permission=held["id"])
    call.rows("DELETE FROM permissions WHERE id = :permission RETURNING id", permission=held["id"])
    follow(call, item, held["id"], "perm_deleted")


_ITS_MEMBER = """FROM permissions p WHERE p.id = :permission AND p.drive_id = m.drive_id AND p.type = m.type
    AND p.user_id IS m.user_id AND p.group_id IS m.group_id"""


def _keep_membership(call: Call, permission_id: str) -> None:
    """Give the membership of a shared drive the role of its permission; without one, make one."""
    change = f"""UPDATE drive_memberships AS m SET role = (SELECT p.role {_ITS_MEMBER})
        WHERE EXISTS (SELECT 1 {_ITS_MEMBER}) RETURNING id"""  # noqa: S608 - text of this module
    make = """INSERT INTO drive_memberships (id, drive_id, type, user_id, group_id, role, created_time)
        SELECT new_ulid(), drive_id, type, user_id, group_id, role, :now FROM permissions
        WHERE id = :permission AND coalesce(user_id, group_id) IS NOT NULL RETURNING id"""
    if not call.row(change, permission=permission_id):
        call.row(make, permission=permission_id)


def _given(value: str | None, argument: str, type: str) -> str:
    if not value:
        message = f"A permission of type {type} needs {argument}."
        raise error("INVALID_ARGUMENT", message, "required", argument)
    return value
