"""Lookalikes: for a value that a plan passes on, the most similar other value in the database."""

import bisect
import difflib
from collections.abc import Callable, Iterator
from typing import Any

from eops_traj.gym.engine.database import Database
from eops_traj.taskgen.row_conditions import quote_name

_MOST = 4_000  # values of a column that are looked through
_NEAR = 12  # of them on either side that are compared


def find_lookalike(database: Database, argument: str, value: Any) -> Any:
    """Find another value in a column with this one: the column of the argument's name, else any other.

    None where the database does not know the value, or knows no other.
    """
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        return None
    for table, column in _columns(database, argument, value):
        others = _others(database, table, column, value)
        if others:
            return _nearest(value, others)
    return None


def _columns(database: Database, argument: str, value: Any) -> Iterator[tuple[str, str]]:
    """Yield columns that may hold the value, the likeliest first; for a number only those of that name."""
    named = [(t.name, c.name) for t in database.schema.tables.values() for c in t.columns.values()
             if c.name == argument]  # fmt: skip
    for table, column in named:
        references = database.schema.tables[table].columns[column].references
        yield from [(references[0], references[1] or column)] if references else [(table, column)]
    if isinstance(value, str):
        for table, known in database.schema.tables.items():
            for name, item in known.columns.items():
                if item.kind == "string" and not item.enum:
                    yield table, name


def _others(database: Database, table: str, column: str, value: Any) -> list[Any]:
    name, run = quote_name(column), database.connection.execute
    if run(f"SELECT 1 FROM {quote_name(table)} WHERE {name} = ? LIMIT 1", (value,)).get is None:
        return []
    query = f"SELECT DISTINCT {name} FROM {quote_name(table)} WHERE {name} <> ? LIMIT {_MOST}"
    return [row[0] for row in run(query, (value,)) if type(row[0]) is type(value)]


def _nearest(value: Any, others: list[Any]) -> Any:
    if isinstance(value, int):
        return min(others, key=lambda other: (abs(other - value), other))
    alike = _neighbours(value, others, lambda text: text) | _neighbours(
        value, others, lambda text: text[::-1]
    )
    near = difflib.get_close_matches(value, sorted(alike), n=1, cutoff=0.3)
    return near[0] if near else min(others)


def _neighbours(value: str, others: list[str], key: Callable[[str], str]) -> set[str]:
    """Return the values that sort nearby by the key: comparing with every one takes too long."""
    ranked = sorted(others, key=key)
    index = bisect.bisect(ranked, key(value), key=key)
    return set(ranked[max(0, index - _NEAR) : index + _NEAR])
