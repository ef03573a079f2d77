"""The tools of messages: found, shown, sent, labelled, thrown away."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from eops_traj.gym.api_styles.google import error, invalid
from eops_traj.gym.servers.email import composing, delivery, mime, resources, search, store
from eops_traj.gym.servers.email.mime import MimeError
from eops_traj.gym.servers.email.resources import Resource
from eops_traj.gym.tools.call import Call, Row
from eops_traj.gym.tools.tool import tool

TRASHED: Final = (("TRASH",), ("INBOX", "SPAM"))
"""What going to the trash puts on a message, and what it takes off."""


# shared steps


def source(given: Mapping[str, Any], location: str = "raw") -> bytes:
    """The bytes of a message that is given as ``raw`` or as ``payload``; exactly one of them."""
    raw, payload = given.get("raw"), given.get("payload")
    if (raw is None) == (payload is None):
        raise error(
            "INVALID_ARGUMENT", "Give the message as raw or as payload, and not as both", "required", location
        )
    try:
        data = composing.compose(payload or {}) if raw is None else mime.decode(raw)
        mime.parse(data)
    except MimeError as problem:
        raise delivery.reading(problem, location if raw is not None else "payload") from None
    return data


def thread_id(call: Call, given: Mapping[str, Any]) -> str:
    """The thread that a message is given for, which has to be there; empty if none is."""
    wanted = given.get("threadId") or ""
    if wanted:
        store.thread(call, wanted)
    return wanted


def own_labels(call: Call, given: Mapping[str, Any], *unless: str) -> list[str]:
    """The labels that a message is given with, which have to be there; some go without saying."""
    labels = [label for label in given.get("labelIds") or () if label not in unless]
    store.check_labels(call, labels)
    return labels


def changes(call: Call) -> tuple[list[str], list[str]]:
    """The labels to put on and to take off, which have to make sense."""
    add, remove = (list(call.arguments.get(name) or ()) for name in ("addLabelIds", "removeLabelIds"))
    if not add and not remove:
        raise invalid("addLabelIds", "No label add or removes specified")
    store.check_labels(call, [*add, *remove], "addLabelIds")
    if both := sorted({*add} & {*remove}):
        raise invalid("addLabelIds", f"Cannot both add and remove the same label: {both[0]}")
    if fixed := sorted(store.FIXED & {*add, *remove}):
        raise invalid("addLabelIds", f"Invalid label: {fixed[0]}")
    return add, remove


def relabelled(call: Call, rows: Iterable[Row], add: Iterable[str], remove: Iterable[str]) -> list[Resource]:
    """Change the labels of messages; each of them as it is then."""
    add, remove, shown = list(add), list(remove), []
    for row in rows:
        store.relabel(call, row, add, remove)
        shown.append(resources.brief(call, row))
    return shown


def _one(call: Call, add: Iterable[str], remove: Iterable[str]) -> Resource:
    return relabelled(call, [store.message(call, call.arguments["id"])], add, remove)[0]


def _several(call: Call) -> list[Row]:
    """The messages of ``ids`` that are there; the others are passed over."""
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
    found = search.labelled(search.found(call), call.arguments.get("labelIds", ()))
    return resources.estimated(call, "messages", [_ids(c.row) for c in found])


def _ids(row: Mapping[str, Any]) -> Resource:
    return {"id": row["id"], "threadId": row["thread_id"]}


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
    """
    raw, thread = source(call.arguments), thread_id(call, call.arguments)
    labels = own_labels(call, call.arguments, "SENT", "DRAFT")
    sent = delivery.send(call, raw, thread, labels)
    return resources.brief(call, store.message(call, sent))


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
    raw = source(call.arguments)
    labels = own_labels(call, call.arguments)
    return _put(call, raw, delivery.arrive(call, raw, labels))


@tool
def insert_message(call: Call) -> Resource:
    """(userId, threadId, labelIds, snippet, historyId, internalDate, payload, sizeEstimate,
      raw, internalDateSource, deleted) -> row of messages

    Put a message into a mailbox just as it is, with the labels given and past all filters. Nothing is sent.
    @allow admin
    """
    return _put(call, source(call.arguments), own_labels(call, call.arguments))


def _put(call: Call, raw: bytes, labels: Iterable[str]) -> Resource:
    """Keep it. A message that is deleted from the start leaves its history alone."""
    arguments = call.arguments
    thread = thread_id(call, arguments)
    kept = store.put(call, arguments["userId"], raw, labels, thread, _arrival(call, raw))
    row = store.message(call, kept)
    shown = resources.brief(call, row)
    if arguments.get("deleted"):
        store.delete(call, row)
    return shown


def _arrival(call: Call, raw: bytes) -> datetime | None:
    """When it arrived: as given, by its Date header if that is wanted, or now."""
    if given := call.arguments.get("internalDate"):
        if not given.isascii() or not given.isdigit() or len(given) > 13:
            raise invalid("internalDate")
        return datetime.fromtimestamp(int(given) / 1000, UTC)
    return mime.date_of(mime.parse(raw)) if call.arguments.get("internalDateSource") == "dateHeader" else None


@tool
def modify_message(call: Call) -> Resource:
    """(userId!, id!, addLabelIds, removeLabelIds) -> row of messages

    Put labels on a message and take others off. Read is without UNREAD, archived is without INBOX.
      addLabelIds: {maxItems: 100}
      removeLabelIds: {maxItems: 100}
    """
    return _one(call, *changes(call))


@tool
def batch_modify_messages(call: Call) -> bool:
    """(userId, ids!, addLabelIds, removeLabelIds) -> done of messages

    Put labels on many messages and take others off. Ids that are not there are passed over.
    """
    relabelled(call, _several(call), *changes(call))
    return True


@tool
def trash_message(call: Call) -> Resource:
    """(userId!, id!) -> row of messages

    Move a message to the trash.
    """
    return _one(call, *TRASHED)


@tool
def untrash_message(call: Call) -> Resource:
    """(userId!, id!) -> row of messages

    Take a message out of the trash. It is back among all mail; the inbox gets it only by modify_message.
    """
    return _one(call, (), ("TRASH",))


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
    for row in _several(call):
        store.delete(call, row)
    return True
