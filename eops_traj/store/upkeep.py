"""The upkeep of a table: its small files merged, the files of old versions deleted. No row changes."""

import contextlib
import math
import os
from collections.abc import Callable, Collection, Sequence
from urllib.parse import unquote

from eops_traj.errors import StoreError
from eops_traj.store import integrity, retention
from eops_traj.store.compaction import TARGET, Merge, Source, runs
from eops_traj.store.kept_log import deleting_nothing, ensure_kept
from eops_traj.store.key_index import UNKNOWN, keyed_files
from eops_traj.store.parquet import writer_properties
from eops_traj.store.table import Table, Written, removals

Alone = Callable[[], contextlib.AbstractContextManager[None]]
"""Keeps other writers off while it is held."""
MOST_DAYS = 36_500
"""Days that files are kept at most: a century, which deltalake can count back in hours."""


def compact(table: Table, alone: Alone = contextlib.nullcontext) -> dict[str, int]:
    """Merge small files into larger ones, sorted by key; return how many were merged into how many.

    Raises StoreError where a file to be merged was replaced meanwhile; what was merged before stays.
    """
    if table.folder is None:
        return _compact_remote(table)
    removed = added = 0
    merge = Merge(table.key, table.whole_schema(table.open()), table.open_file)
    for run in runs(_unmerged(table)):
        written = merge.write(run, table.write_file)
        os.sync()  # before the commit that lists them
        with alone():
            _swap(table, {source.name for source in run}, written)
        removed, added = removed + len(run), added + len(written)
    table.record()
    return {"files_removed": removed, "files_added": added}


def _unmerged(table: Table) -> list[Source]:
    """Return the files that are small or say nothing of their keys; none where that is one merged file."""
    loaded, _ = table.checked(None, content=True)
    sources, merged = [], True
    for file in keyed_files(loaded, table.key):
        footer = table.open_file(file.name).metadata
        size = sum(footer.row_group(n).total_byte_size for n in range(footer.num_row_groups))
        if size < TARGET // 2 or file.range == UNKNOWN:
            sources.append(Source(file.name, size))
            merged = merged and file.range != UNKNOWN
    return [] if merged and len(sources) == 1 else sources


def _swap(table: Table, out: set[str], written: Sequence[Written]) -> None:
    """List the written files in the place of others, in one commit that changes no row."""
    with table.writing():
        loaded = table.open()
        table.add_columns(loaded)
        gone = [file for file in integrity.data_files(loaded) if file.name in out]
        if len(gone) < len(out) or not all(table.has_file(file.name) for file in written):
            raise StoreError(f"{table.url} was written by another process meanwhile; compact it again")
        stays = {file.name for file in gone} & {file.name for file in written}  # the same bytes again
        added = [table.add_action(file, changes=False) for file in written if file.name not in stays]
        loaded.create_write_transaction(
            [*added, *removals([file for file in gone if file.name not in stays], False)],
            "append",
            table.schema,
            post_commithook_properties=deleting_nothing(),
        )
        loaded.update_incremental()
    table.write_head(loaded)


def _compact_remote(table: Table) -> dict[str, int]:
    """Merge behind a URL, where only deltalake notices a writer on another machine."""
    loaded = table.load()
    with table.writing():
        metrics = loaded.optimize.compact(
            writer_properties=writer_properties(table.key),
            post_commithook_properties=deleting_nothing(),
        )
    return {
        "files_removed": int(metrics["numFilesRemoved"]),
        "files_added": int(metrics["numFilesAdded"]),
    }


def vacuum(
    table: Table,
    days: float,
    keep: Callable[[], Collection[int]],
    dry_run: bool,
    alone: Alone = contextlib.nullcontext,
) -> list[str]:
    """Delete the data files that only old versions have, ``alone``; return their names.

    They left the table more than ``days`` ago, counted in hours begun, and none of the versions to ``keep``
    has them. Their names are noted first, so that their absence is no damage. Raises DamagedStore, with
    nothing deleted, where a file of the latest version is damaged: an old one may bring its rows back; and
    where the log of a version to keep is.
    """
    table.checked(None, content=True)  # takes long, so before others have to wait
    with contextlib.nullcontext() if dry_run else alone():
        loaded, versions = table.checked(None, content=True)[0], sorted(keep())
        for version in versions:
            table.open(version)  # one that cannot be read is told here, and not as what cannot be written

        def run(dry: bool) -> list[str]:
            hours = math.ceil(days * 24)
            return loaded.vacuum(hours, dry, enforce_retention_duration=False, keep_versions=versions)

        with table.writing():
            gone = retention.vacuumed(table.folder) if table.folder else set[str]()  # which is listed again
            names = sorted({unquote(name) for name in run(True)} - gone)
            if dry_run or not names:
                return names
            if table.folder is not None:
                retention.note(table.folder, names)
            ensure_kept(loaded)
            run(False)
    table.record()
    return names
