"""Merging data files: many in the order they came become few in the order of their keys.

What is merged is read a row group at a time. Where it is more than one file's worth, rows are first dealt
out to scratch files by ranges of keys, then each range is sorted and written, so that memory stays what two
ranges take. Only the commit at the end needs the table for itself: writers go on meanwhile.
"""

import bisect
import itertools
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

Written = TypeVar("Written")

TARGET = 256 << 20
"""Bytes of a merged file before compression: about 11,000 real episodes, 33 MB on disk."""
RANGES = 96
"""Merged files of one run: what is merged at once is a million real episodes."""
_WORKERS = 2


class Source(NamedTuple):
    """A data file to merge, and its bytes before compression."""

    name: str
    size: int


def runs(files: Iterable[Source]) -> Iterator[list[Source]]:
    """Yield files in runs of at most `RANGES` merged files."""
    run: list[Source] = []
    for file in files:
        if run and sum(source.size for source in run) + file.size > RANGES * TARGET:
            yield run
            run = []
        run.append(file)
    if run:
        yield run


class Merge:
    """One merge of data files into sorted ones."""

    def __init__(self, key: str, schema: "pa.Schema", open_file: Callable[[str], "ParquetFile"]) -> None:
        """Take the key's column, the table's columns, and what opens a data file by its name."""
        self._key, self._schema, self._open = key, schema, open_file

    def write(self, files: Sequence[Source], write: Callable[["pa.Table"], Written]) -> list[Written]:
        """Merge the files, hand each range of rows to ``write``, and return what it returned, in order."""
        edges = self._edges(files)
        if not edges:
            return [write(self._sorted(self._batches(files)))]
        with tempfile.TemporaryDirectory(prefix="compact-") as scratch:
            self._deal(files, edges, Path(scratch))
            parts = [Path(scratch) / str(number) for number in range(len(edges) + 1)]
            workers = min(_WORKERS, os.cpu_count() or 1)
            with ThreadPoolExecutor(workers) as pool:
                return list(pool.map(lambda part: write(self._sorted(_spilled(part))), parts))

    def _edges(self, files: Sequence[Source]) -> list[str]:
        """Return the keys at which the ranges after the first begin."""
        count = -(-sum(file.size for file in files) // TARGET)
        if count <= 1:
            return []
        columns = (self._open(file.name).read(columns=[self._key])[self._key] for file in files)
        keys = sorted(itertools.chain.from_iterable(column.to_pylist() for column in columns))
        return list(dict.fromkeys(keys[len(keys) * n // count] for n in range(1, count)))

    def _batches(self, files: Sequence[Source]) -> Iterator["pa.Table"]:
        """Yield the rows of the files, a row group at a time, with every column that the table has now."""
        for source in files:
            file = self._open(source.name)
            for number in range(file.num_row_groups):
                yield self._widened(file.read_row_group(number))

    def _widened(self, rows: "pa.Table") -> "pa.Table":
        import pyarrow as pa

        there = set(rows.column_names)
        for field in self._schema:
            if field.name not in there:
                rows = rows.append_column(field, pa.nulls(rows.num_rows, field.type))
        return rows.select(self._schema.names).cast(self._schema)

    def _sorted(self, batches: Iterable["pa.Table"]) -> "pa.Table":
        import pyarrow as pa
        import pyarrow.compute as pc

        rows = pa.concat_tables([self._schema.empty_table(), *batches])
        return rows.take(pc.sort_indices(rows[self._key]))

    def _deal(self, files: Sequence[Source], edges: Sequence[str], scratch: Path) -> None:
        """Write every row to the scratch file of its range."""
        import pyarrow as pa

        options = pa.ipc.IpcWriteOptions(compression="lz4")
        writers = [
            pa.ipc.new_stream(str(scratch / str(number)), self._schema, options=options)
            for number in range(len(edges) + 1)
        ]
        try:
            for rows in self._batches(files):
                ranges = [bisect.bisect_right(edges, key) for key in rows[self._key].to_pylist()]
                for number in set(ranges):
                    writers[number].write_table(rows.filter(pa.array([r == number for r in ranges])))
        finally:
            for writer in writers:
                writer.close()


def _spilled(path: Path) -> Iterator["pa.Table"]:
    """Yield the rows of a scratch file, which goes away."""
    import pyarrow as pa

    with pa.ipc.open_stream(str(path)) as stream:
        for batch in stream:
            yield pa.Table.from_batches([batch])
    path.unlink()
