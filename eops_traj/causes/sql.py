"""What a verifier's query asks of a table: its conditions, read off its syntax."""

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Condition:
    """A column that has to have one of these values, or to hold each of them."""

    table: str
    column: str
    values: tuple[str, ...]
    parts: bool = False
    """Whether a value is a part of a text, as LIKE finds it."""

    def holds(self, value: str) -> bool:
        """Check whether a value meets the condition; a time does to the minute, however it is written."""
        folded, values = _folded(value), [*map(_folded, self.values)]
        if self.parts:
            return all(part in folded for one in values for part in _fragments(one))
        return _truth(folded) in map(_truth, values)


@dataclass(frozen=True)
class QueryFacts:
    """The table whose rows a query counts or shows, the column shown, and its conditions."""

    table: str
    shown: str | None
    conditions: tuple[Condition, ...]


@functools.lru_cache(maxsize=1024)
def read_query(query: str) -> QueryFacts | None:
    """Read a query of SQLite; None for one that cannot be parsed, or that asks no table."""
    import sqlglot
    from sqlglot import exp

    try:
        tree = sqlglot.parse_one(query, dialect="sqlite")
    except (sqlglot.errors.SqlglotError, RecursionError):
        return None
    tables = {table.alias_or_name: table.name for table in tree.find_all(exp.Table)}
    if not tables:
        return None
    first = next(iter(tree.find_all(exp.Table))).name
    selected = tree.expressions[0].unalias() if isinstance(tree, exp.Select) and tree.expressions else None
    shown = selected.name if isinstance(selected, exp.Column) else None
    return QueryFacts(first, shown, tuple(_conditions(tree, tables, first)))


def _conditions(tree: Any, tables: dict[str, str], first: str) -> Iterator[Condition]:
    from sqlglot import exp

    for node in tree.find_all(exp.EQ, exp.Like, exp.ILike, exp.In):
        if node.find_ancestor(exp.Not):
            continue
        column = node.this.find(exp.Column)
        values = _literals(node)
        if column is not None and values and not isinstance(node.this, exp.Subquery):
            parts = isinstance(node, exp.Like | exp.ILike)
            table = tables.get(column.table) if column.table else _nearest_table(node)
            yield Condition(table or column.table or first, _field(node), values, parts)


def _nearest_table(node: Any) -> str | None:
    """Return the table of the innermost query around a condition whose column names none."""
    from sqlglot import exp

    query = node.find_ancestor(exp.Select)
    table = query.find(exp.Table) if query is not None else None
    return str(table.name) if table is not None else None


def _field(node: Any) -> str:
    """Return the column of a condition; of one inside JSON text the last field of its path."""
    from sqlglot import exp

    column = str(node.this.find(exp.Column).name)
    path = node.this.find(exp.JSONPathKey)
    keys = [str(key.this) for key in node.this.find_all(exp.JSONPathKey)] if path is not None else []
    return f"{column}.{keys[-1]}" if keys else column


def _literals(node: Any) -> tuple[str, ...]:
    from sqlglot import exp

    given = node.expressions if isinstance(node, exp.In) else [node.expression]
    values = []
    for one in given:
        # in SQLite a name in double quotes that is no column is a text
        quoted = isinstance(one, exp.Column) and one.this.args.get("quoted") and not one.table
        if isinstance(one, exp.Literal) or quoted:
            values.append(str(one.name))
        elif isinstance(one, exp.Boolean):
            values.append(str(int(one.this)))
    return tuple(values)


_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)[ t](\d\d)(:\d\d)?(?::\d\d(?:\.\d+)?)?(?:z|[+-]\d\d:?\d\d)?")


def _folded(text: str) -> str:
    """Return a text in small letters, its times to the minute and without their zone, as calls have them."""
    return _MOMENT.sub(r"\1 \2\3", text.casefold())


def _fragments(pattern: str) -> list[str]:
    return [part for part in pattern.replace("_", "%").split("%") if part]


def _truth(value: str) -> str:
    return {"true": "1", "false": "0"}.get(value, value)
