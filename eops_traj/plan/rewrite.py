"""Plans derived from plans: without a step, with another argument, in another order."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from eops_traj.plan.ast import (
    AT_HAND,
    Condition,
    Function,
    Match,
    Measure,
    PathPart,
    Plan,
    Ref,
    Require,
    Step,
    Text,
)
from eops_traj.plan.functions import as_text


def with_argument(plan: Plan, number: int, name: str, value: Any) -> Plan:
    """Return the plan with another value for one argument of a step."""
    step = plan.steps[number - 1]
    if not isinstance(step, Step):
        raise ValueError(f"step {number} calls nothing")
    changed = replace(step, arguments={**step.arguments, name: value})
    return replace(plan, steps=(*plan.steps[: number - 1], changed, *plan.steps[number:]))


def without_reasons(plan: Plan) -> Plan:
    """Return the plan without the reasons of its calls; a refusal keeps its own, and so does a `require`.

    What a `require` is for is what the plan answers where it stops there.
    """
    told = (replace(step, reason="") if isinstance(step, Step) else step for step in plan.steps)
    return replace(plan, steps=tuple(told))


def in_order(plan: Plan, order: Sequence[int]) -> Plan:
    """Return the plan of the steps of these numbers, in this order, with references renumbered.

    What refers to a step left out refers to step 0, which finds nothing when it runs.
    """
    numbers = {old: new for new, old in enumerate(order, 1)}
    return replace(plan, steps=tuple(renumber(plan.steps[old - 1], numbers) for old in order))


Numbers = Mapping[int, int | tuple[int, ...]]
"""The new number of a step by its old one; several for a loop that was taken apart."""


def renumber(value: Any, numbers: Numbers) -> Any:
    """Return the value with each reference pointing to its step's new number."""
    return rewrite(value, lambda ref: direct(Ref(_moved(ref.step, numbers), ref.path)))


def direct(ref: Ref) -> Ref:
    """Return a reference to one of several results by its place as one to that step."""
    first = ref.path[0] if ref.path else None
    if not isinstance(ref.step, tuple) or not isinstance(first, int):
        return ref
    within = -len(ref.step) <= first < len(ref.step)
    return Ref(ref.step[first], ref.path[1:]) if within else ref


def _moved(step: int | tuple[int, ...], numbers: Numbers) -> int | tuple[int, ...]:
    if isinstance(step, int):
        return step if step in AT_HAND else numbers.get(step, 0)
    moved = [numbers[one] for one in step if one in numbers]
    return tuple(new for some in moved for new in (some if isinstance(some, tuple) else (some,)))


def rewrite(value: Any, change: Callable[[Ref], Any]) -> Any:
    """Return the value with each reference changed; those inside its path come first."""
    if isinstance(value, Ref):
        return change(map_parts(value, lambda inner: rewrite(inner, change)))
    return map_parts(value, lambda inner: rewrite(inner, change))


def rewrite_literals(value: Any, whole: Callable[[Any], Any], inside: Callable[[str], str]) -> Any:
    """Return the value with each literal changed: one that stands by itself, and texts between references.

    What names a field of a result or of an object is no literal, nor is the reason of a line.
    """

    def changed(inner: Any) -> Any:
        if isinstance(value, Text) and isinstance(inner, str):
            return inside(inner)
        return rewrite_literals(inner, whole, inside)

    return (
        whole(value) if value is None or isinstance(value, str | int | float) else map_parts(value, changed)
    )


def map_parts(value: Any, change: Callable[[Any], Any]) -> Any:
    """Return a value with each of those that it is made of changed, and nothing below them."""
    match value:
        case Ref(path=path):
            return replace(value, path=tuple(_part(part, change) for part in path))
        case Step():
            return replace(
                value,
                arguments=change(value.arguments),
                rows=None if value.rows is None else change(value.rows),
                condition=None if value.condition is None else change(value.condition),
            )
        case Require(condition=condition):
            return replace(value, condition=change(condition))
        case Condition(left=left, operator=""):
            return replace(value, left=change(left))
        case Condition(left=left, right=right):
            return replace(value, left=change(left), right=change(right))
        case Measure(of=of):
            return replace(value, of=change(of))
        case Text(parts=parts):
            return _joined(change(part) for part in parts)
        case Function(arguments=arguments):
            return replace(value, arguments=tuple(change(one) for one in arguments))
        case dict():
            return {name: change(inner) for name, inner in value.items()}
        case list():
            return [change(inner) for inner in value]
    return value


def _joined(parts: Iterable[Any]) -> Text | str:
    """Return the text of these parts: what is no reference is words, and a text of words alone is plain."""
    joined: list[str | Ref] = []
    for part in parts:
        said = part if isinstance(part, Ref) else as_text(part)
        if isinstance(said, str) and joined and isinstance(joined[-1], str):
            joined[-1] += said
        else:
            joined.append(said)
    is_plain = not any(isinstance(part, Ref) for part in joined)
    return "".join(map(str, joined)) if is_plain else Text(tuple(part for part in joined if part != ""))


def _part(part: PathPart, change: Callable[[Any], Any]) -> PathPart:
    """Return a part of a path with its values changed: keys that are no names, what tests compare with."""
    if isinstance(part, str) and not part.isidentifier():
        key = change(part)
        return key if isinstance(key, str) else part
    if not isinstance(part, Match):
        return part
    return replace(part, tests=tuple(replace(test, value=change(test.value)) for test in part.tests))
