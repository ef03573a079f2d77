"""Expected values that no answer of the SQL can equal, whatever the database holds.

The benchmark compares with Python's ``==``, so that ``'1'`` is not ``1``. Only what is sure is told.
"""

from collections.abc import Mapping
from typing import Any

from eops_traj.audit.answer_kinds import answer_kind
from eops_traj.gym.engine.database import Database
from eops_traj.verify.sql_compare import COMPARISONS

Conflict = tuple[str, str]
"""The reason, and its evidence."""


def conflict(config: Mapping[str, Any], query: str, database: Database) -> Conflict | None:
    """Return why an expectation cannot be met; None where it can, or where that is not sure."""
    comparison, expected = config.get("comparison_type", "equals"), config.get("expected_value")
    if not isinstance(comparison, str) or comparison not in COMPARISONS:
        return "cannot_pass", f"no comparison {comparison!r}: {', '.join(COMPARISONS)}"
    if comparison == "contains":
        fits = isinstance(expected, str)
        return None if fits else ("cannot_pass", f"contains {expected!r}, which is no text")
    kind = answer_kind(query, database)
    if kind is None:
        return None
    number = isinstance(expected, int | float)
    if kind != "text" and isinstance(expected, str):
        return "text_for_number", f"expects the text {expected!r}; the {kind} is a number: {query}"
    if kind == "text" and number and not isinstance(expected, bool):
        return "number_for_text", f"expects the number {expected!r}; the column holds text: {query}"
    if kind == "count" and not number:
        return "cannot_pass", f"expects {expected!r}; the {kind} is a number: {query}"
    return _beyond_counting(kind, comparison, expected, query) if number else None


def _beyond_counting(kind: str, comparison: str, expected: Any, query: str) -> Conflict | None:
    """Tell a number of rows that cannot be: negative, or no whole number."""
    if kind != "count":
        return None
    impossible = {
        "equals": expected < 0 or expected != int(expected),
        "less_than": expected <= 0,
        "greater_than": False,
    }[comparison]
    return ("cannot_pass", f"a count that {comparison} {expected!r}: {query}") if impossible else None
