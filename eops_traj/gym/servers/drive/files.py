"""Files and folders: finding and making them."""

from typing import Any, Final

from eops_traj.gym.api_styles.google import error, forbidden, invalid, listing, parse_time
from eops_traj.gym.servers.drive import access, content, create_files, search, sharing
from eops_traj.gym.servers.drive.access import FOLDER, RANKS
from eops_traj.gym.servers.drive.create_files import destination, make_file
from eops_traj.gym.servers.drive.errors import not_found
from eops_traj.gym.servers.drive.records import argument_columns
from eops_traj.gym.servers.drive.resources import SHORTCUT, Resource, file_resource
from eops_traj.gym.servers.drive.sharing_rules import Grantee, Terms
from eops_traj.gym.tools.call import Call, Row
from eops_traj.gym.tools.tool import tool

_CORPORA: Final = {
    "user": "(f.drive_id IS NULL OR :includeItemsFromAllDrives)",
    "domain": "EXISTS (SELECT 1 FROM permissions p WHERE p.file_id = f.id AND p.type = 'domain')",
    "drive": "f.drive_id = :driveId",
    "allDrives": "1",
}
_GRANTEES: Final = ("user", "group", "domain", "anyone")
_SPACES: Final = ("drive", "appDataFolder", "photos")


@tool
def get_files(call: Call) -> Resource:
    """(fileId! = files.id, acknowledgeAbuse, supportsAllDrives, includePermissionsForView, includeLabels,
      alt) -> row of files

    Everything about one file, or its content.
      alt: What is wanted of the file; json is what is known about it, media its content.
        {type: string, examples: [json]}
    @closed
    """
    file = access.open_file(call)
    form = call.arguments.get("alt") or "json"
    if form not in ("json", "media"):
        raise invalid("alt")
    if form == "media":
        return content.media_resource(file)
    return file_resource(call, file["id"], file["rank"])


@tool
def list_files(call: Call) -> Resource:
    """(corpora, driveId, includeItemsFromAllDrives, orderBy, pageSize, pageToken, q, spaces,
      supportsAllDrives, trashed) -> rows of files

    The files that you can see and that match a query, newest first. Without includeItemsFromAllDrives,
    corpora or driveId only those of My Drive and what was shared with you, not those of shared drives.
      corpora: Where to look - user, domain, drive (with driveId) or allDrives.
        {type: string, examples: [user, domain, allDrives]}
      orderBy: Keys with commas between, each perhaps followed by desc - createdTime, folder,
        modifiedByMeTime, modifiedTime, name, name_natural, quotaBytesUsed, recency, sharedWithMeTime,
        starred, viewedByMeTime.
        {type: string, examples: ["folder,name", "modifiedTime desc"]}
      pageSize: {maximum: 1000, default: null}
      q: A query over name, fullText, mimeType, createdTime, modifiedTime, viewedByMeTime, trashed, starred,
        sharedWithMe, visibility, parents, owners, writers, readers, labels, properties and appProperties.
        {type: string, examples: ["name contains 'plan' and trashed = false", "'root' in parents",
        "modifiedTime > '2025-11-01T00:00:00' and not starred = true", "properties has { key='stage' and
        value='draft' }"]}
      trashed: true for the trash alone, false for all but the trash. {type: boolean}
    @closed
    """
    arguments = call.arguments
    condition = search.condition(arguments.get("q"), search.FILES)
    rows = access.visible_files(call, f"({condition.sql}) AND {_argument_condition(call)}", condition.values)
    rows = search.sort_rows(rows, arguments.get("orderBy"))
    page = listing(
        call, "drive#fileList", "files", rows, lambda row: file_resource(call, row["id"], row["rank"])
    )
    return page | {"incompleteSearch": False}


