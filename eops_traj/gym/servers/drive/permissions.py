"""Permissions of files and shared drives."""

from typing import Final

from eops_traj.gym.api_styles.google import error, forbidden, listing
from eops_traj.gym.servers.drive import folder_tree, sharing, sharing_rules
from eops_traj.gym.servers.drive.access import RANKS
from eops_traj.gym.servers.drive.errors import not_found
from eops_traj.gym.servers.drive.resources import Resource, permission_resource
from eops_traj.gym.servers.drive.sharing_rules import Grantee, SharedItem, Terms
from eops_traj.gym.tools.call import Call, Row
from eops_traj.gym.tools.tool import tool

_PERMISSIONS: Final = """
WITH RECURSIVE up (id, parent_id, closed, depth) AS (
    SELECT id, parent_id, inherited_permissions_disabled IS 1, 0 FROM files WHERE id = :file
    UNION ALL
    SELECT f.id, f.parent_id, f.inherited_permissions_disabled IS 1, depth + 1
    FROM files f JOIN up ON f.id = up.parent_id WHERE NOT up.closed AND depth < 100),
held AS (
    SELECT p.*, up.depth FROM up JOIN permissions p ON p.file_id = up.id
    UNION ALL
    SELECT g.*, iif(:file IS NULL, 0, 101) FROM grants g WHERE g.drive_id = :drive)
SELECT h.*, coalesce(h.email_address, u.email, t.email) AS email_address,
    coalesce(u.display_name, t.name, h.domain) AS display_name, u.photo_url AS photo_link
FROM held h LEFT JOIN users u ON u.id = h.user_id LEFT JOIN groups t ON t.id = h.group_id
WHERE coalesce(h.expiration_time > :now, 1) ORDER BY h.depth, h.created_time, h.id"""


@tool
def list_permission(call: Call) -> Resource:
    """(fileId! = file_id, includePermissionsForView, pageSize, pageToken, supportsAllDrives,
      useDomainAdminAccess) -> rows of permissions

    Who may do what with a file or a shared drive, those included who may because of a folder above it.
      includePermissionsForView: {enum: [published]}
      pageSize: {default: null}
    @closed
    """
    item = sharing.open_item(call)
    if item.file and item.rank < RANKS["writer"]:
        raise item.denied()
    return listing(
        call, "drive#permissionList", "permissions", _permissions_on(call, item), permission_resource
    )


@tool
def get_permission(call: Call) -> Resource:
    """(fileId! = file_id, permissionId! = id, supportsAllDrives) -> row of permissions

    One permission of a file or a shared drive.
    @closed
    """
    item = sharing.open_item(call)
    row = _permission_row(call, item)
    if item.file and item.rank < RANKS["writer"] and row["user_id"] != call.caller.get("id"):
        raise item.denied()
    return permission_resource(row)


@tool
def create_permission(call: Call) -> Resource:
    """(fileId! = file_id, role!, type!, emailAddress = email_address, domain, allowFileDiscovery,
      sendNotificationEmail, expirationTime, view, pendingOwner, inheritedPermissionsDisabled, emailMessage,
      moveToNewOwnersRoot, supportsAllDrives, transferOwnership, useDomainAdminAccess, enforceExpansiveAccess)
      -> row of permissions

    Let a person, a group, a domain or everyone into a file or a shared drive. Who has a permission already
    gets the new role.
      emailAddress: Address of the person or group. {format: email}
      allowFileDiscovery: Whether searches find the file; for domain and anyone only.
        {type: boolean, default: false}
      sendNotificationEmail: Whether the person or group is told. {type: boolean, default: true}
      expirationTime: When the permission ends (RFC 3339), a year from now at most. {type: string}
      view: Give the permission for this view only. {type: string, enum: [published]}
      pendingOwner: Whether the person is asked to become the owner. {type: boolean, default: false}
      inheritedPermissionsDisabled: Whether permissions of folders above no longer count here.
        {type: boolean, default: false}
      emailMessage: Your words in the notification. {type: string, maxLength: 4096}
      moveToNewOwnersRoot: Whether a file that changes owner goes to the top of the new owner's My Drive.
        {type: boolean, default: false}
    @closed
    @outward
    """
    arguments, item = call.arguments, sharing.open_item(call)
    grantee = sharing.find_grantee(
        call, arguments["type"], arguments.get("emailAddress"), arguments.get("domain")
    )
    terms = Terms(
        arguments["role"],
        view=arguments.get("view"),
        discoverable=arguments["allowFileDiscovery"] and arguments["type"] in ("domain", "anyone"),
        expires=sharing_rules.expiry(
            call, arguments["type"], arguments["role"], arguments.get("expirationTime")
        ),
        pending_owner=arguments["pendingOwner"],
        transfer=arguments["transferOwnership"],
    )
    permission_id = sharing.grant(call, item, grantee, terms)
    _update_file(call, item)
    return permission_resource(_permission_row(call, item, permission_id))


