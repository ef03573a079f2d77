"""Every fault of an end state against the expected rows, where the verifier names the first alone."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush

from eops_traj.hashing import canonical_json
from eops_traj.schema import Change, ToolCall, json_of
from eops_traj.tool_effects import succeeded
from eops_traj.verify.constraints import Constraint, Fitting
from eops_traj.verify.row_candidates import worth_comparing
from eops_traj.verify.row_changes import RowRules
from eops_traj.verify.row_matching import (
    TO_BE_CHANGED,
    ActualRow,
    ExpectedRow,
    RowId,
    actual_rows,
    faulty_columns,
    row_id,
)


@dataclass(frozen=True)
class RowFault:
    """An expected row that is not there, a row that nobody expected, or a column that is not as it should be.

    Of the first ``actual`` is None, of the second ``wanted``.
    """

    wanted: ExpectedRow | None
    actual: ActualRow | None
    column: str = ""
    constraint: Constraint = None

    @property
    def untouched(self) -> bool:
        """Whether it is a column of a row of the seed that was to change and did not."""
        update = self.wanted is not None and self.wanted.operation == "update"
        return update and self.actual is not None and self.constraint == TO_BE_CHANGED


def find_row_faults(rules: RowRules, calls: Sequence[ToolCall]) -> list[RowFault]:
    """Return the faults of the rows that these calls have changed, as far as they changed them for good."""
    changes = [change for change in net_changes(calls) if rules.counts(change)]
    pairing = _Pairing(dict(enumerate(rules.rows)), dict(enumerate(actual_rows(changes, calls))))
    pairing.run()
    return [
        *(fault for wanted, actual in pairing.pairs for fault in _column_faults(wanted, actual)),
        *_id_faults(pairing),
        *(RowFault(wanted, None) for wanted in pairing.left.values() if not wanted.optional),
        *(RowFault(None, actual) for actual in pairing.unused.values()),
    ]


def net_changes(calls: Iterable[ToolCall]) -> list[Change]:
    """Return what the calls that succeeded changed in all: of each row the first state against the last.

    Rows stand in the order in which they were first changed.
    """
    net: dict[RowId, Change] = {}
    for call in filter(succeeded, calls):
        for change in call.changes:
            row = row_id(change)
            merged = _merge(net[row], change) if row in net else change
            if merged is None:
                del net[row]
            else:
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


@dataclass
class _Pairing:
    """Rows of the seed paired by their key, new ones by how well they fit, the best first.

    What a pair says of the ids of new rows counts for those that follow.
    """

    left: dict[int, ExpectedRow]
    unused: dict[int, ActualRow]
    ids: dict[int, object] = field(default_factory=dict)
    pairs: list[Pair] = field(default_factory=list)

    def run(self) -> None:
        """Pair all that can be paired: of many that look alike in further rounds."""
        while self._pair_some():
            pass

    def _pair_some(self) -> bool:
        before, costs = len(self.pairs), self._costs()
        ranks = {(n, m): self._rank(n, m, costs[n][m]) for n in costs for m in costs[n]}
        waiting = [(rank, at) for at, rank in ranks.items()]
        heapify(waiting)
        while waiting:
            rank, (n, m) = heappop(waiting)
            if n in self.left and m in self.unused and ranks[n, m] == rank:
                for again in self._take(n, m):  # what is known of ids now may rank it elsewhere
                    for other in costs[again].keys() & self.unused.keys():
                        ranks[again, other] = self._rank(again, other, costs[again][other])
                        heappush(waiting, (ranks[again, other], (again, other)))
        return len(self.pairs) > before

    def _costs(self) -> dict[int, dict[int, int]]:
        """Return by how many columns rows differ, for an expected row and each that it may be."""
        new = {n: wanted for n, wanted in self.left.items() if wanted.operation == "insert"}
        costs: dict[int, dict[int, int]] = defaultdict(dict)
        for n, m in worth_comparing(new, self.unused):
            costs[n][m] = len(_column_faults(self.left[n], self.unused[m]))
        keys = {(row.place, row.id[2]): m for m, row in self.unused.items()}
        for n, wanted in self.left.items():
            place = (wanted.place, canonical_json(wanted.key))
            if n not in new and place in keys:
                costs[n][keys[place]] = 0
        return costs

    def _rank(self, n: int, m: int, cost: int) -> tuple[float, int]:
        """Return what decides who goes first: how well they fit, then how much the expected row tells."""
        return (cost + self._strays(n, m), -_telling(self.left[n]))

    def _strays(self, n: int, m: int) -> float:
        """Count the ids that a pair has otherwise than known; one that is as known breaks a tie."""
        known = [(self.ids[i], value) for i, value in _ids(self.left[n], self.unused[m]) if i in self.ids]
        return sum(1 if wanted != value else -0.01 for wanted, value in known)

    def _take(self, n: int, m: int) -> list[int]:
        """Pair two rows; return the expected rows that are left and hold an id that is known by now."""
        wanted, row = self.left.pop(n), self.unused.pop(m)
        self.pairs.append((wanted, row))
        found = _ids(wanted, row)
        new = {number for number, _ in found} - self.ids.keys()
        for number, value in found:
            self.ids.setdefault(number, value)
        return [n for n, other in self.left.items() if not new.isdisjoint(other.ids)] if new else []


def _telling(wanted: ExpectedRow) -> int:
    """Count the columns that tell a row from its like: those that have to be one plain value."""
    return sum(not isinstance(rule, dict) for rule in wanted.columns.values())


def _column_faults(wanted: ExpectedRow, row: ActualRow) -> list[RowFault]:
    if wanted.operation == "delete":
        return []
    return [RowFault(wanted, row, name, rule) for name, rule in faulty_columns(wanted, row, Fitting())]


def _numbered(wanted: ExpectedRow) -> Iterator[tuple[str, int]]:
    """Yield the columns that hold the id of a new row, with its number."""
    for name, rule in wanted.columns.items():
        if isinstance(rule, dict) and "id" in rule:
            yield name, rule["id"]


def _ids(wanted: ExpectedRow, row: ActualRow) -> list[tuple[int, object]]:
    return [(number, row.values[name]) for name, number in _numbered(wanted) if row.values.get(name)]


def _id_faults(pairing: _Pairing) -> Iterator[RowFault]:
    """Yield the columns that refer to another new row than they should."""
    for wanted, row in pairing.pairs:
        for name, number in _numbered(wanted):
            value = row.values.get(name)
            if value and pairing.ids[number] != value:
                yield RowFault(wanted, row, name, {"id": number})
