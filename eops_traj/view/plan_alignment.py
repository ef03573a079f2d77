"""The plan of an episode beside its calls: each step with the call that made it, and calls of no step."""

import json
from dataclasses import dataclass

from eops_traj.plan import Plan, PlanError, Require, Step, parse
from eops_traj.planner.deviation import StepAlignment
from eops_traj.schema import Episode, ToolCall
from eops_traj.tool_effects import succeeded

GOES_ON, STOPS = "true: goes on", "not true, or not reached: stops"
"""What is said of a requirement, whose reason to decline stands beside it."""


@dataclass(frozen=True)
class NumberedCall:
    """A tool call with its turn (from 1)."""

    turn: int
    call: ToolCall


@dataclass(frozen=True)
class StepLine:
    """A step of a plan and its result."""

    number: int
    text: str
    state: str
    """as planned, other arguments, failed, not made; of a requirement: true or not."""
    match: NumberedCall | None = None


@dataclass(frozen=True)
class PlanAlignment:
    """A plan beside the calls; of a text that is no plan only the text, and the problem with it."""

    text: str
    problem: str | None = None
    refusal: str | None = None
    lines: tuple[StepLine, ...] = ()
    others: tuple[NumberedCall, ...] = ()
    """The calls that make no step of the plan."""


def align_plan(episode: Episode) -> PlanAlignment | None:
    """Align the plan in an episode's details with its calls; None where they hold no plan."""
    details = json.loads(episode.details)
    text = details.get("plan") if isinstance(details, dict) else None
    if not isinstance(text, str):
        return None
    try:
        plan = parse(text)
    except PlanError as error:
        return PlanAlignment(text, problem=str(error))
    lines, others = _align_steps(plan, episode)
    return PlanAlignment(text, refusal=plan.refusal, lines=lines, others=others)


def _align_steps(plan: Plan, episode: Episode) -> tuple[tuple[StepLine, ...], tuple[NumberedCall, ...]]:
    """Return the lines of a plan, and the calls that are none of them."""
    calls = [NumberedCall(n, call) for n, turn in enumerate(episode.turns, 1) for call in turn.tool_calls]
    worked = [one for one in calls if one.call.result is not None and succeeded(one.call)]
    alignment, lines, taken = StepAlignment([one.call for one in worked]), [], set[int]()
    for number, step in enumerate(plan.steps, 1):
        kept = alignment.follows(plan, number, step)
        match = worked[alignment.at[number]] if number in alignment.at else None
        if match is None and isinstance(step, Step):
            failed = (one for one in calls if _failed_attempt(one.call, step) and id(one) not in taken)
            match = next(failed, None)
        taken |= {id(match)} if match else set()
        state = _state(step, alignment.changed.get(number), kept, match)
        lines.append(StepLine(number, _words(step), state, match))
    return tuple(lines), tuple(one for one in calls if id(one) not in taken)


def _words(step: Step | Require) -> str:
    """Return a step as it stands in the plan; of a requirement, what follows where it is not met."""
    if isinstance(step, Require) and step.reason.strip():
        return f"{Require(step.condition)}, or decline: {' '.join(step.reason.split())}"
    return str(step)


def _failed_attempt(call: ToolCall, step: Step) -> bool:
    """Check whether a call tried a step in vain."""
    return call.name == step.tool and (call.result is None or not succeeded(call))


def _state(step: Step | Require, changed: Step | None, kept: bool, match: NumberedCall | None) -> str:
    if isinstance(step, Require):
        return GOES_ON if kept else STOPS
    if kept:
        return "as planned" if changed == step else "other arguments"
    return "failed" if match else "not made"
