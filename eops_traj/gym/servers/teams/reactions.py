"""Reactions to messages: an emoji and who chose it, kept with the message."""

import json
from typing import Any, Final

from eops_traj.gym.api_styles.odata import evaluate
from eops_traj.gym.api_styles.odata_ast import Path
from eops_traj.gym.servers.teams.tools import update
from eops_traj.gym.tools.call import Call
from eops_traj.gym.tools.tool import tool

_KIND: Final = Path(("reactionType",))
_PERSON: Final = Path(("user", "user", "id"))


@tool
def set_chat_message_reaction(call: Call) -> bool:
    """(chatId!, messageId!, reactionType!) -> done of chat_messages

    React to a message of a chat with an emoji.
    """
    return _react(call, "chat_messages", _message_id(call), True)


@tool
def unset_chat_message_reaction(call: Call) -> bool:
    """(chatId!, messageId!, reactionType!) -> done of chat_messages

    Take back one's own reaction to a message of a chat.
    """
    return _react(call, "chat_messages", _message_id(call), False)


@tool
def set_channel_message_reaction(call: Call) -> bool:
    """(teamId!, channelId!, messageId!, reactionType!, replyId) -> done of channel_messages

    React to a message of a channel, or to a reply, with an emoji.
    """
    return _react(call, "channel_messages", _message_id(call), True)


@tool
def unset_channel_message_reaction(call: Call) -> bool:
    """(teamId!, channelId!, messageId!, reactionType!, replyId) -> done of channel_messages

    Take back one's own reaction to a message of a channel, or to a reply.
    """
    return _react(call, "channel_messages", _message_id(call), False)


def _message_id(call: Call) -> str:
    """Return the id of the message, or of the reply to it, that the call is about."""
    return str(call.arguments.get("replyId") or call.arguments["messageId"])


def _kind_and_person(reaction: Any) -> tuple[Any, Any]:
    """Return the kind of a reaction and who chose it; None for what it lacks, as one that was written may."""
    return evaluate(_KIND, reaction), evaluate(_PERSON, reaction)


def _react(call: Call, table: str, key: str, reacts: bool) -> bool:
    """Add or take away the caller's reaction of this kind."""
    kind, sender = call.arguments["reactionType"], json.loads(call.caller["sender"])
    message = call.row(f"SELECT reactions_json FROM {table} WHERE message_id = :key", key=key)  # noqa: S608
    before = (message or {})["reactions_json"] or []
    mine = [r for r in before if _kind_and_person(r) == (kind, sender["user"]["id"])]
    if not mine and not reacts:
        call.refuse(f"Reaction not found: {kind}")
    after = [r for r in before if r not in mine]
    if reacts:
        after.append({"reactionType": kind, "createdDateTime": call.now, "user": sender})
    update(call, table, "message_id", key, reactions_json=after, last_modified_datetime=call.now)
    return True
