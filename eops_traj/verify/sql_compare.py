"""Comparison of an SQL answer: the value in the sql-runner's body, against the expected one.

Two readings stand side by side. :func:`extract` and :func:`compare` are the benchmark's own (ServiceNow's
EnterpriseOps-Gym, ``benchmark/verifier.py``), quirks included, so that a parity label means what its
leaderboard means. :func:`sound` says whether a pass by that rule is evidence of anything; a strict pass is
a parity pass that is sound, so the strict label only ever takes passes away.
"""

from collections.abc import Callable, Mapping
from typing import Any

COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "equals": lambda actual, expected: actual == expected,
    "greater_than": lambda actual, expected: actual > expected,
    "less_than": lambda actual, expected: actual < expected,
    "contains": lambda actual, expected: expected in str(actual),
}


def extract(body: Any) -> Any:
    """Return the value that the benchmark reads from an sql-runner's body.

    The first of the keys ``data``, ``rows``, ``content`` and ``result`` decides. One row with one column is
    that cell, one row is the row, several are the list of them, none is the empty list; ``content`` is its
    first text. Anything else is taken as it stands.
    """
    if not isinstance(body, Mapping):
        return body
    if "data" in body:
        return _unwrapped(body["data"], dict)
    if "rows" in body:
        return _unwrapped(body["rows"], dict | list)
    if "content" in body:
        return _first_text(body["content"], otherwise=body)
    return body.get("result", body)


def _unwrapped(rows: Any, row_type: Any) -> Any:
    """Return one row's only cell, or one row, or all; under ``data`` a row must be an object to be a cell."""
    if not isinstance(rows, list) or len(rows) != 1:
        return rows
    row = rows[0]
    if not isinstance(row, row_type) or len(row) != 1:
        return row
    return next(iter(row.values())) if isinstance(row, dict) else row[0]


def _first_text(content: Any, otherwise: Any) -> Any:
    for item in content if isinstance(content, list) else ():
        if isinstance(item, Mapping) and item.get("type") == "text":
            return item.get("text", otherwise)
    return content


def body_error(body: Any) -> str | None:
    """Return the error that a body reports although it arrived; None where it is an answer.

    The benchmark looks only at the HTTP status, and compares an error's text as if it were the value.
    """
    if not isinstance(body, Mapping):
        return None
    if body.get("isError") or body.get("success") is False or body.get("error"):
        return str(body.get("error") or extract(body))
    return None


def compare(actual: Any, expected: Any, comparison: str) -> tuple[bool, str]:
    """Compare as the benchmark does; return whether the pair passes, and its account of it.

    An unknown comparison fails, and so does one that raises (``None > 1``, or a number sought in a text).
    """
    if comparison not in COMPARISONS:
        return False, f"Unknown comparison type: {comparison}"
    try:
        passed = bool(COMPARISONS[comparison](actual, expected))
    except TypeError as error:
        return False, f"Comparison error: {error}"
    return passed, f"Comparison {comparison}: {actual} vs {expected}"


def sound(actual: Any, expected: Any, comparison: str) -> bool:
    """Check whether a pass of this pair is evidence, and no accident of how Python compares.

    Order is between two numbers or two texts, since lists of rows have an order too, a meaningless one.
    ``contains`` looks for a text that is not empty inside one cell: ``str`` of a row also holds its column
    names, its punctuation and the word None. Equality is sound as it is: ``'1'`` is not ``1``, and ``true``
    is ``1`` because SQLite knows no other.
    """
    if comparison == "contains":
        return bool(expected) and any(expected in str(cell) for cell in _cells(actual))
    if comparison in ("greater_than", "less_than"):
        numbers = isinstance(actual, int | float) and isinstance(expected, int | float)
        return numbers or (isinstance(actual, str) and isinstance(expected, str))
    return True


def _cells(value: Any) -> list[Any]:
    """Return the cells of a value, of a row, or of rows; NULLs left out."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list):
        return [cell for part in value for cell in _cells(part)]
    return [] if value is None else [value]
