"""How an episode departed from the plan that it was given, written as a plan.

An executor that fails with a good plan before it left something out, got an argument wrong, or passed over a
requirement. The given plan with exactly those changes is what it really followed: every line that it kept to
stays as it was written, so that nothing else tells the two plans apart.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from eops_traj.plan import Plan, Require, Step, Unresolved, decode, evaluate, in_order, references, resolve
from eops_traj.schema import Episode, ToolCall
from eops_traj.tool_effects import succeeded


def deviated(given: Plan, episode: Episode) -> Plan | None:
    """The given plan as an episode followed it; None where no step of it was made, or all of it was kept to.

    Lines keep the plan's order, whatever the order of the calls; calls of the episode's own stand where they
    were made. A requirement stays where it held and something was done after it. What the plan comes to is
    for `eops_traj.planner.plan_check.prove` to say.
    """
    made = Made([call for call in episode.tool_calls() if call.result is not None and succeeded(call)])
    kept = [number for number, step in enumerate(given.steps, 1) if made.keeps(given, number, step)]
    while kept and isinstance(given.steps[kept[-1] - 1], Require):
        kept.pop()
    if not kept:
        return None
    changed = replace(given, steps=tuple(made.changed.get(n, s) for n, s in enumerate(given.steps, 1)))
    plan = _with_extras(in_order(changed, kept), kept, made)
    return None if plan == given else plan


@dataclass
class Made:
    """The calls that an episode made, and the steps of the plan that they are found to be."""

    calls: list[ToolCall]
    at: dict[int, int] = field(default_factory=dict)
    """The call of each step that was made, by its place."""
    results: dict[int, Any] = field(default_factory=dict)
    changed: dict[int, Step] = field(default_factory=dict)
    """The steps that were made with other arguments."""

    def keeps(self, plan: Plan, number: int, step: Step | Require) -> bool:
        """Whether a step was made, or a requirement was met; on the way its result is kept for later ones."""
        if isinstance(step, Require):
            known = all(ref.step in self.results for ref in references(step))
            return known and evaluate(step.condition, self.results, {})
        at = self._call_of(plan, number, step)
        if at is None:
            return False
        call = self.calls[at]
        self.at[number], self.results[number] = at, decode(call.result or "")
        self.changed[number] = self._as_made(step, json.loads(call.arguments))
        return True

    def _call_of(self, plan: Plan, number: int, step: Step) -> int | None:
        """The place of the call that makes a step: one with its arguments, else the next of its tool.

        A call that a later step makes to the letter is that step's.
        """
        free = [at for at in self._free() if self.calls[at].name == step.tool]
        exact = [at for at in free if self._is(step, self.calls[at])]
        later = [s for n, s in plan.calls() if n > number and s.tool == step.tool]
        rest = [at for at in free if not any(self._is(s, self.calls[at]) for s in later)]
        return next(iter([*exact, *rest]), None)

    def _free(self) -> Iterator[int]:
        taken = set(self.at.values())
        return (at for at in range(len(self.calls)) if at not in taken)

    def _is(self, step: Step, call: ToolCall) -> bool:
        try:
            return bool(resolve(step.arguments, self.results) == json.loads(call.arguments))
        except Unresolved:
            return False

    def _as_made(self, step: Step, arguments: dict[str, Any]) -> Step:
        """The step with the arguments that were given: in the plan's words where those come to the same."""
        told = {n: step.arguments[n] if self._says(step, n, v) else v for n, v in arguments.items()}
        return replace(step, arguments={n: told[n] for n in [*step.arguments, *told] if n in told})

    def _says(self, step: Step, name: str, value: Any) -> bool:
        try:
            return name in step.arguments and resolve(step.arguments[name], self.results) == value
        except Unresolved:
            return False

    def extras(self) -> list[int]:
        """The places of calls that are no step of the plan and changed something.

        Look-ups of the episode's own are left out: they are no cause of what it came to.
        """
        return [at for at in self._free() if self.calls[at].changes]


def _with_extras(plan: Plan, kept: Sequence[int], made: Made) -> Plan:
    """The plan with the episode's own calls put in, each before the first step that was made after it."""
    for at in reversed(made.extras()):
        after = [place for place, n in enumerate(kept) if n in made.at and made.at[n] > at]
        plan = _inserted(plan, after[0] if after else len(kept), made.calls[at])
    return plan


def _inserted(plan: Plan, place: int, call: ToolCall) -> Plan:
    """The plan with a call put in before the step at a place, counted from 0."""
    count, step = len(plan.steps), Step(call.name, json.loads(call.arguments))
    longer = replace(plan, steps=(*plan.steps, step))
    return in_order(longer, [*range(1, place + 1), count + 1, *range(place + 1, count + 1)])
