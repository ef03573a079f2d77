"""Attempts for tests: an embedded sandbox, and models that give scripted replies."""

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
from tests.collect.case_tasks import COUNT, LOOK_UP, task

AGENT = Agent(model="clerk", orchestrator="react", settings=Json("{}"))
CHANGE = {"case_id": 5, "reopen_count": COUNT}


def turn(text: str = "", **calls: dict[str, Any] | str) -> Turn:
    """Return a reply with calls, in order; arguments that are text did not parse."""
    tool_calls = [_call(n, name, arguments) for n, (name, arguments) in enumerate(calls.items())]
    usage = {"input_tokens": 100, "output_tokens": 10, "cost": 0.01, "latency_ms": 1.0}
    return Turn(text=text, tool_calls=tuple(tool_calls), **usage)


def _call(number: int, name: str, arguments: dict[str, Any] | str) -> ToolCall:
    from eops_traj.schema import json_of

    if isinstance(arguments, str):
        return ToolCall(id=f"c{number}", name=name, arguments=Json("{}"), raw=arguments)
    return ToolCall(id=f"c{number}", name=name, arguments=json_of(arguments))


GOOD = (turn(**{LOOK_UP: {"case_id": 5}}), turn(update_case=CHANGE), turn("It is done."))
"""The replies that do the task of case 5."""


def scripted_run(
    replies: Sequence[Turn] | Callable[[Request], Turn] = GOOD, sandbox: Sandbox | None = None, **fields: Any
) -> RunContext:
    """Return the context of a run whose executor gives these replies."""
    defaults: dict[str, Any] = {
        "run_id": "run",
        "agent": AGENT,
        "orchestrator": configure("react").orchestrator,
        "models": {"executor": ScriptedChat(replies)},
        "sandbox": sandbox or EmbeddedOptions().open(None, 1),
    }
    return RunContext(**(defaults | fields))


def attempt(
    replies: Sequence[Turn] | Callable[[Request], Turn] = GOOD, of: Task | None = None, **fields: Any
) -> Episode:
    """Make one attempt, and return its episode."""
    return asyncio.run(make_attempt(PendingAttempt(of or task(), 1), scripted_run(replies, **fields))).episode
