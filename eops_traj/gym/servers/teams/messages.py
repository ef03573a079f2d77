"""The tools that send, edit and list messages of chats and channels."""

import json
from collections.abc import Mapping
from typing import Any

from eops_traj.gym.api_styles import odata
from eops_traj.gym.servers.teams.graph import entity, page
from eops_traj.gym.servers.teams.tools import insert, new_hex, update
from eops_traj.gym.tools.call import Call, Row
from eops_traj.gym.tools.tool import tool

_PLAIN_COLUMNS = ("subject", "summary", "importance", "locale")
_JSON_COLUMNS = {
    "body": "body_json", "attachments": "attachments_json", "mentions": "mentions_json",
    "reactions": "reactions_json", "messageHistory": "message_history_json",
    "policyViolation": "policy_violation_json",
}  # fmt: skip


@tool
def send_chat_message(call: Call) -> Row:
    """(chatId!, body!, replyToId, subject, summary, importance, locale, attachments, mentions,
      channelIdentity, policyViolation, messageType) -> row of chat_messages

    Write into a chat. The chat has to exist already.
      body: The text, and how it is written. {type: object, required: [content], properties: {
        content: {type: string}, contentType: {type: string, enum: [text, html], default: text}}}
      replyToId: Message it replies to. {type: string}
      importance: How important it is. {default: normal}
      locale: Language of the sender's client. {default: en-us}
      messageType: What kind of message it is. {default: message}
      channelIdentity: Not for chats. {type: object}
    @outward
    """
    if (parent := call.arguments.get("replyToId")) and not call.row(
        "SELECT 1 FROM chat_messages WHERE message_id = :replyToId AND chat_id = :chatId"
    ):
        call.refuse(f"Message not found: {parent}")
    key = str((call.row("SELECT id FROM next_chat_message") or {})["id"])
    _insert_message(
        call, "chat_messages", message_id=key, chat_id=call.arguments["chatId"], etag=key, reply_to_id=parent
    )
    call.rows("UPDATE chats SET updated_at = :now WHERE chat_id = :chatId")
    return entity(
        call, {"id": key}, "chats('{chatId}')/messages/$entity FROM graph_chat_message WHERE id = :id"
    )


@tool
def send_channel_message(call: Call) -> Row:
    """(teamId!, channelId!, body!, subject, attachments, mentions, importance) -> row of channel_messages

    Write into a channel. An archived one takes no more messages.
      body: The text, and how it is written. {type: object, required: [content, contentType], properties: {
        contentType: {type: string, enum: [text, html]}, content: {type: string}}}
      importance: How important it is. {default: normal}
    @outward
    """
    if call.row("SELECT 1 FROM channels WHERE channel_id = :channelId AND is_archived"):
        call.refuse("Cannot send messages to an archived channel")
    team, channel, key = call.arguments["teamId"], call.arguments["channelId"], f"msg_{new_hex(call)}"
    _insert_message(
        call, "channel_messages", message_id=key, channel_id=channel, team_id=team, etag=f"etag_{key}",
        web_url=f"https://teams.microsoft.com/l/message/{channel}/{key}",
    )  # fmt: skip
    where = "teams('{teamId}')/channels('{channelId}')/messages/$entity"
    return entity(call, {"id": key}, f"{where} FROM graph_channel_message WHERE id = :id")


@tool
def update_chat_message(call: Call) -> bool:
    """(chatId!, messageId!, body, subject, importance, attachments, mentions, reactions, messageHistory,
      policyViolation) -> done of chat_messages

    Change the fields given of a message that one has sent.
      body: The new text. {type: object, required: [content], properties: {
        content: {type: string}, contentType: {type: string, enum: [text, html]}}}
    @some body, subject, importance, attachments, mentions, reactions, messageHistory, policyViolation
    @refuse Only the sender can update the message WHEN NOT EXISTS (SELECT 1 FROM chat_messages
        WHERE message_id = :messageId AND from_json ->> '$.user.id' = :caller_user_id)
    """
    return _update_message(call, "chat_messages", call.arguments["messageId"])


@tool
def update_channel_message(call: Call) -> bool:
    """(teamId!, channelId!, messageId!, replyId, model, messageType, subject, summary, importance, locale,
      from, body, attachments, mentions, reactions, messageHistory, policyViolation)
      -> done of channel_messages

    Change the fields given of a message that one has sent, or of a reply. Its sender stays.
      model: How the call is paid for; it makes no difference here. {type: string, enum: [A]}
      messageType: What kind of message it is; it stays so. {type: string, enum: [message]}
      from: Who sent it. {type: object}
      body: The new text. {type: object, required: [content], properties: {
        contentType: {type: string, enum: [text, html]}, content: {type: string, minLength: 1}}}
    @some subject, summary, importance, locale, body, attachments, mentions, reactions, messageHistory,
        policyViolation
    @refuse Only the sender can update the message WHEN NOT EXISTS (SELECT 1 FROM channel_messages
        WHERE message_id = coalesce(:replyId, :messageId) AND from_json ->> '$.user.id' = :caller_user_id)
    """
    key = call.arguments.get("replyId") or call.arguments["messageId"]
    return _update_message(call, "channel_messages", key)


@tool
def list_chat_messages(call: Call) -> Row:
    """(chatId!, userId, _top, _orderby, _filter) -> row of chat_messages

    Messages of a chat, the newest first.
      userId: In whose name the chat is read. {type: string}
      _top: How many to show at most. {maximum: 50, default: 20}
      _orderby: What counts as the newest.
        {enum: ['lastModifiedDateTime desc', 'createdDateTime desc'], default: lastModifiedDateTime desc}
      _filter: Before or after a time, of the property that it is ordered by; otherwise it is ignored.
        {examples: [lastModifiedDateTime gt 2026-01-01T00:00:00Z]}
    """
    options = dict(call.arguments)
    try:
        filtered = odata.property_names(odata.parse(options.get("_filter", "")))
    except odata.ODataError:
        filtered = set()
    if filtered and filtered != {options["_orderby"].split()[0]}:
        del options["_filter"]
    rows = call.rows('SELECT * FROM graph_chat_message WHERE "chatId" = :chatId ORDER BY id DESC')
    return page(call, rows, "chats('{chatId}')/messages", True, options, "graph_chat_message")


def _insert_message(call: Call, table: str, **columns: str | None) -> None:
    arguments = {**call.arguments, "body": {"contentType": "text"} | call.arguments["body"]}
    insert(
        call, table, **columns, **_message_columns(arguments), created_datetime=call.now,
        last_modified_datetime=call.now, from_json=json.loads(call.caller["sender"]),
        message_type=call.arguments.get("messageType", "message"),
    )  # fmt: skip


def _update_message(call: Call, table: str, key: str) -> bool:
    arguments = dict(call.arguments)
    if "body" in arguments:
        row = call.row(f"SELECT body_json FROM {table} WHERE message_id = :key", key=key)  # noqa: S608
        stored = row and row["body_json"]  # what is not said stays, and seeds hold anything
        arguments["body"] = (stored if isinstance(stored, dict) else {}) | arguments["body"]
    times = {"last_edited_datetime": call.now, "last_modified_datetime": call.now}
    update(call, table, "message_id", key, **_message_columns(arguments), **times)
    return True


def _message_columns(arguments: Mapping[str, Any]) -> Row:
    """Return the columns that arguments fill."""
    columns = {name: arguments[name] for name in _PLAIN_COLUMNS if name in arguments}
    return columns | {column: arguments[name] for name, column in _JSON_COLUMNS.items() if name in arguments}
