"""The revisions of a file. Deleted ones keep their row."""

from typing import Any

from eops_traj.gym.api_styles.google import forbidden, listing, resource
from eops_traj.gym.servers.drive import access, records
from eops_traj.gym.servers.drive.errors import not_found
from eops_traj.gym.servers.drive.resources import DOCUMENTS, Resource, user_sql
from eops_traj.gym.tools.call import Call, Row
from eops_traj.gym.tools.tool import tool

_REVISIONS = f"""SELECT r.*, {user_sql("r.last_modifying_user_id")} AS "lastModifyingUser JSON"
    FROM revisions r WHERE r.file_id = :fileId AND r.deleted IS NOT 1"""  # noqa: S608


@tool
def list_revisions(call: Call) -> Resource:
    """(fileId! = file_id, pageSize, pageToken) -> rows of revisions

    The revisions of a file, oldest first. It takes the role of a writer.
      pageSize: {maximum: 1000, default: 10}
    @closed
    """
    access.open_file(call, "writer")
    rows = call.rows(f"{_REVISIONS} ORDER BY r.revision_number, r.id")
    return listing(call, "drive#revisionList", "revisions", rows, _resource)


@tool
def get_revisions(call: Call) -> Resource:
    """(fileId! = file_id, revisionId! = id, acknowledgeAbuse) -> row of revisions

    One revision of a file. It takes the role of a writer.
    @closed
    """
    access.open_file(call, "writer")
    return _resource(find(call))


@tool
def update_revisions(call: Call) -> Resource:
    """(fileId! = file_id, revisionId! = id, keepForever = keep_forever, published,
      publishAuto = publish_auto) -> row of revisions

    Keep a revision for ever, or publish it. Only files with content of their own can be kept, only Google's
    own documents published.
    @closed
    """
    file, arguments = access.open_file(call, "writer"), call.arguments
    revision = find(call)
    if not arguments.keys() & {"keepForever", "published", "publishAuto"}:
        raise call.server.responses.nothing_given(call.tool)
    _check_update(call, document=file["mime_type"].startswith(DOCUMENTS))
    link = f"https://docs.google.com/document/d/{file['id']}/pub" if arguments.get("published") else None
    call.rows(
        """UPDATE revisions SET {changes}, published_link = iif(:set_link, :link, published_link)
        WHERE id = :revisionId AND file_id = :fileId RETURNING id""",
        set_link="published" in arguments,
        link=link,
    )
    records.record_change(call, "revision_updated", file, revision_id=revision["id"])
    return _resource(find(call))


@tool
def delete_revisions(call: Call) -> bool:
    """(fileId! = file_id, revisionId! = id) -> done of revisions

    Delete a revision of a file with content of its own. The newest, the last and a published one stay.
    @closed
    """
    file, revision = access.open_file(call, "writer"), find(call)
    obstacles = {
        "Revisions of Docs Editors files cannot be deleted.": file["mime_type"].startswith(DOCUMENTS),
        "A published revision cannot be deleted.": revision["published"],
        "The current revision of a file cannot be deleted.": revision["id"] == _newest_id(call, file),
    }
    for message, applies in obstacles.items():
        if applies:
            raise forbidden("revisionDeletionNotSupported", message, "revisionId")
    call.rows("UPDATE revisions SET deleted = 1 WHERE id = :revisionId RETURNING id")
    records.record_change(call, "revision_deleted", file, revision_id=revision["id"])
    return True


def find(call: Call) -> Row:
    """Find the revision of the call."""
    row = call.row(f"{_REVISIONS} AND r.id = :revisionId")
    if row is None:
        raise not_found("revisionId", call.arguments["revisionId"])
    return row


def _check_update(call: Call, document: bool) -> None:
    """Refuse to keep what has no content of its own, and to publish what is not a document of Google's."""
    arguments = call.arguments
    if arguments.get("keepForever") and document:
        message = "Only revisions of files with binary content can be kept forever."
        raise forbidden("cannotKeepRevisionForever", message, "keepForever")
    if (arguments.get("published") or arguments.get("publishAuto")) and not document:
        message = "Only revisions of Docs Editors files can be published."
        raise forbidden("cannotPublishRevision", message, "published")


def _newest_id(call: Call, file: Row) -> str | None:
    if file["head_revision_id"]:
        return str(file["head_revision_id"])
    row = call.row(f"{_REVISIONS} ORDER BY r.revision_number DESC, r.id DESC")
    return str(row["id"]) if row else None


def _resource(row: Row) -> dict[str, Any]:
    size = None if row["size_bytes"] is None else str(row["size_bytes"])
    hidden = ("file_id", "blob_id", "size_bytes", "last_modifying_user_id", "deleted", "properties")
    return resource(row, *hidden, "revision_number", "created_time", size=size)
