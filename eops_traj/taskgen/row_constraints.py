"""The configuration of ``row_changes``: what each column of a changed row has to be, from the gold run.

A value that the gold run shares with the same run at another time, with other ids and in other words, has to
be the same; the others are the tool's or the clock's, ids of new rows, or prose.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from eops_traj.gym import registry
from eops_traj.gym.engine.changesets import RowChange
from eops_traj.gym.engine.schema import Column
from eops_traj.hashing import canonical_json
from eops_traj.taskgen.gold_evidence import Evidence, decoded
from eops_traj.taskgen.gold_run import GoldRun
from eops_traj.taskgen.server_rules import rules_of
from eops_traj.taskgen.server_rules.rules import ServerRules
from eops_traj.verify.constraints import Constraint, is_empty, is_near


def expected_rows(evidence: Mapping[str, Evidence]) -> list[dict[str, Any]]:
    """Return the expected rows of all servers, their ids numbered; in the order of the changes."""
    rows = [row for name, one in evidence.items() for row in _Rows(name, one).rows()]
    return number_ids(rows)


def row_changes_config(
    servers: Sequence[str], rows: Sequence[Mapping[str, Any]], gold: GoldRun | None
) -> dict[str, Any]:
    """Return the configuration: the expected rows, and what else there is to know (see `RowRules`)."""
    config: dict[str, Any] = {"rows": list(rows)}
    bookkeeping, own, outward = {}, {}, {}
    for name in servers:
        rules, server = rules_of(name), registry.server(name)
        if rules.bookkeeping:
            bookkeeping[server.gym_name] = sorted(rules.bookkeeping)
        if rules.own:
            own[server.gym_name] = {table: sorted(columns) for table, columns in sorted(rules.own.items())}
        if tools := {name: tool.outward for name, tool in server.tools.items() if tool.outward is not None}:
            outward[server.gym_name] = tools
    config |= {"bookkeeping": bookkeeping, "own": own, "outward": outward}
    return config | {"touched": _touched(gold) if gold else []}


def _touched(gold: GoldRun) -> list[list[str]]:
    """Return the rows that the gold run changed and changed back."""
    kept = {
        (registry.server(name).gym_name, change.table, change.key)
        for name, changes in gold.changes.items()
        for change in changes
    }
    found = set()
    for _, reply in gold.calls:
        for change in reply.changes:
            key = json.loads(change.key)
            if (change.server, change.table, tuple(key.values())) not in kept:
                found.add((change.server, change.table, canonical_json(key)))
    return sorted(map(list, found))


class _Rows:
    """The rows of one server, as constraints."""

    def __init__(self, server: str, evidence: Evidence) -> None:
        self._server, self._evidence, self._rules = server, evidence, rules_of(server)
        self._gym_name = registry.server(server).gym_name

    def rows(self) -> Iterator[dict[str, Any]]:
        for change in self._evidence.changes:
            if change.table not in self._rules.bookkeeping:
                yield self._row(change)

    def _row(self, change: RowChange) -> dict[str, Any]:
        row: dict[str, Any] = {
            "server": self._gym_name, "table": change.table, "operation": change.operation,
        }  # fmt: skip
        if change.operation != "insert":
            row["key"] = dict(zip(self._evidence.table(change).key, change.key, strict=True))
        if change.operation == "delete":
            return row
        made, free = self._made(change), sorted(self._rules.harmless.get(change.table, ()))
        columns = {
            name: self._constraint(change, name, value)
            for name, value in (change.after or {}).items()
            if name not in made and name not in free
        }
        empty = change.operation == "insert"  # what is not there has to be empty
        row["columns"] = {n: one for n, one in columns.items() if one is not None or not empty}
        return row | ({"made": made} if made else {}) | ({"free": free} if free else {})

    def _made(self, change: RowChange) -> list[str]:
        """Return the columns that the tool fills by itself: the clock's, counters, and those of the rules."""
        own = self._rules.own.get(change.table, {})
        return [
            name
            for name, column in self._evidence.table(change).columns.items()
            if name in own or self._by_tag(change, column)
        ]

    def _by_tag(self, change: RowChange, column: Column) -> bool:
        """Check whether the tool fills a column, by its schema, where nobody does, as in the gold run."""
        value = (change.after or {}).get(column.name)
        if column.key or self._evidence.is_given(column.name, value):
            return False
        return column.tag == "updated" or (change.operation == "insert" and bool(column.tag))

    def _constraint(self, change: RowChange, name: str, value: Any) -> Constraint:
        column = self._evidence.table(change).columns[name]
        if (data := decoded(column, value)) is not None:
            return _Json(self._rules, self._evidence, change.table, name).constraint(data)
        if (one := self._evidence.id_of(change, column, value)) is not None:
            return {"id": one}
        return self._text(change.table, name, value)

    def _text(self, table: str, name: str, value: Any) -> Constraint:
        if self._evidence.is_prose(table, name, value):
            return {"prose": self._evidence.told.facts(value)}
        if (table, name, repr(value)) in self._evidence.volatile and not is_empty(value):
            given = self._evidence.is_given(name, value)
            return {("now" if is_near(value, ()) else "some") if given else "made": True}
        return None if is_empty(value) else value


