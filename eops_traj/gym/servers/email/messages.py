"""The tools of messages: search, reading, sending, labels, the trash."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from eops_traj.gym.api_styles.google import error, invalid
from eops_traj.gym.servers.email import composing, delivery, mime, resources, search, store
from eops_traj.gym.servers.email.mime import MimeError
from eops_traj.gym.servers.email.resources import Resource
from eops_traj.gym.tools.call import Call, Row
from eops_traj.gym.tools.tool import tool

TRASH_CHANGES: Final = (("TRASH",), ("INBOX", "SPAM"))
"""The labels that the trash puts on a message, and those it takes off."""


# shared steps


def message_bytes(fields: Mapping[str, Any], location: str = "raw") -> bytes:
    """Return the bytes of a message that is given as ``raw`` or as ``payload``; exactly one of them."""
    raw, payload = fields.get("raw"), fields.get("payload")
    if (raw is None) == (payload is None):
        raise error(
            "INVALID_ARGUMENT", "Give the message as raw or as payload, and not as both", "required", location
        )
    try:
        data = composing.compose(payload or {}) if raw is None else mime.decode(raw)
        mime.parse(data)
    except MimeError as problem:
        raise delivery.mime_refusal(problem, location if raw is not None else "payload") from None
    return data


def given_thread(call: Call, fields: Mapping[str, Any]) -> str:
    """Return the existing thread that a message is given for; empty if none is."""
    thread = fields.get("threadId") or ""
    if thread:
        store.thread(call, thread)
    return thread


def given_labels(call: Call, fields: Mapping[str, Any], *implied: str) -> list[str]:
    """Return the existing labels that a message is given with; some go without saying."""
    labels = [label for label in fields.get("labelIds") or () if label not in implied]
    store.check_labels(call, labels)
    return labels


def label_changes(call: Call) -> tuple[list[str], list[str]]:
    """Return the labels to put on and to take off; refuse changes that make no sense."""
    add, remove = (list(call.arguments.get(name) or ()) for name in ("addLabelIds", "removeLabelIds"))
    if not add and not remove:
        raise invalid("addLabelIds", "No label add or removes specified")
    store.check_labels(call, [*add, *remove], "addLabelIds")
    if both := sorted({*add} & {*remove}):
        raise invalid("addLabelIds", f"Cannot both add and remove the same label: {both[0]}")
    if system := sorted(store.SYSTEM_LABELS & {*add, *remove}):
        raise invalid("addLabelIds", f"Invalid label: {system[0]}")
    return add, remove


def relabel_messages(
    call: Call, rows: Iterable[Row], add: Iterable[str], remove: Iterable[str]
) -> list[Resource]:
    """Change the labels of messages; return each of them as it is then."""
    add, remove, messages = list(add), list(remove), []
    for row in rows:
        store.change_labels(call, row, add, remove)
        messages.append(resources.brief_message(call, row))
    return messages


def _relabel_one(call: Call, add: Iterable[str], remove: Iterable[str]) -> Resource:
    return relabel_messages(call, [store.message(call, call.arguments["id"])], add, remove)[0]


def _rows_by_ids(call: Call) -> list[Row]:
    """Return the existing messages among ``ids``; the others are passed over."""
    sql = """SELECT * FROM messages WHERE user_id = :userId
        AND id IN (SELECT value FROM json_each(:ids)) ORDER BY internal_date, id"""
    return call.rows(sql)


# messages


@tool
def list_messages(call: Call) -> Resource:
    """(userId!, maxResults, pageToken, q, labelIds, includeSpamTrash) -> row of messages

    The messages that match a search and carry all of these labels, newest first, by id. What they say is in
    get_message.
    """
    candidates = search.with_labels(search.search_messages(call), call.arguments.get("labelIds", ()))
    messages = [{"id": c.row["id"], "threadId": c.row["thread_id"]} for c in candidates]
    return resources.page_resource(call, "messages", messages)


@tool
def get_message(call: Call) -> Resource:
    """(userId, id!, format, metadataHeaders) -> row of messages

    A message: its labels, headers, text and files.
      format: How much of it. {type: string, enum: [minimal, full, raw, metadata], default: full}
    """
    arguments = call.arguments
    row = store.message(call, arguments["id"])
    return resources.message(call, row, arguments["format"], arguments.get("metadataHeaders", ()))


@tool
def send_message(call: Call) -> Resource:
    """(userId!, threadId, labelIds, snippet, historyId, internalDate, payload, sizeEstimate,
      raw) -> row of messages

    Send a message, given as raw or as payload, to everyone in To, Cc and Bcc. With threadId it becomes part
    of that conversation.
    @outward
    """
    raw, thread = message_bytes(call.arguments), given_thread(call, call.arguments)
    labels = given_labels(call, call.arguments, "SENT", "DRAFT")
    sent = delivery.send(call, raw, thread, labels)
    return resources.brief_message(call, store.message(call, sent))


@tool
def import_message(call: Call) -> Resource:
    """(userId, threadId, labelIds, snippet, historyId, internalDate, payload, sizeEstimate,
      raw, internalDateSource, neverMarkSpam, processForCalendar, deleted) -> row of messages

    Put a message into a mailbox as if it had arrived: unread in the inbox unless labels are given, and sorted
    by the filters. Nothing is sent.
      neverMarkSpam: Nothing is marked as spam here, so it changes nothing. {type: boolean, default: false}
      processForCalendar: The calendar is a server of its own; ignored. {type: boolean, default: false}
    @allow admin
    """
    raw = message_bytes(call.arguments)
    labels = given_labels(call, call.arguments)
    return _put(call, raw, delivery.arrival_labels(call, raw, labels))


@tool
def insert_message(call: Call) -> Resource:
    """(userId, threadId, labelIds, snippet, historyId, internalDate, payload, sizeEstimate,
      raw, internalDateSource, deleted) -> row of messages

    Put a message into a mailbox just as it is, with the labels given and past all filters. Nothing is sent.
    @allow admin
    """
    return _put(call, message_bytes(call.arguments), given_labels(call, call.arguments))


def _put(call: Call, raw: bytes, labels: Iterable[str]) -> Resource:
    """Add the message. One that is deleted from the start leaves its history alone."""
    arguments = call.arguments
    thread = given_thread(call, arguments)
    kept = store.add_message(call, arguments["userId"], raw, labels, thread, _arrival_time(call, raw))
    row = store.message(call, kept)
    resource = resources.brief_message(call, row)
    if arguments.get("deleted"):
        store.delete(call, row)
    return resource


def _arrival_time(call: Call, raw: bytes) -> datetime | None:
    """Return the time of arrival: as given, by its Date header if that is wanted, or now."""
    if milliseconds := call.arguments.get("internalDate"):
        if not milliseconds.isascii() or not milliseconds.isdigit() or len(milliseconds) > 13:
            raise invalid("internalDate")
        return datetime.fromtimestamp(int(milliseconds) / 1000, UTC)
    return mime.date_of(mime.parse(raw)) if call.arguments.get("internalDateSource") == "dateHeader" else None


@tool
def modify_message(call: Call) -> Resource:
    """(userId!, id!, addLabelIds, removeLabelIds) -> row of messages

    Put labels on a message and take others off. Read is without UNREAD, archived is without INBOX.
      addLabelIds: {maxItems: 100}
      removeLabelIds: {maxItems: 100}
    """
    return _relabel_one(call, *label_changes(call))


@tool
def batch_modify_messages(call: Call) -> bool:
    """(userId, ids!, addLabelIds, removeLabelIds) -> done of messages

    Put labels on many messages and take others off. Ids that are not there are passed over.
    """
    relabel_messages(call, _rows_by_ids(call), *label_changes(call))
    return True


@tool
def trash_message(call: Call) -> Resource:
    """(userId!, id!) -> row of messages

    Move a message to the trash.
    """
    return _relabel_one(call, *TRASH_CHANGES)


@tool
def untrash_message(call: Call) -> Resource:
    """(userId!, id!) -> row of messages

    Take a message out of the trash. It is back among all mail; the inbox gets it only by modify_message.
    """
    return _relabel_one(call, (), ("TRASH",))


@tool
def delete_message(call: Call) -> bool:
    """(userId, id!) -> done of messages

    Delete a message for good. trash_message can be undone, this cannot.
    """
    store.delete(call, store.message(call, call.arguments["id"]))
    return True


@tool
def batch_delete_messages(call: Call) -> bool:
    """(userId!, ids!) -> done of messages

    Delete many messages for good. Ids that are not there are passed over.
    """
    for row in _rows_by_ids(call):
        store.delete(call, row)
    return True
