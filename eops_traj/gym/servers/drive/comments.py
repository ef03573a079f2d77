"""Comments on files and the replies to them. Deleted ones keep their row and lose their content."""

from typing import Any

from eops_traj.gym.api_styles.google import listing, parse_time, resource
from eops_traj.gym.servers.drive import access, records
from eops_traj.gym.servers.drive.errors import not_found
from eops_traj.gym.servers.drive.resources import Resource, user_sql
from eops_traj.gym.tools.call import Call, Row
from eops_traj.gym.tools.tool import tool

_COMMENTS = (
    f'SELECT c.*, {user_sql("c.author_id")} AS "author JSON" FROM comments c WHERE c.file_id = :fileId'  # noqa: S608
)
_REPLIES = f'SELECT r.*, {user_sql("r.author_id")} AS "author JSON" FROM replies r'  # noqa: S608


@tool
def get_comments(call: Call) -> Resource:
    """(fileId! = file_id, commentId! = id, includeDeleted) -> row of comments

    One comment on a file, with its replies.
    @closed
    """
    access.open_file(call)
    return _comment_resource(call, _comment_row(call))


@tool
def list_comments(call: Call) -> Resource:
    """(fileId! = file_id, includeDeleted, pageSize, pageToken, startModifiedTime) -> rows of comments

    The comments on a file, newest first, each with its replies.
      startModifiedTime: Leave out what last changed before this time (RFC 3339).
        {type: string, examples: ["2025-11-01T00:00:00Z"]}
    @closed
    """
    access.open_file(call)
    since = call.arguments.get("startModifiedTime")
    rows = call.rows(
        f"{_COMMENTS} AND (:includeDeleted OR c.deleted IS NOT 1) AND c.modified_time >= coalesce(:since, '')"
        " ORDER BY c.created_time DESC, c.id DESC",
        since=parse_time(since, "startModifiedTime") if since else None,
    )
    return listing(call, "drive#commentList", "comments", rows, lambda row: _comment_resource(call, row))


@tool
def create_comments(call: Call) -> Resource:
    """(fileId! = file_id, content!, anchor) -> row of comments

    Comment on a file. It takes the role of a commenter at least.
      content: {maxLength: 8192}
    @closed
    @outward
    """
    file = access.open_file(call, "commenter")
    comment = call.row(
        """INSERT INTO comments {values, author_id = :caller_id, html_content = :html}
        RETURNING id""",
        html=_html(call),
    )
    assert comment is not None
    records.record_change(call, "comment_created", file, comment_id=comment["id"])
    return _comment_resource(call, _comment_row(call, comment["id"]))


@tool
def update_comments(call: Call) -> Resource:
    """(fileId! = file_id, commentId! = id, content, anchor) -> row of comments

    Change the text or the anchor of a comment. Only its author may.
    @closed
    """
    file, comment = access.open_file(call), _comment_row(call)
    _check_author(call, comment, "comment")
    if not call.arguments.keys() & {"content", "anchor"}:
        raise call.server.responses.nothing_given(call.tool)
    call.rows(
        """UPDATE comments SET {changes}, html_content = coalesce(:html, html_content)
        WHERE id = :commentId AND file_id = :fileId RETURNING id""",
        html=_html(call),
    )
    records.record_change(call, "comment_updated", file, comment_id=comment["id"])
    return _comment_resource(call, _comment_row(call))


@tool
def delete_comments(call: Call) -> bool:
    """(fileId! = file_id, commentId! = id) -> done of comments

    Delete a comment and its replies. Its author may, and whoever owns the file.
    @closed
    """
    file, comment = access.open_file(call), _comment_row(call)
    if file["rank"] < access.full_rank(file):
        _check_author(call, comment, "comment")
    call.rows("UPDATE comments SET deleted = 1, modified_time = :now WHERE id = :commentId RETURNING id")
    call.rows(
        """UPDATE replies SET deleted = 1, modified_time = :now
        WHERE comment_id = :commentId AND deleted IS NOT 1 RETURNING id"""
    )
    records.record_change(call, "comment_deleted", file, comment_id=comment["id"])
    return True


@tool
def get_replies(call: Call) -> Resource:
    """(fileId! = comments.file_id, commentId! = comment_id, replyId! = id, includeDeleted) -> row of replies

    One reply to a comment.
    @closed
    """
    access.open_file(call)
    _comment_row(call)
    return _reply_resource(_reply_row(call))


@tool
def list_replies(call: Call) -> Resource:
    """(fileId! = comments.file_id, commentId! = comment_id, includeDeleted, pageSize, pageToken)
      -> rows of replies

    The replies to a comment, oldest first.
      pageSize: {maximum: 1000, default: 10}
    @closed
    """
    access.open_file(call)
    rows = _replies(call, _comment_row(call)["id"])
    return listing(call, "drive#replyList", "replies", rows, _reply_resource)


