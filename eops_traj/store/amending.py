"""What must hold before rows are replaced that were read a while ago: nobody else changed them since."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from eops_traj.errors import StoreError
from eops_traj.store.integrity import data_files
from eops_traj.store.table_rows import TableRows

if TYPE_CHECKING:
    import polars as pl
    from deltalake import DeltaTable


def require_amendable(table: TableRows, loaded: "DeltaTable", keys: Sequence[str], since: int) -> None:
    """Check that rows which were read at the version ``since`` can be replaced in the version that is loaded.

    Raises StoreError where one of them is another by now, whose change would be undone, or where a newer
    program gave the table columns whose values would be lost.
    """
    known = set(table.schema.names)
    if unknown := [name for name in table.whole_schema(loaded).names if name not in known]:
        what = f"{table.url} has {', '.join(unknown)}, which this eops-traj does not know"
        raise StoreError(f"{what}: amend it with the newer one that added that")
    for key in _changed(table, loaded, keys, since):
        raise StoreError(
            f"{table.key} {key!r} in {table.url} was amended by another process meanwhile; "
            "nothing is written over it, run this again"
        )


def _changed(table: TableRows, loaded: "DeltaTable", keys: Sequence[str], since: int) -> Iterator[str]:
    """Yield the keys of rows that are not as they were at a version.

    A data file of both has the same rows in both: only the others are opened, however many there are.
    """
    if loaded.version() == since:
        return
    same = {file.name for file in data_files(loaded)} & {file.name for file in data_files(table.open(since))}
    rows = _rows(table, keys, loaded.version(), same)
    were = _rows(table, rows, since, same) if rows else {}
    yield from (key for key, row in rows.items() if key not in were or not row.equals(were[key]))


def _rows(
    table: TableRows, keys: Iterable[str], version: int, besides: set[str]
) -> "dict[str, pl.DataFrame]":
    """Return the rows of some keys at a version, but for those in the data files ``besides``."""
    found = table.scan_keys(keys, version, besides).select(table.schema.names).collect()
    return {part[table.key].item(): part for part in found.iter_slices(1)}
