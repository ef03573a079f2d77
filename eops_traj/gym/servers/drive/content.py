"""The content of files: downloads and exports. No bytes are kept, only what is known of them."""

from typing import Final

from eops_traj.gym.api_styles.google import GoogleRefusal, error, forbidden, resource
from eops_traj.gym.servers.drive import access, records, revisions
from eops_traj.gym.servers.drive.access import FOLDER, RANKS
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
"""The types that each kind of Google's own documents can be exported as."""


@tool
def export_files(call: Call) -> Resource:
    """(fileId! = files.id, mimeType!) -> row of files

    Export one of Google's own documents as another type: a link to the result, and its text where that is
    known.
      mimeType: The type wanted. {type: string, examples: [application/pdf]}
    @closed
    """
    file, mime_type = _open_content(call), call.arguments["mimeType"]
    _check_export(file, mime_type)
    text = file["indexable_text"] if mime_type.startswith("text/") else None
    return resource(
        {"kind": "drive#export", "id": file["id"], "name": file["name"], "mime_type": mime_type},
        exportLink=_export_link(file, mime_type),
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
    file, arguments = _open_content(call), call.arguments
    if arguments.get("revisionId"):
        revisions.find(call)
    mime_type = arguments.get("mimeType")
    if file["mime_type"].startswith(DOCUMENTS):
        _check_export(file, mime_type or "")
    elif mime_type and mime_type != file["mime_type"]:
        raise _conversion_refusal()
    link = _export_link(file, mime_type) if mime_type else file["web_content_link"]
    revision = arguments.get("revisionId") or file["head_revision_id"]
    metadata = {"fileId": file["id"], "mimeType": mime_type or file["mime_type"], "revisionId": revision}
    return _download_operation(
        call, metadata, {"downloadUri": link, "partialDownloadAllowed": mime_type is None}
    )


def _download_operation(call: Call, metadata: Resource, response: Resource) -> Resource:
    """Record a download as an operation, which is done at once, and return it."""
    operation_id = records.new_id(call)
    name = f"operations/download_{operation_id}"
    records.insert(call, "operations", {
        "id": operation_id, "name": name, "operation_type": "download", "status": "done",
        "created_at": call.now, "completed_at": call.now,
        "operation_metadata": metadata, "response_data": response,
    })  # fmt: skip
    return {"name": name, "metadata": metadata, "done": True, "response": response}


def media_resource(file: Row) -> Resource:
    """Return what stands for the bytes of a file."""
    if file["mime_type"].startswith(DOCUMENTS):
        message = "Only files with binary content can be downloaded. Use Export with Docs Editors files."
        raise forbidden("fileNotDownloadable", message, "alt")
    _check_download(file)
    columns = ("kind", "id", "name", "mime_type", "md5_checksum", "web_content_link")
    return resource(
        {name: file[name] for name in columns},
        size=str(file["size_bytes"] or 0),
        content=file["indexable_text"],
    )


def _open_content(call: Call) -> Row:
    """Return the file of the call, if the caller may have its content."""
    file = access.open_file(call)
    if file["mime_type"] in (FOLDER, SHORTCUT):
        raise forbidden("fileNotDownloadable", "Folders and shortcuts have no content.", "fileId")
    _check_download(file)
    return file


def _check_download(file: Row) -> None:
    restricted = (file["download_restrictions"] or {}).get("restricted")
    if not access.may_copy(file) or (restricted and file["rank"] < RANKS["writer"]):
        raise forbidden("cannotDownloadFile", "This file cannot be downloaded by the user.", "fileId")


def _check_export(file: Row, mime_type: str) -> None:
    """Refuse to export what is not a document of Google's, or to a type that its kind does not have."""
    if not file["mime_type"].startswith(DOCUMENTS):
        raise forbidden("fileNotExportable", "Export only supports Docs Editors files.", "fileId")
    if mime_type not in EXPORTS.get(file["mime_type"].removeprefix(DOCUMENTS), ()):
        raise _conversion_refusal()


def _conversion_refusal() -> GoogleRefusal:
    return error("INVALID_ARGUMENT", "The requested conversion is not supported.", "badRequest", "mimeType")


def _export_link(file: Row, mime_type: str) -> str:
    return f"https://docs.google.com/feeds/download/export?id={file['id']}&mimeType={mime_type}"
