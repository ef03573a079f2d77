"""One Delta table with a key: atomic appends that leave out what is there, reads of any version."""

import json
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from eops_traj.errors import StoreError, UnknownName

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa
    from deltalake import DeltaTable, WriterProperties

BROTLI = 10
"""The compression level. Brotli, not zstd: real episodes come out 7% smaller than at zstd's level 19, which
takes as long to write."""
ROW_GROUP = 1024
"""Rows of a Parquet row group: what a reader of whole episodes holds at a time."""


class Table:
    """A Delta table whose rows have a unique key column."""

    def __init__(
        self, url: str, key: str, schema: "pa.Schema", storage_options: Mapping[str, str] | None = None
    ) -> None:
        """Name a table without touching it."""
        self.url, self.key, self.schema = url, key, schema
        self._options = dict(storage_options) if storage_options else None

    def exists(self) -> bool:
        """Check whether there is a Delta table here."""
        from deltalake import DeltaTable

        return bool(DeltaTable.is_deltatable(self.url, storage_options=self._options))

    def create(self, description: str) -> None:
        """Create the table, unless it is there."""
        from deltalake import write_deltalake
        from deltalake.exceptions import CommitFailedError

        try:
            write_deltalake(
                self.url,
                self.schema.empty_table(),
                mode="ignore",
                description=description,
                storage_options=self._options,
            )
        except CommitFailedError:
            if not self.exists():  # another process was quicker, which is as good
                raise

    def load(self, version: int | None = None) -> "DeltaTable":
        """Load the table at a version. Raises StoreError where there is none, or none of that version."""
        from deltalake import DeltaTable
        from deltalake.exceptions import DeltaError, TableNotFoundError

        try:
            return DeltaTable(self.url, version=version, storage_options=self._options)
        except TableNotFoundError as error:
            if version is not None and self.exists():
                raise StoreError(f"{self.url} has no version {version}") from error
            raise StoreError(f"no store at {self.url.rpartition('/')[0]}") from error
        except (DeltaError, OSError, ValueError) as error:
            raise StoreError(f"cannot read {self.url}: {error}") from error

    def description(self) -> str:
        """Return the table's description, in which the store keeps its schema version."""
        return str(self.load().metadata().description or "")

    def id(self) -> str:
        """Return the table's own id, new with every table created."""
        return str(self.load().metadata().id)

    def version(self) -> int:
        """Return the latest version."""
        return int(self.load().version())

    def append(self, rows: list[dict[str, Any]]) -> int:
        """Append the rows whose key is new, in one commit, and return how many."""
        if not rows:
            return 0
        import pyarrow as pa

        known = self.keys()
        new = [row for row in rows if row[self.key] not in known]
        if new:
            self._commit(pa.Table.from_pylist(new, schema=self.schema))
        return len(new)

    def _commit(self, rows: "pa.Table") -> None:
        """Write rows as one Parquet file and add it in one commit.

        deltalake's own writer would put the Arrow schema into every file besides: 7 KB for episodes, a third
        of what a small batch takes.
        """
        import pyarrow.fs
        import pyarrow.parquet
        from deltalake import CommitProperties
        from deltalake.fs import DeltaStorageHandler
        from deltalake.transaction import AddAction

        name = f"part-{uuid.uuid4()}.parquet"
        files = pyarrow.fs.PyFileSystem(DeltaStorageHandler(self.url, self._options))
        pyarrow.parquet.write_table(
            rows,
            name,
            filesystem=files,
            row_group_size=ROW_GROUP,
            compression="brotli",
            compression_level=BROTLI,
            use_dictionary=False,
            write_statistics=False,
            store_schema=False,
        )
        info = files.get_file_info(name)
        stats = json.dumps({"numRecords": rows.num_rows})
        added = AddAction(name, info.size, {}, info.mtime_ns // 1_000_000, True, stats)
        self.load().create_write_transaction(
            [added],
            "append",
            rows.schema,
            commit_properties=CommitProperties(custom_metadata={"rows_added": str(rows.num_rows)}),
        )

    def replace(self, records: Sequence[Any]) -> None:
        """Replace the rows of the records' keys by the records, in one commit.

        Raises StoreError where another process wrote to the table meanwhile; nothing is replaced then.
        """
        import pyarrow as pa
        from deltalake import write_deltalake
        from deltalake.exceptions import CommitFailedError

        from eops_traj.store.arrow import to_row

        keys = ", ".join("'" + str(getattr(r, self.key)).replace("'", "''") + "'" for r in records)
        try:
            write_deltalake(
                self.url,
                pa.Table.from_pylist([to_row(record) for record in records], schema=self.schema),
                mode="overwrite",
                predicate=f"{self.key} IN ({keys})",
                storage_options=self._options,
                writer_properties=_writer_properties(),
            )
        except CommitFailedError as error:
            raise StoreError(f"{self.url} was written by another process meanwhile: {error}") from error

    def scan(self, version: int | None = None) -> "pl.LazyFrame":
        """Scan the table lazily, at a version."""
        import polars as pl

        return pl.scan_delta(self.load(version))

    def keys(self) -> set[str]:
        """Return every key."""
        return set(self.scan().select(self.key).collect().get_column(self.key))

    def row(self, key: str) -> dict[str, Any]:
        """Return the row of a key, as plain values. Raises UnknownName where there is none."""
        for row in self.rows([key]):
            return row
        raise UnknownName(self.key.removesuffix("_hash"), key, sorted(self.keys())[:10])

    def rows(self, keys: Iterable[str] | None = None, version: int | None = None) -> Iterator[dict[str, Any]]:
        """Yield rows as plain values, in the table's order, a few hundred in memory at a time."""
        import polars as pl

        frame = self.scan(version)
        if keys is not None:
            frame = frame.filter(pl.col(self.key).is_in(list(keys)))
        for batch in frame.collect_batches(chunk_size=ROW_GROUP // 4, maintain_order=True):
            yield from batch.iter_rows(named=True)

    def history(self) -> list[dict[str, Any]]:
        """Return the table's commits, newest first: version, time (ISO 8601, UTC), operation, rows added."""
        return [
            {
                "version": commit["version"],
                "time": datetime.fromtimestamp(commit["timestamp"] / 1000, UTC).isoformat(timespec="seconds"),
                "operation": commit["operation"],
                "rows_added": int(commit.get("rows_added", 0)),
            }
            for commit in self.load().history()
        ]

    def compact(self) -> dict[str, int]:
        """Merge small files into larger ones; return how many files were merged into how many."""
        metrics = self.load().optimize.compact(writer_properties=_writer_properties())
        return {
            "files_removed": int(metrics["numFilesRemoved"]),
            "files_added": int(metrics["numFilesAdded"]),
        }


def _writer_properties() -> "WriterProperties":
    from deltalake import ColumnProperties, WriterProperties

    return WriterProperties(
        compression="BROTLI",
        compression_level=BROTLI,
        max_row_group_size=ROW_GROUP,
        # Statistics of long texts cost more than they ever save, and Brotli finds repetition by itself.
        default_column_properties=ColumnProperties(statistics_enabled="NONE", dictionary_enabled=False),
    )
