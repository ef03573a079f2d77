"""Which rows are worth comparing: of a few all with all, of many those with the most values in common."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping
from heapq import nsmallest
from itertools import product
from typing import Any

from eops_traj.verify.row_matching import ActualRow, ExpectedRow, plain_form

_ALL = 4096
"""Pairs of rows of one place that are all compared."""
_NEAREST = 32
"""Rows that each is compared with where there are more, at least."""

Place = tuple[str, ...]


def worth_comparing(
    wanted: Mapping[int, ExpectedRow], rows: Mapping[int, ActualRow], parts: int = 3
) -> Iterator[tuple[int, int]]:
    """Yield the pairs of an expected and an actual row of one place that are worth comparing, by number.

    A place is the first ``parts`` of server, table and operation. Of more than a few thousand pairs of a
    place, each row of the smaller side is paired with those that agree with it in the most plain values.
    """
    there = _by_place(rows, parts)
    for place, some in _by_place(wanted, parts).items():
        others = there.get(place, [])
        if len(some) * len(others) <= _ALL:
            yield from product(some, others)
        else:
            yield from _nearest({n: wanted[n] for n in some}, {m: rows[m] for m in others})


def _by_place(rows: Mapping[int, Any], parts: int) -> dict[Place, list[int]]:
    places: dict[Place, list[int]] = defaultdict(list)
    for number, row in rows.items():
        places[row.place[:parts]].append(number)
    return places


def _nearest(wanted: Mapping[int, ExpectedRow], rows: Mapping[int, ActualRow]) -> Iterator[tuple[int, int]]:
    few, many = ({n: _plain_values(row) for n, row in side.items()} for side in (wanted, rows))
    swapped = len(few) > len(many)
    few, many = (many, few) if swapped else (few, many)
    holders: dict[Hashable, list[int]] = defaultdict(list)
    for number, values in many.items():
        for value in values:
            holders[value].append(number)
    for n, values in few.items():
        for m in _most_alike(values, holders, many, max(_NEAREST, _ALL // len(few))):
            yield (m, n) if swapped else (n, m)


def _most_alike(
    values: frozenset[Hashable], holders: Mapping[Hashable, list[int]], many: Mapping[int, Any], most: int
) -> list[int]:
    """Return the numbers of the rows with the most of these values; of equal ones the first."""
    shared = Counter(number for value in values for number in holders.get(value, ()))
    return nsmallest(most, many, key=lambda number: (-shared[number], number))


def _plain_values(row: ExpectedRow | ActualRow) -> frozenset[Hashable]:
    """Return columns with what they have, or have to be, where that is one plain value."""
    columns = row.columns if isinstance(row, ExpectedRow) else row.values
    return frozenset((n, plain_form(v)) for n, v in columns.items() if not isinstance(v, dict))
