"""The blocks of Anthropic's Messages API, of which requests, replies and results are made."""

from collections.abc import Sequence
from typing import Any

from eops_traj.hashing import canonical_json
from eops_traj.interchange.conversation import Conversation, call_of, refuse_action
from eops_traj.schema import Json, Turn

Block = dict[str, Any]
RESULT = "tool_result"
READ = ("text", "thinking", "tool_use")
"""The types of blocks that a turn has a field for."""
FOREIGN_ROLES = ("tool", "function", "developer")
"""Roles of OpenAI's API that this one does not have."""


def is_anthropic(record: dict[str, Any]) -> bool:
    """Check whether a record with messages has what only this API has, and nothing that only OpenAI's has."""
    messages, tools = record.get("messages"), record.get("tools")
    if not isinstance(messages, list) or any(map(_is_openai, messages)):
        return False
    declared = isinstance(tools, list) and any("input_schema" in tool for tool in tools if _is_object(tool))
    return declared or isinstance(record.get("system"), list) or any(map(_has_blocks, messages))


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


def _is_openai(message: Any) -> bool:
    return _is_object(message) and bool(
        message.get("role") in FOREIGN_ROLES or message.get("tool_calls") or message.get("function_call")
    )


def _has_blocks(message: Any) -> bool:
    content = message.get("content") if _is_object(message) else None
    return isinstance(content, list) and any(map(_is_ours, filter(_is_object, content)))


def _is_ours(block: Block) -> bool:
    """Check for a block of this API; Mistral's thinking, which is a list, is none."""
    kind = str(block.get("type"))
    return kind.endswith(("tool_use", RESULT)) or (kind == "thinking" and isinstance(block.get(kind), str))


def blocks_of(content: Any) -> list[Block]:
    """Return the blocks of a message, whose content may be a text."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content or ())


def results_of(content: Any) -> list[Block]:
    """Return the results in a message of the user."""
    return [block for block in content if block.get("type") == RESULT] if isinstance(content, list) else []


def rest_of(content: Any) -> Any:
    """Return what a message of the user says beside results."""
    results = results_of(content)
    return [block for block in content if block not in results] if isinstance(content, list) else content


def turn_of(blocks: Sequence[Block], message: dict[str, Any]) -> Turn:
    """Return the turn of a reply's blocks, with what the API said of the whole in its message."""
    usage = message.get("usage") or {}
    read = [usage.get(f"{kind}input_tokens") for kind in ("", "cache_read_", "cache_creation_")]
    thoughts = [b["thinking"] for b in blocks if b.get("type") == "thinking" and b["thinking"]]
    calls = [b for b in blocks if b.get("type") == "tool_use"]
    return Turn(
        text="\n".join(block["text"] for block in blocks if block.get("type") == "text"),
        reasoning="\n".join(thoughts) or None,
        tool_calls=tuple(call_of(str(b["id"]), str(b["name"]), b.get("input")) for b in calls),
        finish_reason=message.get("stop_reason"),
        input_tokens=sum(n or 0 for n in read) if usage.get("input_tokens") is not None else None,
        cached_tokens=usage.get("cache_read_input_tokens"),
        output_tokens=usage.get("output_tokens"),
        provider=Json(canonical_json({"model": message["model"]} if message.get("model") else {})),
    )


def put_others_aside(conversation: Conversation, blocks: Sequence[Block]) -> None:
    """Name the blocks that a turn has no field for. Raises ValueError for one that is an action."""
    for block in blocks:
        if block.get("type") not in READ:
            refuse_action(block)
            conversation.put_aside(block=block.get("type"))
