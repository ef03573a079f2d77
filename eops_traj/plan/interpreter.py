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
    """What a tool answered."""

    @property
    def text(self) -> str:
        """What the model would see."""
        ...

    @property
    def is_error(self) -> bool:
        """Whether the tool refused."""
        ...


class Tools(Protocol):
    """Where calls go: a sandbox session."""

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
class Outcome:
    """A plan that ran: its calls with their results, and how it ended."""

    calls: list[tuple[Call, Result]] = field(default_factory=list)
    ending: Ending = field(default_factory=lambda: Ending("stopped", 0, "not run", ""))


class Unresolved(Exception):
    """A reference that finds nothing."""


def run(plan: Plan, tools: Tools) -> Outcome:
    """Run a plan against a session's tools. What goes wrong in it is in the ending, not raised."""
    outcome, playing = Outcome(), play(plan)
    try:
        call = next(playing)
        while True:
            result = tools.call_tool(call.tool, call.arguments)
            outcome.calls.append((call, result))
            call = playing.send(result)
    except StopIteration as stop:
        outcome.ending = stop.value
    return outcome


def play(plan: Plan) -> Generator[Call, Result, Ending]:
    """The plan as a generator: it yields each call, is sent its result, and returns how it ended."""
    if plan.refusal is not None:
        return _declined(0, plan.refusal)
    results: dict[int, Any] = {}
    failed: dict[int, str] = {}
    wrote = False
    for number, step in enumerate(plan.steps, 1):
        try:
            if isinstance(step, Require):
                if not holds(step.condition, results, failed):
                    reason = step.reason or f"{step.condition} does not hold"
                    return _stopped(number, reason) if wrote else _declined(number, reason)
                continue
            arguments = {name: resolve(value, results) for name, value in step.arguments.items()}
        except Unresolved as error:
            return _stopped(number, str(error))
        result = yield Call(number, step.tool, arguments)
        if result.is_error or says_error(result.text):
            failed[number] = result.text
            if not _asks_about(plan.steps[number:], number):
                return _stopped(number, f"{step.tool}: {result.text}")
        else:
            results[number], wrote = decode(result.text), wrote or is_write(step.tool)
    return Ending("completed", len(plan.steps), "", _done(plan))


def decode(text: str) -> Any:
    """A result as data: JSON where it is JSON, else the text itself."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def resolve(value: Any, results: Mapping[int, Any]) -> Any:
    """A value with its references filled in. Raises Unresolved for one that finds nothing."""
    match value:
        case Ref():
            return follow(value, results)
        case Text(parts=parts):
            return "".join(p if isinstance(p, str) else _said(follow(p, results)) for p in parts)
        case dict():
            return {name: resolve(inner, results) for name, inner in value.items()}
        case list():
            return [resolve(inner, results) for inner in value]
    return value


def _said(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def follow(ref: Ref, results: Mapping[int, Any]) -> Any:
    """What a reference points to in the results so far, by step. Raises Unresolved where there is nothing."""
    if ref.step not in results:
        raise Unresolved(f"{ref}: step {ref.step} has no result")
    value = results[ref.step]
    for part in ref.path:
        try:
            value = _matching(part, value, results) if isinstance(part, Match) else _take(value, part)
        except (KeyError, IndexError, TypeError):
            raise Unresolved(f"{ref} finds nothing in the result of step {ref.step}") from None
    return value


def _take(value: Any, part: str | int) -> Any:
    if isinstance(value, str) or isinstance(value, Mapping) != isinstance(part, str):
        raise TypeError
    return value[part]


def _matching(part: Match, value: Any, results: Mapping[int, Any]) -> Any:
    if not isinstance(value, list):
        raise TypeError
    wanted = [(name.split("."), resolve(given, results)) for name, given in part.fields]
    found = [item for item in value if all(_dig(item, path) == given for path, given in wanted)]
    return found if part.every else found[0]


def _dig(item: Any, path: Sequence[str]) -> Any:
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


def holds(condition: Condition, results: Mapping[int, Any], failed: Mapping[int, str]) -> bool:
    """Whether a condition holds; one about what is not there, or of values that do not compare, does not."""
    try:
        left = _measured(condition.left, results, failed)
        if not condition.operator:
            return bool(left)
        right = _measured(condition.right, results, failed)
        return bool(_OPERATORS[condition.operator](left, right))
    except (Unresolved, TypeError):
        return False


def _measured(value: Any, results: Mapping[int, Any], failed: Mapping[int, str]) -> Any:
    if not isinstance(value, Measure):
        return resolve(value, results)
    if value.name == "ok":
        return value.of.step not in failed and follow(value.of, results) not in (None, "", [], {})
    if value.of.step in failed:
        raise Unresolved(failed[value.of.step])
    found = follow(value.of, results)
    if not isinstance(found, list | dict):
        raise TypeError
    return len(found)


def _asks_about(rest: Sequence[Step | Require], number: int) -> bool:
    return bool(rest) and isinstance(rest[0], Require) and any(r.step == number for r in references(rest[0]))


def _done(plan: Plan) -> str:
    reasons = [step.reason for _, step in plan.calls() if is_write(step.tool) and step.reason]
    return "Done. " + "; ".join(reasons) + "." if reasons else "Done."


def _declined(step: int, reason: str) -> Ending:
    answer = f"I cannot do this: {reason.rstrip('.')}. Nothing was changed."
    return Ending("declined", step, reason, answer)


def _stopped(step: int, reason: str) -> Ending:
    return Ending("stopped", step, reason, f"The work stopped at step {step} and is not finished. {reason}")
