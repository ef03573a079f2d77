"""Checksums of data files: SHA-256 over the whole file, written when it is committed.

A file that this package writes is named by it, ``part-SHA256.parquet``, so that the Delta log itself holds it
and no crash comes between. What deltalake writes (compaction, amended rows) it names itself: the checksum
stands beside it in ``TABLE/_sha256/NAME``.
"""

import contextlib
import functools
import hashlib
import re
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

from eops_traj.store.marks import content, write_whole

FOLDER = "_sha256"
CHUNK = 1 << 18
"""Bytes that are read at once."""
_OURS = re.compile(r"part-([0-9a-f]{64})\.parquet")
_SHA256 = re.compile(r"[0-9a-f]{64}")


def name_of(content: BinaryIO) -> str:
    """Return the name of a data file of this content, which is read from where it stands."""
    digest = hashlib.sha256()
    while part := content.read(CHUNK):
        digest.update(part)
    return f"part-{digest.hexdigest()}.parquet"


def recorded(folder: Path, name: str) -> str | None:
    """Return the checksum that a data file must have; None where none was recorded."""
    if match := _OURS.fullmatch(name):
        return match[1]
    try:
        text = content(folder / FOLDER / name).decode().strip()
    except (OSError, UnicodeDecodeError):
        return None
    return text if _SHA256.fullmatch(text) else None  # a full disk leaves an empty file, which says nothing


def record(folder: Path, names: Iterable[str]) -> int:
    """Record the checksums of data files as they are now, where none is recorded; return how many.

    One that the disk has no room for is left out: its file is whole, and `check` says that it has none.
    """
    missing = [name for name in names if recorded(folder, name) is None]
    with contextlib.suppress(OSError):
        (folder / FOLDER).mkdir(exist_ok=True)
    return sum(write_whole(folder / FOLDER / name, measured(folder / name) + "\n") for name in missing)


def measured(path: Path) -> str:
    """Return the checksum of a file as it is now; a file that did not change is read once in a process."""
    stat = path.stat()
    return _measured(str(path), stat.st_size, stat.st_mtime_ns)


@functools.lru_cache(maxsize=100_000)
def _measured(path: str, size: int, changed: int) -> str:
    """Return the checksum of the file of this size and time of change."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
