"""ReAct: the model calls tools until it answers without a call."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ConfigDict

from eops_traj.collect.contract import Desk
from eops_traj.messages import Message, reply_message, result_message
from eops_traj.schema import Task, Turn


class ReactOptions(BaseModel):
    """ReAct has nothing to choose."""

    model_config = ConfigDict(extra="forbid")


@dataclass(frozen=True)
class UnderWay:
    """A conversation that is to go on: what was said, and what was noted of the attempt it belongs to.

    ``nudge`` is the text of the last message, where that is a user's and not the task's own request.
    """

    messages: Sequence[Message]
    nudge: str | None = None
    notes: Mapping[str, Any] = field(default_factory=dict)


class Conversing:
    """An orchestrator, or the last part of one, that is a single conversation of the executor."""

    async def go_on(self, desk: Desk, under_way: UnderWay) -> None:
        """Work to the end from the middle of a conversation, whose turns the desk has."""
        await converse(desk, under_way.messages, nudge=under_way.nudge)


class React(Conversing):
    """The policy as system prompt, the request as it is, and every tool shown from the start."""

    def __init__(self, options: ReactOptions) -> None:
        """There is nothing to set up."""

    async def work(self, desk: Desk) -> None:
        """Work the task to its end."""
        await converse(desk, opening(desk.task, desk.task.user_prompt))


def opening(task: Task, said: str) -> list[Message]:
    """How a conversation opens: the policy, where there is one, and what the user says first."""
    policy = task.system_prompt
    system: list[Message] = [{"role": "system", "content": policy}] if policy else []
    return [*system, {"role": "user", "content": said}]


async def converse(desk: Desk, messages: Sequence[Message], *, nudge: str | None = None) -> Turn:
    """Have the executor go on from these messages until it replies without a call; that reply is returned.

    ``nudge`` is the last message's text, where that is not the task's own request.
    """
    said = list(messages)
    while True:
        turn = await desk.ask(said, nudge=nudge)
        if not turn.tool_calls:
            return turn
        nudge = None
        said += [reply_message(turn), *await desk.act(turn)]


def under_way(task: Task, turns: Sequence[Turn], at: int, notes: Mapping[str, Any]) -> UnderWay:
    """The conversation of recorded turns as it stood before the turn ``at``.

    ``conversations`` among the notes are the turns at which one starts (the first where nobody said).
    """
    starts = [start for start in notes.get("conversations", [0]) if start <= at]
    first = turns[starts[-1]].nudge
    messages = opening(task, task.user_prompt if first is None else first)
    for number in range(starts[-1], at):
        turn = turns[number]
        if turn.nudge is not None and number != starts[-1]:
            messages.append({"role": "user", "content": turn.nudge})
        messages += [reply_message(turn), *map(result_message, turn.tool_calls)]
    nudge = turns[at].nudge
    if nudge is not None and at != starts[-1]:
        messages.append({"role": "user", "content": nudge})
    return UnderWay(messages, nudge, {**notes, "conversations": starts})
