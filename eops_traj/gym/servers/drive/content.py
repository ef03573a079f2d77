"""The content of files: downloads and exports. No bytes are kept, only what is known of them."""

from typing import Final

from eops_traj.gym.api_styles.google import GoogleRefusal, error, forbidden, resource
from eops_traj.gym.servers.drive import access, revisions
from eops_traj.gym.servers.drive.access import FOLDER, RANKS
from eops_traj.gym.servers.drive.create_files import insert, new_id
from eops_traj.gym.servers.drive.resources import DOCUMENTS, SHORTCUT, Resource
from eops_traj.gym.tools.call import Call, Row
from eops_traj.gym.tools.tool import tool

_OFFICE: Final = "application/vnd.openxmlformats-officedocument."
_OPEN: Final = "application/vnd.oasis.opendocument."
_PDF: Final = "application/pdf"
EXPORTS: Final = {
    "document": (_PDF, f"{_OFFICE}wordprocessingml.document", f"{_OPEN}text", "application/rtf", "text/plain",
                 "text/html", "text/markdown", "application/zip", "application/epub+zip"),
    "spreadsheet": (_PDF, f"{_OFFICE}spreadsheetml.sheet", f"{_OPEN}spreadsheet", "text/csv",
                    "text/tab-separated-values", "application/zip"),
    "presentation": (_PDF, f"{_OFFICE}presentationml.presentation", f"{_OPEN}presentation", "text/plain"),
    "drawing": (_PDF, "image/jpeg", "image/png", "image/svg+xml"),
}  # fmt: skip
"""What each kind of Google's own documents can be exported as."""


@tool
def export_files(call: Call) -> Resource:
    """(fileId! = files.id, mimeType!) -> row of files

    Export one of Google's own documents as another type: a link to the result, and its text where that is
    known.
      mimeType: The type wanted. {type: string, examples: [application/pdf]}
    @closed
    """
    file, wanted = _readable(call), call.arguments["mimeType"]
    _need_export(file, wanted)
    text = file["indexable_text"] if wanted.startswith("text/") else None
    return resource(
        {"kind": "drive#export", "id": file["id"], "name": file["name"], "mime_type": wanted},
        exportLink=_export_link(file, wanted),
        content=text,
    )


@tool
def download_files(call: Call) -> Resource:
    """(fileId! = files.id, mimeType, revisionId) -> row of files

    Start a download; its link is in the operation that comes back, and is good for a day.
      mimeType: Type to download as; Google's own documents need one, other files cannot have one.
        {type: string}
      revisionId: Id of an older revision to download. {type: string, minLength: null}
    @closed
    """
    file, asked = _readable(call), call.arguments
    if asked.get("revisionId"):
        revisions.find(call)
    wanted = asked.get("mimeType")
    if file["mime_type"].startswith(DOCUMENTS):
        _need_export(file, wanted or "")
    elif wanted and wanted != file["mime_type"]:
        raise _no_conversion()
    link = _export_link(file, wanted) if wanted else file["web_content_link"]
    revision = asked.get("revisionId") or file["head_revision_id"]
    of = {"fileId": file["id"], "mimeType": wanted or file["mime_type"], "revisionId": revision}
    return _started(call, of, {"downloadUri": link, "partialDownloadAllowed": wanted is None})


def _started(call: Call, metadata: Resource, response: Resource) -> Resource:
    """A download as an operation, which is done as soon as it is written down."""
    made = new_id(call)
    name = f"operations/download_{made}"
    insert(call, "operations", {
        "id": made, "name": name, "operation_type": "download", "status": "done", "created_at": call.now,
        "completed_at": call.now, "operation_metadata": metadata, "response_data": response,
    })  # fmt: skip
    return {"name": name, "metadata": metadata, "done": True, "response": response}


def media(file: Row) -> Resource:
    """What stands for the bytes of a file."""
    if file["mime_type"].startswith(DOCUMENTS):
        message = "Only files with binary content can be downloaded. Use Export with Docs Editors files."
        raise forbidden("fileNotDownloadable", message, "alt")
    _need_download(file)
    known = ("kind", "id", "name", "mime_type", "md5_checksum", "web_content_link")
    return resource(
        {name: file[name] for name in known},
        size=str(file["size_bytes"] or 0),
        content=file["indexable_text"],
    )


def _readable(call: Call) -> Row:
    """The file of the call, whose content the caller may have."""
    file = access.open_file(call)
    if file["mime_type"] in (FOLDER, SHORTCUT):
        raise forbidden("fileNotDownloadable", "Folders and shortcuts have no content.", "fileId")
    _need_download(file)
    return file


def _need_download(file: Row) -> None:
    restricted = (file["download_restrictions"] or {}).get("restricted")
    if not access.may_copy(file) or (restricted and file["rank"] < RANKS["writer"]):
        raise forbidden("cannotDownloadFile", "This file cannot be downloaded by the user.", "fileId")


def _need_export(file: Row, wanted: str) -> None:
    """Refuse an export of what is no document of Google's, or to a type that its kind is not exported as."""
    if not file["mime_type"].startswith(DOCUMENTS):
        raise forbidden("fileNotExportable", "Export only supports Docs Editors files.", "fileId")
    if wanted not in EXPORTS.get(file["mime_type"].removeprefix(DOCUMENTS), ()):
        raise _no_conversion()


def _no_conversion() -> GoogleRefusal:
    return error("INVALID_ARGUMENT", "The requested conversion is not supported.", "badRequest", "mimeType")


def _export_link(file: Row, wanted: str) -> str:
    return f"https://docs.google.com/feeds/download/export?id={file['id']}&mimeType={wanted}"
