"""Every fault of an end state against the expected rows, where the verifier names the first alone."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from eops_traj.hashing import canonical_json
from eops_traj.schema import Change, ToolCall, json_of
from eops_traj.tool_effects import succeeded
from eops_traj.verify.constraints import Constraint, Fitting
from eops_traj.verify.row_changes import RowRules
from eops_traj.verify.row_matching import ActualRow, ExpectedRow, RowId, actual_rows, faulty_columns, row_id


@dataclass(frozen=True)
class RowFault:
    """An expected row that is not there, a row that nobody expected, or a column that is not as it should be.

    Of the first ``actual`` is None, of the second ``wanted``.
    """

    wanted: ExpectedRow | None
    actual: ActualRow | None
    column: str = ""
    constraint: Constraint = None


def find_row_faults(rules: RowRules, calls: Sequence[ToolCall]) -> list[RowFault]:
    """Return the faults of the rows that these calls have changed, as far as they changed them for good."""
    changes = [change for change in net_changes(calls) if rules.counts(change)]
    pairs, missing, extra = _pair(rules.rows, actual_rows(changes, calls))
    return [
        *(fault for wanted, actual in pairs for fault in _column_faults(wanted, actual)),
        *_id_faults(pairs),
        *(RowFault(wanted, None) for wanted in missing if not wanted.optional),
        *(RowFault(None, actual) for actual in extra),
    ]


def net_changes(calls: Iterable[ToolCall]) -> list[Change]:
    """Return what the calls that succeeded changed in all: of each row the first state against the last."""
    net: dict[RowId, Change] = {}
    for call in filter(succeeded, calls):
        for change in call.changes:
            row = row_id(change)
            merged = _merge(net.pop(row), change) if row in net else change
            if merged is not None:
                net[row] = merged
    return list(net.values())


def _merge(first: Change, then: Change) -> Change | None:
    """Return two changes of a row as one; None where the second undoes the first."""
    before, after = json.loads(first.before or "{}"), json.loads(then.after or "{}")
    if first.operation == "insert":
        if then.operation == "delete":
            return None
        whole = {**json.loads(first.after or "{}"), **after}
        return _change(then, "insert", None, whole)
    whole_before = {**json.loads(then.before or "{}"), **before}
    if then.operation == "delete":
        return _change(then, "delete", whole_before, None)
    whole = {**json.loads(first.after or "{}"), **after}
    kept = {name: value for name, value in whole.items() if value != whole_before.get(name)}
    return _change(then, "update", {name: whole_before.get(name) for name in kept}, kept) if kept else None


def _change(of: Change, operation: str, before: object, after: object) -> Change:
    return Change(
        server=of.server,
        table=of.table,
        operation=operation,
        key=of.key,
        before=None if before is None else json_of(before),
        after=None if after is None else json_of(after),
    )


Pair = tuple[ExpectedRow, ActualRow]


def _pair(
    expected: Sequence[ExpectedRow], actual: Sequence[ActualRow]
) -> tuple[list[Pair], list[ExpectedRow], list[ActualRow]]:
    """Pair the rows of the seed by their key and the new ones by how well they fit; return what is left."""
    costs = sorted(
        (cost, n, m)
        for n, wanted in enumerate(expected)
        for m, row in enumerate(actual)
        if row.place == wanted.place
        for cost in _cost(wanted, row)
    )
    pairs: list[Pair] = []
    left, unused = dict(enumerate(expected)), dict(enumerate(actual))
    for _, n, m in costs:
        if n in left and m in unused:
            pairs.append((left.pop(n), unused.pop(m)))
    return pairs, list(left.values()), list(unused.values())


def _cost(wanted: ExpectedRow, row: ActualRow) -> Iterator[int]:
    """Yield by how many columns a row differs; nothing where it is surely another row."""
    if wanted.operation == "insert":
        yield len(_column_faults(wanted, row))
    elif canonical_json(wanted.key) == row.id[2]:
        yield 0


def _column_faults(wanted: ExpectedRow, row: ActualRow) -> list[RowFault]:
    if wanted.operation == "delete":
        return []
    return [RowFault(wanted, row, name, rule) for name, rule in faulty_columns(wanted, row, Fitting())]


def _id_faults(pairs: Sequence[Pair]) -> Iterator[RowFault]:
    """Yield the columns that refer to another new row than they should: a key says which row is which."""
    known: dict[int, object] = {}
    numbered = [
        (wanted, row, name, rule["id"])
        for wanted, row in pairs
        for name, rule in wanted.columns.items()
        if isinstance(rule, dict) and "id" in rule
    ]
    for of_key in (True, False):
        for wanted, row, name, number in numbered:
            value = row.values.get(name)
            if value is None or (name in json.loads(row.change.key)) is not of_key:
                continue
            if known.setdefault(number, value) != value:
                yield RowFault(wanted, row, name, {"id": number})
