"""The conversation of an attempt: how it opens, its messages by protocol, and as it stood at some turn."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from eops_traj.llm.as_written import UNPARSED, written_arguments
from eops_traj.messages import Message, reply_message, result_message
from eops_traj.protocol import ROBUST, RunProtocol
from eops_traj.schema import Task, ToolCall, Turn


@dataclass(frozen=True)
class ConversationState:
    """A conversation that is to go on: its messages, and the notes of the attempt that it belongs to.

    ``nudge`` is the text of the last message, where that is a user's and not the task's own request.
    """

    messages: Sequence[Message]
    nudge: str | None = None
    notes: Mapping[str, Any] = field(default_factory=dict)


def opening_messages(task: Task, request: str, protocol: RunProtocol = ROBUST) -> list[Message]:
    """Return the messages that open a conversation: the policy, if there is one, and the user's request."""
    policy = task.system_prompt
    said = policy or protocol.empty_policy_sent
    system: list[Message] = [{"role": "system", "content": policy}] if said else []
    return [*system, {"role": "user", "content": request}]


def reply_as_sent(turn: Turn, protocol: RunProtocol = ROBUST) -> Message:
    """Render a reply as it goes back to the model.

    The reasoning that led to calls is in it; clients that do not send reasoning back leave it out. Where a
    call that does not parse is none, such calls go back too, as they came, after those that ran.
    """
    if not protocol.unparsed_is_no_call:
        return reply_message(turn, reasoning=bool(turn.tool_calls))
    provider = json.loads(turn.provider)
    texts = written_arguments(provider, turn.tool_calls)
    calls = [
        {"type": "function", "id": call.id, "function": {"name": call.name, "arguments": text}}
        for call, text in zip(turn.tool_calls, texts, strict=True)
    ] + provider.get(UNPARSED, [])
    thought = {"reasoning_content": turn.reasoning} if turn.reasoning and turn.tool_calls else {}
    return {"role": "assistant", "content": turn.text, **thought} | ({"tool_calls": calls} if calls else {})


def result_as_sent(call: ToolCall, protocol: RunProtocol = ROBUST) -> Message:
    """Render the result of a call as it goes to the model: its text, or the whole MCP result as JSON."""
    if not protocol.whole_results:
        return result_message(call)
    return {"role": "tool", "tool_call_id": call.id, "content": whole_result(call)}


def whole_result(call: ToolCall) -> str:
    """Return the MCP result of a call as JSON: ``null`` for none, ``{}`` where its server failed."""
    answer: dict[str, Any] = json.loads(call.envelope or "{}")
    result = answer.get("result", {})
    content = result.get("content") if isinstance(result, dict) else None
    if content and len(content) == 1 and content[0].get("text", "") is None:
        content[0]["text"] = call.result
    return json.dumps(result)


def conversation_at(
    task: Task, turns: Sequence[Turn], at: int, notes: Mapping[str, Any], protocol: RunProtocol = ROBUST
) -> ConversationState:
    """Rebuild the conversation of recorded turns as it stood before the turn ``at``.

    ``conversations`` among the notes are the turns at which one starts (the first where it is not noted).
    """
    starts = [start for start in notes.get("conversations", [0]) if start <= at]
    first = turns[starts[-1]].nudge
    messages = opening_messages(task, task.user_prompt if first is None else first, protocol)
    for number in range(starts[-1], at):
        turn = turns[number]
        if turn.nudge is not None and number != starts[-1]:
            messages.append({"role": "user", "content": turn.nudge})
        results = [result_as_sent(call, protocol) for call in turn.tool_calls]
        messages += [reply_as_sent(turn, protocol), *results]
    nudge = turns[at].nudge
    if nudge is not None and at != starts[-1]:
        messages.append({"role": "user", "content": nudge})
    return ConversationState(messages, nudge, {**notes, "conversations": starts})
