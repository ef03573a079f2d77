"""The tools of drafts. A draft keeps its id while it is written; each version of its message has its own."""

from eops_traj.gym.servers.email import delivery, mime, resources, search, store
from eops_traj.gym.servers.email.errors import not_found
from eops_traj.gym.servers.email.messages import given_labels, given_thread, message_bytes
from eops_traj.gym.servers.email.resources import Resource
from eops_traj.gym.tools.call import Call, Row
from eops_traj.gym.tools.tool import tool


def _draft(call: Call) -> Row:
    row = call.row("SELECT * FROM drafts WHERE id = :id AND user_id = :userId")
    if row is None:
        raise not_found()
    return row


def _write(call: Call, thread: str = "") -> str:
    """Store the message of the call as a draft's; return its id."""
    message = call.arguments["message"]
    raw = delivery.with_own_headers(call, message_bytes(message, "message.raw"), thread)
    return store.add_message(
        call, call.arguments["userId"], raw, {"DRAFT", *given_labels(call, message, "DRAFT")}, thread
    )


@tool
def create_draft(call: Call) -> Resource:
    """(userId, message!) -> row of drafts

    Write a message without sending it.
    """
    written = _write(call, given_thread(call, call.arguments["message"]))
    sql = """INSERT INTO drafts (id, user_id, message_id)
        VALUES ('r-' || substr(new_hex(), 1, 16), :userId, :written) RETURNING *"""
    return resources.draft(call, call.rows(sql, written=written)[0])


@tool
def list_drafts(call: Call) -> Resource:
    """(userId, maxResults, pageToken, q, includeSpamTrash) -> row of drafts

    The drafts whose messages match a search, newest first.
    """
    drafts = {
        row["message_id"]: row["id"] for row in call.rows("SELECT * FROM drafts WHERE user_id = :userId")
    }
    matches = [
        {"id": drafts[c.row["id"]], "message": {"id": c.row["id"], "threadId": c.row["thread_id"]}}
        for c in search.search_messages(call)
        if c.row["id"] in drafts
    ]
    return resources.page_resource(call, "drafts", matches)


@tool
def get_draft(call: Call) -> Resource:
    """(userId, id!, format) -> row of drafts

    A draft with its message.
      format: How much of the message. {type: string, enum: [minimal, full, raw, metadata], default: full}
    """
    row, form = _draft(call), call.arguments["format"]
    return {"id": row["id"], "message": resources.message(call, store.message(call, row["message_id"]), form)}


@tool
def update_draft(call: Call) -> Resource:
    """(userId, id!, message!) -> row of drafts

    Replace what a draft says. It stays in its conversation.
    """
    row = _draft(call)
    before = store.message(call, row["message_id"])
    thread = given_thread(call, call.arguments["message"]) or before["thread_id"]
    written = _write(call, thread)
    call.rows("UPDATE drafts SET message_id = :written WHERE id = :id", written=written)
    store.delete(call, before)
    return resources.draft(call, row | {"message_id": written})


@tool
def send_draft(call: Call) -> Resource:
    """(userId, id!, message!) -> row of drafts

    Send a draft, as it stands or as the message given here. The draft is gone then, its message is in Sent.
      message: What it says at last; empty to send it as it stands.
    @outward
    """
    before, message = store.message(call, _draft(call)["message_id"]), call.arguments["message"]
    rewritten = message.get("raw") is not None or message.get("payload") is not None
    raw = message_bytes(message, "message.raw") if rewritten else mime.decode(before["raw"])
    labels = given_labels(call, message, "SENT", "DRAFT")
    sent = delivery.send(call, raw, before["thread_id"], labels)
    store.delete(call, before)
    return resources.brief_message(call, store.message(call, sent))


@tool
def delete_draft(call: Call) -> bool:
    """(userId, id!) -> done of drafts

    Delete a draft for good, its message too.
    """
    store.delete(call, store.message(call, _draft(call)["message_id"]))
    return True
