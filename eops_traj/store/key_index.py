"""Which row groups may hold a key: ranges from the Delta log and the Parquet footers, so that little is read.

Files are merged in the order of their keys (:mod:`eops_traj.store.compaction`), each row group a narrow range
of them. Files of older programs say nothing of their keys; all of their row groups may hold any.
"""

import bisect
import functools
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

if TYPE_CHECKING:
    import pyarrow as pa
    from deltalake import DeltaTable
    from pyarrow.parquet import FileMetaData, ParquetFile

SMALL_ROWS = 4096
"""Files of at most so many rows are as yet unmerged: a writer keeps their keys."""
CACHED_GROUPS = 256
"""Row groups of large files whose keys a writer keeps."""


class KeyRange(NamedTuple):
    """The least and greatest key of a file or row group; None where it is unknown."""

    low: str | None
    high: str | None

    def may_hold(self, ordered: Sequence[str]) -> bool:
        """Check whether one of these keys, in order, can be here."""
        if self.low is None or self.high is None:
            return bool(ordered)
        first = bisect.bisect_left(ordered, self.low)
        return first < len(ordered) and ordered[first] <= self.high


UNKNOWN = KeyRange(None, None)


class KeyedFile(NamedTuple):
    """A data file, with its rows (None where its writer did not say) and the range of its keys."""

    name: str
    rows: int | None
    range: KeyRange


def keyed_files(table: "DeltaTable", key: str) -> list[KeyedFile]:
    """Return the data files of a table at the version that is loaded, in its order."""
    import pyarrow as pa

    actions = pa.RecordBatchReader.from_stream(table.get_add_actions(flatten=False)).read_all()
    lows, highs = (_statistic(actions, side, key) for side in ("min", "max"))
    names, rows = actions["path"].to_pylist(), actions["num_records"].to_pylist()
    return [
        KeyedFile(unquote(name), count, KeyRange(low, high))
        for name, count, low, high in zip(names, rows, lows, highs, strict=True)
    ]


def key_beyond(file: KeyedFile, keys: "pa.ChunkedArray") -> str | None:
    """Return a key of a data file that is not in the range that the log says: no look-up would find it."""
    import pyarrow as pa
    import pyarrow.compute as pc

    span = pc.min_max(keys.cast(pa.string())).as_py()  # of a foreign writer they are views
    if span["min"] is None:
        return None
    least, greatest = str(span["min"]), str(span["max"])
    if file.range.low is not None and least < file.range.low:
        return least
    return greatest if file.range.high is not None and greatest > file.range.high else None


def _statistic(actions: "pa.Table", side: str, key: str) -> list[str | None]:
    """Return one side of the files' key ranges; a log without any statistics has no such column."""
    values = actions[side].to_pylist() if side in actions.column_names else [None] * actions.num_rows
    return [(value or {}).get(key) for value in values]


def group_ranges(footer: "FileMetaData", key: str) -> list[KeyRange]:
    """Return the range of keys of each row group, by the footer of a data file."""
    columns = range(footer.num_columns)
    column = next(n for n in columns if footer.schema.column(n).path == key)
    chunks = (footer.row_group(n).column(column) for n in range(footer.num_row_groups))
    return [_chunk_range(chunk.statistics) for chunk in chunks]


def _chunk_range(statistics: "pa.parquet.Statistics | None") -> KeyRange:
    if statistics is None or not statistics.has_min_max:
        return UNKNOWN
    return KeyRange(str(statistics.min), str(statistics.max))


def matching_groups(
    file: "ParquetFile", key: str, ordered: Sequence[str]
) -> Iterator[tuple[int, "pa.Array"]]:
    """Yield the row groups that hold some of these keys, in order, each with which of its rows do."""
    import pyarrow as pa
    import pyarrow.compute as pc

    wanted = pa.array(ordered, pa.string())
    for number, span in enumerate(group_ranges(file.metadata, key)):
        if not span.may_hold(ordered):
            continue
        column = file.read_row_group(number, columns=[key])[key].cast(pa.string()).combine_chunks()
        mask = pc.is_in(column, value_set=wanted)
        if pc.any(mask).as_py():
            yield number, mask


class KeyIndex:
    """Answers which keys a table has, again and again as its files come and go; nothing is kept on disk."""

    def __init__(self, key: str, open_file: Callable[[str], "ParquetFile"]) -> None:
        """Take the key's column and what opens a data file by its name."""
        self._key, self._open = key, open_file
        self._small: dict[str, frozenset[str]] = {}
        self._keys: set[str] = set()
        self._ranges: dict[str, list[KeyRange]] = {}
        self._group = functools.lru_cache(CACHED_GROUPS)(self._read_group)

    def known(self, files: Iterable[KeyedFile], keys: Collection[str]) -> set[str]:
        """Return those of these keys that the files hold."""
        files, ordered = list(files), sorted(keys)
        self._keep_small([file for file in files if file.rows is not None and file.rows <= SMALL_ROWS])
        found = {key for key in keys if key in self._keys}
        for file in files:
            if file.name not in self._small and file.range.may_hold(ordered):
                found |= self._in_large(file, ordered)
        return found

    def _keep_small(self, files: Sequence[KeyedFile]) -> None:
        """Keep the keys of the small files that there are now."""
        names = {file.name for file in files}
        if self._small.keys() - names:  # they were merged
            self._small = {name: keys for name, keys in self._small.items() if name in names}
            self._keys = set().union(*self._small.values())
        for name in names - self._small.keys():
            keys = self._open(name).read(columns=[self._key])[self._key].to_pylist()
            self._small[name] = frozenset(keys)
            self._keys |= self._small[name]

    def _in_large(self, file: KeyedFile, ordered: Sequence[str]) -> set[str]:
        if file.name not in self._ranges:
            self._ranges[file.name] = group_ranges(self._open(file.name).metadata, self._key)
        held: set[str] = set()
        for number, span in enumerate(self._ranges[file.name]):
            if span.may_hold(ordered):
                held |= self._group(file.name, number).intersection(ordered)
        return held

    def _read_group(self, name: str, number: int) -> frozenset[str]:
        return frozenset(self._open(name).read_row_group(number, columns=[self._key])[self._key].to_pylist())
