"""Rows that nobody asked to be changed, each with the row that was meant in its stead, if there is one."""

from collections.abc import Iterator, Sequence

from eops_traj.verify.constraints import Constraint, Fitting
from eops_traj.verify.row_candidates import worth_comparing
from eops_traj.verify.row_faults import RowFault
from eops_traj.verify.row_matching import ActualRow, ExpectedRow, faulty_columns

_OF_THE_TOOL = frozenset({"own", "now", "id", "never"})
"""Kinds of constraints that many rows fit."""
_LATER = 1000
"""What a row that was changed costs more than one that was not."""


def pair_with_meant(
    faults: Sequence[RowFault],
) -> tuple[list[tuple[ActualRow, ExpectedRow | None]], list[RowFault]]:
    """Return the rows too many, each with the one that was meant, and the faults that this leaves.

    Those that agree best are paired first: with two wrong rows, the order of calls tells nothing.
    """
    others = [fault.actual for fault in faults if fault.actual and not fault.wanted]
    wanted = {id(fault.wanted): fault.wanted for fault in faults if fault.wanted}
    groups: dict[int, list[RowFault]] = {one: [] for one in wanted}
    for fault in faults:
        if fault.wanted:
            groups[id(fault.wanted)].append(fault)
    numbers = list(wanted)
    alike = worth_comparing(dict(enumerate(wanted.values())), dict(enumerate(others)), parts=2)
    costs = sorted(
        (cost, n, place, numbers[place])
        for place, n in alike
        for cost in _cost(others[n], wanted[numbers[place]], groups[numbers[place]])
    )
    taken: dict[int, int] = {}
    meant: set[int] = set()
    for _, n, _, one in costs:
        if n not in taken and one not in meant:
            taken[n] = one
            meant.add(one)
    pairs = [(row, wanted[taken[n]] if n in taken else None) for n, row in enumerate(others)]
    return pairs, [f for f in faults if f.wanted and id(f.wanted) not in meant]


def _cost(row: ActualRow, wanted: ExpectedRow, faults: Sequence[RowFault]) -> Iterator[int]:
    """Yield in how many columns a row differs from one it may have been taken for; nothing if it is none.

    A row of the seed is taken for another one of its table; a new row or an old one for the other, where the
    meant record has a row already or has none, only if all that they share agrees.
    """
    undone = all(fault.actual is None or fault.untouched for fault in faults)
    misfits = {name for name, _ in faulty_columns(wanted, row, Fitting())} & row.values.keys()
    if row.place == wanted.place and wanted.key:
        if undone:
            yield len(misfits)
        elif _lacks(row, faults):
            yield _LATER + len(misfits)
    elif undone and "delete" not in (wanted.operation, row.place[2]):
        shared = row.values.keys() & wanted.columns.keys()
        if any(_tells(wanted.columns[name]) for name in shared) and not shared & misfits:
            yield 0


def _lacks(row: ActualRow, faults: Sequence[RowFault]) -> bool:
    """Check whether a changed row lacks in the same columns what went to another; no call passed its own."""
    columns = {fault.column for fault in faults}
    actual = faults[0].actual
    return columns <= row.values.keys() and not any(
        actual and actual.is_passed(name, actual.values.get(name)) for name in columns
    )


def _tells(rule: Constraint) -> bool:
    return rule is not None and not (isinstance(rule, dict) and rule.keys() & _OF_THE_TOOL)
