"""Matching the rows that changed with the rows that were to change, one to one.

Rows that the seed has are found by their key. New rows have keys that nobody knows beforehand: each is given
an expected row whose constraints it meets, so that ids that stand in several rows agree.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from eops_traj.hashing import canonical_json
from eops_traj.schema import Change, ToolCall
from eops_traj.tool_effects import succeeded
from eops_traj.verify.constraints import Constraint, Fitting, Ids, TooManyWays, describe, ids_in

RowId = tuple[str, str, str]
"""Server, table, and key as canonical JSON."""


@dataclass(frozen=True)
class ExpectedRow:
    """A row that was to change, as the configuration has it."""

    server: str
    table: str
    operation: str
    key: Mapping[str, Any] | None = None
    """Its key, where the seed has it."""
    columns: Mapping[str, Constraint] = field(default_factory=dict)
    """What its columns have to be: of a new row any other is empty, of an updated one unchanged."""
    made: Sequence[str] = ()
    """Columns that the tool fills: anything that no call passed."""
    free: Sequence[str] = ()
    """Columns that may be anything."""

    @property
    def place(self) -> tuple[str, str, str]:
        """Where its like are counted."""
        return (self.server, self.table, self.operation)

    @cached_property
    def ids(self) -> frozenset[int]:
        """The numbers of the ids in it."""
        return frozenset(number for one in self.columns.values() for number in ids_in(one))

    @property
    def optional(self) -> bool:
        """True for an update in which nothing changed but what the tool fills by itself."""
        return self.operation == "update" and not self.columns


@dataclass(frozen=True)
class ActualRow:
    """A row that changed, and the calls that changed it."""

    change: Change
    writers: tuple[ToolCall, ...] = ()

    @cached_property
    def id(self) -> RowId:
        """What tells it from any other row."""
        return row_id(self.change)

    @property
    def place(self) -> tuple[str, str, str]:
        """Where its like are counted."""
        return (self.change.server, self.change.table, self.change.operation)

    @cached_property
    def values(self) -> dict[str, Any]:
        """Its columns; of an update those that changed."""
        return dict(json.loads(self.change.after or "{}"))

    def is_passed(self, name: str, value: Any) -> bool:
        """Check whether a call that changed the row passed this value for this column, or as an id.

        Of its key only the call that made the row can say: those that follow have to name it.
        """
        given = self._given_by_makers if value in self._key_values else self._given
        return (plain_name(name), plain_form(value)) in given or (isinstance(value, str) and value in given)

    @cached_property
    def _key_values(self) -> tuple[Any, ...]:
        return tuple(json.loads(self.change.key).values())

    @cached_property
    def _given(self) -> frozenset[object]:
        return _given_by(self.writers)

    @cached_property
    def _given_by_makers(self) -> frozenset[object]:
        return _given_by([call for call in self.writers if _makes(call, self.id)])


def row_id(change: Change) -> RowId:
    """Return what tells a row from any other."""
    return (change.server, change.table, canonical_json(json.loads(change.key)))


def _makes(call: ToolCall, row: RowId) -> bool:
    return any(change.operation == "insert" and row_id(change) == row for change in call.changes)


def _given_by(calls: Iterable[ToolCall]) -> frozenset[object]:
    """Return what calls passed: pairs of a plain name and a plain form, and long texts by themselves."""
    given = [pair for call in calls for pair in named_arguments(json.loads(call.arguments))]
    texts = {value for _, value in given if isinstance(value, str) and len(value) >= _LONG}
    return frozenset({(plain_name(name), plain_form(value)) for name, value in given} | texts)


_LONG = 12  # a text of this length is not passed by chance
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d)[\d:.]*(?:Z|[+-]\d\d:?\d\d)?")


def plain_name(name: str) -> str:
    """Return a name as arguments and columns share it: ``createdTime`` is ``created_time``."""
    return name.replace("_", "").lower()


def plain_form(value: Any) -> str:
    """Return a value as it is compared: a time to the minute, however it is written."""
    found = _MOMENT.fullmatch(str(value))
    return " ".join(found.groups()) if found else str(value)


def named_arguments(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the single values in arguments, each with the name of its field."""
    if isinstance(value, dict):
        for inner, item in value.items():
            yield from named_arguments(item, inner)
    elif isinstance(value, list):
        for item in value:
            yield from named_arguments(item, name)
    else:
        yield name, value