@tool
def create_file(call: Call) -> Resource:
    """(ignoreDefaultVisibility, keepRevisionForever, ocrLanguage, supportsAllDrives, uploadType,
      useContentAsIndexableText, includePermissionsForView, includeLabels, parents[], permissions[],
      properties, appProperties = app_properties, permissionIds[],
      contentRestrictions[] = content_restrictions,
      copyRequiresWriterPermission = copy_requires_writer_permission, contentHints,
      writersCanShare = writers_can_share, mimeType! = mime_type, folderColorRgb = folder_color_rgb, name!,
      description, starred, trashed, createdTime, modifiedTime, originalFilename = original_filename,
      shortcutDetails, inheritedPermissionsDisabled = inherited_permissions_disabled,
      downloadRestrictions = download_restrictions) -> row of files

    Make a file, folder or shortcut. It has no content yet. Without parents it goes to the top of My Drive.
      uploadType: How content would be sent.
        {type: string, enum: [media, multipart, resumable], default: media}
      useContentAsIndexableText: Whether searches look into the content. {type: boolean}
      permissions: Whom to let in, each with role, type and emailAddress or domain.
        {type: array, items: {type: object}}
      permissionIds: Ids of permissions of other files, to be given here too.
        {type: array, items: {type: string}}
      contentRestrictions: {items: {properties: {readOnly: {type: boolean}, reason: {type: string},
        ownerRestricted: {type: boolean}, systemRestricted: {type: boolean}}}}
      contentHints: What helps searches.
        {type: object, properties: {indexableText: {type: string}, thumbnail: {type: object}}}
      createdTime: When it was made, if not now. {type: string, examples: ["2026-01-05T08:30:00Z"]}
      modifiedTime: When it last changed, if not now. {type: string, examples: ["2026-01-05T08:30:00Z"]}
      shortcutDetails: The file that a shortcut points to.
        {type: object, properties: {targetId: {type: string}}}
      downloadRestrictions: {properties: {restricted: {type: boolean}, reason: {type: string}}}
    @closed
    """
    arguments = call.arguments
    location = destination(call, arguments.get("parents"))
    hints = arguments.get("contentHints") or {}
    values = (
        argument_columns(call)
        | _time_columns(call)
        | _shortcut_columns(call)
        | {"indexable_text": hints.get("indexableText")}
    )
    if arguments.get("trashed"):
        values |= {"trashed": True, "explicitly_trashed": True, "trashed_time": call.now}
    file = make_file(call, values, location)
    _share_new_file(call, file)
    return file_resource(call, file["id"])


@tool
def copy_files(call: Call) -> Resource:
    """(fileId! = files.id, name, parents[], keepRevisionForever, ocrLanguage, supportsAllDrives,
      ignoreDefaultVisibility, includePermissionsForView, includeLabels, mimeType = mime_type, starred,
      description) -> row of files

    Copy a file, but no folder. The copy is yours, or its shared drive's, and is shared with nobody else.
    Without parents it goes beside the file if you may write there, else to My Drive.
      name: Name of the copy; without it, 'Copy of' and the name of the file.
      includePermissionsForView: {enum: [published]}
    @closed
    """
    source = access.open_file(call)
    if source["mime_type"] == FOLDER or not access.may_copy(source):
        raise forbidden("cannotCopyFile", "This file cannot be copied by the user.", "fileId")
    parents = call.arguments.get("parents")
    location = destination(call, parents) if parents else create_files.copy_destination(call, source)
    name = {"name": f"Copy of {source['name']}"}
    file = make_file(call, create_files.copied_columns(source) | name | argument_columns(call), location)
    return file_resource(call, file["id"])


@tool
def generate_files_Ids(call: Call) -> Resource:
    """(count, space, type) -> row of files

    Ids that no file has yet, reserved for you.
      count: How many, 1000 at most. {type: integer, default: 10}
      space: Space of the files to be - drive or appDataFolder.
        {type: string, default: drive, examples: [drive]}
      type: What they are to be - files or shortcuts.
        {type: string, default: files, examples: [files, shortcuts]}
    @closed
    """
    arguments = call.arguments
    if not 1 <= arguments["count"] <= 1000:
        message = f"Invalid value '{arguments['count']}'. Values must be within the range: [1, 1000]"
        raise error("INVALID_ARGUMENT", message, "invalidParameter", "count")
    for name, choices in (("space", ("drive", "appDataFolder")), ("type", ("files", "shortcuts"))):
        if arguments[name] not in choices:
            raise invalid(name)
    rows = call.rows(
        """INSERT INTO id_pool (id, reserved, reserved_time)
        SELECT new_ulid(), 1, :now FROM json_each(:places) RETURNING id""",
        places=str(list(range(arguments["count"]))),
    )
    return {"kind": "drive#generatedIds", "space": arguments["space"], "ids": [row["id"] for row in rows]}


