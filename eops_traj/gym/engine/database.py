"""The databases of the gym: templates, copies of them, recorded writes, and read-only queries.

A `Template` is a seeded database, serialized once. `Template.open` copies it into memory, so that an episode
starts from the same bytes in a fraction of a millisecond. Every write goes through `Database.record`: it
happens whole or not at all, and leaves a changeset.
"""

import contextlib
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any, TypeVar

import apsw
from pydantic_core import to_json

from eops_traj.errors import FormatError, InputError
from eops_traj.gym.engine import clock, heap
from eops_traj.gym.engine.changesets import RowChange, join_changesets, parse_changeset
from eops_traj.gym.engine.connection import MAX_PAGES, connect
from eops_traj.gym.engine.current_call import CurrentCall, Ids, seeded_ids
from eops_traj.gym.engine.foreign_sql import QUERY, Watch, bounded
from eops_traj.gym.engine.schema import Schema

T = TypeVar("T")
ROWS_SHOWN = 100  # the sql-runner adds this LIMIT to a query that has none
SECONDS = 2.0  # of a query; real ones take well under a millisecond
_MAX_ROWS = 100_000
_MAX_RESULT_BYTES = 64_000_000  # of one query's result
_MAX_CHANGESETS = 256
_MAX_UNJOINED_BYTES = 4_000_000
_OVERHEAD = 500_000  # bytes at most that an open database takes beside its pages
_ONLY_READS = "Only read-only SELECT queries are allowed"
_QUERY = re.compile(r"(?>\s|--[^\n]*\n|/\*.*?\*/)*+(?:select|with|values)\b", re.IGNORECASE | re.DOTALL)
_PRAGMAS = "PRAGMA foreign_keys = ON; PRAGMA cache_size = -256"


class QueryError(InputError):
    """A query that is not a SELECT, does not run, or runs too long."""


@dataclass(frozen=True)
class QueryResult:
    """The result of the sql-runner: the query as it ran, its columns and its rows."""

    query: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    def payload(self) -> dict[str, Any]:
        """Return the body of a response of ``/api/sql-runner``."""
        data = [dict(zip(self.columns, row, strict=True)) for row in self.rows]
        return {"success": True, "query": self.query, "data": data, "row_count": len(data)}


@dataclass(frozen=True)
class Template:
    """A seeded database, ready to be copied."""

    schema: Schema
    image: bytes

    def open(self, tell: clock.Clock | None = None, ids: Ids | None = None) -> "Database":
        """Open an independent copy, in memory."""
        return Database(self.schema, self.image, tell or clock.steady(), ids or seeded_ids())


