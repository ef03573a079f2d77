"""Where tests work attempts: an embedded sandbox, and models that play what they are given."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from eops_traj.collect.attempt import RunContext, make_attempt
from eops_traj.collect.episode_builder import PendingAttempt
from eops_traj.collect.orchestrator import configure
from eops_traj.collectors.clients.scripted import ScriptedChat
from eops_traj.llm.base import Request
from eops_traj.sandbox.options import EmbeddedOptions, Sandbox
from eops_traj.schema import Agent, Episode, Json, Task, ToolCall, Turn
from tests.collect.cases import COUNT, LOOK_UP, task

AGENT = Agent(model="clerk", orchestrator="react", settings=Json("{}"))
CHANGE = {"case_id": 5, "reopen_count": COUNT}


def turn(text: str = "", **calls: dict[str, Any] | str) -> Turn:
    """A reply with calls, in order; arguments that are text did not parse."""
    made = [_call(n, name, given) for n, (name, given) in enumerate(calls.items())]
    usage = {"input_tokens": 100, "output_tokens": 10, "cost": 0.01, "latency_ms": 1.0}
    return Turn(text=text, tool_calls=tuple(made), **usage)


def _call(number: int, name: str, given: dict[str, Any] | str) -> ToolCall:
    from eops_traj.schema import json_of

    if isinstance(given, str):
        return ToolCall(id=f"c{number}", name=name, arguments=Json("{}"), raw=given)
    return ToolCall(id=f"c{number}", name=name, arguments=json_of(given))


GOOD = (turn(**{LOOK_UP: {"case_id": 5}}), turn(update_case=CHANGE), turn("It is done."))
"""What the task of case 5 takes."""


def workplace(
    replies: Sequence[Turn] | Callable[[Request], Turn] = GOOD, sandbox: Sandbox | None = None, **fields: Any
) -> RunContext:
    """A workplace whose executor gives these replies."""
    given: dict[str, Any] = {
        "run_id": "run",
        "agent": AGENT,
        "orchestrator": configure("react").orchestrator,
        "models": {"executor": ScriptedChat(replies)},
        "sandbox": sandbox or EmbeddedOptions().open(None, 1),
    }
    return RunContext(**(given | fields))


def attempt(
    replies: Sequence[Turn] | Callable[[Request], Turn] = GOOD, of: Task | None = None, **fields: Any
) -> Episode:
    """The episode of one attempt."""
    return asyncio.run(make_attempt(PendingAttempt(of or task(), 1), workplace(replies, **fields))).episode