@dataclass(frozen=True)
class Matching:
    """Which actual row is which expected one, and the ids that they agree on; or what is wrong."""

    fault: str = ""
    rows: Mapping[RowId, int] = field(default_factory=dict)
    ids: Ids = field(default_factory=dict)


def actual_rows(changes: Sequence[Change], calls: Sequence[ToolCall]) -> list[ActualRow]:
    """Return the changed rows, each with the successful calls that changed it."""
    writers: dict[RowId, list[ToolCall]] = {}
    for call in filter(succeeded, calls):
        for change in call.changes:
            writers.setdefault(row_id(change), []).append(call)
    return [ActualRow(change, tuple(writers.get(row_id(change), ()))) for change in changes]


def match_rows(expected: Sequence[ExpectedRow], actual: Sequence[ActualRow]) -> Matching:
    """Match every actual row with an expected one, and every expected row that is not optional."""
    known, fault = _known_rows(expected, actual)
    fault = fault or _count_fault(expected, actual)
    if fault:
        return Matching(fault)
    try:
        return _Search(expected, known, [row for row in actual if row.change.operation == "insert"]).run()
    except (TooManyWays, RecursionError) as error:
        return Matching(str(error))


def _known_rows(
    expected: Sequence[ExpectedRow], actual: Sequence[ActualRow]
) -> tuple[list[tuple[int, ActualRow]], str]:
    """Pair the rows that the seed has, by their key."""
    waiting = {
        (row.place, canonical_json(row.key)): index
        for index, row in enumerate(expected)
        if row.operation != "insert"
    }
    pairs = []
    for row in actual:
        if row.change.operation != "insert":
            index = waiting.pop((row.place, row.id[2]), None)
            if index is None:
                return [], f"{_name(row)}: nobody asked for it{_columns(row)}"
            pairs.append((index, row))
    for (place, key), index in waiting.items():
        if not expected[index].optional:
            return [], f"{place[1]} {place[2]} {key}: missing"
    return pairs, ""


def _columns(row: ActualRow) -> str:
    return f" ({', '.join(row.values)})" if row.change.operation == "update" else ""


def _name(row: ActualRow) -> str:
    return f"{row.change.table} {row.change.operation} {row.id[2]}"


def _count_fault(expected: Sequence[ExpectedRow], actual: Sequence[ActualRow]) -> str:
    """Compare the numbers of new rows by table, before anything is matched."""
    wanted = Counter(row.place for row in expected if row.operation == "insert")
    found = Counter(row.place for row in actual if row.change.operation == "insert")
    for place in sorted({*wanted, *found}):
        if wanted[place] != found[place]:
            return f"{place[1]}: {found[place]} new rows, not {wanted[place]}"
    return ""


