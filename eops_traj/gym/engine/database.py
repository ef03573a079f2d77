"""The databases of the gym: templates, copies of them, recorded writes, and read-only queries.

A `Template` is a seeded database, serialized once. `Template.open` copies it into memory, so that an episode
starts from the same bytes in a fraction of a millisecond. Every write goes through `Database.record`: it
happens whole or not at all, and leaves a changeset.
"""

import random
import re
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any, TypeVar

import apsw

from eops_traj.errors import FormatError, InputError
from eops_traj.gym.engine import clock
from eops_traj.gym.engine.changesets import RowChange, join_changesets, parse_changeset
from eops_traj.gym.engine.schema import Schema

T = TypeVar("T")
Ids = Callable[[int], random.Random]
ROWS_SHOWN = 100  # the sql-runner adds this LIMIT to a query that has none
SECONDS = 5.0
_MAX_VALUE_BYTES = 16_000_000
_MAX_ROWS = 100_000
_MAX_RESULT_BYTES = 64_000_000  # of one query's result
_MAX_CHANGESETS = 256
_MAX_PAGES = 65_536  # of one database: 256 MB
_QUERY = re.compile(r"\s*(?:--[^\n]*\n\s*|/\*.*?\*/\s*)*(?:select|with|values)\b", re.IGNORECASE | re.DOTALL)
_READING = {apsw.SQLITE_SELECT, apsw.SQLITE_READ, apsw.SQLITE_FUNCTION, apsw.SQLITE_RECURSIVE}
_ULID_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_ULID_RANDOM_BITS = 80
_FORBIDDEN_FUNCTIONS = {"load_extension", "readfile", "writefile", "edit", "fts3_tokenizer"}


class QueryError(InputError):
    """A query that is not a SELECT, does not run, or runs too long."""


def seeded_ids(seed: int = 0) -> Ids:
    """Return a source of ids: one generator a call, so that a fork draws the same ids as its origin."""
    return lambda calls: random.Random(f"{seed}:{calls}")


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
        self.schema, self.calls = schema, 0
        self._tell, self._ids = tell, ids
        self._random: random.Random | None = None
        self._changesets: list[bytes] = []
        self.connection = connect(self.now, self._draw)
        self.connection.deserialize("main", image)
        self.connection.execute("PRAGMA foreign_keys = ON; PRAGMA cache_size = -256")
        self.connection.pragma("max_page_count", _MAX_PAGES)  # forgotten by deserialize

    def now(self) -> Any:
        """Return the time of the current call."""
        return self._tell(self.calls)

    def begin(self) -> None:
        """Start the next call: its time and its random ids are its own."""
        self.calls += 1
        self._random = None

    def record(self, write: Callable[[], T]) -> tuple[T, tuple[RowChange, ...]]:
        """Run the write, whole or not at all, and return its result with the rows it changed."""
        session = apsw.Session(self.connection, "main")
        try:
            session.attach()
            with self.connection:  # a savepoint, rolled back when the write raises
                result = write()
            changeset = session.changeset()
        finally:
            session.close()
        if changeset:
            self._changesets.append(changeset)
            if len(self._changesets) > _MAX_CHANGESETS:  # a long session rewrites the same rows
                self._changesets = [self.changeset()]
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
        self._changesets, self.calls = [changeset], calls

    def image(self) -> bytes:
        """Return the whole database, serialized."""
        return self.connection.serialize("main")

    def size(self) -> int:
        """Return its size in bytes."""
        return int(self.connection.pragma("page_count")) * int(self.connection.pragma("page_size"))

    def fork(self) -> "Database":
        """Return an independent copy in the same state."""
        copy = Database(self.schema, self.image(), self._tell, self._ids)
        copy.calls, copy._changesets = self.calls, list(self._changesets)
        return copy

    def close(self) -> None:
        """Close the connection and free its memory."""
        self.connection.close()

    def run_sql(self, query: str, limit: int | None = ROWS_SHOWN, seconds: float = SECONDS) -> QueryResult:
        """Read with any single SELECT. A query without a LIMIT gets one, as in the real sql-runner."""
        query = with_limit(query, limit)
        with self._reading(query, seconds):
            return _fetch(self.connection, query)

    def check_query(self, query: str) -> None:
        """Compile a query without running it. Raises QueryError for what `run_sql` would refuse to run."""
        with self._reading(query, SECONDS):
            cursor = self.connection.cursor()
            cursor.exec_trace = _single_statement()
            cursor.execute(query, explain=2).fetchall()  # the plan of each statement; none is run

    @contextmanager
    def _reading(self, query: str, seconds: float) -> Iterator[None]:
        """Let the connection do nothing but read, for so long; raise what goes wrong as QueryError."""
        if not _QUERY.match(query):
            raise QueryError("Only read-only SELECT queries are allowed")
        self.connection.config(apsw.SQLITE_DBCONFIG_DQS_DML, 1)  # real verifiers quote texts with "
        self.connection.authorizer = _authorize_reads
        until = time.monotonic() + seconds
        self.connection.set_progress_handler(lambda: time.monotonic() > until, 10_000)
        try:
            yield
        except apsw.InterruptError:
            raise QueryError(f"query ran longer than {seconds:g} s") from None
        except apsw.AuthError:
            raise QueryError("Only read-only SELECT queries are allowed") from None
        except (apsw.Error, ValueError) as error:  # ValueError: text that is not UTF-8, in or out
            raise QueryError(str(error)) from None
        finally:
            self.connection.set_progress_handler(None)
            self.connection.authorizer = None
            self.connection.config(apsw.SQLITE_DBCONFIG_DQS_DML, 0)

    def _draw(self, *_: Any) -> str:
        self._random = self._random or self._ids(self.calls)
        return f"{self._random.getrandbits(128):032x}"


