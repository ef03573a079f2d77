"""The plan of an episode beside what was done: each step with the call that made it, and calls of no step."""

import json
from dataclasses import dataclass

from eops_traj.plan import Plan, PlanError, Require, Step, parse
from eops_traj.planner.deviation import Made
from eops_traj.schema import Episode, ToolCall
from eops_traj.tool_effects import succeeded


@dataclass(frozen=True)
class Placed:
    """A tool call with its turn (from 1)."""

    turn: int
    call: ToolCall


@dataclass(frozen=True)
class Line:
    """A step of a plan and what came of it."""

    number: int
    text: str
    state: str
    """as planned, other arguments, failed, not made; of a requirement: held, not met or not reached."""
    made: Placed | None = None


@dataclass(frozen=True)
class Planned:
    """A plan beside what was done; of a text that is no plan only the text, and what is wrong with it."""

    text: str
    problem: str | None = None
    refusal: str | None = None
    lines: tuple[Line, ...] = ()
    others: tuple[Placed, ...] = ()
    """The calls that make no step of the plan."""


def planned(episode: Episode) -> Planned | None:
    """The plan that an episode's details note, beside what was done; None where they note none."""
    details = json.loads(episode.details)
    text = details.get("plan") if isinstance(details, dict) else None
    if not isinstance(text, str):
        return None
    try:
        plan = parse(text)
    except PlanError as error:
        return Planned(text, problem=str(error))
    lines, others = _beside(plan, episode)
    return Planned(text, refusal=plan.refusal, lines=lines, others=others)


def _beside(plan: Plan, episode: Episode) -> tuple[tuple[Line, ...], tuple[Placed, ...]]:
    """The lines of a plan, and the calls that are none of them."""
    placed = [Placed(n, call) for n, turn in enumerate(episode.turns, 1) for call in turn.tool_calls]
    worked = [p for p in placed if p.call.result is not None and succeeded(p.call)]
    made, lines, taken = Made([p.call for p in worked]), [], set[int]()
    for number, step in enumerate(plan.steps, 1):
        kept = made.keeps(plan, number, step)
        at = worked[made.at[number]] if number in made.at else None
        if at is None and isinstance(step, Step):
            at = next((p for p in placed if _failed(p.call, step) and id(p) not in taken), None)
        taken |= {id(at)} if at else set()
        lines.append(Line(number, str(step), _state(step, made.changed.get(number), kept, at), at))
    return tuple(lines), tuple(p for p in placed if id(p) not in taken)


def _failed(call: ToolCall, step: Step) -> bool:
    """Whether a call tried a step in vain."""
    return call.name == step.tool and (call.result is None or not succeeded(call))


def _state(step: Step | Require, changed: Step | None, kept: bool, at: Placed | None) -> str:
    if isinstance(step, Require):
        return "held" if kept else "not met or not reached"
    if kept:
        return "as planned" if changed == step else "other arguments"
    return "failed" if at else "not made"
