"""Conversations with one side's words exchanged, to see what depends on them."""

from typing import Any

from eops_traj.messages import Message

OTHER = "Changed."
"""The text that stands in for another while its influence is tried."""


def change_others(messages: list[Message]) -> list[Message]:
    """Return a conversation in which all but the assistant say something else."""
    return [_other(message) for message in messages]


def change_replies(messages: list[Message]) -> list[Message]:
    """Return a conversation in which the assistant says something else, by calls of the same tools."""
    return [_other_reply(message) for message in messages]


def _other(message: Message) -> Message:
    return message if message["role"] == "assistant" else {**message, "content": OTHER}


def _other_reply(message: Message) -> Message:
    """Return the reply with other text and arguments. Tool names stay: templates may repeat them later."""
    if message["role"] != "assistant":
        return message
    changed = {**message, "content": OTHER if message["content"] else message["content"]}
    if "reasoning_content" in message:
        changed["reasoning_content"] = OTHER
    if "tool_calls" in message:
        changed["tool_calls"] = [
            {**call, "function": {**call["function"], "arguments": {"changed": OTHER}}}
            for call in message["tool_calls"]
        ]
    return changed


def blank_tool() -> dict[str, Any]:
    """Return a tool that stands in for others."""
    parameters = {"type": "object", "properties": {}}
    return {"type": "function", "function": {"name": "x", "description": OTHER, "parameters": parameters}}
