"""MinHash signatures in a temporary file, so that millions of them take no memory.

A row has 512 bytes: ten million take 5 GB of the disk that TMPDIR is on.
"""

import tempfile
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from eops_traj.errors import WorkError
from eops_traj.filter.similarity import PERMUTATIONS

if TYPE_CHECKING:
    import numpy as np
    import polars as pl

ROW = 4 * PERMUTATIONS
"""Bytes of a signature: its numbers have 32 bits."""
BLOCK = 1 << 14
"""Rows that are read at once, 8 MB."""


class SignatureFile:
    """Signatures by the number of their row. The file is gone with this object."""

    def __init__(self, rows: int) -> None:
        """Make a file for so many rows. Those that are not put in are zeros."""
        self.rows = rows
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - it is closed with this object
        self._file.truncate(rows * ROW)

    def put(self, row: int, signature: bytes) -> None:
        """Write the `ROW` bytes of a row. Raises WorkError where the disk has no room for them."""
        try:
            self._file.seek(row * ROW)
            self._file.write(signature)
            self._file.flush()  # the last row too, before it is read
        except OSError as error:
            where = f"{self.rows * ROW:,} bytes of signatures in {tempfile.gettempdir()}"
            raise WorkError(f"no room for {where} (TMPDIR says where): {error.strerror}") from error

    def get(self, rows: Iterable[int]) -> "np.ndarray":
        """Return the signatures of some rows: 32 bits (rows, `PERMUTATIONS`)."""
        return _numbers(b"".join(self._read(row, 1) for row in rows))

    def band_keys(self, band: slice) -> "pl.Series":
        """Return for each row a number of 64 bits, the same for rows whose signatures are the same there."""
        import polars as pl

        blocks = (pl.DataFrame(block[:, band], orient="row") for block in self._blocks())
        return pl.concat([block.hash_rows(seed=1) for block in blocks])

    def _blocks(self) -> "Iterator[np.ndarray]":
        for start in range(0, self.rows, BLOCK):
            yield _numbers(self._read(start, min(BLOCK, self.rows - start)))

    def _read(self, row: int, count: int) -> bytes:
        self._file.seek(row * ROW)
        return self._file.read(count * ROW)


def _numbers(signatures: bytes) -> "np.ndarray":
    import numpy as np

    return np.frombuffer(signatures, dtype=np.uint32).reshape(-1, PERMUTATIONS)