def _argument_condition(call: Call) -> str:
    """Return the SQL condition of all arguments but the query."""
    arguments = call.arguments
    if arguments.get("driveId"):
        access.open_drive(call)
    corpora = arguments.get("corpora") or ("drive" if arguments.get("driveId") else "user")
    spaces = [space.strip() for space in (arguments.get("spaces") or "drive,appDataFolder").split(",")]
    if corpora not in _CORPORA or (corpora == "drive" and not arguments.get("driveId")):
        raise invalid("corpora")
    if not set(spaces) <= set(_SPACES):
        raise invalid("spaces")
    listed = ", ".join(f"'{space}'" for space in spaces)
    trash = f" AND f.trashed IS {'' if arguments['trashed'] else 'NOT'} 1" if "trashed" in arguments else ""
    return f"{_CORPORA[corpora]} AND coalesce(f.space, 'drive') IN ({listed}){trash}"


def _time_columns(call: Call) -> dict[str, str]:
    """Return the times that the call gives a new file."""
    names = {"createdTime": "created_time", "modifiedTime": "modified_time"}
    return {
        column: parse_time(call.arguments[name], name)
        for name, column in names.items()
        if name in call.arguments
    }


def _shortcut_columns(call: Call) -> dict[str, Any]:
    """Return the columns of what a new shortcut points to."""
    details = call.arguments.get("shortcutDetails") or {}
    if call.arguments["mimeType"] != SHORTCUT:
        return {}
    if not details.get("targetId"):
        raise error("INVALID_ARGUMENT", "A shortcut needs a target.", "required", "shortcutDetails.targetId")
    target = access.open_file(call, file_id=details["targetId"], location="shortcutDetails.targetId")
    return {
        "is_shortcut": True,
        "shortcut_target_id": target["id"],
        "shortcut_target_mime": target["mime_type"],
    }


def _share_new_file(call: Call, file: Row) -> None:
    """Give the permissions that the call asks for on its new file."""
    permissions = list(call.arguments.get("permissions") or ())
    for permission_id in call.arguments.get("permissionIds") or ():
        permissions.append(_permission_of_other_file(call, permission_id))
    for permission in permissions:
        item = sharing.item_of(call, access.open_file(call, file_id=file["id"]))
        sharing.grant(call, item, *_grant_arguments(call, permission))


def _grant_arguments(call: Call, permission: dict[str, Any]) -> tuple[Grantee, Terms]:
    """Return the grantee and the terms that an object among ``permissions`` means."""
    names = ("role", "type", "view", "emailAddress", "domain")
    role, type, view, *whom = texts = [permission.get(name) for name in names]
    if not all(text is None or isinstance(text, str) for text in texts):
        raise invalid("permissions")
    if role not in RANKS or type not in _GRANTEES or view not in (None, "published"):
        raise invalid("permissions")
    return sharing.find_grantee(call, type, *whom), Terms(
        role, view, permission.get("allowFileDiscovery") is True
    )


def _permission_of_other_file(call: Call, permission_id: str) -> dict[str, Any]:
    """Return a permission of another file, which the caller may see."""
    sql = """SELECT p.*, coalesce(p.email_address, u.email, t.email) AS email_address FROM permissions p
        LEFT JOIN users u ON u.id = p.user_id LEFT JOIN groups t ON t.id = p.group_id
        WHERE p.id = :id AND p.file_id IS NOT NULL"""
    row = call.row(sql, id=permission_id)
    if row is None or not access.rank_on_file(call, row["file_id"]):
        raise not_found("permissionId", permission_id)
    role = "writer" if row["role"] == "owner" else row["role"]
    return {"role": role, "type": row["type"], "emailAddress": row["email_address"], "domain": row["domain"]}