class Database:
    """One server's database in one session."""

    def __init__(self, schema: Schema, image: bytes, tell: clock.Clock, ids: Ids) -> None:
        self.schema, self._call = schema, CurrentCall(tell, ids)
        self._changesets: list[bytes] = []
        self._unjoined = 0  # bytes of those that may repeat each other
        self._expected = len(image)
        heap.expect(self._expected + _OVERHEAD)
        self.connection = connect(self._call.now, self._call.draw)
        self.connection.deserialize("main", image)
        self.connection.execute(_PRAGMAS)
        self.connection.pragma("max_page_count", MAX_PAGES)  # forgotten by deserialize

    @property
    def calls(self) -> int:
        """The number of calls so far, the current one among them."""
        return self._call.number

    def now(self) -> datetime:
        """Return the time of the current call."""
        return self._call.now()

    def begin(self) -> None:
        """Start the next call: its time and its random ids are its own."""
        self._call.move(self.calls + 1)

    def resume(self, calls: int) -> None:
        """Go on as after this number of calls."""
        self._call.move(calls)

    def record(self, write: Callable[[], T]) -> tuple[T, tuple[RowChange, ...]]:
        """Run the write, whole or not at all, and return its result with the rows it changed."""
        session = apsw.Session(self.connection, "main")
        try:
            if self.schema.keyless:
                session.config(apsw.SQLITE_SESSION_OBJCONFIG_ROWID, True)
            session.attach()
            with self.connection:  # a savepoint, rolled back when the write raises
                result = write()
                changeset = session.changeset()  # which an interrupt may stop: a write goes with its record
        except apsw.SQLError as error:
            if isinstance(error.__context__, apsw.InterruptError | apsw.FullError | apsw.NoMemError):
                raise error.__context__ from None  # after these SQLite itself has rolled back already
            raise
        finally:
            session.close()
        if changeset:
            self._changesets.append(changeset)
            self._unjoined += len(changeset)
            if len(self._changesets) > _MAX_CHANGESETS or self._unjoined > max(
                _MAX_UNJOINED_BYTES, len(self._changesets[0])
            ):
                self._changesets, self._unjoined = [self.changeset()], 0  # many rewrite the same rows
        return result, parse_changeset(changeset, self.schema)

    def changeset(self) -> bytes:
        """Return all changes since the seed as one changeset; applied to the seed, it gives this database."""
        return join_changesets(self._changesets)

    def changes(self) -> tuple[RowChange, ...]:
        """Return the rows that differ from the seed."""
        return parse_changeset(self.changeset(), self.schema)

    def restore(self, changeset: bytes, calls: int) -> None:
        """Bring a fresh database to the state after a changeset and this number of calls.

        Raises FormatError where the changeset is not of this seed.
        """
        try:
            # rows that a cascade would remove have deletions of their own in the changeset
            apsw.Changeset.apply(changeset, self.connection, flags=apsw.SQLITE_CHANGESETAPPLY_FKNOACTION)
        except apsw.Error as error:
            raise FormatError(f"the changeset does not fit the seed: {error}") from None
        self._changesets = [changeset]
        self.resume(calls)

    def image(self) -> bytes:
        """Return the whole database, serialized."""
        return self.connection.serialize("main")

    def size(self) -> int:
        """Return its size in bytes."""
        return int(self.connection.pragma("page_count")) * int(self.connection.pragma("page_size"))

    def memory(self) -> int:
        """Return the bytes that it holds: its pages, and the changesets since its seed."""
        return self.size() + sum(map(len, self._changesets))

    def limit_growth(self, size: int) -> None:
        """Let it take at most so many bytes more; a write that needs them raises apsw.FullError.

        With none left, every write raises apsw.ReadOnlyError: one that needs no page leaves a changeset, too.
        """
        more = max(0, size) // int(self.connection.pragma("page_size"))
        pages = int(self.connection.pragma("page_count")) + more
        self.connection.pragma("max_page_count", min(pages, MAX_PAGES))
        self.connection.pragma("query_only", int(size <= 0))

    def interrupt(self) -> None:
        """Stop the statement that another thread is running on it."""
        with contextlib.suppress(apsw.ConnectionClosedError):
            self.connection.interrupt()

    def fork(self) -> "Database":
        """Return an independent copy in the same state."""
        copy = Database(self.schema, self.image(), self._call.tell, self._call.ids)
        copy._changesets = list(self._changesets)
        copy.resume(self.calls)
        return copy

    def close(self) -> None:
        """Close the connection and free its memory."""
        self.connection.close()
        heap.expect(-self._expected)
        self._expected = 0

    def run_sql(self, query: str, limit: int | None = ROWS_SHOWN, seconds: float = SECONDS) -> QueryResult:
        """Read with any single SELECT. A query without a LIMIT gets one, as in the real sql-runner.

        Raises QueryError for what does not run or takes too long; apsw.InterruptError after `interrupt`.
        """
        query = with_limit(query, limit)
        with self._reading(query, seconds) as watch:
            return _fetch(self.connection, query, watch)

    def check_query(self, query: str) -> None:
        """Compile a query without running it. Raises QueryError for what `run_sql` would refuse to run."""
        with self._reading(query, SECONDS):
            self.connection.execute(query, explain=2).fetchall()  # the plan of each statement; none is run

    @contextmanager
    def _reading(self, query: str, seconds: float) -> Iterator[Watch]:
        """Let the connection do nothing but read, for so long; raise what goes wrong as QueryError."""
        if not _QUERY.match(query):
            raise QueryError(_ONLY_READS)
        with bounded(self.connection, QUERY, seconds) as watch:
            try:
                yield watch
            except apsw.AuthError:
                raise QueryError(watch.reason or _ONLY_READS) from None
            except (apsw.Error, ValueError) as error:  # ValueError: text that is not UTF-8, in or out
                if isinstance(error, apsw.InterruptError) and not watch.reason:
                    raise  # stopped by `interrupt`, which says nothing about the query
                raise QueryError(watch.explain(error)) from None


def with_limit(query: str, limit: int | None) -> str:
    """Return the query with a LIMIT at its end, unless it has one anywhere."""
    query = query.strip().rstrip(";").rstrip()
    if limit is None or re.search(r"\blimit\b", query, re.IGNORECASE):
        return query
    return f"{query} LIMIT {limit}"


def _json_size(values: Sequence[Any]) -> int:
    """Return the bytes that values take in a response: a control character takes six."""
    return len(to_json(values, bytes_mode="hex", inf_nan_mode="null"))


def _fetch(connection: apsw.Connection, query: str, watch: Watch) -> QueryResult:
    columns: list[str] = []

    def begin(cursor: apsw.Cursor, *statement: Any) -> bool:
        columns.extend(name for name, _ in cursor.get_description())  # of a query without rows, too
        return watch.admit(cursor, *statement)

    cursor = connection.cursor()
    cursor.exec_trace = begin
    rows, size = [], 0
    found = islice(cursor.execute(query), _MAX_ROWS)
    names = _json_size(columns)  # a response repeats them in every row
    for row in found:
        rows.append(row)
        size += names + max(_json_size(row), sys.getsizeof(row) + sum(map(sys.getsizeof, row)))
        if size > _MAX_RESULT_BYTES:
            raise QueryError(f"the answer is larger than {_MAX_RESULT_BYTES // 1_000_000} MB")
    cursor.close(True)
    return QueryResult(query, tuple(columns), tuple(rows))
