"""The journal: records that are finished but not yet in the store, safe from a crash.

One SQLite file in WAL mode with ``synchronous=FULL``: once :meth:`Journal.add` returns, the records are on
disk. Several processes may write at once; SQLite orders them. The store moves entries to Delta while it holds
the journal alone, leaving out what Delta has, and only then forgets them: a crash at any point loses nothing
and doubles nothing.

Every entry has a checksum, and a tally counts what was added and what moved on, so that an entry which was
changed or taken out by something else is noticed. What Delta cannot take is set aside in a quarantine.
"""

import contextlib
import json
import os
import shutil
import sqlite3
import tempfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from eops_traj.errors import StoreError
from eops_traj.store.marks import read_mark, write_mark
from eops_traj.store.wal import use_wal

BUSY_SECONDS = 120

_TABLES = """
CREATE TABLE IF NOT EXISTS entry (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    payload TEXT NOT NULL,
    crc INTEGER,
    UNIQUE (kind, key)
);
CREATE TABLE IF NOT EXISTS quarantine (
    kind TEXT NOT NULL, key TEXT NOT NULL, payload TEXT NOT NULL, reason TEXT NOT NULL, time TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS tally (added INTEGER NOT NULL, moved INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS head (
    name TEXT PRIMARY KEY, id TEXT NOT NULL, version INTEGER NOT NULL, rows INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS owner (url TEXT NOT NULL);
"""
CHANGED = "its checksum differs"
"""Why an entry was set aside that is not as it was written."""
UNREADABLE = (sqlite3.Error, UnicodeDecodeError)
"""What SQLite raises for a damaged file; the latter where it cannot even say what is wrong."""
_TALLY = "SELECT added, moved, (SELECT COUNT(*) FROM entry) FROM tally"
_HEAD = (str, str, int, int)
_COUNT = "INSERT INTO tally SELECT (SELECT COUNT(*) FROM entry), 0 WHERE NOT EXISTS (SELECT * FROM tally)"


class Entry(NamedTuple):
    """One record on its way to the store: its kind, its identity and its JSON."""

    kind: str
    key: str
    payload: str

    @property
    def crc(self) -> int:
        """The checksum of all three."""
        return zlib.crc32("\0".join(self).encode("utf-8", "surrogatepass"))


class Batch(NamedTuple):
    """The oldest entries: the number of the last (0 where none waits), the sound ones, and the damaged."""

    last: int
    entries: list[Entry]
    damaged: list[Entry]


class SetAside(NamedTuple):
    """An entry that could not be moved to the store, why not, and since when (ISO 8601, UTC)."""

    number: int
    entry: Entry
    reason: str
    time: str

    @property
    def sound(self) -> bool:
        """Whether the record is as it was written: one that was changed is never taken."""
        return self.reason != CHANGED


