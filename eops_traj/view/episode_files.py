"""The data files of one version of the episodes: how many rows they have, and one row out of them."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from eops_traj.errors import StoreError
from eops_traj.hashing import digest
from eops_traj.store.integrity import DataFile
from eops_traj.store.store import Store
from eops_traj.store.table import Table

if TYPE_CHECKING:
    import polars as pl

BATCH = 32
"""Rows that are decoded at a time on the way to one of them."""


@dataclass(frozen=True, eq=False)
class EpisodeFiles:
    """A version of the table of episodes: its files, in the order in which their rows are scanned."""

    table: Table
    version: int
    table_id: str
    files: tuple[DataFile, ...]
    scan: "pl.LazyFrame"

    @classmethod
    def latest(cls, store: Store) -> "EpisodeFiles":
        """List the files of a store's latest version. Raises StoreError where the table cannot be read."""
        table = store.tables["episodes"]
        loaded, files = table.checked(None)
        by_name = {file.name: file for file in files}
        ordered = tuple(by_name[unquote(uri).rpartition("/")[2]] for uri in loaded.file_uris())
        return cls(table, loaded.version(), str(loaded.metadata().id), ordered, table.scan_of(loaded))

    @property
    def rows(self) -> int | None:
        """The rows of all files; None where a writer did not say."""
        counts = [file.rows for file in self.files if file.rows is not None]
        return sum(counts) if len(counts) == len(self.files) else None

    def key(self) -> str:
        """Return what no other content of the files has: names, sizes and times of change."""
        folder = self.table.folder
        return digest([(*file, _changed(folder, file.name)) for file in self.files])

    def check(self, most: int | None = None) -> None:
        """Check the content of the files, or of the first. Raises StoreError for one that was changed."""
        self.table.check_content(self.files[:most])

    def read_row(self, row: int) -> dict[str, Any]:
        """Read a row with all its columns, as plain values, from its row group alone; its file is checked.

        By number and not by id: files of older programs have no statistics of the id, so that a search for
        it reads the whole table.
        """
        import polars as pl

        for listed in self.files:
            count = listed.rows
            if count is None:
                count = self.table.open_file(listed.name).metadata.num_rows
            if row < count:
                self.table.check_content([listed])
                found = self.table.widened(pl.DataFrame(self._row(listed.name, row)))
                return found.collect().row(0, named=True)
            row -= count
        raise StoreError(f"{self.table.url} has no such row in version {self.version}")

    def _row(self, name: str, row: int) -> "pl.DataFrame | pl.Series":
        import polars as pl

        file, group = self.table.open_file(name), 0
        while row >= (count := file.metadata.row_group(group).num_rows):
            row, group = row - count, group + 1
        for batch in file.iter_batches(batch_size=BATCH, row_groups=[group]):
            if row < batch.num_rows:
                return pl.from_arrow(batch.slice(row, 1))
            row -= batch.num_rows
        raise StoreError(f"{name} has fewer rows than its footer says")


def _changed(folder: Path | None, name: str) -> int:
    """Return when a data file was changed; those of an object store never are."""
    return (folder / name).stat().st_mtime_ns if folder else 0
