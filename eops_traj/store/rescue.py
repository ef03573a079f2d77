"""The records of a journal that cannot be used, as far as SQLite still reads them."""

import contextlib
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from eops_traj.store.journal import Entry


class Rescued(NamedTuple):
    """What a journal still tells: the sound records that wait, and those set aside, with why."""

    waiting: list[Entry]
    set_aside: list[tuple[Entry, str]]


def rescued(path: Path) -> Rescued:
    """Read the journal at ``path`` from a copy: SQLite would write to it."""
    with tempfile.TemporaryDirectory() as folder:
        for part in path.parent.glob(f"{path.name}*"):
            if part.is_file():
                shutil.copy(part, folder)
        waiting = [
            *_rows(Path(folder) / path.name, "SELECT kind, key, payload, crc FROM entry ORDER BY sequence")
        ]
        aside = _rows(Path(folder) / path.name, "SELECT kind, key, payload, reason FROM quarantine")
        return Rescued(
            [entry for entry, crc in waiting if crc is None or crc == entry.crc],
            [(entry, str(reason)) for entry, reason in aside],
        )


def _rows(path: Path, query: str) -> Iterator[tuple[Entry, Any]]:
    """Yield entries, each with what the query tells of it, until SQLite can read no more."""
    with (
        contextlib.suppress(sqlite3.Error, UnicodeDecodeError),
        contextlib.closing(sqlite3.connect(path)) as db,
    ):
        db.text_factory = lambda text: text.decode("utf-8", "replace")
        for *fields, told in db.execute(query):
            if all(isinstance(field, str) for field in fields):
                yield Entry(*fields), told
