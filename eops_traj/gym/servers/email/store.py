"""Changes of a mailbox: messages added and deleted, labels put on and off, all recorded in its history."""

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from email.message import Message
from typing import Any, Final

from eops_traj.gym.api_styles.google import error
from eops_traj.gym.servers.email import mime
from eops_traj.gym.servers.email.errors import not_found
from eops_traj.gym.servers.email.search import milliseconds
from eops_traj.gym.tools.call import Call, Row

SYSTEM_LABELS: Final = frozenset({"SENT", "DRAFT", "CHAT"})
"""Labels that only the system puts on or takes off."""


def add_message(
    call: Call, owner: str, raw: bytes, labels: Iterable[str], thread: str = "", when: datetime | None = None
) -> str:
    """Add a message to a mailbox and return its id; without a thread it joins the one that it answers."""
    message = mime.parse(raw)
    row = mime.columns(raw, message) | {"id": new_id(call), "user_id": owner}
    row["thread_id"] = thread or _thread_of(call, owner, message, row["subject"]) or row["id"]
    row["internal_date"] = milliseconds(when or call.database.now())
    _begin_thread(call, row["thread_id"], owner)
    _insert(call, "messages", row)
    _update_snippet(call, row["thread_id"])
    for label in sorted(set(labels)):
        _insert(call, "message_labels", {"message_id": row["id"], "user_id": owner, "label_id": label})
    _attach(call, row["id"], message)
    record(call, "messageAdded", row, sorted(set(labels)))
    return str(row["id"])


def new_id(call: Call) -> str:
    """Return an id of 16 hex digits."""
    row = call.row("SELECT substr(new_hex(), 1, 16) AS id")
    assert row is not None
    return str(row["id"])


def _begin_thread(call: Call, thread: str, owner: str) -> None:
    """Begin a conversation unless it is there; of a seed that repeats one its id is no key."""
    call.rows(
        """INSERT INTO threads (id, user_id) SELECT :thread, :owner
        WHERE NOT EXISTS (SELECT 1 FROM threads WHERE id = :thread)""",
        thread=thread, owner=owner,
    )  # fmt: skip


def _insert(call: Call, table: str, row: Row) -> None:
    marks = ", ".join(f":{name}" for name in row)
    call.rows(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", **row)  # noqa: S608


def _thread_of(call: Call, owner: str, message: Message, subject: str) -> str:
    """Return the conversation of a message that this one answers, if their subjects agree."""
    sql = """SELECT thread_id, subject FROM messages WHERE user_id = :owner
        AND rfc822_message_id IN (SELECT value FROM json_each(:ids)) ORDER BY internal_date DESC"""
    rows = call.rows(sql, owner=owner, ids=_json_text(mime.references(message)))
    return next((row["thread_id"] for row in rows if mime.same_subject(row["subject"], subject)), "")


def _json_text(values: Sequence[str]) -> str:
    return json.dumps(list(values))


def _attach(call: Call, message_id: str, message: Message) -> None:
    for number, name, mime_type, data in mime.attachments(message):
        row = {"id": f"ANGjdJ{new_id(call)}", "message_id": message_id, "part_id": number, "filename": name}
        content = {"mime_type": mime_type, "size": len(data), "data": mime.encode(data)}
        _insert(call, "attachments", row | content)


def _update_snippet(call: Call, thread: str) -> None:
    """Set the snippet of a conversation to that of its latest message."""
    sql = """UPDATE threads SET snippet = (SELECT snippet FROM messages WHERE thread_id = :thread
        ORDER BY internal_date DESC, id DESC LIMIT 1) WHERE id = :thread"""
    call.rows(sql, thread=thread)


def record(call: Call, kind: str, message: Row, labels: Sequence[str]) -> None:
    """Record a change of a message, and the new history id of it, its thread and its mailbox."""
    entry = call.row(
        """INSERT INTO history (user_id, history_type, message_id, thread_id, label_ids, created_at)
        VALUES (:owner, :kind, :message, :thread, :labels, :now) RETURNING id""",
        owner=message["user_id"], kind=kind, message=message["id"], thread=message["thread_id"],
        labels=_json_text(labels),
    )  # fmt: skip
    assert entry is not None
    targets = (("messages", message["id"]), ("threads", message["thread_id"]), ("users", message["user_id"]))
    for table, key in targets:
        call.rows(f"UPDATE {table} SET history_id = :entry WHERE id = :key", entry=entry["id"], key=key)  # noqa: S608


# look-ups


def message(call: Call, message_id: str) -> Row:
    """Return a message of the call's mailbox; refuse one that does not exist."""
    row = call.row("SELECT * FROM messages WHERE id = :message AND user_id = :userId", message=message_id)
    if row is None:
        raise not_found()
    return row


def thread(call: Call, thread_id: str) -> list[Row]:
    """Return the messages of a conversation of the call's mailbox, oldest first."""
    sql = """SELECT * FROM messages WHERE thread_id = :thread AND user_id = :userId
        ORDER BY internal_date, history_id, id"""
    rows = call.rows(sql, thread=thread_id)
    if not rows:
        raise not_found()
    return rows


def labels_of(call: Call, message_id: str) -> list[str]:
    """Return the ids of the labels on a message."""
    sql = "SELECT label_id FROM message_labels WHERE message_id = :message ORDER BY label_id"
    return [row["label_id"] for row in call.rows(sql, message=message_id)]


# labels


def known_labels(call: Call, owner: str) -> frozenset[str]:
    """Return the ids of all labels of a mailbox."""
    return frozenset(
        row["id"] for row in call.rows("SELECT id FROM labels WHERE user_id = :owner", owner=owner)
    )


def check_labels(call: Call, labels: Iterable[str], location: str = "labelIds") -> None:
    """Refuse labels that the call's mailbox does not have."""
    known = known_labels(call, call.arguments["userId"])
    if unknown := [label for label in labels if label not in known]:
        raise error("INVALID_ARGUMENT", f"Invalid label: {unknown[0]}", "invalidArgument", location)


def change_labels(call: Call, row: Row, add: Iterable[str], remove: Iterable[str]) -> None:
    """Put labels on a message and take others off; only actual changes are recorded."""
    before = set(labels_of(call, row["id"]))
    added, removed = sorted(set(add) - before), sorted(set(remove) & before)
    for label in added:
        _insert(
            call, "message_labels", {"message_id": row["id"], "user_id": row["user_id"], "label_id": label}
        )
    for label in removed:
        sql = "DELETE FROM message_labels WHERE message_id = :message AND label_id = :label"
        call.rows(sql, message=row["id"], label=label)
    for kind, changed in (("labelAdded", added), ("labelRemoved", removed)):
        if changed:
            record(call, kind, row, changed)


def delete(call: Call, row: Row) -> None:
    """Delete a message for good, its conversation too if nothing is left of it."""
    labels = labels_of(call, row["id"])
    call.rows("DELETE FROM messages WHERE id = :message", message=row["id"])
    remaining: Any = call.row("SELECT 1 FROM messages WHERE thread_id = :thread", thread=row["thread_id"])
    if remaining is None:
        call.rows("DELETE FROM threads WHERE id = :thread", thread=row["thread_id"])
    else:
        _update_snippet(call, row["thread_id"])
    record(call, "messageDeleted", row, labels)
