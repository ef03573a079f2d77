"""Near duplicates among signatures: of rows that are alike the first is kept, as with an index of those kept.

Rows are compared where a band of their signatures is the same (LSH). For each band a row has a link to the
last row before it that is the same there; a link to a row that is dropped is moved to where that one's leads,
so that links lead through rows that are kept. They take 4 bytes a row and band; a row that has none is not
looked at.
"""

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import TYPE_CHECKING, NamedTuple

from eops_traj.filter.signature_file import SignatureFile
from eops_traj.filter.similarity import PERMUTATIONS, bands

if TYPE_CHECKING:
    import numpy as np

NONE = -1
"""Where a link ends."""


class Near(NamedTuple):
    """A row that is near to one that is kept, by their numbers; the similarity is Jaccard's, estimated."""

    row: int
    kept: int
    similarity: float


def near_rows(signatures: SignatureFile, threshold: float, names: Sequence[str]) -> Iterator[Near]:
    """Yield the rows that are at least ``threshold`` alike to an earlier one that is kept, with the nearest.

    Of several equally near ones it is that of the first of the ``names`` in order.
    """
    links = _Links([_earlier(signatures, band) for band in bands(threshold)])
    for row in links.rows():
        near = _nearest(signatures, row, links.kept_before(row), names)
        if near and near.similarity >= threshold:
            links.drop(row)
            yield near


def _nearest(signatures: SignatureFile, row: int, kept: set[int], names: Sequence[str]) -> Near | None:
    if not kept:
        return None
    others = sorted(kept, key=names.__getitem__)
    same = (signatures.get(others) == signatures.get([row])).sum(axis=1)
    best = int(same.argmax())  # the first of equal ones
    return Near(row, others[best], int(same[best]) / PERMUTATIONS)


def _earlier(signatures: SignatureFile, band: slice) -> "np.ndarray":
    """Return for each row the last one before it that is the same in a band."""
    import numpy as np

    keys = signatures.band_keys(band).to_numpy()
    order = np.argsort(keys, kind="stable").astype(np.int32)
    same = keys[order[1:]] == keys[order[:-1]]
    earlier = np.full(len(keys), NONE, dtype=np.int32)
    earlier[order[1:][same]] = order[:-1][same]
    return earlier


class _Links:
    """The links of all bands. Rows are asked for in their order."""

    def __init__(self, earlier: "Sequence[np.ndarray]") -> None:
        import numpy as np

        self._earlier = earlier
        self._dropped = np.zeros(len(earlier[0]), dtype=bool)

    def rows(self) -> list[int]:
        """Return the rows that have a link at all."""
        import numpy as np

        linked = reduce(np.logical_or, (earlier != NONE for earlier in self._earlier))
        rows: list[int] = np.flatnonzero(linked).tolist()
        return rows

    def drop(self, row: int) -> None:
        self._dropped[row] = True

    def kept_before(self, row: int) -> set[int]:
        """Return the kept rows before this one that are the same in a band."""
        found = set[int]()
        for earlier in self._earlier:
            at = int(earlier[row])
            if at != NONE and self._dropped[at]:
                at = earlier[row] = int(earlier[at])
            while at != NONE:
                found.add(at)
                at = int(earlier[at])
        return found
