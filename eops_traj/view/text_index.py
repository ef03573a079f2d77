"""Full-text search in the conversations of a store: an index in the cache, made once and kept up.

SQLite's FTS5, without the texts themselves. It goes by data file, which never changes: what a new version of
the store lists and the index lacks is read, what it lists no more is dropped. Several viewers of one store
may keep it up at once; each file is added in one transaction, by whoever comes first.
"""

import contextlib
import os
import re
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw

from eops_traj.errors import StoreError
from eops_traj.store.store import Store
from eops_traj.store.wal import use_wal
from eops_traj.view import tool_faults
from eops_traj.view.text_columns import PARTS, READ, searched_texts, tool_uses, tools_called

if TYPE_CHECKING:
    import polars as pl

FORMAT = 2
"""Goes up with every change of the tables, so that an index of an older program is made anew."""
TOKENIZER = "tokenize='unicode61 remove_diacritics 2'"
"""What counts as a word, and which words are one: those that differ in case or accents alone."""
BATCH = 512
"""Rows that are read at a time."""
_BUSY_SECONDS = 120
_TABLES = f"""
CREATE TABLE IF NOT EXISTS file (name TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS episode (number INTEGER PRIMARY KEY, episode_id TEXT NOT NULL, file TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS episode_file ON episode (file);
CREATE TABLE IF NOT EXISTS tool_use (
    file TEXT NOT NULL, run_id TEXT, model TEXT, domain TEXT, name TEXT, calls INTEGER, failed INTEGER,
    episodes INTEGER, failing INTEGER
);
CREATE TABLE IF NOT EXISTS called (
    number INTEGER, name TEXT, failed INTEGER, PRIMARY KEY (number, name)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS called_name ON called (name, failed);
CREATE VIRTUAL TABLE IF NOT EXISTS text USING fts5(
    {", ".join(PARTS)}, content='', contentless_delete=1, {TOKENIZER}
);
"""
_COUNTS = ("calls", "failed", "episodes", "failing")
_SUMS = ", ".join(f"sum({name}) AS {name}" for name in _COUNTS)
_WORDS = re.compile(r'"([^"]+)"|(\S+)')


