"""What must hold before rows are replaced that were read a while ago: nobody else changed them since."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from eops_traj.errors import StoreError
from eops_traj.store.table_rows import TableRows

if TYPE_CHECKING:
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
    for key in _changed(table, keys, since, loaded.version()):
        raise StoreError(
            f"{table.key} {key!r} in {table.url} was amended by another process meanwhile; "
            "nothing is written over it, run this again"
        )


def _changed(table: TableRows, keys: Sequence[str], since: int, now: int) -> Iterator[str]:
    """Yield the keys of rows that differ between two versions."""
    if since == now:
        return
    names = table.schema.names
    was, is_now = (
        {
            part[table.key].item(): part
            for part in table.scan_keys(keys, at).select(names).collect().iter_slices(1)
        }
        for at in (since, now)
    )
    for key, row in is_now.items():
        if key not in was or not row.equals(was[key]):
            yield key
