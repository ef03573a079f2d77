"""The caller and their storage, the apps that open files, and the selection of ``fields``."""

import re
from typing import Any, Final

from eops_traj.gym.api_styles.google import GoogleRefusal, error, resource
from eops_traj.gym.servers.drive.access import OWNER
from eops_traj.gym.servers.drive.content import EXPORTS
from eops_traj.gym.servers.drive.drives import THEMES
from eops_traj.gym.servers.drive.errors import not_found
from eops_traj.gym.servers.drive.resources import DOCUMENTS, Resource, user_sql
from eops_traj.gym.tools.call import Call, Row
from eops_traj.gym.tools.tool import tool

_Tree = dict[str, "_Tree"]
_MOST_TOKENS: Final = 200
_QUOTA_BYTES: Final = 30 * 2**30
_DEFAULT: Final = "kind,user,storageQuota"
_IMPORTS: Final = {"text/csv": "spreadsheet", "text/plain": "document", "application/rtf": "document"}
_LARGEST: Final = {"document": 50 * 2**20, "spreadsheet": 100 * 2**20, "presentation": 100 * 2**20}


@tool
def get_about(call: Call) -> Resource:
    """(fields) -> row of users

    Who you are, how much storage you use, and what this Drive can do.
      fields: What to show, such as 'user' or 'user.displayName,storageQuota(limit,usage)'; * is all. Without
        it kind, user and storageQuota.
        {type: string, examples: [user, "storageQuota(limit,usage)", "*"]}
    @closed
    """
    user = call.row(f'SELECT {user_sql(":caller_id")} AS "user JSON"')
    opens_drives = call.caller.get("role") in ("admin", "manager")
    themes = [{"id": name, "colorRgb": color} for name, color in THEMES.items()]
    known = {
        "kind": "drive#about",
        "user": user and user["user"],
        "storageQuota": _storage(call),
        "importFormats": {source: [DOCUMENTS + target] for source, target in _IMPORTS.items()},
        "exportFormats": {DOCUMENTS + kind: list(targets) for kind, targets in EXPORTS.items()},
        "maxImportSizes": {DOCUMENTS + kind: str(size) for kind, size in _LARGEST.items()},
        "maxUploadSize": str(5 * 2**40),
        "appInstalled": False,
        "folderColorPalette": list(THEMES.values()),
        "driveThemes": themes,
        "teamDriveThemes": themes,
        "canCreateDrives": opens_drives,
        "canCreateTeamDrives": opens_drives,
    }
    selection: Resource = select_fields(known, call.arguments.get("fields") or _DEFAULT)
    return selection


@tool
def get_app(call: Call) -> Resource:
    """(appId! = id) -> row of apps

    One of the apps that open files.
      appId: {minLength: 1}
    """
    row = call.row("SELECT * FROM apps WHERE id = :appId")
    if row is None:
        raise not_found("appId", call.arguments["appId"])
    return _app_resource(row)


@tool
def list_apps(call: Call) -> Resource:
    """(appFilterExtensions, appFilterMimeTypes, languageCode) -> rows of apps

    The apps that are installed, or those of them that open certain files.
      appFilterExtensions: Extensions with commas between, such as 'docx,csv'; an app has to open one of them.
        {type: string, examples: ["docx,csv"]}
      appFilterMimeTypes: MIME types with commas between; an app has to open one of them.
        {type: string, examples: [application/pdf]}
      languageCode: Language of names and descriptions (BCP 47). {type: string}
    """
    extensions = {part.lstrip(".") for part in _list_argument(call, "appFilterExtensions")}
    types = set(_list_argument(call, "appFilterMimeTypes"))
    rows = [
        row
        for row in call.rows("SELECT * FROM apps WHERE installed IS NOT 0 ORDER BY name, id")
        if _opens(row, "file_extensions", extensions) and _opens(row, "mime_types", types)
    ]
    return {
        "kind": "drive#appList",
        "selfLink": "https://www.googleapis.com/drive/v3/apps",
        "defaultAppIds": [row["id"] for row in rows if row["use_by_default"]],
        "items": [_app_resource(row) for row in rows],
    }


def _storage(call: Call) -> Resource:
    """Return how much storage the caller's own files take, those in the trash included."""
    row = call.row(
        f"""SELECT coalesce(sum(quota_bytes_used), 0) AS used,
            coalesce(sum(iif(trashed, quota_bytes_used, 0)), 0) AS trashed
        FROM files f WHERE drive_id IS NULL AND {OWNER} = :caller_id"""  # noqa: S608
    )
    assert row is not None
    used = str(row["used"])
    return {
        "limit": str(_QUOTA_BYTES),
        "usage": used,
        "usageInDrive": used,
        "usageInDriveTrash": str(row["trashed"]),
    }


def _list_argument(call: Call, argument: str) -> list[str]:
    parts = (call.arguments.get(argument) or "").split(",")
    return [part.strip().lower() for part in parts if part.strip()]


def _opens(row: Row, column: str, kinds: set[str]) -> bool:
    opened = (row[f"primary_{column}"] or []) + (row[f"secondary_{column}"] or [])
    return not kinds or bool(kinds & {str(kind).lower() for kind in opened})


def _app_resource(row: Row) -> Resource:
    return {"kind": "drive#app"} | resource(row, "installed_by", "created_at", "updated_at")


# the language of ``fields``: which parts of a resource to show, such as ``kind,user(displayName),a/b``


def select_fields(value: Any, text: str) -> Any:
    """Return the parts of a value that ``fields`` names; ``*`` is all of them."""
    tokens = re.findall(r"[\w*]+|\S", text)
    tree, position = _parse_list(tokens, 0) if len(tokens) <= _MOST_TOKENS else ({}, 0)
    if position != len(tokens):
        raise _invalid_selection(text)
    return _selection(value, tree)


def _parse_list(tokens: list[str], position: int) -> tuple[_Tree, int]:
    tree: _Tree = {}
    while True:
        name, inner, position = _parse_item(tokens, position)
        tree.setdefault(name, {}).update(inner)
        if tokens[position : position + 1] != [","]:
            return tree, position
        position += 1


def _parse_item(tokens: list[str], position: int) -> tuple[str, _Tree, int]:
    name, mark = (*tokens[position : position + 2], "", "")[:2]
    if not re.fullmatch(r"[\w*]+", name):
        raise _invalid_selection(name)
    if mark == "(":
        inner, position = _parse_list(tokens, position + 2)
        if tokens[position : position + 1] != [")"]:
            raise _invalid_selection(name)
        return name, inner, position + 1
    if mark in ("/", "."):
        below, inner, position = _parse_item(tokens, position + 2)
        return name, {below: inner}, position
    return name, {}, position + 1


def _selection(value: Any, tree: _Tree) -> Any:
    if not tree or "*" in tree:
        return value
    if isinstance(value, list):
        return [_selection(item, tree) for item in value]
    if not isinstance(value, dict) or (strays := sorted(tree.keys() - value.keys())):
        raise _invalid_selection(next(iter(tree)) if not isinstance(value, dict) else strays[0])
    return {name: _selection(value[name], inner) for name, inner in tree.items()}


def _invalid_selection(text: str) -> GoogleRefusal:
    return error("INVALID_ARGUMENT", f"Invalid field selection {text}", "invalidParameter", "fields")
