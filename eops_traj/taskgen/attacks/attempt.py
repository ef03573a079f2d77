"""Attempts at a task: a plan played with some of its calls done otherwise."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from eops_traj.plan import Call, Ending, Plan, PlanRun, iter_calls
from eops_traj.sandbox.embedded import EmbeddedSession
from eops_traj.sandbox.session import ToolResult
from eops_traj.schema import Change, Json, ToolCall
from eops_traj.taskgen.plan_calls import tool_calls

Perform = Callable[[str, dict[str, Any]], ToolResult]
"""Calls a tool of the attempt's session and records the call."""
Doing = Callable[[Call, Perform], ToolResult]
"""Does one call of the plan in some way, and returns what the plan takes for its result."""


@dataclass
class Attempt:
    """What was done: the session with its state, each call with its result, and how the plan ended."""

    session: EmbeddedSession
    done: list[tuple[Call, ToolResult]] = field(default_factory=list)
    planned: PlanRun = field(default_factory=PlanRun)
    """The plan's own calls, each with what it took for the result."""

    @property
    def ending(self) -> Ending:
        """How the plan ended."""
        return self.planned.ending

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The calls as an episode records them."""
        return tool_calls(self.done)

    def perform(self, tool: str, arguments: dict[str, Any]) -> ToolResult:
        """Call a tool, beside the plan."""
        reply = self.session.call_tool(tool, arguments)
        self.done.append((Call(0, tool, arguments), reply))
        return reply


def as_planned(call: Call, perform: Perform) -> ToolResult:
    """Do a call as the plan says."""
    return perform(call.tool, call.arguments)


def attempt(plan: Plan, session: EmbeddedSession, doing: Doing = as_planned) -> Attempt:
    """Play a plan on a session, each call done as ``doing`` does it."""
    played, calls = Attempt(session), iter_calls(plan)
    try:
        call = next(calls)
        while True:
            result = doing(call, played.perform)
            played.planned.calls.append((call, result))
            call = calls.send(result)
    except StopIteration as stop:
        played.planned.ending = stop.value
    return played


def there_and_back(server: str, table: str, tool: str) -> tuple[ToolCall, ...]:
    """Return calls that make a row and remove it, of which the end state shows nothing."""
    return tuple(
        ToolCall(id=name, name=name, arguments=Json("{}"), result="{}", changes=(change,))
        for name, operation in ((tool, "insert"), (f"delete_{table}", "delete"))
        for change in [Change(server=server, table=table, operation=operation, key=Json('{"id":0}'))]
    )


def with_arguments(number: int, arguments: dict[str, Any]) -> Doing:
    """Return a way of doing in which one step of the plan has these arguments in place of its own."""

    def doing(call: Call, perform: Perform) -> ToolResult:
        return perform(call.tool, arguments if call.number == number else call.arguments)

    return doing


def in_pieces(number: int, pieces: Callable[[Call, Perform], ToolResult]) -> Doing:
    """Return a way of doing in which one step of the plan is done by ``pieces``, several calls of its own."""

    def doing(call: Call, perform: Perform) -> ToolResult:
        return (pieces if call.number == number else as_planned)(call, perform)

    return doing
