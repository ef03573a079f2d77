"""Expected values that no answer of the SQL can equal, whatever the database holds.

The benchmark compares with Python's ``==``, so that ``'1'`` is not ``1``. Only what is sure is told: the type
of an aggregate, or that of a column whose values in the seed are all of one type.
"""

import re
from collections.abc import Mapping
from typing import Any

from eops_traj.gym.engine.database import Database, QueryError
from eops_traj.verify.sql_compare import COMPARISONS

Conflict = tuple[str, str]
"""The reason, and its evidence."""
_NUMERIC = re.compile(
    r"\s*select\s+(?:all\s+)?(count|sum|total|exists|length|round|abs|case)\b", re.IGNORECASE
)
_JUST_COUNT = re.compile(r"\s*select\s+count\s*\([^()]*\)\s*(?:as\s+\w+\s+)?from\b", re.IGNORECASE)
_TEXT_BRANCH = re.compile(r"\b(?:then|else)\s*(?:['\"]|[a-z_])", re.IGNORECASE)
_COLUMN = re.compile(r"\s*select\s+(?:distinct\s+)?(?:\w+\.)?(\w+)\s+from\s+[\"`]?(\w+)", re.IGNORECASE)
_NUMBERS = {"integer", "real"}


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
    if kind != "text" and not number and (kind == "count" or expected is not None):
        return "cannot_pass", f"expects {expected!r}; the {kind} is a number: {query}"
    return _beyond_counting(kind, comparison, expected, query) if number else None


def answer_kind(query: str, database: Database) -> str | None:
    """Return what a query surely gives: count, number or text; None where that is not sure."""
    if _JUST_COUNT.match(query):
        return "count"
    if match := _NUMERIC.match(query):
        name = match[1].lower()
        if name == "case" and _TEXT_BRANCH.search(query):
            return None
        return ("count" if name == "count" else "number") if _columns(query, database) == 1 else None
    if match := _COLUMN.match(query):
        types = _types(database, match[2], match[1])
        return "number" if types and types <= _NUMBERS else "text" if types == {"text"} else None
    return None


def _columns(query: str, database: Database) -> int:
    try:
        return len(database.run_sql(query).columns)
    except QueryError:
        return 0


def _types(database: Database, table: str, column: str) -> set[str]:
    """Return the types of the values that a column holds now; empty where it is not known."""
    sql = f'SELECT DISTINCT typeof("{column}") FROM "{table}" WHERE "{column}" IS NOT NULL'  # noqa: S608
    try:
        return {str(row[0]) for row in database.run_sql(sql).rows}
    except QueryError:
        return set()


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
