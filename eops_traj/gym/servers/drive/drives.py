"""Shared drives. What the tools have in common with those of team drives (`teamdrives`) is below them."""

from typing import Any, Final

from eops_traj.gym.api_styles.google import error, forbidden, invalid, listing
from eops_traj.gym.servers.drive import access, folder_tree, records, search, sharing
from eops_traj.gym.servers.drive.access import RANKS
from eops_traj.gym.servers.drive.resources import Resource, drive_resource
from eops_traj.gym.servers.drive.sharing_rules import Grantee, SharedItem, Terms
from eops_traj.gym.tools.call import Call, Row
from eops_traj.gym.tools.statements import Statement
from eops_traj.gym.tools.tool import tool

THEMES: Final = {
    "coral": "#E2725B",
    "harbor": "#3A7CA5",
    "meadow": "#7CB342",
    "slate": "#607D8B",
    "dusk": "#6A4C93",
}
"""The themes of shared drives, each with its colour."""


@tool
def create_drive(call: Call) -> Resource:
    """(requestId! = request_id, name!, colorRgb = color_rgb, themeId = theme_id, hidden) -> row of drives

    Open a shared drive, whose organizer you are. Restrictions are set afterwards, with update_drives.
      requestId: {minLength: 1}
      colorRgb: {pattern: "^#[0-9A-Fa-f]{6}$"}
      hidden: {default: false}
    @closed
    @allow admin, manager
    """
    return drive_resource(create(call))


@tool
def get_drive(call: Call) -> Resource:
    """(driveId! = drives.id, useDomainAdminAccess) -> row of drives

    One shared drive: its name, its restrictions, and what you may do with it.
      useDomainAdminAccess: {default: null}
    @closed
    """
    return drive_resource(access.open_drive(call))


@tool
def list_drives(call: Call) -> Resource:
    """(pageSize, pageToken, q, useDomainAdminAccess) -> rows of drives

    Your shared drives by name, hidden ones too; as an administrator, all of the domain.
      q: A query over name, createdTime, hidden, memberCount, organizerCount and orgUnitId.
        {type: string, examples: ["name contains 'Project' and hidden = false", "memberCount > 3"]}
    @closed
    """
    return listing(call, "drive#driveList", "drives", visible(call), drive_resource)


@tool
def update_drives(call: Call) -> Resource:
    """(driveId! = drives.id, name, colorRgb = color_rgb, themeId = theme_id, backgroundImageFile, hidden,
      restrictions, sharingFoldersRequiresOrganizerPermission = sharing_folders_requires_organizer_permission,
      downloadRestrictedForReaders = download_restricted_for_readers,
      downloadRestrictedForWriters = download_restricted_for_writers, useDomainAdminAccess) -> row of drives

    Change the settings of a shared drive; only the fields given change. It takes an organizer.
      colorRgb: {pattern: "^#[0-9A-Fa-f]{6}$"}
      backgroundImageFile: An image in Drive for the background, and the part of it that is shown.
        {type: object, required: [id, xCoordinate, yCoordinate, width], properties: {id: {type: string},
        xCoordinate: {type: number, minimum: 0, maximum: 1}, yCoordinate: {type: number, minimum: 0, maximum:
        1}, width: {type: number, minimum: 0, maximum: 1}}}
      restrictions: Who may do what with its items.
        {type: object, properties: { adminManagedRestrictions: {type: boolean}, copyRequiresWriterPermission:
        {type: boolean}, domainUsersOnly: {type: boolean}, driveMembersOnly: {type: boolean}}}
    @closed
    """
    drive = access.open_drive(call, "organizer")
    names = {
        "adminManagedRestrictions": "admin_managed_restrictions",
        "copyRequiresWriterPermission": "copy_requires_writer_permission",
        "domainUsersOnly": "domain_users_only",
        "driveMembersOnly": "drive_members_only",
    }
    settings = call.arguments.get("restrictions") or {}
    restrictions = {
        column: settings[name] for name, column in names.items() if settings.get(name) is not None
    }
    if restrictions and drive["admin_managed_restrictions"] and not access.as_administrator(call):
        message = "Only administrators change the restrictions of this shared drive."
        raise forbidden("insufficientFilePermissions", message, "restrictions")
    return drive_resource(update(call, drive, restrictions | background(call, "backgroundImageFile")))


@tool
def hide_drives(call: Call) -> Resource:
    """(driveId! = drives.id) -> row of drives

    Leave a shared drive out of the default view. It takes an organizer.
    @closed
    """
    return drive_resource(update(call, access.open_drive(call, "organizer"), {"hidden": True}))


@tool
def unhide_drives(call: Call) -> Resource:
    """(driveId! = drives.id) -> row of drives

    Show a hidden shared drive in the default view again. It takes an organizer.
    @closed
    """
    return drive_resource(update(call, access.open_drive(call, "organizer"), {"hidden": False}))