class _Json:
    """The constraint of a JSON column, element by element."""

    def __init__(self, rules: ServerRules, evidence: Evidence, table: str, column: str) -> None:
        self._rules, self._evidence, self._table, self._column = rules, evidence, table, column

    def constraint(self, data: Any, path: str = "") -> Constraint:
        """Return the constraint of a value inside the column; ``path`` leads there, without indices."""
        full = f"{self._column}{path}"
        if full in self._rules.own.get(self._table, {}) or full in self._rules.harmless.get(self._table, {}):
            return {"any": True}
        if isinstance(data, dict):
            inner = {name: self.constraint(value, f"{path}.{name}") for name, value in data.items()}
            free = {name: {"any": True} for name in self._free_fields(full) if name not in data}
            return {"fields": free | {name: one for name, one in inner.items() if one is not None}}
        if isinstance(data, list):
            return {"list": [self.constraint(item, path) for item in data]}
        return self._leaf(data, full)

    def _free_fields(self, path: str) -> list[str]:
        """Return the harmless fields of the object at a path, which the gold run may have left out."""
        paths = self._rules.harmless.get(self._table, {})
        return [name for above, _, name in (one.rpartition(".") for one in paths) if above == path]

    def _leaf(self, value: Any, full: str) -> Constraint:
        if (one := self._evidence.id_inside(value)) is not None:
            return {"id": one}
        if self._evidence.is_prose(self._table, full, value):
            return {"prose": self._evidence.told.facts(value)}
        if (self._table, full, repr(value)) in self._evidence.volatile_leaves and not is_empty(value):
            return {"some": True}
        return None if is_empty(value) else value


def number_ids(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Number the ids that stand in several places; one that stands alone is made by the tool."""
    counts = Counter(name for row in rows for one in row.get("columns", {}).values() for name in _ids(one))
    numbers = {name: n for n, name in enumerate((name for name, count in counts.items() if count > 1), 1)}
    return [
        row | {"columns": {name: _numbered(one, numbers) for name, one in row["columns"].items()}}
        if "columns" in row
        else row
        for row in rows
    ]


def _ids(constraint: Constraint) -> Iterator[str]:
    match constraint:
        case {"id": name}:
            yield name
        case {"fields": fields}:
            for inner in fields.values():
                yield from _ids(inner)
        case {"list": items}:
            for inner in items:
                yield from _ids(inner)


def _numbered(constraint: Constraint, numbers: Mapping[str, int]) -> Constraint:
    match constraint:
        case {"id": name}:
            return {"id": numbers[name]} if name in numbers else {"made": True}
        case {"fields": fields}:
            return {"fields": {name: _numbered(inner, numbers) for name, inner in fields.items()}}
        case {"list": items}:
            return {"list": [_numbered(inner, numbers) for inner in items]}
    return constraint
