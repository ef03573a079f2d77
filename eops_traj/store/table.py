"""One Delta table with a key: atomic appends that leave out what is there, reads of any version."""

import contextlib
import io
import json
import random
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple
from uuid import uuid4

from eops_traj.errors import StoreError
from eops_traj.schema import ADDED_COLUMNS
from eops_traj.store import checksums, integrity
from eops_traj.store.amending import require_amendable
from eops_traj.store.kept_log import SETTING, deleting_nothing
from eops_traj.store.key_index import keyed_files
from eops_traj.store.parquet import encode, write_parts, writer_properties
from eops_traj.store.table_log import cause
from eops_traj.store.table_rows import TableRows

if TYPE_CHECKING:
    import pyarrow as pa
    from deltalake import DeltaTable
    from deltalake.transaction import AddAction, RemoveAction
    from pyarrow.fs import PyFileSystem

CHUNK = 1 << 20
"""Bytes that are handed to the disk or object store at once."""
TRIES = 50
"""How often a commit is tried that another writer is quicker than."""


class Table(TableRows):
    """A Delta table whose rows have a unique key column."""

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
                    configuration=SETTING,
                    storage_options=self._options,
                )
        except StoreError:
            if not self.exists():  # another process was quicker, which is as good
                raise
        self.write_head(self.open())

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

    def arrow(self, rows: list[dict[str, Any]], schema: "pa.Schema | None" = None) -> "pa.Table":
        """Convert rows to Arrow, with our columns or those of a schema.

        Raises ValueError, TypeError or OverflowError for what does not fit.
        """
        import pyarrow as pa

        return pa.Table.from_pylist(rows, schema=schema or self.schema)

    def append(self, rows: list[dict[str, Any]]) -> int:
        """Append the rows whose key is new, in one commit, and return how many; of one key the first.

        Another writer may commit meanwhile, on another machine too: then what is new is looked up again, so
        that no key is there twice. Raises what :meth:`arrow` raises, with nothing written, and StoreError
        where it cannot be written.
        """
        rows = _first_of_each(self.key, rows)
        if not rows:
            return 0
        for _ in range(TRIES):
            table = self.load()
            known = self.known_in(keyed_files(table, self.key), {row[self.key] for row in rows})
            rows = [row for row in rows if row[self.key] not in known]
            if not rows or self._commit_onto(table, self.arrow(rows)):
                return len(rows)
            time.sleep(random.random() / 10)  # two that meet would meet again
        raise StoreError(f"{self.url} was written by other processes {TRIES} times meanwhile; try again")

    def _commit_onto(self, table: "DeltaTable", rows: "pa.Table") -> bool:
        """Commit rows as the version after the one that is loaded; return False where there is one by now."""
        from deltalake.exceptions import CommitFailedError

        with self.writing():
            if self.add_columns(table):  # before a file is written, which the next look would not find listed
                return False
            try:
                self._add_file(table, self.write_file(rows), max_commit_retries=0)
            except CommitFailedError:
                if self.open().version() == table.version():
                    raise
                return False
        return True

    def commit(self, rows: "pa.Table", instead_of: Iterable[integrity.DataFile] = ()) -> None:
        """Write rows, whose keys are new, as one Parquet file, and add it in one commit.

        The data files that it stands ``instead_of`` leave the table in the same commit.
        """
        with self.writing():
            table = self.open()
            self.add_columns(table)
            self._add_file(table, self.write_file(rows), instead_of)

    def _add_file(
        self,
        table: "DeltaTable",
        written: "Written",
        instead_of: Iterable[integrity.DataFile] = (),
        **options: Any,
    ) -> None:
        """Add a data file in a commit, in which those that it stands instead of leave the table."""
        from deltalake import CommitProperties

        added, old = self.add_action(written), list(instead_of)
        new = max(written.rows - integrity.row_count(old), 0)
        table.create_write_transaction(
            [added, *removals(file for file in old if file.name != added.path)],
            "append",
            self.schema,
            commit_properties=CommitProperties({"rows_added": str(new)}, **options),
            post_commithook_properties=deleting_nothing(),
        )
        table.update_incremental()
        self.write_head(table)

    def add_columns(self, table: "DeltaTable") -> bool:
        """Add the columns that a table of an older program lacks, in one commit; older versions stay.

        Returns whether there were any; what is loaded is then of the version that has them.
        """
        from deltalake import Field, Schema

        there = {field.name for field in table.schema().fields}
        lacking = [name for name in ADDED_COLUMNS if name in self.schema.names and name not in there]
        if lacking:
            fields = {field.name: field for field in Schema.from_arrow(self.schema).fields}
            table.alter.add_columns(
                [Field(n, fields[n].type, nullable=True) for n in lacking],
                post_commithook_properties=deleting_nothing(),
            )
        return bool(lacking)

    def name_of(self, rows: "pa.Table") -> str:
        """Return the name of the data file that these rows would be."""
        return checksums.name_of(io.BytesIO(encode(rows, self.key)))

    def write_file(self, rows: "pa.Table") -> "Written":
        """Write rows as a data file that no version has yet, named by its checksum."""
        import pyarrow.compute as pc

        span = pc.min_max(rows[self.key]).as_py()
        content = encode(rows, self.key)
        return self._put(io.BytesIO(content), rows.num_rows, span["min"], span["max"])

    def _put(self, content: BinaryIO, rows: int, low: str | None, high: str | None) -> "Written":
        """Put the content of a data file, at its beginning, in its place."""
        name = checksums.name_of(content)
        size = content.seek(0, io.SEEK_END)
        content.seek(0)
        files = self._files()
        if not self._holds(name):
            self._write(files, content, name)
        changed = files.get_file_info(name).mtime_ns // 1_000_000
        return Written(name, size, changed, rows, low, high)

    def _write(self, files: "PyFileSystem", content: BinaryIO, name: str) -> None:
        """Write a data file; in a folder under another name first, as two may be writing the same bytes."""
        part = name if self.folder is None else f".{name}-{uuid4().hex}"
        try:
            with files.open_output_stream(part, buffer_size=CHUNK) as file:
                while some := content.read(CHUNK // 2):  # what the buffer cannot hold it refuses
                    file.write(some)
            if self.folder is not None:
                (self.folder / part).replace(self.folder / name)
        except BaseException:
            if self.folder is not None:
                (self.folder / part).unlink(missing_ok=True)
            raise

    def _holds(self, name: str) -> bool:
        """Check whether the folder has a whole data file of this name."""
        if self.folder is None or not (self.folder / name).exists():
            return False
        return checksums.measured(self.folder / name) == checksums.recorded(self.folder, name)

    def has_file(self, name: str) -> bool:
        """Check whether a data file is there, as far as a folder tells: a vacuum may have taken it."""
        return self.folder is None or (self.folder / name).exists()

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

    def replace(self, records: Sequence[Any], since: int) -> None:
        """Replace the rows of the records' keys, as they were at the version ``since``, by the records.

        Raises StoreError for what :func:`require_amendable` refuses, and where another process wrote rows of
        these keys meanwhile; nothing is replaced then.
        """
        from eops_traj.store.arrow import to_row

        rows = self.arrow([to_row(record) for record in records])
        self.replace_parts(sorted(rows[self.key].to_pylist()), [rows], since)

    def replace_parts(
        self, keys: Sequence[str], parts: "Iterable[pa.Table]", since: int | None = None
    ) -> None:
        """Replace the rows of these keys, which are in order, by rows that come in parts, in one commit.

        With ``since``, they must be as they were at that version. A part at a time is in memory, unless a
        file has rows of other keys, too. Raises StoreError where another process wrote
        rows of these keys meanwhile; nothing is replaced then.
        """
        from pyarrow.parquet import read_table

        self.checked(None, content=True)  # what is damaged is not written anew as if it were whole
        with self.writing(), tempfile.TemporaryFile() as content:
            rows = write_parts(
                parts, self.schema, self.key, content
            )  # takes long, so before the table is read
            content.seek(0)
            self.add_columns(self.open())
            table = self.open()
            if since is not None:
                require_amendable(self, table, keys, since)
            if (replaced := self._files_of(table, keys)) is None:
                self._overwrite(table, read_table(content))
            else:
                self._exchange(table, self._put(content, rows, keys[0], keys[-1]), replaced, keys)
        self.record()

    def _exchange(
        self, table: "DeltaTable", new: "Written", old: list[integrity.DataFile], keys: Sequence[str]
    ) -> None:
        """Put a data file in the place of those that hold these keys; others' may change meanwhile."""
        from deltalake.exceptions import CommitFailedError

        for tries_left in reversed(range(TRIES)):
            try:
                self._add_file(table, new, old, max_commit_retries=0)
                break
            except CommitFailedError:
                seen, table = table.version(), self.open()
                now = self._files_of(table, keys)
                if not tries_left or table.version() == seen or now is None or {*now} != {*old}:
                    raise

    def _files_of(self, table: "DeltaTable", keys: Sequence[str]) -> list[integrity.DataFile] | None:
        """Return the files that hold nothing but rows of these keys; None where one may hold others too."""
        may_hold = [file for file in keyed_files(table, self.key) if file.range.may_hold(keys)]
        if any(file.range.low is None or file.range.low != file.range.high for file in may_hold):
            return None
        names = {file.name for file in may_hold}
        return [file for file in integrity.data_files(table) if file.name in names]

    def _overwrite(self, table: "DeltaTable", rows: "pa.Table") -> None:
        """Write the files anew that hold rows of these keys among others, which takes them into memory.

        deltalake refuses where another process wrote to these files since the version that is loaded.
        """
        from deltalake import write_deltalake

        keys = ", ".join("'" + str(key).replace("'", "''") + "'" for key in rows[self.key].to_pylist())
        write_deltalake(
            table,
            rows,
            mode="overwrite",
            predicate=f"{self.key} IN ({keys})",
            writer_properties=writer_properties(self.key),
            post_commithook_properties=deleting_nothing(),
        )

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

    def drop(self, files: Iterable[integrity.DataFile]) -> None:
        """Take data files that are lost off the table, in one commit: the rows of the others can be read."""
        table = self.open()
        with self.writing():
            table.create_write_transaction(
                [*removals(files)],
                "append",
                self.schema,
                post_commithook_properties=deleting_nothing(),
            )


class Written(NamedTuple):
    """A data file that no version has yet: its size in bytes, time of change (ms), rows, range of keys."""

    name: str
    size: int
    changed: int
    rows: int
    low: str | None
    high: str | None


def _first_of_each(key: str, rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows, of those of one key the first: what was set aside twice is one record."""
    first: dict[str, dict[str, Any]] = {}
    for row in rows:
        first.setdefault(row[key], row)
    return [*first.values()]


def removals(files: Iterable[integrity.DataFile], changes: bool = True) -> "list[RemoveAction]":
    """Return what takes data files off a table; ``changes`` tells whether their rows go too."""
    from deltalake.transaction import RemoveAction

    now = int(datetime.now(UTC).timestamp() * 1000)
    return [RemoveAction(file.name, changes, now, file.size) for file in files]