@tool
def create_replies(call: Call) -> Resource:
    """(fileId! = comments.file_id, commentId! = comment_id, content!) -> row of replies

    Reply to a comment. It takes the role of a commenter at least.
    @closed
    @outward
    """
    file = access.open_file(call, "commenter")
    _comment_row(call)
    reply = records.insert(call, "replies", {
        "id": records.new_id(call), "comment_id": call.arguments["commentId"],
        "content": call.arguments["content"], "html_content": _html(call),
        "author_id": call.caller.get("id"), "created_time": call.now, "modified_time": call.now,
    })  # fmt: skip
    _record_reply_change(call, "reply_created", file, reply["id"])
    return _reply_resource(_reply_row(call, reply["id"]))


@tool
def update_replies(call: Call) -> Resource:
    """(fileId! = comments.file_id, commentId! = comment_id, replyId! = id, content!) -> row of replies

    Change the text of a reply. Only its author may.
    @closed
    """
    file = access.open_file(call)
    _comment_row(call)
    _check_author(call, _reply_row(call), "reply")
    change = """UPDATE replies SET content = :content, html_content = :html, modified_time = :now
        WHERE id = :replyId RETURNING id"""
    call.rows(change, html=_html(call))
    _record_reply_change(call, "reply_updated", file, call.arguments["replyId"])
    return _reply_resource(_reply_row(call))


@tool
def delete_replies(call: Call) -> bool:
    """(fileId! = comments.file_id, commentId! = comment_id, replyId! = id) -> done of replies

    Delete a reply. Its author may, and whoever owns the file.
    @closed
    """
    file = access.open_file(call)
    _comment_row(call)
    reply = _reply_row(call)
    if file["rank"] < access.full_rank(file):
        _check_author(call, reply, "reply")
    call.rows("UPDATE replies SET deleted = 1, modified_time = :now WHERE id = :replyId RETURNING id")
    _record_reply_change(call, "reply_deleted", file, reply["id"])
    return True


def _comment_row(call: Call, comment_id: str | None = None) -> Row:
    """Find the comment of the call, or another, on its file."""
    comment_id = call.arguments["commentId"] if comment_id is None else comment_id
    row = call.row(f"{_COMMENTS} AND c.id = :comment", comment=comment_id)
    if row is None or (row["deleted"] and not call.arguments.get("includeDeleted")):
        raise not_found("commentId", comment_id)
    return row


def _reply_row(call: Call, reply_id: str | None = None) -> Row:
    reply_id = call.arguments["replyId"] if reply_id is None else reply_id
    row = call.row(f"{_REPLIES} WHERE r.comment_id = :commentId AND r.id = :reply", reply=reply_id)
    if row is None or (row["deleted"] and not call.arguments.get("includeDeleted")):
        raise not_found("replyId", reply_id)
    return row


def _replies(call: Call, comment_id: str) -> list[Row]:
    return call.rows(
        f"{_REPLIES} WHERE r.comment_id = :comment AND (:deleted OR r.deleted IS NOT 1)"
        " ORDER BY r.created_time, r.id",
        comment=comment_id,
        deleted=call.arguments.get("includeDeleted", False),
    )


def _check_author(call: Call, row: Row, kind: str) -> None:
    if row["author_id"] != call.caller.get("id"):
        raise access.denied(kind)


def _record_reply_change(call: Call, change: str, file: Row, reply_id: str) -> None:
    """Record a change of a reply, which changes its comment too."""
    call.rows("UPDATE comments SET modified_time = :now WHERE id = :commentId RETURNING id")
    records.record_change(call, change, file, comment_id=call.arguments["commentId"], reply_id=reply_id)


def _html(call: Call) -> str | None:
    content = call.arguments.get("content")
    return None if content is None else f"<p>{content}</p>"


def _comment_resource(call: Call, row: Row) -> Resource:
    quoted = {"mimeType": row["quoted_file_content_mime_type"], "value": row["quoted_file_content_value"]}
    return _resource(
        row, "quoted_file_content_mime_type", "quoted_file_content_value",
        quotedFileContent=quoted if quoted["value"] else None,
        replies=[_reply_resource(reply) for reply in _replies(call, row["id"])],
    )  # fmt: skip


def _reply_resource(row: Row) -> Resource:
    return _resource(row, "comment_id")


def _resource(row: Row, *left_out: str, **more: Any) -> Resource:
    """Return what comments and replies have in common; of a deleted one, only that it existed."""
    content = ("content", "html_content") if row["deleted"] else ()
    return resource(row, "file_id", "author_id", *content, *left_out, **more)