class TextIndex:
    """The index of one store; reading and writing go by connections of their own."""

    def __init__(self, store: Store) -> None:
        """Open the index, made if missing. Raises StoreError where the cache cannot be written."""
        self._table, self._prompt = store.tables["episodes"], store.prompt
        self._reading = threading.Lock()
        self.path = cache_folder() / f"{self._table.id()}-{FORMAT}.sqlite"
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._write, self._read = _connect(self.path), _connect(self.path)
        except (OSError, apsw.Error) as error:
            raise StoreError(f"cannot keep an index of texts in {self.path.parent}: {error}") from error

    def update(self) -> Iterator[int]:
        """Bring the index up to the store's latest version; yield the rows read, after each file."""
        files = self._table.checked(None)[1]
        listed = {file.name: file for file in files}
        known = {name for (name,) in self._write.execute("SELECT name FROM file")}
        for name in known - listed.keys():
            self._drop(name)
        for name in listed.keys() - known:
            self._add(name)
            yield listed[name].rows or 0

    def judge(self) -> Iterator[int]:
        """Find at which tools episodes went wrong, file by file as far as texts are; yield after each."""
        unjudged = "SELECT name FROM file WHERE name NOT IN (SELECT name FROM judged)"
        for (name,) in self._write.execute(unjudged).fetchall():
            faults = list(tool_faults.faults_of(self._table, str(name), self._prompt))
            with self._transaction():
                self._write.execute(
                    "INSERT OR IGNORE INTO judged SELECT name FROM file WHERE name = ?", (name,)
                )
                if self._write.changes():  # else another viewer was quicker, or has dropped the file
                    self._write.executemany("INSERT INTO fault VALUES (?, ?, ?, ?)", faults)
            yield len(faults)

    def faults(self) -> list[tuple[str, str, str]]:
        """Return episode, kind of cause and tool, wherever a cause names a call."""
        return self._rows("SELECT episode_id, kind, tool FROM fault")

    def at_tool(self, tool: str, kind: str = "") -> list[str]:
        """Return the episodes that went wrong at a tool, for a kind of cause where one is given."""
        query = "SELECT DISTINCT episode_id FROM fault WHERE tool = ? AND (kind = ? OR ? = '')"
        return [episode_id for (episode_id,) in self._rows(query, (tool, kind, kind))]

    def calling(self, tool: str, failed: bool = False) -> list[str]:
        """Return the episodes that called a tool of just this name; or those of which such a call failed."""
        query = "SELECT episode_id FROM called JOIN episode USING (number) WHERE name = ? AND failed >= ?"
        return [episode_id for (episode_id,) in self._rows(query, (tool, int(failed)))]

    def unjudged(self) -> int:
        """Count the data files that are still to be judged."""
        [(count,)] = self._rows("SELECT count(*) FROM file WHERE name NOT IN (SELECT name FROM judged)")
        return int(count)

    def _add(self, name: str) -> None:
        """Add a file, all of it or nothing; nothing where another viewer was quicker."""
        with self._transaction():
            if self._write.execute("SELECT 1 FROM file WHERE name = ?", (name,)).fetchone():
                return
            for rows in self._batches(name):
                self._add_rows(name, rows)
            self._write.execute("INSERT INTO file VALUES (?)", (name,))

    def _batches(self, name: str) -> "Iterator[pl.DataFrame]":
        import polars as pl

        file = self._table.open_file(name)
        for batch in file.iter_batches(batch_size=BATCH, columns=list(READ)):
            yield pl.DataFrame(pl.from_arrow(batch))

    def _add_rows(self, name: str, rows: "pl.DataFrame") -> None:
        texts = searched_texts(rows)
        [(last,)] = self._write.execute("SELECT coalesce(max(number), 0) FROM episode")
        numbered = list(enumerate(texts.rows(), last + 1))
        self._write.executemany(
            "INSERT INTO episode VALUES (?, ?, ?)", ((number, row[0], name) for number, row in numbered)
        )
        marks = ", ".join("?" * (len(PARTS) + 1))
        self._write.executemany(
            f"INSERT INTO text (rowid, {', '.join(PARTS)}) VALUES ({marks})",  # noqa: S608
            ((number, *row[1:]) for number, row in numbered),
        )
        self._add_tools(name, rows, last + 1)

    def _add_tools(self, name: str, rows: "pl.DataFrame", first: int) -> None:
        """Add the tools that episodes called; their numbers go on from the first."""
        called = tools_called(rows)
        of_episodes = ((first + row, tool, failed) for row, tool, _, failed in called.rows())
        self._write.executemany("INSERT INTO called VALUES (?, ?, ?)", of_episodes)
        uses = ((name, *row) for row in tool_uses(rows, called).rows())
        self._write.executemany("INSERT INTO tool_use VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", uses)

    def _drop(self, name: str) -> None:
        with self._transaction():
            numbers = "SELECT number FROM episode WHERE file = ?"
            self._write.execute(f"DELETE FROM text WHERE rowid IN ({numbers})", (name,))  # noqa: S608
            self._write.execute(f"DELETE FROM called WHERE number IN ({numbers})", (name,))  # noqa: S608
            for table in ("episode", "tool_use", "fault"):
                self._write.execute(f"DELETE FROM {table} WHERE file = ?", (name,))  # noqa: S608
            for table in ("file", "judged"):
                self._write.execute(f"DELETE FROM {table} WHERE name = ?", (name,))  # noqa: S608

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        self._write.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._write.execute("ROLLBACK")
            raise
        self._write.execute("COMMIT")

    def count(self) -> int:
        """Count the episodes that can be found."""
        [(count,)] = self._rows("SELECT count(*) FROM episode")
        return int(count)

    def find(self, text: str, part: str = "") -> list[str]:
        """Return the ids of the episodes with all words of a text, in any part or in one of them."""
        match = match_of(text, part)
        if match is None:
            return []
        query = "SELECT episode_id FROM text JOIN episode ON number = text.rowid WHERE text MATCH ?"
        return [episode_id for (episode_id,) in self._rows(query, (match,))]

    def tools(self, **equal: str) -> list[dict[str, Any]]:
        """Return each tool's calls, failed calls and episodes of both, those with most failed calls first.

        ``equal`` are values of run_id, model and domain.
        """
        where = " AND ".join(f"{name} = ?" for name in equal) or "1"
        order = "failed DESC, calls DESC, name"
        query = f"SELECT name, {_SUMS} FROM tool_use WHERE {where} GROUP BY name ORDER BY {order}"  # noqa: S608
        rows = self._rows(query, tuple(equal.values()))
        return [dict(zip(("name", *_COUNTS), row, strict=True)) for row in rows]

    def _rows(self, query: str, values: tuple[str | int, ...] = ()) -> list[Any]:
        """Return what a query reads; pages are made at the same time, and take turns at the connection."""
        with self._reading:
            return list(self._read.execute(query, values))

    def close(self) -> None:
        """Close both connections."""
        self._write.close()
        self._read.close()


def _terms(text: str) -> list[tuple[str, bool]]:
    """Return the words of a search, and whether they stood in quotes; what has no letter is left out."""
    words: Sequence[tuple[str, str]] = _WORDS.findall(text.replace("\0", " "))  # which ends a query of FTS5
    terms = [(phrase or word.replace('"', ""), bool(phrase)) for phrase, word in words]
    return [(words, whole) for words, whole in terms if any(map(str.isalnum, words))]


def match_of(text: str, part: str = "", between: str = " ") -> str | None:
    """Return FTS5's query for all words of a text; the last may go on, words in quotes stand together.

    With ``OR`` between them it asks for any of them. None where nothing in it can be searched for: a word
    has a letter or a digit.
    """
    terms = _terms(text)
    if not terms:
        return None
    open_end = "" if terms[-1][1] or text[-1:].isspace() else " *"
    match = between.join(f'"{words}"' for words, _ in terms) + open_end
    return f"{{{part}}} : ({match})" if part else match


def cache_folder() -> Path:
    """Return the folder of the indexes."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "eops-traj" / "search"


def _connect(path: Path) -> apsw.Connection:
    connection = apsw.Connection(str(path))
    connection.set_busy_timeout(_BUSY_SECONDS * 1000)
    use_wal(connection.execute, _BUSY_SECONDS)
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute(_TABLES + tool_faults.TABLES)
    return connection