def connect(now: Callable[[], Any], draw: Callable[..., str]) -> apsw.Connection:
    """Open an empty database in memory, with the gym's time and ids in place of the machine's."""
    connection = apsw.Connection(":memory:")
    connection.config(apsw.SQLITE_DBCONFIG_DQS_DML, 0)  # a misspelt column must not pass for a text
    connection.limit(apsw.SQLITE_LIMIT_LENGTH, _MAX_VALUE_BYTES)
    connection.pragma("max_page_count", _MAX_PAGES)
    clock.install(connection, now)
    connection.create_scalar_function("new_hex", draw, 0)
    connection.create_scalar_function("new_uuid", lambda *_: str(uuid.UUID(draw(), version=4)), 0)
    connection.create_scalar_function("new_ulid", lambda *_: ulid(now(), int(draw(), 16)), 0)
    return connection


def ulid(when: datetime, randomness: int) -> str:
    """Return the ULID of a time, of which milliseconds count, and of 80 random bits.

    ULIDs are ids of 26 letters and digits that sort by the time they were made.
    """
    number = int(when.timestamp() * 1000) << _ULID_RANDOM_BITS | randomness & (1 << _ULID_RANDOM_BITS) - 1
    return "".join(_ULID_DIGITS[number >> shift & 31] for shift in range(125, -1, -5))


def with_limit(query: str, limit: int | None) -> str:
    """Return the query with a LIMIT at its end, unless it has one anywhere."""
    query = query.strip().rstrip(";").rstrip()
    if limit is None or re.search(r"\blimit\b", query, re.IGNORECASE):
        return query
    return f"{query} LIMIT {limit}"


def _single_statement(columns: list[str] | None = None) -> Callable[..., bool]:
    """Return a trace that lets one statement begin, and notes its column names."""
    begun = False

    def begin(cursor: apsw.Cursor, *_: Any) -> bool:
        nonlocal begun
        if begun:
            raise QueryError("Only one statement at a time is allowed")
        begun = True
        if columns is not None:
            columns.extend(name for name, _ in cursor.get_description())
        return True

    return begin


def _fetch(connection: apsw.Connection, query: str) -> QueryResult:
    columns: list[str] = []
    cursor = connection.cursor()
    cursor.exec_trace = _single_statement(columns)
    rows, size = [], 0
    for row in islice(cursor.execute(query), _MAX_ROWS):
        rows.append(row)
        size += sum(len(value) for value in row if isinstance(value, str | bytes))
        if size > _MAX_RESULT_BYTES:
            raise QueryError(f"the answer is larger than {_MAX_RESULT_BYTES // 1_000_000} MB")
    cursor.close(True)
    return QueryResult(query, tuple(columns), tuple(rows))


def _authorize_reads(action: int, first: str | None, second: str | None, *_: Any) -> int:
    if action not in _READING or (action == apsw.SQLITE_FUNCTION and second in _FORBIDDEN_FUNCTIONS):
        return apsw.SQLITE_DENY
    return apsw.SQLITE_OK
