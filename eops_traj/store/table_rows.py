"""The rows of a Delta table, read a row group at a time, and by key from those alone that may hold it."""

import contextlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from eops_traj.errors import StoreError, UnknownName
from eops_traj.schema import ADDED_COLUMNS
from eops_traj.store import integrity
from eops_traj.store.key_index import KeyedFile, KeyIndex, keyed_files, matching_groups
from eops_traj.store.parquet import leaves
from eops_traj.store.table_log import TableLog, cause

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa
    from deltalake import DeltaTable
    from pyarrow.fs import PyFileSystem
    from pyarrow.parquet import ParquetFile


class TableRows(TableLog):
    """A table that is read, at any of its versions."""

    def __init__(
        self, url: str, key: str, schema: "pa.Schema", storage_options: Mapping[str, str] | None = None
    ) -> None:
        """Name a table without touching it."""
        super().__init__(url, key, schema, storage_options)
        self._index = KeyIndex(key, self.open_file)

    def open_file(self, name: str) -> "ParquetFile":
        """Open a data file, wherever it is."""
        from pyarrow.parquet import ParquetFile

        where = self.folder / name if self.folder else self._files().open_input_file(name)
        return ParquetFile(where)

    def read_file(self, name: str) -> bytes:
        """Read a data file as it is. Raises OSError where it cannot be read."""
        with self._files().open_input_stream(name) as file:
            return bytes(file.read())

    def _files(self) -> "PyFileSystem":
        """Return the place of the data files, wherever it is, as a file system."""
        from deltalake.fs import DeltaStorageHandler
        from pyarrow.fs import PyFileSystem

        return PyFileSystem(DeltaStorageHandler(self.url, self._options))

    def versions(self) -> range:
        """Return the versions that the log still tells."""
        from pyarrow.fs import FileSelector

        newest = self.version()
        with self._reading():
            names = [file.base_name for file in self._files().get_file_info(FileSelector(integrity.LOG))]
        return range(integrity.oldest_version(names), newest + 1)

    def scan(self, version: int | None = None) -> "pl.LazyFrame":
        """Scan the table lazily, at a version. Raises StoreError where it is damaged."""
        return self.scan_of(self.checked(version, content=True)[0])

    def scan_of(self, table: "DeltaTable") -> "pl.LazyFrame":
        """Scan the version that is loaded, as it is."""
        import polars as pl

        return self.widened(pl.scan_delta(table))

    def read_fields(
        self, names: Collection[str], version: int | None = None, by_group: bool = False
    ) -> "Iterator[pl.DataFrame]":
        """Yield columns, and of nested ones some fields (``turns.finish_reason``), a data file at a time.

        With ``by_group`` a row group is in memory at a time, for files whose rows are large.
        Nothing else is decoded: why replies ended is a hundredth of a conversation. What a file lacks is left
        out. Raises StoreError where it is damaged.
        """
        import polars as pl

        table, _ = self.checked(version, content=True)
        with self._reading():
            for listed in keyed_files(table, self.key):
                file = self.open_file(listed.name)
                columns, groups = leaves(file, names), range(file.num_row_groups)
                for chosen in ([n] for n in groups) if by_group else [[*groups]]:
                    yield pl.DataFrame(pl.from_arrow(file.read_row_groups(chosen, columns)))

    def scan_keys(
        self, keys: Iterable[str], version: int | None = None, besides: Collection[str] = ()
    ) -> "pl.LazyFrame":
        """Return the rows of some keys as a frame, as `read_keys` reads them."""
        import polars as pl

        parts = [*self.read_keys(keys, version, besides)]
        return self.widened(pl.concat(parts, how="diagonal") if parts else self._empty())

    def read_keys(
        self, keys: Iterable[str], version: int | None = None, besides: Collection[str] = ()
    ) -> "Iterator[pl.DataFrame]":
        """Yield the rows of some keys, a row group's at a time, from those alone that may hold them.

        Those in the data files ``besides`` are left out.
        """
        import polars as pl

        table, files = self.checked(version)
        wanted = [file for file in files if file.name not in besides]
        with self._reading():
            for rows in self._batches(table, wanted, sorted(set(keys))):
                yield pl.DataFrame(pl.from_arrow(rows))

    def _empty(self) -> "pl.DataFrame":
        """Return no rows, with all columns; pyarrow imports pandas for that, where it is there."""
        import polars as pl

        return pl.DataFrame(pl.from_arrow(self.schema.empty_table()))

    def widened(self, frame: "pl.LazyFrame | pl.DataFrame") -> "pl.LazyFrame":
        """Give a frame the columns that a table of an older program lacks."""
        import polars as pl

        frame = frame.lazy()
        there = set(frame.collect_schema().names())
        lacking = [name for name in ADDED_COLUMNS if name in self.schema.names and name not in there]
        columns = self._empty().schema if lacking else {}
        return frame.with_columns(pl.lit(None, columns[name]).alias(name) for name in lacking)

    def whole_schema(self, table: "DeltaTable") -> "pa.Schema":
        """Return every column of the version that is loaded: ours, then those that a newer program added."""
        import pyarrow as pa

        there = pa.schema(table.schema().to_arrow())
        return pa.schema([*self.schema, *(field for field in there if field.name not in self.schema.names)])

    def keys(self) -> set[str]:
        """Return every key."""
        return set(self.scan().select(self.key).collect().get_column(self.key))

    def row(self, key: str) -> dict[str, Any]:
        """Return the row of a key, as plain values. Raises UnknownName where there is none."""
        for row in self.rows([key]):
            return row
        raise UnknownName(self.key.removesuffix("_hash"), key, sorted(self.keys())[:10])

    def known(self, keys: Collection[str]) -> set[str]:
        """Return those of these keys that the table has, from the row groups alone that may hold them."""
        return self.known_in(self.snapshot(), keys) if keys else set()

    def snapshot(self) -> list[KeyedFile]:
        """Return the data files as they are now, for :meth:`known_in`."""
        return keyed_files(self.load(), self.key)

    def known_in(self, files: Sequence[KeyedFile], keys: Collection[str]) -> set[str]:
        """Return those of these keys that the files hold. Raises DamagedStore where one cannot be read."""
        with self._reading():
            return self._index.known(files, keys)

    def rows(self, keys: Iterable[str] | None = None, version: int | None = None) -> Iterator[dict[str, Any]]:
        """Yield rows as plain values, in the table's order, a row group in memory at a time.

        By ``keys``, only the row groups that have some are read. Raises StoreError where there were fewer
        than the log has.
        """
        import polars as pl

        ordered = None if keys is None else sorted(set(keys))
        table, files = self.checked(version, content=ordered is None)
        count = 0
        with self._reading():
            for batch in self._batches(table, files, ordered):
                count += batch.num_rows
                yield from pl.DataFrame(pl.from_arrow(batch)).iter_rows(named=True)
        if ordered is None and count < integrity.row_count(files):
            self._refuse(iter([f"{count} of {integrity.row_count(files)} rows could be read"]))

    def _batches(
        self, table: "DeltaTable", files: Iterable[integrity.DataFile], keys: Sequence[str] | None
    ) -> "Iterator[pa.Table]":
        """Yield the row groups of these files, those of some keys with their rows alone."""
        described = {file.name: file for file in files}
        for listed in keyed_files(table, self.key):
            if listed.name not in described:
                continue
            if keys is None:
                file = self.open_file(listed.name)
                yield from (file.read_row_group(number) for number in range(file.num_row_groups))
            elif listed.range.may_hold(keys):
                self.check_content([described[listed.name]])
                file = self.open_file(listed.name)
                for number, mask in matching_groups(file, self.key, keys):
                    yield file.read_row_group(number).filter(mask)

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        """Turn what can go wrong in reading a data file into one line that names the table."""
        import pyarrow as pa

        try:
            yield
        except (pa.ArrowException, OSError) as error:
            if self.folder is not None:
                self._refuse(iter([f"a data file cannot be read: {cause(error)}"]))
            raise StoreError(f"cannot read {self.url}: {cause(error)}") from error
