"""Checksums of a table's log: what its files were when they were committed, in the mark of the last commit.

::

    {"id": ..., "version": 7, "rows": 600, "log": {"0.json": 2774981129, ...}, "log_crc": 3019238431}

Nobody changes an entry of a Delta log, whoever wrote it: one that differs is damaged, and a wrong range of
keys or name of a column would be read from it. A checkpoint may be written anew, but tells the same. A
program that knows no checksums writes a mark without them; the next commit of one that does measures anew.
"""

import functools
import json
import zlib
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from eops_traj.errors import StoreError
from eops_traj.store.integrity import LOG, entry_crc, is_checkpoint, log_names, version_of
from eops_traj.store.marks import content

if TYPE_CHECKING:
    from deltalake import DeltaTable

Facts = dict[str, Any]
_OURS = ("log", "log_crc")
"""The facts of a mark that are kept here: CRC-32 by name, less its zeros, and the CRC-32 of all of that."""


class Table(Protocol):
    """A table whose log is checked."""

    folder: Path | None

    def open(self, version: int | None = None) -> "DeltaTable":
        """Open it at a version."""

    def rebuilt(self, version: int) -> "DeltaTable":
        """Open it at a version without its checkpoints."""


def added(folder: Path, facts: Facts, before: Facts | None) -> Facts:
    """Return a mark with the checksums of the log up to its version; what the mark ``before`` has stays."""
    known = _log(before) if before and before.get("id") == facts["id"] else {}
    log: dict[str, int] = {}
    for name in log_names(folder):
        crc = known.get(name.lstrip("0")) or _measured(folder, name)
        if crc is not None and version_of(name) <= facts["version"]:
            log[name.lstrip("0")] = crc
    return {**facts, "log": log, "log_crc": _crc(log)}


def dropped(mark: Facts) -> Facts:
    """Return a mark without checksums."""
    return {name: fact for name, fact in mark.items() if name not in _OURS}


def carried(mark: Facts | None, later: Facts | None) -> Facts | None:
    """Return the later of two marks with the checksums of the first, where both are of one table."""
    if mark is None or later is None or mark.get("id") != later.get("id"):
        return later
    return {**later, **{name: mark[name] for name in _OURS if name in mark}}


def require_sound(mark: Facts | None) -> None:
    """Check that the checksums of a mark are as they were written. Raises StoreError otherwise."""
    if mark is not None and "log" in mark and mark.get("log_crc") != _crc(mark["log"]):
        raise StoreError("the checksums in the mark of its last commit were changed")


def problems(table: Table, head: Facts | None, opened: "DeltaTable", whole: bool = False) -> Iterator[str]:
    """Name the files of the log that are not as they were written, of those that a version needs, or all.

    A log of another table is left to who compares their ids.
    """
    if table.folder is None or head is None or head.get("id") != str(opened.metadata().id):
        return
    names = log_names(table.folder)
    start = max((version_of(name) for name in names if is_checkpoint(name)), default=-1)
    start = -1 if whole or start > opened.version() else start
    for name in changed(table.folder, head, [name for name in names if version_of(name) >= start]):
        version = version_of(name)
        if not is_checkpoint(name):
            yield f"entry {version} of its log was changed: its checksum differs"
        elif not _tells_the_same(table, version):
            yield f"checkpoint {version} of its log was changed: its checksum differs"


def changed(folder: Path, head: Facts | None, names: Collection[str]) -> Iterator[str]:
    """Yield those of these files of the log that are not what was written."""
    log = _log(head)
    for name in names:
        expected = log.get(name.lstrip("0"))
        if expected is not None and _measured(folder, name) not in (None, expected):
            yield name


def _tells_the_same(table: Table, version: int) -> bool:
    """Check that a table reads alike with its checkpoint of a version and without it."""
    try:
        return _state(table.open(version)) == _state(table.rebuilt(version))
    except (StoreError, OSError):
        return False


def _state(opened: "DeltaTable") -> tuple[Any, ...]:
    """Return all that a log tells of a version: the table, its columns, and its files in no order."""
    import pyarrow as pa

    files = pa.RecordBatchReader.from_stream(opened.get_add_actions(flatten=True)).read_all().to_pylist()
    listed = sorted(json.dumps(file, sort_keys=True, default=str) for file in files)
    metadata = opened.metadata()
    return metadata.id, metadata.description, opened.schema().to_json(), listed


def _measured(folder: Path, name: str) -> int | None:
    """Return the checksum of a file of the log; None where it cannot be read, which is told elsewhere."""
    path = folder / LOG / name
    measure = _checkpoint_crc if is_checkpoint(name) else entry_crc
    try:
        stat = path.stat()
        return measure(str(path), stat.st_size, stat.st_mtime_ns)
    except OSError:
        return None


@functools.lru_cache(maxsize=1000)
def _checkpoint_crc(path: str, size: int, changed: int) -> int:
    return zlib.crc32(content(Path(path)))


def _log(mark: Facts | None) -> dict[str, int]:
    log = (mark or {}).get("log")
    return log if isinstance(log, dict) else {}


def _crc(log: Any) -> int:
    return zlib.crc32(json.dumps(log, sort_keys=True).encode())