@tool
def delete_drive(call: Call) -> bool:
    """(driveId! = drives.id, useDomainAdminAccess, allowItemDeletion) -> done of drives

    Remove a shared drive for good. It takes an organizer, and nothing may lie in it outside the trash.
      allowItemDeletion: Whether its items go with it; only for administrators of the domain.
        {type: boolean, default: false}
    @closed
    @allow admin
    """
    drive = access.open_drive(call, "organizer")
    if call.arguments["allowItemDeletion"] and not access.as_administrator(call):
        message = "allowItemDeletion is only supported together with useDomainAdminAccess."
        raise forbidden("forbidden", message, "allowItemDeletion")
    return delete(call, drive, call.arguments["allowItemDeletion"])


def create(call: Call) -> Row:
    """Create a shared drive with the settings of the call, whose organizer the caller is."""
    columns = records.argument_columns(call)
    if call.row("SELECT 1 FROM drives WHERE request_id = :request", request=columns["request_id"]):
        raise error(
            "ALREADY_EXISTS", "A shared drive was already made for this requestId.", location="requestId"
        )
    if columns.keys() >= {"theme_id", "color_rgb"}:
        raise invalid(
            "themeId", "A shared drive takes its colour from colorRgb or from a theme, not from both."
        )
    times = {"created_time": call.now, "modified_time": call.now}
    row = records.insert(
        call, "drives", {"id": records.new_id(call)} | _theme_color(columns) | columns | times
    )
    records.record_change(call, "drive_created", drive_id=row["id"])
    me = Grantee("user", call.caller.get("id"), email=call.caller.get("email"))
    item = SharedItem(None, row | {"rank": RANKS["organizer"]})
    sharing.grant_unchecked(call, item, me, Terms("organizer"))
    return row | {"rank": RANKS["organizer"]}


def update(call: Call, drive: Row, more: dict[str, Any]) -> Row:
    """Write the fields of the call and these further columns."""
    columns = records.argument_columns(call) | more
    if not columns:
        raise call.server.responses.nothing_given(call.tool)
    if "theme_id" in columns and columns.keys() & {"color_rgb", "background_image_link"}:
        raise invalid("themeId", "A theme sets colour and background itself.")
    columns |= _theme_color(columns)
    assignments = ", ".join(f"{name} = :{name}" for name in columns)
    sql = f"UPDATE drives SET {assignments}, modified_time = :now WHERE id = :drive RETURNING *"  # noqa: S608
    row = call.row(sql, drive=drive["id"], **columns)
    assert row is not None
    records.record_change(call, "drive_updated", drive_id=drive["id"], fields=sorted(columns))
    return row | {"rank": drive["rank"]}


def _theme_color(columns: dict[str, Any]) -> dict[str, Any]:
    """Return the colour of the theme among the columns."""
    return {"color_rgb": THEMES[columns["theme_id"]]} if columns.get("theme_id") in THEMES else {}


def background(call: Call, argument: str) -> dict[str, str]:
    """Return the link to an image in Drive that the caller sees."""
    crop = call.arguments.get(argument)
    if not crop:
        return {}
    image = access.open_file(call, file_id=crop["id"], location=f"{argument}.id")
    if not image["mime_type"].startswith("image/"):
        raise invalid(f"{argument}.id", "The background has to be an image.")
    return {"background_image_link": f"https://drive.google.com/uc?id={image['id']}"}


def visible(call: Call) -> list[Row]:
    """Return the shared drives that the caller is in, or administers, and that match the query."""
    condition = search.condition(call.arguments.get("q"), search.DRIVES)
    sql = f"""SELECT d.*, iif(:all, :most, {access.RANK_ON_DRIVE}) AS rank FROM drives d
        WHERE rank > 0 AND {condition.sql} ORDER BY lower(d.name), d.id"""  # noqa: S608 - values are parameters
    values = {"all": access.as_administrator(call), "most": RANKS["organizer"]}
    return call.run(Statement(sql, call.server.schema.tables["drives"], ()), condition.values | values)


def delete(call: Call, drive: Row, with_items: bool) -> bool:
    """Remove a shared drive, and what lies in it if that may go."""
    key = {"drive": drive["id"]}
    if not with_items and call.row("SELECT 1 FROM files WHERE drive_id = :drive AND trashed IS NOT 1", **key):
        message = "A shared drive that still has items outside the trash cannot be deleted."
        raise forbidden("teamDriveNotEmpty", message, "driveId")
    top = "SELECT * FROM files WHERE drive_id = :drive AND parent_id IS NULL ORDER BY id"
    folder_tree.remove(call, call.rows(top, **key))
    records.record_change(call, "drive_deleted", drive_id=drive["id"], removed=True)
    call.rows("DELETE FROM drives WHERE id = :drive RETURNING id", **key)
    return True
