"""The index of a large store on disk: written once while the store is read, and mapped from then on.

A file lies in the cache, in a folder of its table, and is named by the data files and the columns: another
version has another name. Being mapped, it takes no memory of the process that the system cannot take back.
"""

import os
import time
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

from eops_traj.hashing import digest
from eops_traj.view.episode_files import EpisodeFiles
from eops_traj.view.text_index import cache_folder

if TYPE_CHECKING:
    import polars as pl

FORMAT = 1
"""Goes up where a column is computed in another way."""
_ABANDONED = 3600
"""Seconds after which a file that is still to be renamed was left by a crash."""


def kept_at(files: EpisodeFiles, columns: tuple[str, ...]) -> Path:
    """Return where the index of these files is kept."""
    name = digest(FORMAT, columns, files.key())
    return cache_folder().parent / "index" / files.table_id / f"{name}.arrow"


def read_kept(path: Path) -> "pl.DataFrame | None":
    """Map an index into memory; None where there is none that can be read."""
    import polars as pl
    import pyarrow as pa

    try:
        frame = pl.from_arrow(pa.ipc.open_file(pa.memory_map(str(path))).read_all())
    except (OSError, pa.ArrowException):
        return None
    return pl.DataFrame(frame)


def keep(path: Path, frame: "pl.LazyFrame") -> "pl.DataFrame":
    """Compute a frame into a file, a batch in memory at a time, and map it; older ones of the table go.

    Raises OSError where it cannot be written, polars' errors where it cannot be computed.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{uuid.uuid4().hex}.part")
    try:
        frame.sink_ipc(part, compression="uncompressed")
        with part.open("rb") as written:
            os.fsync(written.fileno())  # a crash leaves all of it, or nothing under this name
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    _drop_others(path)
    kept = read_kept(path)
    if kept is None:
        raise OSError(f"{path} cannot be mapped")
    return kept


def _drop_others(path: Path) -> None:
    """Remove the table's other files; whoever has one mapped keeps it."""
    for other in path.parent.iterdir():
        if other != path and (other.suffix == path.suffix or _is_abandoned(other)):
            other.unlink(missing_ok=True)


def _is_abandoned(part: Path) -> bool:
    try:
        return time.time() - part.stat().st_mtime > _ABANDONED
    except FileNotFoundError:  # renamed meanwhile
        return False
