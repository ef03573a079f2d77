"""Marks: small files that say what must be there, so that it is noticed when it is gone.

::

    STORE/TABLE/_head.json     {"id": ..., "version": 7, "rows": 600}   of the last commit that was seen
    STORE/journal.json         {"added": 600, "moved": 344}             of what passed through the journal

A mark is written after what it tells of: behind is what a crash leaves, ahead of it is damage. Only stores in
folders have them; the names mean nothing to Delta.
"""

import contextlib
import json
import os
import stat
import uuid
from pathlib import Path
from typing import Any

from eops_traj.errors import StoreError


def write_mark(path: Path, facts: dict[str, Any]) -> None:
    """Write a mark, whole or not at all; where the disk refuses it the older one stays, which is behind."""
    write_whole(path, json.dumps(facts))


def write_whole(path: Path, text: str) -> bool:
    """Write a small file under another name and rename it; return whether the disk had room for it."""
    part = path.with_name(f".{path.name}-{uuid.uuid4().hex}")
    try:
        part.write_text(text)
        part.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
        return False
    return True


def content(path: Path) -> bytes:
    """Read a small file. Raises OSError where something else stands in its place: a pipe would never end."""
    with open(path, "rb", opener=_open_at_once) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(f"{path.name} is no file")
        return file.read()


def _open_at_once(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)


def read_mark(path: Path, *names: str) -> dict[str, Any] | None:
    """Read a mark with these facts; None where there is none. Raises StoreError for another file."""
    try:
        facts = json.loads(content(path))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, RecursionError) as error:
        raise StoreError(f"{path.name} cannot be read: {error}") from error
    if not isinstance(facts, dict) or not all(isinstance(facts.get(name), int) for name in names):
        raise StoreError(f"{path.name} lacks {' or '.join(names)}")
    return facts
