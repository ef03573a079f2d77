"""What a verifier's query asks of a table: its conditions, read off its syntax."""

import functools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from eops_traj.verify.sql_compare import COMPARISONS


@dataclass(frozen=True)
class Condition:
    """A column that has to have one of these values, to hold one as a part, or to be more or less than it."""

    table: str
    column: str
    values: tuple[str, ...]
    comparison: str = "equals"
    """One of COMPARISONS; ``contains`` finds a part of a text as LIKE does."""

    def holds(self, value: str) -> bool:
        """Check whether a value meets the condition; a time does to the minute, however it is written."""
        folded, values = _folded(value), [*map(_folded, self.values)]
        if self.comparison == "contains":
            return any(all(part in folded for part in _fragments(one)) for one in values)
        return any(_compares(_plain(folded), _plain(one), self.comparison) for one in values)

    @property
    def wanted(self) -> str:
        """What the column has to have, in words."""
        order = f"{self.comparison.replace('_', ' ')} " if self.comparison in _ORDERS else ""
        return order + " or ".join(self.values)


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
    """Yield what has to hold of each row: nothing that is denied, and of several choices none by itself."""
    from sqlglot import exp

    for node in tree.find_all(exp.Or, exp.EQ, exp.Like, exp.ILike, exp.In):
        if node.find_ancestor(exp.Not, exp.Or, exp.Escape):
            continue
        choices = node.flatten() if isinstance(node, exp.Or) else [node]
        found = _any_of([_condition(one, tables, first) for one in choices])
        if found is not None:
            yield found


def _any_of(choices: Sequence[Condition | None]) -> Condition | None:
    """Return the one condition that is met where a choice is; None where they ask for different things."""
    asked = {one and replace(one, values=()) for one in choices}
    alike = asked.pop()
    if alike is None or asked:
        return None
    return replace(alike, values=tuple(value for one in choices if one for value in one.values))


def _condition(node: Any, tables: dict[str, str], first: str) -> Condition | None:
    """Return the condition of a comparison; None where a column is reckoned with, or what it has to be."""
    from sqlglot import exp

    if not isinstance(node, exp.EQ | exp.Like | exp.ILike | exp.In) or node.args.get("negate"):
        return None
    whole, values = _cut_from(node.this), _literals(node)
    column = _column(whole or node.this)
    if column is None or not values:
        return None
    table = tables.get(column.table) if column.table else _nearest_table(node)
    part = whole is not None or isinstance(node, exp.Like | exp.ILike)
    found = Condition(table or column.table or first, _field(node), values)
    return replace(found, comparison="contains") if part else found


def _column(side: Any) -> Any:
    """Return the column whose values a side has, whatever their case, blanks or type; None for another."""
    from sqlglot import exp

    columns = [*side.find_all(exp.Column)]
    worded = exp.Paren | exp.Collate | exp.Lower | exp.Upper | exp.Trim
    while isinstance(side, worded | exp.Cast | exp.Coalesce | exp.JSONExtract | exp.JSONExtractScalar):
        side = side.this
    return side if columns == [side] else None


def _cut_from(side: Any) -> Any:
    """Return the whole of which a side is the day or some of the characters; None where it is neither."""
    from sqlglot import exp

    # a day with something beside it, as in DATE(due, '+1 day'), is another one
    day = isinstance(side, exp.Date) and [name for name, given in side.args.items() if given] == ["this"]
    return side.this if day or isinstance(side, exp.Substring) else None


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
    """Return the values that a comparison names; none where it names one that cannot be read."""
    from sqlglot import exp

    given = node.expressions if isinstance(node, exp.In) else [node.expression]
    values = tuple(value for one in given if (value := _literal(one)) is not None)
    return values if len(values) == len(given) else ()


def _literal(one: Any) -> str | None:
    from sqlglot import exp

    # in SQLite a name in double quotes that is no column is a text
    quoted = isinstance(one, exp.Column) and one.this.args.get("quoted") and not one.table
    if isinstance(one, exp.Literal) or quoted:
        return str(one.name)
    return str(int(one.this)) if isinstance(one, exp.Boolean) else None


_ORDERS = ("greater_than", "less_than")
_DECIMAL = re.compile(r"-?\d+\.\d+")
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)[ t](\d\d)(:\d\d)?(?::\d\d(?:\.\d+)?)?(?:z|[+-]\d\d:?\d\d)?")


def _folded(text: str) -> str:
    """Return a text in small letters, its times to the minute and without their zone, as calls have them."""
    return _MOMENT.sub(r"\1 \2\3", text.casefold())


def _fragments(pattern: str) -> list[str]:
    return [part for part in pattern.replace("_", "%").split("%") if part]


def _compares(value: str, wanted: str, comparison: str) -> bool:
    """Compare two texts; which is more, as numbers where both are."""
    if comparison in _ORDERS:
        try:
            return bool(COMPARISONS[comparison](float(value), float(wanted)))
        except ValueError:
            pass
    return bool(COMPARISONS[comparison](value, wanted))


def _plain(value: str) -> str:
    """Return a truth as a number, and a number without the zeros at its end: ``100.0`` is ``100``."""
    if _DECIMAL.fullmatch(value):
        return value.rstrip("0").rstrip(".")
    return {"true": "1", "false": "0"}.get(value, value)
