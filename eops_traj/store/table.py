"""One Delta table with a key: atomic appends that leave out what is there, reads of any version."""

import contextlib
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from eops_traj.errors import DamagedStore, StoreError, UnknownName
from eops_traj.schema import ADDED_COLUMNS
from eops_traj.store import checksums, integrity, retention
from eops_traj.store.heads import JournalHeads, later
from eops_traj.store.history import commit_infos, commit_row
from eops_traj.store.key_index import KeyedFile, KeyIndex, keyed_files, matching_groups
from eops_traj.store.marks import read_mark, write_mark
from eops_traj.store.parquet import encode, leaves, writer_properties
from eops_traj.store.place import require_place
from eops_traj.untrusted.terminal import plain

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa
    from deltalake import DeltaTable
    from deltalake.transaction import AddAction, RemoveAction
    from pyarrow.fs import PyFileSystem
    from pyarrow.parquet import ParquetFile

CHUNK = 1 << 20
"""Bytes that are handed to the disk or object store at once."""


class Table:
    """A Delta table whose rows have a unique key column."""

    head_name = "_head.json"
    """The mark of the last commit, in the table's folder."""

    def __init__(
        self, url: str, key: str, schema: "pa.Schema", storage_options: Mapping[str, str] | None = None
    ) -> None:
        """Name a table without touching it."""
        self.url, self.key, self.schema = url, key, schema
        self.folder = None if "://" in url else Path(url)
        """None behind a URL."""
        self._options = dict(storage_options) if storage_options else None
        self._index = KeyIndex(key, self.open_file)
        self.heads: JournalHeads | None = None
        """Where the last commit is recorded a second time."""

    @property
    def name(self) -> str:
        """The last part of its place."""
        return self.url.rpartition("/")[2]

    def exists(self) -> bool:
        """Check whether there is a Delta table here. Raises StoreError where deltalake could not read it."""
        from deltalake import DeltaTable

        if self.folder is not None:
            return self._has_log(self.folder)
        try:
            return bool(DeltaTable.is_deltatable(self.url, storage_options=self._options))
        except OSError as error:  # no key, no network, no such bucket
            raise StoreError(f"cannot reach {self.url.rpartition('/')[0]}: {cause(error)}") from error

    def _has_log(self, folder: Path) -> bool:
        if there := integrity.has_log(folder):
            require_place(folder)
        return there

    def create(self, description: str) -> None:
        """Create the table, unless it is there. Raises StoreError where it cannot be written."""
        from deltalake import write_deltalake

        try:
            with self.writing():
                write_deltalake(
                    self.url,
                    self.schema.empty_table(),
                    mode="ignore",
                    description=description,
                    storage_options=self._options,
                )
        except StoreError:
            if not self.exists():  # another process was quicker, which is as good
                raise
        self.write_head(self.open())

    def load(self, version: int | None = None) -> "DeltaTable":
        """Load the table at a version, by default the latest, and check that its files are there.

        Raises StoreError where there is none, none of that version, or what the log lists is not there.
        """
        return self.checked(version)[0]

    def checked(
        self, version: int | None, content: bool = False
    ) -> tuple["DeltaTable", list[integrity.DataFile]]:
        """Load the table with its data files; ``content`` is checked once in a process for each file."""
        if self.folder is None:
            table = self.open(version)
            return table, integrity.data_files(table)
        head = self.head()  # before the log: another process may commit in between
        self._refuse(integrity.log_problems(self.folder))
        table = self.open(version)
        files = integrity.data_files(table)
        if version is None:
            self._refuse(integrity.head_problems(self.folder, head, table, files))
        if version is not None:
            retention.require_kept(self.folder, version, files)
        self._refuse(integrity.file_problems(self.folder, files))
        if content:
            self._refuse(integrity.content_problems(self.folder, files))
        return table, files

    def head(self) -> dict[str, Any] | None:
        """Return what is known of the last commit: the table's id, version and rows; None without a mark."""
        try:
            mark = read_mark(self.folder / self.head_name, "version", "rows") if self.folder else None
            return later(mark, self.heads.of(self.name)) if self.heads else mark
        except StoreError as error:
            self._refuse(iter([str(error)]))
            raise

    def write_head(self, table: "DeltaTable") -> None:
        """Write the mark of the version that is loaded."""
        if self.folder is not None:
            rows = integrity.row_count(integrity.data_files(table))
            facts = {"id": str(table.metadata().id), "version": table.version(), "rows": rows}
            write_mark(self.folder / self.head_name, facts)
            if self.heads:
                self.heads.note(self.name, facts)

    def _refuse(self, problems: Iterator[str]) -> None:
        """Raise DamagedStore for the first problem."""
        for problem in problems:
            raise DamagedStore(self.url.rpartition("/")[0], f"{self.name}: {problem}")

    def open(self, version: int | None = None) -> "DeltaTable":
        """Open the table by its log alone, whatever else is there. Raises StoreError where that fails."""
        from deltalake import DeltaTable
        from deltalake.exceptions import DeltaError, TableNotFoundError

        from eops_traj.store.local_table import LocalTable

        kind = DeltaTable if self.folder is None else LocalTable
        try:
            return kind(self.url, version=version, storage_options=self._options)
        except TableNotFoundError as error:
            if version is not None and self.exists():
                raise StoreError(f"{self.url} has no version {version}") from error
            where = self.url.rpartition("/")[0] or "''"
            raise StoreError(f"no store at {where}; `eops-traj collect` or `import` make one") from error
        except (DeltaError, OSError, ValueError) as error:
            if self.folder is not None:
                self._refuse(iter([f"its log cannot be read: {error}"]))
            raise StoreError(f"cannot read {self.url}: {cause(error)}") from error
        except BaseException as error:
            if integrity.is_panic(error):
                self._refuse(iter([f"its log cannot be read: {str(error)[:200]}"]))
            raise

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """Turn what can go wrong in writing into a StoreError that names the table."""
        import pyarrow as pa
        from deltalake.exceptions import CommitFailedError, DeltaError

        try:
            yield
        except CommitFailedError as error:
            raise StoreError(f"{self.url} was written by another process meanwhile: {error}") from error
        except (DeltaError, OSError, pa.ArrowException) as error:
            raise StoreError(f"cannot write {self.url}: {cause(error)}") from error

    def description(self) -> str:
        """Return the table's description, in which the store keeps its schema version."""
        return str(self.load().metadata().description or "")

    def id(self) -> str:
        """Return the table's own id, new with every table created."""
        return str(self.load().metadata().id)

    def version(self) -> int:
        """Return the latest version."""
        return int(self.load().version())

    def arrow(self, rows: list[dict[str, Any]]) -> "pa.Table":
        """Convert rows to Arrow. Raises ValueError, TypeError or OverflowError for what does not fit."""
        import pyarrow as pa

        return pa.Table.from_pylist(rows, schema=self.schema)

    def append(self, rows: list[dict[str, Any]]) -> int:
        """Append the rows whose key is new, in one commit, and return how many.

        Raises what :meth:`arrow` raises, with nothing written, and StoreError where it cannot be written.
        """
        if not rows:
            return 0
        known = self.known({row[self.key] for row in rows})
        new = [row for row in rows if row[self.key] not in known]
        if new:
            self.commit(self.arrow(new))
        return len(new)

    def commit(self, rows: "pa.Table", instead_of: Iterable[integrity.DataFile] = ()) -> None:
        """Write rows, whose keys are new, as one Parquet file, and add it in one commit.

        The data files that it stands ``instead_of`` leave the table in the same commit.
        """
        from deltalake import CommitProperties, PostCommitHookProperties

        with self.writing():
            self.add_columns()
            added = self.add_action(self.write_file(rows))
            table = self.open()
            table.create_write_transaction(
                [added, *removals(file for file in instead_of if file.name != added.path)],
                "append",
                rows.schema,
                commit_properties=CommitProperties(custom_metadata={"rows_added": str(rows.num_rows)}),
                post_commithook_properties=PostCommitHookProperties(cleanup_expired_logs=False),
            )
            table.update_incremental()
        self.write_head(table)

    def add_columns(self) -> None:
        """Add the columns that a table of an older program lacks, in one commit; older versions stay."""
        from deltalake import Field, Schema

        table = self.open()
        there = {field.name for field in table.schema().fields}
        lacking = [name for name in ADDED_COLUMNS if name in self.schema.names and name not in there]
        if lacking:
            fields = {field.name: field for field in Schema.from_arrow(self.schema).fields}
            table.alter.add_columns([Field(n, fields[n].type, nullable=True) for n in lacking])

    def name_of(self, rows: "pa.Table") -> str:
        """Return the name of the data file that these rows would be."""
        return checksums.name_of(encode(rows, self.key))

    def write_file(self, rows: "pa.Table") -> "Written":
        """Write rows as a data file that no version has yet, named by its checksum."""
        import pyarrow.compute as pc

        content = encode(rows, self.key)
        name = checksums.name_of(content)
        files = self._files()
        if not self._holds(name):  # a listed file is not written over: a crash would leave half of it
            with files.open_output_stream(name, buffer_size=CHUNK) as file:
                for start in range(0, len(content), CHUNK // 2):  # what the buffer cannot hold it refuses
                    file.write(content[start : start + CHUNK // 2])
        changed = files.get_file_info(name).mtime_ns // 1_000_000
        span = pc.min_max(rows[self.key]).as_py()
        return Written(name, len(content), changed, rows.num_rows, span["min"], span["max"])

    def _holds(self, name: str) -> bool:
        """Check whether the folder has a whole data file of this name."""
        if self.folder is None or not (self.folder / name).exists():
            return False
        return checksums.measured(self.folder / name) == checksums.recorded(self.folder, name)

    def add_action(self, file: "Written", changes: bool = True) -> "AddAction":
        """Return what adds a data file to the table, with the range of its keys."""
        from deltalake.transaction import AddAction

        stats = {
            "numRecords": file.rows,
            "minValues": {self.key: file.low},
            "maxValues": {self.key: file.high},
            "nullCount": {self.key: 0},
        }
        return AddAction(file.name, file.size, {}, file.changed, changes, json.dumps(stats))

    def open_file(self, name: str) -> "ParquetFile":
        """Open a data file, wherever it is."""
        from pyarrow.parquet import ParquetFile

        where = self.folder / name if self.folder else self._files().open_input_file(name)
        return ParquetFile(where)

    def _files(self) -> "PyFileSystem":
        """Return the place of the data files, wherever it is, as a file system."""
        from deltalake.fs import DeltaStorageHandler
        from pyarrow.fs import PyFileSystem

        return PyFileSystem(DeltaStorageHandler(self.url, self._options))

    def replace(self, records: Sequence[Any]) -> None:
        """Replace the rows of the records' keys by the records, as :meth:`replace_rows` does."""
        from eops_traj.store.arrow import to_row

        self.replace_rows(self.arrow([to_row(record) for record in records]))

    def replace_rows(self, rows: "pa.Table") -> None:
        """Replace the rows of these keys by these rows, in one commit.

        Raises StoreError where another process wrote to the table meanwhile; nothing is replaced then.
        """
        from deltalake import PostCommitHookProperties, write_deltalake

        keys = ", ".join("'" + str(key).replace("'", "''") + "'" for key in rows[self.key].to_pylist())
        self.checked(None, content=True)  # what is damaged is not written anew as if it were whole
        with self.writing():
            self.add_columns()
            write_deltalake(
                self.url,
                rows,
                mode="overwrite",
                predicate=f"{self.key} IN ({keys})",
                storage_options=self._options,
                writer_properties=writer_properties(self.key),
                post_commithook_properties=PostCommitHookProperties(cleanup_expired_logs=False),
            )
        self.record()

    def record(self) -> int:
        """Record the checksums that are missing, and the mark of the latest version; return how many."""
        table = self.open()
        self.write_head(table)
        if self.folder is None:
            return 0
        with self.writing():
            files = integrity.data_files(table)
            return checksums.record(
                self.folder, [f.name for f in files if not integrity.problem(self.folder, f)]
            )

    def scan(self, version: int | None = None) -> "pl.LazyFrame":
        """Scan the table lazily, at a version. Raises StoreError where it is damaged."""
        return self.scan_of(self.checked(version, content=True)[0])

    def scan_of(self, table: "DeltaTable") -> "pl.LazyFrame":
        """Scan the version that is loaded, as it is."""
        import polars as pl

        return self.widened(pl.scan_delta(table))

    def read_fields(self, names: Collection[str], version: int | None = None) -> "Iterator[pl.DataFrame]":
        """Yield columns, and of nested ones some fields (``turns.finish_reason``), a data file at a time.

        Nothing else is decoded: why replies ended is a hundredth of a conversation. What a file lacks is left
        out. Raises StoreError where it is damaged.
        """
        import polars as pl

        table, _ = self.checked(version, content=True)
        with self._reading():
            for listed in keyed_files(table, self.key):
                file = self.open_file(listed.name)
                yield pl.DataFrame(pl.from_arrow(file.read(columns=leaves(file, names))))

    def scan_keys(self, keys: Iterable[str], version: int | None = None) -> "pl.LazyFrame":
        """Return the rows of some keys as a frame, from the row groups alone that may hold them."""
        import polars as pl

        table, files = self.checked(version)
        with self._reading():
            batches = self._batches(table, files, sorted(set(keys)))
            parts = [pl.DataFrame(pl.from_arrow(rows)) for rows in batches]
        return self.widened(pl.concat(parts, how="diagonal") if parts else self._empty())

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
        """Yield the row groups, those of some keys with their rows alone."""
        described = {file.name: file for file in files}
        for listed in keyed_files(table, self.key):
            if keys is None:
                file = self.open_file(listed.name)
                yield from (file.read_row_group(number) for number in range(file.num_row_groups))
            elif listed.range.may_hold(keys):
                self.check_content([described[listed.name]])
                file = self.open_file(listed.name)
                for number, mask in matching_groups(file, self.key, keys):
                    yield file.read_row_group(number).filter(mask)

    def check_content(self, files: Iterable[integrity.DataFile]) -> None:
        """Check the content of data files, once in a process. Raises DamagedStore for one that changed."""
        if self.folder is not None:
            self._refuse(integrity.content_problems(self.folder, list(files)))

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

    def read_file(self, name: str) -> bytes:
        """Read a data file as it is. Raises OSError where it cannot be read."""
        with self._files().open_input_stream(name) as file:
            return bytes(file.read())

    def drop(self, files: Iterable[integrity.DataFile]) -> None:
        """Take data files that are lost off the table, in one commit: the rows of the others can be read."""
        from deltalake import PostCommitHookProperties

        table = self.open()
        with self.writing():
            table.create_write_transaction(
                [*removals(files)],
                "append",
                self.schema,
                post_commithook_properties=PostCommitHookProperties(cleanup_expired_logs=False),
            )

    def history(self) -> list[dict[str, Any]]:
        """Return the table's commits, newest first, as `commit_row` has them."""
        table = self.load()
        infos = table.history() if self.folder is None else commit_infos(self.folder)
        return [commit_row(info) for info in infos]


class Written(NamedTuple):
    """A data file that no version has yet: its size in bytes, time of change (ms), rows, range of keys."""

    name: str
    size: int
    changed: int
    rows: int
    low: str | None
    high: str | None


def removals(files: Iterable[integrity.DataFile], changes: bool = True) -> "list[RemoveAction]":
    """Return what takes data files off a table; ``changes`` tells whether their rows go too."""
    from deltalake.transaction import RemoveAction

    now = int(datetime.now(UTC).timestamp() * 1000)
    return [RemoveAction(file.name, changes, now, file.size) for file in files]


def cause(error: BaseException) -> str:
    """Return what a library says in one line; of an object store's XML, its code and message."""
    text = plain(str(error))
    parts = [re.search(f"<{name}>(.*?)</{name}>", text) for name in ("Code", "Message")]
    return ": ".join(part[1] for part in parts if part) or text
