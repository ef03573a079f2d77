"""Values of a plan, filled in from the results before: references, choices of rows, texts, functions."""

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from eops_traj.plan.ast import (
    AT_HAND,
    ITEM,
    Condition,
    Extreme,
    FieldTest,
    Function,
    Key,
    Match,
    Measure,
    PathPart,
    Ref,
    Text,
)
from eops_traj.plan.functions import as_text, compute

Results = Mapping[int, Any]
"""The results by step, decoded; that of a loop is the list of its calls'. Of `AT_HAND`, what is at hand."""


class Unresolved(Exception):
    """A reference that finds nothing, or a function that has no value."""


def resolve(value: Any, results: Results) -> Any:
    """Fill in the references of a value. Raises Unresolved for one that finds nothing."""
    match value:
        case Ref():
            return resolve_ref(value, results)
        case Text(parts=parts):
            return "".join(p if isinstance(p, str) else as_text(resolve_ref(p, results)) for p in parts)
        case Function():
            return _resolve_function(value, results)
        case Measure(name="count"):
            return _count(value.of, results)
        case dict():
            return {name: resolve(inner, results) for name, inner in value.items()}
        case list():
            return [resolve(inner, results) for inner in value]
    return value


def _resolve_function(value: Function, results: Results) -> Any:
    if value.name == "either":
        return _first_there(value.arguments, results)
    if value.name == "each":
        items, made = value.arguments
        return [resolve(made, {**results, ITEM: item}) for item in _items(resolve(items, results))]
    try:
        return compute(value.name, [resolve(one, results) for one in value.arguments])
    except ValueError as error:
        raise Unresolved(f"{value}: {error}") from None


def _items(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise Unresolved(f"each: a list is wanted, not {str(value)[:60]!r}")
    return value


def _first_there(choices: Sequence[Any], results: Results) -> Any:
    """Return the first of these that is there and not null."""
    for choice in choices:
        try:
            found = resolve(choice, results)
        except Unresolved:
            continue
        if found is not None:
            return found
    raise Unresolved(f"either: none of {', '.join(map(str, choices))} is there")


def resolve_ref(ref: Ref, results: Results) -> Any:
    """Return what a reference points to in the results by step. Raises Unresolved where there is nothing."""
    for step in ref.steps:
        if step not in results:
            has_none = f"there is no {AT_HAND[step]}" if step in AT_HAND else f"step {step} has no result"
            raise Unresolved(f"{ref}: {has_none}")
    whole = isinstance(ref.step, tuple)
    value: Any = [results[step] for step in ref.steps] if whole else results[ref.steps[0]]
    spread = False
    for part in ref.path:
        try:
            value, spread = _look(part, value, results, spread)
        except (KeyError, IndexError, TypeError):
            raise Unresolved(f"{ref} finds nothing in {_source(ref)}") from None
    return value


def _source(ref: Ref) -> str:
    """Name what a reference reads from."""
    if isinstance(ref.step, tuple):
        return f"the results of steps {', '.join(map(str, ref.step)) or 'that were not made'}"
    return f"the {AT_HAND[ref.step]}" if ref.step in AT_HAND else f"the result of step {ref.step}"


def _look(part: PathPart, value: Any, results: Results, spread: bool) -> tuple[Any, bool]:
    """Follow one part of a path; ``spread`` says that the value is a list whose fields are read of each."""
    if isinstance(part, Match):
        rows = _flattened(value) if spread else value
        rows = list(rows.values()) if part.every and isinstance(rows, Mapping) else rows
        found = matching(part, rows, results)
        return (found, True) if part.every else (found[0], False)
    if isinstance(part, Extreme):
        return _extreme(part, value), False
    if spread and isinstance(part, str):
        return [_item(inner, part) for inner in value], True
    return _item(value, part), False


def _flattened(value: Any) -> Any:
    """Put lists in one, null being an empty one; rows stay. Raises TypeError for lists beside anything else.

    To look into the lists as if they were rows would find nothing, without a word.
    """
    kinds = {type(inner) for inner in value} if isinstance(value, list) else set()
    if kinds and kinds <= {list, type(None)}:
        return [row for inner in value for row in inner or ()]
    if list in kinds:
        raise TypeError
    return value


def _item(value: Any, part: Key) -> Any:
    if isinstance(value, str) or isinstance(value, Mapping) != isinstance(part, str):
        raise TypeError
    return value[part]


def _extreme(part: Extreme, value: Any) -> Any:
    """Return the element with the smallest or largest field, of those that have it."""
    if not isinstance(value, list):
        raise TypeError
    path = part.field.split(".")
    rows = [row for row in value if nested(row, path) is not None]
    if not rows:
        raise IndexError
    return (min if part.which == "min" else max)(rows, key=lambda row: nested(row, path))


def matching(part: Match, value: Any, results: Results) -> list[Any]:
    """Return the elements of a list that pass the tests. Raises TypeError for what is no list."""
    if not isinstance(value, list):
        raise TypeError
    tests = [(test, test.field.split("."), resolve(test.value, results)) for test in part.tests]
    return [row for row in value if all(_passes(test, nested(row, path), to) for test, path, to in tests)]


def _passes(test: FieldTest, value: Any, expected: Any) -> bool:
    try:
        return bool(OPERATORS[test.operator](value, expected))
    except TypeError:
        return False


def nested(item: Any, path: Sequence[str]) -> Any:
    """Return the field of this dotted name, or None."""
    for name in path:
        item = item.get(name) if isinstance(item, Mapping) else None
    return item


def _plain(text: Any) -> str:
    if not isinstance(text, str):
        raise TypeError
    return text.lower()


OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "in": lambda left, right: left in right,
    "not in": lambda left, right: left not in right,
    "starts": lambda left, right: _plain(left).startswith(_plain(right)),
    "ends": lambda left, right: _plain(left).endswith(_plain(right)),
    "has": lambda left, right: _plain(right) in _plain(left),
}


def evaluate(condition: Condition, results: Results, failed: Mapping[int, str]) -> bool:
    """Check a condition; one about what is not there, or of values that do not compare, does not hold."""
    try:
        left = _operand(condition.left, results, failed)
        if not condition.operator:
            return bool(left)
        right = _operand(condition.right, results, failed)
        return bool(OPERATORS[condition.operator](left, right))
    except (Unresolved, TypeError):
        return False


def _operand(value: Any, results: Results, failed: Mapping[int, str]) -> Any:
    if not isinstance(value, Measure):
        return resolve(value, results)
    refused = [step for step in value.of.steps if step in failed]
    if value.name == "ok":
        return not refused and resolve_ref(value.of, results) not in (None, "", [], {})
    if refused:
        raise Unresolved(failed[refused[0]])
    return _count(value.of, results)


def _count(of: Ref, results: Results) -> int:
    elements = resolve_ref(of, results)
    if not isinstance(elements, list | dict):
        raise Unresolved(f"count({of}): neither a list nor an object")
    return len(elements)
