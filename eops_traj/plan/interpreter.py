"""Running plans: each call in its order, references filled from the results before it, no model involved.

A plan ends in one of three ways. It is *completed*; or *declined*, by ``REFUSE`` or by a requirement that
does not hold before anything was written; or *stopped*: a call failed, a reference found nothing, a
requirement did not hold when something had been written already. A failed call stops the plan at once,
unless the next line is the requirement that asks about it.
"""

import json
import operator
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from eops_traj.plan.ast import Condition, Match, Measure, Plan, Ref, Require, Step, Text, references
from eops_traj.tool_effects import is_write, says_error


class Result(Protocol):
    """The answer of a tool."""

    @property
    def text(self) -> str:
        """The text that the model would see."""
        ...

    @property
    def is_error(self) -> bool:
        """True where the tool refused."""
        ...


class Tools(Protocol):
    """The tools that calls go to: a sandbox session."""

    def call_tool(self, name: str, arguments: Mapping[str, Any]) -> Result:
        """Call a tool."""
        ...


@dataclass(frozen=True)
class Call:
    """A call that a plan makes: the number of its step, the tool, and its arguments with values filled in."""

    number: int
    tool: str
    arguments: dict[str, Any]


@dataclass(frozen=True)
class Ending:
    """How a plan ended: completed, declined or stopped; at which step, why, and the answer to give."""

    kind: str
    step: int
    reason: str
    answer: str


@dataclass
class PlanRun:
    """A plan that ran: its calls with their results, and how it ended."""

    calls: list[tuple[Call, Result]] = field(default_factory=list)
    ending: Ending = field(default_factory=lambda: Ending("stopped", 0, "not run", ""))


class Unresolved(Exception):
    """A reference that finds nothing."""


def run(plan: Plan, tools: Tools) -> PlanRun:
    """Run a plan against a session's tools. What goes wrong in it is in the ending, not raised."""
    plan_run, calls = PlanRun(), iter_calls(plan)
    try:
        call = next(calls)
        while True:
            result = tools.call_tool(call.tool, call.arguments)
            plan_run.calls.append((call, result))
            call = calls.send(result)
    except StopIteration as stop:
        plan_run.ending = stop.value
    return plan_run


def iter_calls(plan: Plan) -> Generator[Call, Result, Ending]:
    """Yield each call of the plan, be sent its result, and return how the plan ended."""
    if plan.refusal is not None:
        return _decline_ending(0, plan.refusal)
    results: dict[int, Any] = {}
    failed: dict[int, str] = {}
    wrote = False
    for number, step in enumerate(plan.steps, 1):
        try:
            if isinstance(step, Require):
                if not evaluate(step.condition, results, failed):
                    reason = step.reason or f"{step.condition} does not hold"
                    return _stop_ending(number, reason) if wrote else _decline_ending(number, reason)
                continue
            arguments = {name: resolve(value, results) for name, value in step.arguments.items()}
        except Unresolved as error:
            return _stop_ending(number, str(error))
        result = yield Call(number, step.tool, arguments)
        if result.is_error or says_error(result.text):
            failed[number] = result.text
            if not _checks_step(plan.steps[number:], number):
                return _stop_ending(number, f"{step.tool}: {result.text}")
        else:
            results[number], wrote = decode(result.text), wrote or is_write(step.tool)
    return Ending("completed", len(plan.steps), "", _completed_answer(plan))


def decode(text: str) -> Any:
    """Decode a result: JSON where it is JSON, else the text itself."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def resolve(value: Any, results: Mapping[int, Any]) -> Any:
    """Fill in the references of a value. Raises Unresolved for one that finds nothing."""
    match value:
        case Ref():
            return resolve_ref(value, results)
        case Text(parts=parts):
            return "".join(p if isinstance(p, str) else _as_text(resolve_ref(p, results)) for p in parts)
        case dict():
            return {name: resolve(inner, results) for name, inner in value.items()}
        case list():
            return [resolve(inner, results) for inner in value]
    return value


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def resolve_ref(ref: Ref, results: Mapping[int, Any]) -> Any:
    """Return what a reference points to in the results by step. Raises Unresolved where there is nothing."""
    if ref.step not in results:
        raise Unresolved(f"{ref}: step {ref.step} has no result")
    value = results[ref.step]
    for part in ref.path:
        try:
            value = _find_match(part, value, results) if isinstance(part, Match) else _item(value, part)
        except (KeyError, IndexError, TypeError):
            raise Unresolved(f"{ref} finds nothing in the result of step {ref.step}") from None
    return value


def _item(value: Any, part: str | int) -> Any:
    if isinstance(value, str) or isinstance(value, Mapping) != isinstance(part, str):
        raise TypeError
    return value[part]


def _find_match(part: Match, value: Any, results: Mapping[int, Any]) -> Any:
    if not isinstance(value, list):
        raise TypeError
    fields = [(name.split("."), resolve(expected, results)) for name, expected in part.fields]
    matches = [item for item in value if all(_nested(item, path) == expected for path, expected in fields)]
    return matches if part.every else matches[0]


def _nested(item: Any, path: Sequence[str]) -> Any:
    for name in path:
        item = item.get(name) if isinstance(item, Mapping) else None
    return item


_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "in": lambda left, right: left in right,
    "not in": lambda left, right: left not in right,
}


def evaluate(condition: Condition, results: Mapping[int, Any], failed: Mapping[int, str]) -> bool:
    """Check a condition; one about what is not there, or of values that do not compare, does not hold."""
    try:
        left = _operand(condition.left, results, failed)
        if not condition.operator:
            return bool(left)
        right = _operand(condition.right, results, failed)
        return bool(_OPERATORS[condition.operator](left, right))
    except (Unresolved, TypeError):
        return False


def _operand(value: Any, results: Mapping[int, Any], failed: Mapping[int, str]) -> Any:
    if not isinstance(value, Measure):
        return resolve(value, results)
    if value.name == "ok":
        return value.of.step not in failed and resolve_ref(value.of, results) not in (None, "", [], {})
    if value.of.step in failed:
        raise Unresolved(failed[value.of.step])
    elements = resolve_ref(value.of, results)
    if not isinstance(elements, list | dict):
        raise TypeError
    return len(elements)


def _checks_step(rest: Sequence[Step | Require], number: int) -> bool:
    return bool(rest) and isinstance(rest[0], Require) and any(r.step == number for r in references(rest[0]))


def _completed_answer(plan: Plan) -> str:
    reasons = [step.reason for _, step in plan.calls() if is_write(step.tool) and step.reason]
    return "Done. " + "; ".join(reasons) + "." if reasons else "Done."


def _decline_ending(step: int, reason: str) -> Ending:
    answer = f"I cannot do this: {reason.rstrip('.')}. Nothing was changed."
    return Ending("declined", step, reason, answer)


def _stop_ending(step: int, reason: str) -> Ending:
    return Ending("stopped", step, reason, f"The work stopped at step {step} and is not finished. {reason}")
