"""An attempt with one error in it, and the ways in which a plan is played without some of its calls."""

from dataclasses import dataclass

from eops_traj.plan import Call
from eops_traj.sandbox.session import ToolResult
from eops_traj.schema import Verifier
from eops_traj.taskgen.attacks.arena import Arena
from eops_traj.taskgen.attacks.attempt import Attempt, Perform


@dataclass(frozen=True)
class Made:
    """An attempt with one error."""

    causes: str
    """The causes of which one has to be named, and that may be: what a tool makes of an argument decides."""
    what: str
    attempt: Attempt
    answer: str | None = None
    """What it answers; None for the answer of an agent that thinks it is done."""
    stop_reason: str = "completed"
    error: str | None = None
    verifiers: tuple[Verifier, ...] = ()
    """Verifiers beside those of the task."""


def nothing(call: Call, perform: Perform) -> ToolResult:
    """Do nothing in a call's stead."""
    return ToolResult("{}", False, {})


def play_until(arena: Arena, number: int) -> Attempt:
    """Play the plan up to a step, and take the results of what then follows from the gold run."""
    gold = {call.number: result for call, result in arena.gold.planned.calls}

    def doing(call: Call, perform: Perform) -> ToolResult:
        kept = gold[call.number]
        assert isinstance(kept, ToolResult)
        return kept if call.number >= number else perform(call.tool, call.arguments)

    return arena.play(doing)