class _Search:
    """The search for new rows that fit: those first whose ids are known, or that few rows fit."""

    def __init__(
        self, expected: Sequence[ExpectedRow], known: list[tuple[int, ActualRow]], new: list[ActualRow]
    ) -> None:
        self._expected, self._known, self._new = expected, known, new
        self._fitting = Fitting(moments=tuple(_moments(expected, [row for _, row in known] + new)))

    def run(self) -> Matching:
        ids: list[Ids] = [{}]
        for index, row in self._known:
            if faults := self._faults(self._expected[index], row):
                return Matching(faults[0])
            ids = [more for one in ids for more in self._ways(self._expected[index], row, one, linked=True)]
        candidates: dict[int, list[ActualRow]] = {}
        for index, wanted in enumerate(self._expected):
            if wanted.operation == "insert":
                alike = [row for row in self._new if row.place == wanted.place]
                candidates[index] = [row for row in alike if self._ways(wanted, row, {})]
                if not candidates[index]:
                    return Matching(self._nearest_fault(wanted, alike))
        order = sorted(candidates, key=lambda index: len(candidates[index]))
        for one in ids:
            found = self._assign(order, candidates, {row.id: index for index, row in self._known}, one)
            if found is not None:
                return found
        return Matching("the new rows do not refer to one another as they should, or two are alike")

    def _assign(
        self, order: list[int], candidates: Mapping[int, list[ActualRow]], taken: dict[RowId, int], ids: Ids
    ) -> Matching | None:
        if not order:
            return Matching(rows=taken, ids=ids)
        first = next((i for i in order if not ids.keys().isdisjoint(self._expected[i].ids)), order[0])
        rest = [index for index in order if index != first]
        for row in candidates[first]:
            if row.id not in taken:
                self._fitting.count()
                for more in self._ways(self._expected[first], row, ids, linked=True):
                    found = self._assign(rest, candidates, {**taken, row.id: first}, more)
                    if found is not None:
                        return found
        return None

    def _ways(self, wanted: ExpectedRow, row: ActualRow, ids: Ids, linked: bool = False) -> list[Ids]:
        """Return the ids for each way in which the row fits; ``linked`` looks at columns with ids only."""
        found = [ids]
        for name, constraint in _constraints(wanted, row):
            if not linked or next(ids_in(constraint), None) is not None:
                value = row.values.get(name)
                found = [
                    more
                    for one in found
                    for more in self._fitting.ways(constraint, value, one, _passed_in(row, name))
                ]
                if not found:
                    return []
        return found

    def _faults(self, wanted: ExpectedRow, row: ActualRow) -> list[str]:
        faults = faulty_columns(wanted, row, self._fitting)
        return [_describe_fault(wanted, name, constraint, row) for name, constraint in faults]

    def _nearest_fault(self, wanted: ExpectedRow, alike: list[ActualRow]) -> str:
        """Name the first fault of the row that has the fewest."""
        faults = min((self._faults(wanted, row) for row in alike), key=len)
        return faults[0] if faults else f"{wanted.table} insert: ids that should be the same are not"


def faulty_columns(wanted: ExpectedRow, row: ActualRow, fitting: Fitting) -> Iterator[tuple[str, Constraint]]:
    """Yield the columns of a row that are not as they should be, each with what it should be."""
    for name, constraint in _constraints(wanted, row):
        if not fitting.ways(constraint, row.values.get(name), {}, _passed_in(row, name)):
            yield name, constraint


def _constraints(wanted: ExpectedRow, row: ActualRow) -> Iterator[tuple[str, Constraint]]:
    """Yield what each column has to be, of those that matter."""
    for name in dict.fromkeys([*wanted.columns, *row.values]):
        if name in wanted.columns:
            missing = wanted.operation == "update" and name not in row.values
            yield name, TO_BE_CHANGED if missing else wanted.columns[name]
        elif name in wanted.made:
            yield name, _NOT_PASSED
        elif name not in wanted.free:
            yield name, _UNCHANGED if wanted.operation == "update" else None


TO_BE_CHANGED = {"never": "be changed"}
_UNCHANGED = {"never": "stay as it was"}
_NOT_PASSED = {"own": True}


def _moments(expected: Sequence[ExpectedRow], rows: Sequence[ActualRow]) -> Iterator[str]:
    """Yield the times that the tools put into the rows: what they take for now."""
    clocks = {(row.server, row.table, name) for row in expected for name in row.made}
    for row in rows:
        for name, value in row.values.items():
            if (row.change.server, row.change.table, name) in clocks and isinstance(value, str):
                yield value


def _passed_in(row: ActualRow, name: str) -> Any:
    return lambda value: row.is_passed(name, value)


def _describe_fault(wanted: ExpectedRow, name: str, constraint: Constraint, row: ActualRow) -> str:
    value = "as it was" if constraint is TO_BE_CHANGED else f"{row.values.get(name)!r:.80}"
    return f"{wanted.table} {wanted.operation}: {name} is {value}, not {describe(constraint)[:120]}"