@tool
def update_permission(call: Call) -> Resource:
    """(fileId! = file_id, permissionId! = id, role, supportsAllDrives, transferOwnership,
      useDomainAdminAccess, removeExpiration, enforceExpansiveAccess) -> row of permissions

    Change the role of a permission, or take away its end. Inherited ones are changed where they come from.
      removeExpiration: Whether the permission no longer ends. {type: boolean, default: false}
    @closed
    """
    item = sharing.open_item(call)
    row = _check_not_inherited(item, _permission_row(call, item))
    role = call.arguments.get("role", row["role"])
    if "role" not in call.arguments and not call.arguments["removeExpiration"]:
        raise error(
            "INVALID_ARGUMENT", "The permission role field is required.", "required", "permission.role"
        )
    _check_role(call, item, row, role)
    call.rows(
        """UPDATE permissions SET role = :to, updated_time = :now,
            pending_owner = pending_owner AND :to <> 'owner',
            expiration_time = iif(:removeExpiration, NULL, expiration_time)
        WHERE id = :permissionId RETURNING id""",
        to=role,
    )
    call.rows("UPDATE drive_memberships SET role = :to WHERE id = :permissionId RETURNING id", to=role)
    if role == "owner" != row["role"]:
        sharing.demote_previous_owner(call, item, row["id"])
    sharing.record_permission_change(call, item, row["id"], "perm_updated")
    return permission_resource(_permission_row(call, item))


@tool
def delete_permission(call: Call) -> bool:
    """(fileId! = file_id, permissionId! = id, supportsAllDrives) -> done of permissions

    Take a permission away. Whoever may share can, and the one who has it.
    @closed
    """
    item = sharing.open_item(call)
    row = _check_not_inherited(item, _permission_row(call, item))
    if not item.may_share and row["user_id"] != call.caller.get("id"):
        raise item.denied()
    sharing_rules.check_stays_in_charge(call, item, row, None)
    sharing.revoke(call, item, row)
    return True


def _permissions_on(call: Call, item: SharedItem) -> list[Row]:
    """Return the permissions on an item: its own, and from above those of people with none of its own."""
    file, drive = item.file and item.file["id"], item.drive and item.drive["id"]
    by_grantee: dict[tuple[str | None, ...], Row] = {}
    for row in call.rows(_PERMISSIONS, file=file, drive=drive):
        if row.pop("depth"):
            source = row["file_id"] or row["drive_id"]
            role = "writer" if row["role"] == "owner" else row["role"]
            row |= {"inherited": True, "inherited_from": source, "role": role}
        grantee = (row["type"], row["user_id"] or row["group_id"] or row["email_address"], row["domain"])
        by_grantee.setdefault(grantee, row)
    return list(by_grantee.values())


def _permission_row(call: Call, item: SharedItem, permission_id: str | None = None) -> Row:
    permission_id = call.arguments["permissionId"] if permission_id is None else permission_id
    for row in _permissions_on(call, item):
        if row["id"] == permission_id:
            return row
    raise not_found("permissionId", permission_id)


def _check_role(call: Call, item: SharedItem, row: Row, role: str) -> None:
    """Refuse a role that the caller may not give to whom the permission is for."""
    if item.file and role == "owner" and row["pending_owner"] and row["user_id"] == call.caller.get("id"):
        # who was asked to become the owner accepts
        item = SharedItem(item.file | {"rank": RANKS["owner"]}, None)
    grantee = Grantee(row["type"], row["user_id"], row["group_id"], row["email_address"], row["domain"])
    sharing_rules.check_grant(call, item, grantee, Terms(role, transfer=call.arguments["transferOwnership"]))
    sharing_rules.check_stays_in_charge(call, item, row, role)


def _check_not_inherited(item: SharedItem, row: Row) -> Row:
    """Return a permission if it is the item's own; refuse an inherited one."""
    if row["inherited_from"] and item.file:
        reason = "cannotModifyInheritedPermission"
        if item.drive:
            reason = "cannotModifyInheritedTeamDrivePermission"
        raise forbidden(reason, "An inherited permission is changed where it comes from.")
    return row


def _update_file(call: Call, item: SharedItem) -> None:
    """Change the file itself as giving a permission asks for."""
    if not item.file:
        return
    if call.arguments["moveToNewOwnersRoot"] and call.arguments["role"] == "owner":
        folder_tree.move(call, item.file["id"], None, None)
    if call.arguments["inheritedPermissionsDisabled"]:
        call.rows("UPDATE files SET inherited_permissions_disabled = 1 WHERE id = :fileId RETURNING id")
