"""Episodes as chat messages, the form in which models are trained: messages, and tools as functions."""

import json
from dataclasses import replace
from typing import Any

from eops_traj.protocol.identity import HARNESS_SOURCES
from eops_traj.schema import Episode, ToolCall, ToolSet, Turn

Message = dict[str, Any]
"""A chat message: ``role`` and ``content``, with ``tool_calls`` or ``tool_call_id`` where it has them."""

OURS = {"eops-traj", *HARNESS_SOURCES}
"""Sources of episodes in which a nudge of the first turn was sent in the request's place, not after it."""

NO_PARAMETERS = {"type": "object", "properties": {}}


def messages(episode: Episode, system_prompt: str, *, reasoning: bool = False) -> list[Message]:
    """Return the whole conversation: policy, request, then each reply with the results of its tool calls.

    Arguments are dicts, as chat templates want them: an empty one where they could not be read, which nobody
    wrote (`eops_traj.export.unread_calls`). With ``reasoning``, a reply carries what the endpoint
    gave of its reasoning as ``reasoning_content``.
    """
    episode = as_asked(episode)
    conversation: list[Message] = [{"role": "system", "content": system_prompt}] if system_prompt else []
    if was_asked(episode):
        conversation.append({"role": "user", "content": episode.user_prompt})
    for turn in episode.turns:
        if turn.nudge is not None:
            conversation.append({"role": "user", "content": turn.nudge})
        conversation.append(reply_message(turn, reasoning))
        last = turn is episode.turns[-1]
        conversation += [result_message(call) for call in turn.tool_calls if _has_result(call) or not last]
    return conversation


def was_asked(episode: Episode) -> bool:
    """Check whether a request opens the conversation; where the agent spoke first nobody had asked."""
    return bool(episode.user_prompt) or not episode.turns


def opening(episode: Episode, first: Turn) -> list[Message]:
    """Return the user's messages before the first reply of a conversation, as they were sent."""
    replaced = first.nudge is not None and episode.source in OURS
    said = (first.nudge,) if replaced else (episode.user_prompt or None, first.nudge)
    return [{"role": "user", "content": text} for text in said if text is not None]


def as_asked(episode: Episode) -> Episode:
    """Return an episode whose request is the text that was sent in its place, where another one was."""
    asked = episode.turns[0].nudge if episode.turns else None
    if asked is None or episode.source not in OURS:
        return episode
    return replace(
        episode, user_prompt=asked, turns=(replace(episode.turns[0], nudge=None), *episode.turns[1:])
    )


def said_later(episode: Episode, turn: Turn) -> str:
    """Return what the user said between the request and a reply, after any reply before it.

    Not what an orchestrator of ours put in: that is the request again, or what a model wrote, such as a plan.
    """
    return turn.nudge or "" if episode.source not in OURS else ""


def reply_message(turn: Turn, reasoning: bool = False) -> Message:
    """Render a reply as the assistant message that stands for it in the conversation."""
    message: Message = {"role": "assistant", "content": turn.text}
    if reasoning and turn.reasoning:
        message["reasoning_content"] = turn.reasoning
    if turn.tool_calls:
        message["tool_calls"] = [_call(call) for call in turn.tool_calls]
    return message


def _call(call: ToolCall) -> dict[str, Any]:
    function = {"name": call.name, "arguments": json.loads(call.arguments)}
    return {"id": call.id, "type": "function", "function": function}


def _has_result(call: ToolCall) -> bool:
    """Check whether a call has a result; a conversation may end on one without."""
    return call.result is not None or call.error is not None


def result_message(call: ToolCall) -> Message:
    """Render the result of a call as the tool message that stands for it in the conversation."""
    content = call.result if call.result is not None else call.error or ""
    return {"role": "tool", "tool_call_id": call.id, "name": call.name, "content": content}


def function_tools(toolset: ToolSet) -> list[dict[str, Any]]:
    """Render the tools in the function format of the OpenAI API, which chat templates take."""
    return [_function(tool) for tool in json.loads(toolset.tools)]


def _function(tool: dict[str, Any]) -> dict[str, Any]:
    function: dict[str, Any] = {"name": tool["name"]}
    if tool.get("description"):
        function["description"] = tool["description"]
    function["parameters"] = tool.get("inputSchema") or NO_PARAMETERS
    return {"type": "function", "function": function}


def calls(conversation: list[Message]) -> list[tuple[str, Any]]:
    """Return name and arguments of every tool call in the messages, in order."""
    functions = [call["function"] for message in conversation for call in message.get("tool_calls") or ()]
    return [(function["name"], function["arguments"]) for function in functions]
