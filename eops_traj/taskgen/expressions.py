"""Values computed from results, for scenes: each is known now, and stands in the plan as a function."""

from dataclasses import dataclass
from typing import Any

from eops_traj.plan import ITEM as ITEM_STEP
from eops_traj.plan import ROW as ROW_STEP
from eops_traj.plan import Condition, Function, Measure, Ref
from eops_traj.taskgen.result_ref import ResultRef, plan_argument

ROW = ResultRef(Ref(ROW_STEP), {})
"""The row at hand of `Scene.do_each`: ``ROW["case_id"]``."""
ITEM = ResultRef(Ref(ITEM_STEP), {})
"""The element at hand of `each`: ``each(guests, {"email": ITEM["email"]})``."""


@dataclass(frozen=True)
class Holds:
    """A condition under which a step is made, for `Scene.do_when` and `Scene.do_each`."""

    condition: Condition


def holds(left: Any, operator: str, right: Any) -> Holds:
    """Compare two values: ``holds(person["active"], "==", 0)``."""
    return Holds(Condition(plan_argument(left), operator, plan_argument(right)))


def answered(result: ResultRef) -> Holds:
    """Check that a call answered with something, and was made at all."""
    return Holds(Condition(Measure("ok", result.ref)))


def either(*values: Any) -> ResultRef:
    """Take the first of the values that is there and not null."""
    return _computed("either", values)


def each(rows: Any, made: Any) -> ResultRef:
    """Make a list of a list: a value for each element, which is `ITEM` in it."""
    return _computed("each", (rows, made))


def concat(*lists: Any) -> ResultRef:
    """Put lists into one."""
    return _computed("concat", lists)


def mapped(value: Any, table: Any, *default: Any) -> ResultRef:
    """Look a value up in a table that policy or request states; a default where the table has none."""
    return _computed("map", (value, table, *default))


def add(*values: Any) -> ResultRef:
    """Add numbers."""
    return _computed("add", values)


def subtract(left: Any, right: Any) -> ResultRef:
    """Subtract the second number from the first."""
    return _computed("subtract", (left, right))


def total(values: Any) -> ResultRef:
    """Add the numbers of a list."""
    return _computed("sum", (values,))


def joined(values: Any, separator: str = ", ") -> ResultRef:
    """Join the values of a list in one text."""
    return _computed("join", (values, separator))


def length(text: Any) -> ResultRef:
    """Count the characters of a text."""
    return _computed("length", (text,))


def part(text: Any, separator: str, place: int) -> ResultRef:
    """Take the part of a text at a place, split at a separator."""
    return _computed("part", (text, separator, place))


def shift(moment: Any, span: Any) -> ResultRef:
    """Move a date or a time by a span: ``-2 days``, ``90 minutes``."""
    return _computed("shift", (moment, span))


def date_of(moment: Any, *zone: Any) -> ResultRef:
    """Take the date of a time, in a zone."""
    return _computed("date", (moment, *zone))


def clock_of(moment: Any, *zone: Any) -> ResultRef:
    """Take the time of day of a time, in a zone."""
    return _computed("clock", (moment, *zone))


def at(day: Any, clock: Any, *zone: Any) -> ResultRef:
    """Write the time on a date in a zone, with the zone's offset."""
    return _computed("at", (day, clock, *zone))


def utc(moment: Any, *zone: Any) -> ResultRef:
    """Write a time in UTC."""
    return _computed("utc", (moment, *zone))


def minutes(start: Any, end: Any) -> ResultRef:
    """Count the minutes between two times."""
    return _computed("minutes", (start, end))


def free(busy: Any, start: Any, end: Any, span: Any, *step: Any) -> ResultRef:
    """Find the start of the first gap of a length among busy times, on a step; null where there is none."""
    return _computed("free", (busy, start, end, span, *step))


def _computed(name: str, arguments: tuple[Any, ...]) -> ResultRef:
    function = Function(name, tuple(plan_argument(argument) for argument in arguments))
    results = next((found for argument in arguments if (found := _results_of(argument))), {})
    return ResultRef(function, results)


def _results_of(value: Any) -> dict[int, Any]:
    """Return the results that a value refers to, wherever it stands in the value."""
    match value:
        case ResultRef():
            return value.results
        case dict():
            inner = list(value.values())
        case list() | tuple():
            inner = list(value)
        case _:
            inner = []
    return next((found for one in inner if (found := _results_of(one))), {})


__all__ = [
    "ITEM", "ROW", "Holds", "add", "answered", "at", "clock_of", "concat", "date_of", "each", "either",
    "free", "holds", "joined", "length", "mapped", "minutes", "part", "shift", "subtract", "total", "utc",
]  # fmt: skip
