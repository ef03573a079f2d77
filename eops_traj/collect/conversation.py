"""The conversation of an attempt: how it opens, and as it stood at some turn."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from eops_traj.messages import Message, reply_message, result_message
from eops_traj.schema import Task, Turn


@dataclass(frozen=True)
class ConversationState:
    """A conversation that is to go on: its messages, and the notes of the attempt that it belongs to.

    ``nudge`` is the text of the last message, where that is a user's and not the task's own request.
    """

    messages: Sequence[Message]
    nudge: str | None = None
    notes: Mapping[str, Any] = field(default_factory=dict)


def opening_messages(task: Task, request: str) -> list[Message]:
    """Return the messages that open a conversation: the policy, if there is one, and the user's request."""
    policy = task.system_prompt
    system: list[Message] = [{"role": "system", "content": policy}] if policy else []
    return [*system, {"role": "user", "content": request}]


def conversation_at(
    task: Task, turns: Sequence[Turn], at: int, notes: Mapping[str, Any]
) -> ConversationState:
    """Rebuild the conversation of recorded turns as it stood before the turn ``at``.

    ``conversations`` among the notes are the turns at which one starts (the first where it is not noted).
    """
    starts = [start for start in notes.get("conversations", [0]) if start <= at]
    first = turns[starts[-1]].nudge
    messages = opening_messages(task, task.user_prompt if first is None else first)
    for number in range(starts[-1], at):
        turn = turns[number]
        if turn.nudge is not None and number != starts[-1]:
            messages.append({"role": "user", "content": turn.nudge})
        messages += [reply_message(turn), *map(result_message, turn.tool_calls)]
    nudge = turns[at].nudge
    if nudge is not None and at != starts[-1]:
        messages.append({"role": "user", "content": nudge})
    return ConversationState(messages, nudge, {**notes, "conversations": starts})
