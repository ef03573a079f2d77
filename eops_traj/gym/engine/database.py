"""The databases of the gym: templates, copies of them, recorded writes, and reading by anyone's SQL.

A `Template` is a seeded database, serialized once. `Template.open` copies it into memory, so that an episode
starts from the same bytes in a fraction of a millisecond. Every write goes through `Database.record`: it
happens whole or not at all, and leaves a changeset.
"""

import random
import re
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

import apsw

from eops_traj.errors import FormatError, InputError
from eops_traj.gym.engine import changes, clock
from eops_traj.gym.engine.changes import Change
from eops_traj.gym.engine.schema import Schema
from eops_traj.gym.engine.ulid import ulid

T = TypeVar("T")
Ids = Callable[[int], random.Random]
ROWS_SHOWN = 100  # the sql-runner adds this LIMIT to a query that has none
SECONDS = 5.0
_LONGEST_VALUE = 16_000_000
_MOST_ROWS = 100_000
_MOST_BYTES = 64_000_000  # of one query's answer
_LOOSE_CHANGESETS = 256
_MOST_PAGES = 65_536  # of one database: 256 MB
_QUERY = re.compile(r"\s*(?:--[^\n]*\n\s*|/\*.*?\*/\s*)*(?:select|with|values)\b", re.IGNORECASE | re.DOTALL)
_READING = {apsw.SQLITE_SELECT, apsw.SQLITE_READ, apsw.SQLITE_FUNCTION, apsw.SQLITE_RECURSIVE}
_FORBIDDEN_FUNCTIONS = {"load_extension", "readfile", "writefile", "edit", "fts3_tokenizer"}


class QueryError(InputError):
    """A query that is not a SELECT, does not run, or runs too long."""


def seeded_ids(seed: int = 0) -> Ids:
    """Randomness for ids: one generator a call, so that a fork draws what its origin would have drawn."""
    return lambda calls: random.Random(f"{seed}:{calls}")


@dataclass(frozen=True)
class Rows:
    """The answer of the sql-runner: the query as it ran, its columns and its rows."""

    query: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    def payload(self) -> dict[str, Any]:
        """The body that ``/api/sql-runner`` answers with."""
        data = [dict(zip(self.columns, row, strict=True)) for row in self.rows]
        return {"success": True, "query": self.query, "data": data, "row_count": len(data)}


@dataclass(frozen=True)
class Template:
    """A seeded database, ready to be copied."""

    schema: Schema
    image: bytes

    def open(self, tell: clock.Clock | None = None, ids: Ids | None = None) -> "Database":
        """A copy of its own, in memory."""
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
        self.connection.pragma("max_page_count", _MOST_PAGES)  # forgotten by deserialize

    def now(self) -> Any:
        """The time of the call under way."""
        return self._tell(self.calls)

    def begin(self) -> None:
        """Start the next call: its time and its random ids are its own."""
        self.calls += 1
        self._random = None

    def record(self, write: Callable[[], T]) -> tuple[T, tuple[Change, ...]]:
        """Do the write, whole or not at all, and return its result with the rows it changed."""
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
            if len(self._changesets) > _LOOSE_CHANGESETS:  # a long session rewrites the same rows
                self._changesets = [self.changeset()]
        return result, changes.read(changeset, self.schema)

    def changeset(self) -> bytes:
        """Everything that changed since the seed; applied to the seed, it gives this database."""
        return changes.join(self._changesets)

    def changes(self) -> tuple[Change, ...]:
        """The rows that differ from the seed."""
        return changes.read(self.changeset(), self.schema)

    def restore(self, changeset: bytes, calls: int) -> None:
        """Bring a fresh database to the state that a changeset leads to, so many calls after the seed.

        Raises FormatError where the changeset is not of this seed.
        """
        try:
            apsw.Changeset.apply(changeset, self.connection)
        except apsw.Error as error:
            raise FormatError(f"the changeset does not fit the seed: {error}") from None
        self._changesets, self.calls = [changeset], calls

    def image(self) -> bytes:
        """The whole database, serialized."""
        return self.connection.serialize("main")

    def size(self) -> int:
        """How many bytes it holds."""
        return int(self.connection.pragma("page_count")) * int(self.connection.pragma("page_size"))

    def fork(self) -> "Database":
        """A copy that goes its own way from here."""
        copy = Database(self.schema, self.image(), self._tell, self._ids)
        copy.calls, copy._changesets = self.calls, list(self._changesets)
        return copy

    def close(self) -> None:
        """Give the memory back."""
        self.connection.close()

    def run_sql(self, query: str, limit: int | None = ROWS_SHOWN, seconds: float = SECONDS) -> Rows:
        """Read with any single SELECT. A query without a LIMIT gets one, as in the real sql-runner."""
        query = limited(query, limit)
        if not _QUERY.match(query):
            raise QueryError("Only read-only SELECT queries are allowed")
        self.connection.config(apsw.SQLITE_DBCONFIG_DQS_DML, 1)  # real verifiers quote texts with "
        self.connection.authorizer = _only_reading
        until = time.monotonic() + seconds
        self.connection.set_progress_handler(lambda: time.monotonic() > until, 10_000)
        try:
            return _fetch(self.connection, query)
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
    """An empty database in memory, with the gym's time and ids in place of the machine's."""
    connection = apsw.Connection(":memory:")
    connection.config(apsw.SQLITE_DBCONFIG_DQS_DML, 0)  # a misspelt column must not pass for a text
    connection.limit(apsw.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
    connection.pragma("max_page_count", _MOST_PAGES)
    clock.install(connection, now)
    connection.create_scalar_function("new_hex", draw, 0)
    connection.create_scalar_function("new_uuid", lambda *_: str(uuid.UUID(draw(), version=4)), 0)
    connection.create_scalar_function("new_ulid", lambda *_: ulid(now(), int(draw(), 16)), 0)
    return connection


def limited(query: str, limit: int | None) -> str:
    """The query with a LIMIT at its end, unless it has one anywhere."""
    query = query.strip().rstrip(";").rstrip()
    if limit is None or re.search(r"\blimit\b", query, re.IGNORECASE):
        return query
    return f"{query} LIMIT {limit}"


def _fetch(connection: apsw.Connection, query: str) -> Rows:
    columns: list[tuple[str, ...]] = []

    def begin(cursor: apsw.Cursor, *_: Any) -> bool:
        columns.append(tuple(name for name, _ in cursor.get_description()))
        if len(columns) > 1:
            raise QueryError("Only one statement at a time is allowed")
        return True

    cursor = connection.cursor()
    cursor.exec_trace = begin
    found, size = [], 0
    for row in islice(cursor.execute(query), _MOST_ROWS):
        found.append(row)
        size += sum(len(value) for value in row if isinstance(value, str | bytes))
        if size > _MOST_BYTES:
            raise QueryError(f"the answer is larger than {_MOST_BYTES // 1_000_000} MB")
    cursor.close(True)
    return Rows(query, columns[0], tuple(found))


def _only_reading(action: int, first: str | None, second: str | None, *_: Any) -> int:
    if action not in _READING or (action == apsw.SQLITE_FUNCTION and second in _FORBIDDEN_FUNCTIONS):
        return apsw.SQLITE_DENY
    return apsw.SQLITE_OK
