"""The journal: records that are finished but not yet in the store, safe from a crash.

One SQLite file in WAL mode with ``synchronous=FULL``: once :meth:`Journal.add` returns, the records are on
disk. Several processes may write at once; SQLite orders them. The store moves entries to Delta while it holds
the journal alone, leaving out what Delta has, and only then forgets them: a crash at any point loses nothing
and doubles nothing.
"""

import contextlib
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from eops_traj.errors import StoreError

BUSY_SECONDS = 120

_TABLE = """
CREATE TABLE IF NOT EXISTS entry (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    payload TEXT NOT NULL,
    UNIQUE (kind, key)
)
"""


class Entry(NamedTuple):
    """One record on its way to the store: its kind, its identity and its JSON."""

    kind: str
    key: str
    payload: str


class Journal:
    """A crash-safe queue of records, shared by the processes that write one store."""

    def __init__(self, path: Path) -> None:
        """Open the journal at ``path``, created if missing. Raises StoreError where it cannot be opened."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(
                path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            self._db.execute("PRAGMA page_size=512")  # with auto_vacuum: an empty journal is a small file
            self._db.execute("PRAGMA auto_vacuum=FULL")
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=FULL")
            self._db.execute(_TABLE)
        except (OSError, sqlite3.Error) as error:
            raise StoreError(f"cannot open the journal {path}: {error}") from error

    @contextlib.contextmanager
    def exclusive(self) -> Iterator[None]:
        """Hold the journal alone, in one transaction: all of it happens or none."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    def add(self, entries: Iterable[Entry]) -> int:
        """Write entries durably in one transaction; what waits here already is left out. Return how many."""
        with self.exclusive():
            before = self._db.total_changes
            self._db.executemany("INSERT OR IGNORE INTO entry (kind, key, payload) VALUES (?, ?, ?)", entries)
            return self._db.total_changes - before

    def waiting(self, limit: int) -> tuple[int, list[Entry]]:
        """Return the oldest entries, and the sequence number of the last of them (0 where none waits)."""
        rows = self._db.execute(
            "SELECT sequence, kind, key, payload FROM entry ORDER BY sequence LIMIT ?", (limit,)
        ).fetchall()
        return (rows[-1][0] if rows else 0), [Entry(*row[1:]) for row in rows]

    def keys(self, kind: str) -> set[str]:
        """Return the identities of the entries of a kind that wait here."""
        return {row[0] for row in self._db.execute("SELECT key FROM entry WHERE kind = ?", (kind,))}

    def __len__(self) -> int:
        """Count the entries that wait."""
        return int(self._db.execute("SELECT COUNT(*) FROM entry").fetchone()[0])

    def forget(self, sequence: int) -> None:
        """Drop the entries up to this number: the store has them."""
        self._db.execute("DELETE FROM entry WHERE sequence <= ?", (sequence,))

    def close(self) -> None:
        """Close the file; what waits stays in it."""
        self._db.close()
