"""The bounds within which SQL that is not ours runs: queries of tasks and clients, seeds and patches.

Everything from outside runs inside `bounded`, in this process. What bounds what:

- An authorizer refuses, while a statement is compiled, whatever is no read (in a seed: no change of rows).
- Time and memory are checked every 100 of SQLite's instructions, as it compiles and as it runs (every 1,000
  where a statement names no slow function), and hold for the whole of a script. The time is the processor's:
  what a query comes to must not depend on what else the machine does.
- Between two checks stand single instructions. A value has at most 128 KiB and a LIKE pattern 500 bytes, so
  that the slowest function takes 0.1 s. Those that would take longer are refused, or take a short second
  value (`connection`); of the slow ones a statement may call few, and of all of them not thousands.
- A statement with a SELECT inside can name a value once and compute it a thousand times, so its program is
  bounded: in length, and in calls of slow functions. While it is compiled, a limit on all of SQLite's memory
  in this process holds it.
- A row has at most 256 values, so that the largest that can be built has 32 MiB.
- Connections reach no files (`connection`): nothing is attached, and no sort spills to disk.

Real databases and tasks stay far below: they have at most 13 KB a value, 190 bytes a pattern, 1.3 KB a query
and 290 KB a statement of a seed. `tests/attacks/sql.py` holds the bounds to what is said here.
"""

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import apsw

from eops_traj.gym.engine import heap

MAX_VALUE_BYTES = 131_072
_PATIENCE = 10  # times its seconds of processor time are waited for what a busy machine hardly runs
_STEPS = 100  # SQLite's instructions between two checks: some 25 may be slow functions
_QUICK_STEPS = 1_000  # while a statement runs that names none of them
_ROWS = 500_000  # instructions of a statement that is its rows: those of real seeds have 24,000
_FUNCTIONS = 2_000  # that a statement may name
_SLOW_CALLS = 32
_NESTED = 2  # selects, where rows that are written out are one
_SLOW = {"like", "glob", "instr", "replace"}
_FREE = {"coalesce", "ifnull", "date", "datetime", "time", "julianday", "unixepoch"}  # in every row of a seed
_FORBIDDEN = {
    "load_extension", "readfile", "writefile", "edit", "fts3_tokenizer",
    "json_pretty", "json_patch", "jsonb_patch",  # gigabytes, and minutes, from two values of 128 KiB
    "median", "percentile", "percentile_cont", "percentile_disc",  # sort all values at once
}  # fmt: skip
_FORBIDDEN_FAMILIES = ("fts", "rtree", "geopoly")
_READING = frozenset({apsw.SQLITE_SELECT, apsw.SQLITE_READ, apsw.SQLITE_RECURSIVE})
_WRITING = _READING | {
    apsw.SQLITE_INSERT, apsw.SQLITE_UPDATE, apsw.SQLITE_DELETE,
    apsw.SQLITE_TRANSACTION, apsw.SQLITE_SAVEPOINT,
}  # fmt: skip
_TOO_MANY = "too many functions in one statement"
_LIMITS = (
    (apsw.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES),
    (apsw.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 500),
    (apsw.SQLITE_LIMIT_COLUMN, 256),
    (apsw.SQLITE_LIMIT_FUNCTION_ARG, 127),
    (apsw.SQLITE_LIMIT_ATTACHED, 0),
)


@dataclass(frozen=True)
class Bounds:
    """What a kind of foreign SQL may do, and how much of it."""

    name: str
    actions: frozenset[int]
    statements: float
    text: int
    """The bytes of a statement."""
    program: int
    """The instructions of a statement that has a SELECT inside, of which SQLite makes room for up to twice as
    many as there are. Real queries have at most 153, the fingerprint of a seed 6,602."""
    memory: int


QUERY = Bounds("query", _READING, 1, 100_000, 25_000, 64_000_000)
SEED = Bounds("seed", _WRITING, math.inf, 1_000_000, 25_000, 128_000_000)


_MAY_ONLY = {
    QUERY.name: "a query may only read rows",
    SEED.name: "a seed may only insert, change and delete rows of the server's tables",
}