class Journal:
    """A crash-safe queue of records, shared by the processes that write one store."""

    def __init__(self, path: Path, url: str | None = None) -> None:
        """Open the journal at ``path``, created if missing; of the store at this URL, where it has one.

        Raises StoreError where it cannot be opened.
        """
        self._path, self._mark, self._url = path, path.with_suffix(".json"), url
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(
                path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            self._db.text_factory = lambda text: text.decode("utf-8", "replace")  # the checksum tells of it
            if not self._db.execute("PRAGMA page_count").fetchone()[0]:  # else it would wait for who writes
                self._db.execute("PRAGMA page_size=512")  # with auto_vacuum: an empty journal is a small file
                self._db.execute("PRAGMA auto_vacuum=FULL")
            use_wal(self._db.execute, BUSY_SECONDS)
            self._db.execute("PRAGMA synchronous=FULL")
            self._prepare()
            self._file = path.stat()
        except (OSError, *UNREADABLE) as error:
            raise StoreError(f"cannot open the journal {path}: {error}") from error

    @classmethod
    @contextlib.contextmanager
    def readable(cls, path: Path, url: str | None = None) -> "Iterator[Journal]":
        """Open the journal at ``path`` to read it: SQLite wants to write, so a copy where it cannot."""
        with tempfile.TemporaryDirectory() as folder:
            if not is_writable(path):
                for part in path.parent.glob(f"{path.stem}.*"):
                    shutil.copy(part, folder)
                path = Path(folder) / path.name
            journal = cls(path, url)
            try:
                yield journal
            finally:
                journal.close()

    def _prepare(self) -> None:
        """Make the tables that are missing, and give an older journal its new column."""
        if self._db.execute("SELECT COUNT(*) FROM sqlite_master WHERE name = 'owner'").fetchone()[0]:
            return
        self._db.execute("BEGIN IMMEDIATE")
        for statement in _TABLES.split(";"):
            self._db.execute(statement)
        if "crc" not in {row[1] for row in self._db.execute("PRAGMA table_info(entry)")}:
            self._db.execute("ALTER TABLE entry ADD COLUMN crc INTEGER")
        self._db.execute(_COUNT)
        self._db.execute("COMMIT")

    @contextlib.contextmanager
    def exclusive(self) -> Iterator[None]:
        """Hold the journal alone, in one transaction: all of it happens or none."""
        with self._named_errors():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:  # a full disk has ended it by itself
                    self._db.execute("ROLLBACK")
                raise

    @contextlib.contextmanager
    def _named_errors(self) -> Iterator[None]:
        """Turn SQLite's errors into a StoreError that names the journal."""
        try:
            yield
        except UNREADABLE as error:
            raise StoreError(f"cannot use the journal {self._path}: {error}") from error

    def _rows(self, query: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        with self._named_errors():
            return self._db.execute(query, values).fetchall()

    def check_place(self) -> None:
        """Check that the journal's file is still the one that was opened. Raises StoreError otherwise."""
        try:
            now = self._path.stat()
        except OSError as error:
            raise StoreError(f"{self._path} went away while it was in use: {error.strerror}") from error
        if (now.st_dev, now.st_ino) != (self._file.st_dev, self._file.st_ino):
            raise StoreError(f"{self._path} was replaced by another while it was in use")

    def add(self, entries: Iterable[Entry]) -> int:
        """Write entries durably in one transaction; what waits here already is left out. Return how many.

        Raises StoreError where they cannot be written, none of them then.
        """
        self.check_place()
        insert = "INSERT OR IGNORE INTO entry (kind, key, payload, crc) VALUES (?, ?, ?, ?)"
        with self.exclusive():
            self.claim()
            before = self._db.total_changes
            self._db.executemany(insert, ((*entry, entry.crc) for entry in entries))
            count = self._db.total_changes - before
            self._db.execute("UPDATE tally SET added = added + ?", (count,))
        if count:
            self.write_mark()  # a torn tail of the write-ahead log takes whole transactions with their tally
        return count

    def waiting(self, limit: int) -> Batch:
        """Return the oldest entries, at most this many."""
        rows = self._rows(
            "SELECT sequence, crc, kind, key, payload FROM entry ORDER BY sequence LIMIT ?", (limit,)
        )
        batch = Batch(rows[-1][0] if rows else 0, [], [])
        for _, crc, *fields in rows:
            entry = Entry(*(str(field) for field in fields))
            (batch.entries if crc is None or crc == entry.crc else batch.damaged).append(entry)
        return batch

    def keys(self, kind: str) -> set[str]:
        """Return the identities of the entries of a kind that wait here."""
        return {str(row[0]) for row in self._rows("SELECT key FROM entry WHERE kind = ?", (kind,))}

    def of_kind(self, kind: str) -> list[Entry]:
        """Return the sound entries of a kind that wait here, the oldest first."""
        query = "SELECT crc, kind, key, payload FROM entry WHERE kind = ? ORDER BY sequence"
        rows = ((crc, Entry(*map(str, fields))) for crc, *fields in self._rows(query, (kind,)))
        return [entry for crc, entry in rows if crc is None or crc == entry.crc]

    def entry(self, kind: str, key: str) -> Entry | None:
        """Return the entry of an identity; None where none waits here, or it is not as it was written."""
        query = "SELECT crc, kind, key, payload FROM entry WHERE kind = ? AND key = ?"
        for crc, *fields in self._rows(query, (kind, key)):
            entry = Entry(*map(str, fields))
            return entry if crc is None or crc == entry.crc else None
        return None

    def fields(self, kind: str, names: Sequence[str]) -> list[tuple[Any, ...]]:
        """Return identity and these fields of each sound entry of a kind; a list is its JSON."""
        columns = ", ".join("json_extract(payload, ?)" for _ in names)
        query = f"SELECT key, {columns} FROM entry WHERE kind = ? AND json_valid(payload) ORDER BY sequence"  # noqa: S608
        return self._rows(query, (*(f"$.{name}" for name in names), kind))

    def holds(self, kind: str, keys: Iterable[str]) -> set[str]:
        """Return those of these identities that wait here, for this store."""
        query = (
            "SELECT key FROM entry WHERE kind = ?1 AND key IN (SELECT value FROM json_each(?2))"
            " AND NOT EXISTS (SELECT * FROM owner WHERE url <> ?3)"
        )
        return {str(row[0]) for row in self._rows(query, (kind, json.dumps(list(keys)), self._url))}

    def __len__(self) -> int:
        """Count the entries that wait."""
        return self._count("SELECT COUNT(*) FROM entry")

    def forget(self, sequence: int) -> None:
        """Drop the entries up to this number: the store has them, or they are set aside."""
        with self._named_errors():
            moved = self._db.execute("DELETE FROM entry WHERE sequence <= ?", (sequence,)).rowcount
            self._db.execute("UPDATE tally SET moved = moved + ?", (moved,))

    def set_aside(self, entries: Iterable[tuple[Entry, str]]) -> None:
        """Keep entries that the store cannot take, each with the reason, until they are tried again."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        rows = [(*entry, reason, now) for entry, reason in entries]
        with self._named_errors():
            self._db.executemany("INSERT INTO quarantine VALUES (?, ?, ?, ?, ?)", rows)

    def quarantine(self) -> list[SetAside]:
        """Return what was set aside, the oldest first."""
        rows = self._rows("SELECT rowid, kind, key, payload, reason, time FROM quarantine ORDER BY rowid")
        return [SetAside(number, Entry(*entry), reason, time) for number, *entry, reason, time in rows]

    def quarantined(self) -> int:
        """Count what was set aside."""
        return self._count("SELECT COUNT(*) FROM quarantine")

    def release(self, numbers: Iterable[int]) -> None:
        """Drop what was set aside under these numbers: the store has it now."""
        with self._named_errors():
            self._db.executemany("DELETE FROM quarantine WHERE rowid = ?", ((n,) for n in numbers))

    def lost(self) -> int:
        """Count the entries that something else took out, as far as the tally and the mark tell.

        Raises StoreError where its tally is damaged, or its record of last commits.
        """
        self.heads()
        mark = read_mark(self._mark, "added", "moved") or {"added": 0}
        added, moved, waits = self._tally()
        if added < mark["added"]:  # its last transactions are gone, or it is another journal altogether
            return min(int(mark["added"]) - added, waiting_by_mark(self._path))
        return max(added - moved - waits, 0)

    def _tally(self) -> tuple[int, int, int]:
        """Return how many entries were added, have moved on, and wait. Raises StoreError without a tally."""
        rows = self._rows(_TALLY)
        if len(rows) != 1 or not all(isinstance(count, int) for count in rows[0]):
            raise StoreError(f"cannot use the journal {self._path}: its tally is damaged")
        added, moved, waits = rows[0]
        return added, moved, waits

    @property
    def in_transaction(self) -> bool:
        """Whether this process holds the journal alone."""
        return self._db.in_transaction

    def write_head(self, table: str, facts: dict[str, Any]) -> None:
        """Record the last commit of a table: its id, version and rows."""
        with self._named_errors():
            row = (table, facts["id"], facts["version"], facts["rows"])
            self._db.execute("INSERT OR REPLACE INTO head VALUES (?, ?, ?, ?)", row)

    def heads(self) -> dict[str, dict[str, Any]]:
        """Return the last commit of each table that is recorded here. Raises StoreError for what is none."""
        rows = self._rows("SELECT name, id, version, rows FROM head")
        if not all(isinstance(fact, kind) for row in rows for fact, kind in zip(row, _HEAD, strict=True)):
            raise StoreError(f"cannot use the journal {self._path}: its record of last commits is damaged")
        return {name: {"id": id_, "version": version, "rows": count} for name, id_, version, count in rows}

    def others(self) -> str | None:
        """Return the URL of the store whose records are here, where that is another; None otherwise."""
        any_record = "EXISTS (SELECT kind FROM entry UNION ALL SELECT kind FROM quarantine)"
        query = f"SELECT url FROM owner WHERE url <> ? AND {any_record}"  # noqa: S608
        return next((str(url) for (url,) in self._rows(query, (self._url,))), None)

    def claim(self) -> None:
        """Be this store's own from now on, while this process holds the journal alone.

        A copy of a store behind a URL has the ids of its tables, and so the same journal on one machine.
        Raises StoreError where records of another are here.
        """
        if owner := self.others():
            raise StoreError(
                f"the records in {self._path} were added to {owner}: `eops-traj check {owner} --repair` "
                f"moves them there, and `eops-traj check {self._url} --repair` here"
            )
        self.take()

    def take(self) -> None:
        """Be this store's own from now on, with all that is here."""
        if self._url is not None:
            self._db.execute("DELETE FROM owner")
            self._db.execute("INSERT INTO owner VALUES (?)", (self._url,))

    def settle(self) -> None:
        """Take the journal as it is from now on: what is gone is gone, and was told."""
        with self.exclusive():
            self._db.execute("DELETE FROM tally")
            self._db.execute(_COUNT)
        self._mark.unlink(missing_ok=True)

    def write_mark(self) -> None:
        """Write what has passed through the journal beside it; nobody else writes meanwhile."""
        with self.exclusive():
            added, moved, _ = self._tally()
            write_mark(self._mark, {"added": added, "moved": moved})

    def _count(self, query: str) -> int:
        return int(self._rows(query)[0][0])

    def close(self) -> None:
        """Close the file; what waits stays in it."""
        self._db.close()


def is_writable(path: Path) -> bool:
    """Check that SQLite can write the journal at this path, and its files beside it."""
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


def waiting_by_mark(path: Path) -> int:
    """Count the entries that waited in the journal at this path when its mark was written."""
    mark = read_mark(path.with_suffix(".json"), "added", "moved")
    return mark["added"] - mark["moved"] if mark else 0
