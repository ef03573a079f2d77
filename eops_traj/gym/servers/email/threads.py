"""The tools of threads: a conversation is all of its messages, and what is done to it is done to each."""

from collections.abc import Iterable

from eops_traj.gym.servers.email import resources, search, store
from eops_traj.gym.servers.email.messages import TRASH_CHANGES, label_changes, relabel_messages
from eops_traj.gym.servers.email.resources import Resource
from eops_traj.gym.tools.call import Call
from eops_traj.gym.tools.tool import tool


def _relabel_all(call: Call, add: Iterable[str], remove: Iterable[str]) -> Resource:
    thread = call.arguments["id"]
    return {"id": thread, "messages": relabel_messages(call, store.thread(call, thread), add, remove)}


@tool
def list_threads(call: Call) -> Resource:
    """(userId!, maxResults, pageToken, q, labelIds, includeSpamTrash) -> row of threads

    The conversations with a message that matches a search, the last active first. Their labels together have
    to include all of these.
    """
    labels: dict[str, set[str]] = {}
    candidates = search.search_messages(call)
    for candidate in candidates:
        labels.setdefault(candidate.row["thread_id"], set()).update(candidate.labels)
    required = set(call.arguments.get("labelIds", ()))
    threads = [thread for thread, carried in labels.items() if required <= carried]
    page = resources.page_resource(call, "threads", threads)
    return page | {"threads": [_short_resource(call, thread) for thread in page["threads"]]}


def _short_resource(call: Call, thread: str) -> Resource:
    row = call.rows("SELECT id, snippet, history_id FROM threads WHERE id = :thread", thread=thread)[0]
    return {"id": row["id"], "snippet": row["snippet"], "historyId": str(row["history_id"])}


@tool
def get_thread(call: Call) -> Resource:
    """(userId!, id!, format, metadataHeaders) -> row of threads

    A conversation with all its messages, oldest first.
      format: How much of each. {type: string, enum: [minimal, full, metadata], default: full}
    """
    arguments = call.arguments
    rows = store.thread(call, arguments["id"])
    headers = arguments.get("metadataHeaders", ())
    head = {"id": arguments["id"], "historyId": _short_resource(call, arguments["id"])["historyId"]}
    return head | {"messages": [resources.message(call, row, arguments["format"], headers) for row in rows]}


@tool
def modify_thread(call: Call) -> Resource:
    """(userId!, id!, addLabelIds, removeLabelIds) -> row of threads

    Put labels on all messages of a conversation and take others off.
      addLabelIds: {maxItems: 100}
      removeLabelIds: {maxItems: 100}
    """
    return _relabel_all(call, *label_changes(call))


@tool
def trash_thread(call: Call) -> Resource:
    """(userId!, id!) -> row of threads

    Move all messages of a conversation to the trash.
    """
    return _relabel_all(call, *TRASH_CHANGES)


@tool
def untrash_thread(call: Call) -> Resource:
    """(userId!, id!) -> row of threads

    Take all messages of a conversation out of the trash; the inbox gets them only by modify_thread.
    """
    return _relabel_all(call, (), ("TRASH",))


@tool
def delete_thread(call: Call) -> bool:
    """(userId!, id!) -> done of threads

    Delete a conversation and all its messages for good.
    """
    for row in store.thread(call, call.arguments["id"]):
        store.delete(call, row)
    return True