class Watch:
    """The watch over the statements that run within their bounds now."""

    def __init__(
        self, connection: apsw.Connection, bounds: Bounds, seconds: float, stop: threading.Event | None
    ) -> None:
        self._connection, self._bounds, self._seconds, self._stop = connection, bounds, seconds, stop
        self._began, self._last = time.thread_time(), time.monotonic() + _PATIENCE * seconds
        self._until = time.monotonic() + seconds
        self._memory = heap.hold(bounds.memory)
        self._ample = apsw.memory_used() + bounds.memory
        self._checker = self._quick_check()
        self._functions = self._slow = self._selects = self._admitted = 0
        self.reason = ""
        """Why a statement was stopped; empty where it was not."""

    def begin(self) -> None:
        """Begin a statement of a script. Raises apsw.InterruptError where the script's time is up."""
        self._functions = self._slow = self._selects = 0
        self._connection.limit(apsw.SQLITE_LIMIT_VDBE_OP, _ROWS)
        self._check_every(_STEPS)
        if self.is_over():
            raise apsw.InterruptError(self.reason)

    def is_over(self) -> bool:
        """Check whether time, memory or patience has run out, and keep the reason."""
        if self._is_late():
            self.reason = f"{self._bounds.name} ran longer than {self._seconds:g} s"
        elif heap.is_overrun(self._memory):
            self.reason = f"{self._bounds.name} takes over {self._bounds.memory // 1_000_000} MB of memory"
        elif self._stop is not None and self._stop.is_set():
            self.reason = f"{self._bounds.name} was interrupted"
        return bool(self.reason)

    def _is_late(self) -> bool:
        """Check whether time has run out. The processor's takes 2 µs to tell, so it is asked last."""
        if (now := time.monotonic()) > self._until:
            left = self._seconds - (time.thread_time() - self._began)
            self._until = min(now + left, self._last)
        return now > self._until

    def start(self) -> None:
        """Begin to watch the connection."""
        self._connection.authorizer = self.authorize
        self._connection.exec_trace = self.admit
        self._check_every(_STEPS)

    def _check_every(self, steps: int) -> None:
        self._connection.set_progress_handler(self._checker, steps)

    def _quick_check(self) -> Callable[[], bool]:
        """Return `is_over` as SQLite is to call it: it takes 0.2 µs where time and memory are ample."""
        now, used, ample, stop = time.monotonic, apsw.memory_used, self._ample, self._stop
        if stop is None:
            return lambda: (now() > self._until or used() > ample) and self.is_over()
        return lambda: (now() > self._until or used() > ample or stop.is_set()) and self.is_over()

    def authorize(self, action: int, first: str | None, second: str | None, *_: str | None) -> int:
        """Authorize one thing that a statement would do, as SQLite asks while it compiles it."""
        if action == apsw.SQLITE_SELECT:  # those of common tables, views and triggers too
            self._selects += 1
            if self._selects == _NESTED:
                self._connection.limit(apsw.SQLITE_LIMIT_VDBE_OP, self._bounds.program)
        if action in self._bounds.actions:
            return apsw.SQLITE_OK
        if action == apsw.SQLITE_FUNCTION and second:
            return self._function(second.lower())
        if action == apsw.SQLITE_PRAGMA and first == "foreign_keys" and self._bounds is SEED:
            return apsw.SQLITE_IGNORE  # seeds switch off what is off already
        return apsw.SQLITE_DENY

    def admit(self, cursor: apsw.Cursor, statement: str, bindings: object) -> bool:
        """Admit a statement that was compiled, as SQLite asks before it runs. Raises apsw.AuthError."""
        self._admitted += 1
        if self._admitted > self._bounds.statements:
            self.reason = "Only one statement at a time is allowed"
        elif self._slow and self._selects >= _NESTED and self._slow_calls(statement) > _SLOW_CALLS:
            self.reason = _TOO_MANY
        if self.reason:
            raise apsw.AuthError(self.reason)
        self._check_every(_STEPS if self._slow else _QUICK_STEPS)
        return True

    def _slow_calls(self, statement: str) -> int:
        """Count the calls of slow functions in the program of a statement, whose text may name fewer."""
        self._functions = self._slow = self._selects = 0  # it is compiled a second time
        listing = self._connection.cursor()
        listing.exec_trace = lambda *_: True
        return sum(str(row[5]).partition("(")[0] in _SLOW for row in listing.execute(statement, explain=1))

    def explain(self, error: Exception) -> str:
        """Return why a statement ended in this error."""
        if isinstance(error, apsw.NoMemError):  # so SQLite calls a program that is too long, too
            return f"{self._bounds.name} is too large, or takes too much memory"
        if isinstance(error, apsw.AuthError) and not self.reason:
            return _MAY_ONLY[self._bounds.name]
        return self.reason or str(error)

    def _function(self, name: str) -> int:
        if name in _FREE:
            return apsw.SQLITE_OK
        self._functions, self._slow = self._functions + 1, self._slow + (name in _SLOW)
        if self._functions > _FUNCTIONS or self._slow > _SLOW_CALLS:
            self.reason = _TOO_MANY
        elif name in _FORBIDDEN or name.startswith(_FORBIDDEN_FAMILIES):
            self.reason = f"the function {name} is not allowed"
        return apsw.SQLITE_DENY if self.reason else apsw.SQLITE_OK


@contextmanager
def bounded(
    connection: apsw.Connection, bounds: Bounds, seconds: float, stop: threading.Event | None = None
) -> Iterator[Watch]:
    """Let the connection run foreign SQL alone, within these bounds and seconds of this thread's processor.

    ``stop``, once set, ends it; so does ``interrupt`` of the connection, and a signal's handler that raises.
    """
    watch = Watch(connection, bounds, seconds, stop)
    try:
        before = _tighten(connection, watch, bounds)
        try:
            yield watch
        finally:
            _loosen(connection, before)
    finally:
        heap.release(bounds.memory)


def _tighten(connection: apsw.Connection, watch: Watch, bounds: Bounds) -> list[tuple[int, int]]:
    """Put a connection under watch; return the limits that it had."""
    limits = (*_LIMITS, (apsw.SQLITE_LIMIT_SQL_LENGTH, bounds.text), (apsw.SQLITE_LIMIT_VDBE_OP, _ROWS))
    before = [(limit, connection.limit(limit, most)) for limit, most in limits]
    connection.config(apsw.SQLITE_DBCONFIG_DQS_DML, 1)  # real verifiers and seeds quote texts with "
    watch.start()
    return before


def _loosen(connection: apsw.Connection, before: list[tuple[int, int]]) -> None:
    connection.set_progress_handler(None)
    connection.authorizer = connection.exec_trace = None
    connection.config(apsw.SQLITE_DBCONFIG_DQS_DML, 0)
    for limit, most in before:
        connection.limit(limit, most)
