"""The gym's time. A clock gives the time of the n-th call, so the same calls give the same bytes."""

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import apsw

Clock = Callable[[int], datetime]
START = datetime(2026, 1, 5, 9, 0, 0, tzinfo=UTC)
_FUNCTIONS = ("date", "time", "datetime", "julianday", "unixepoch", "strftime")
_ZONES = ("localtime", "utc")
_NO_SHIFT = "+0 seconds"
_CONSTANTS = {
    "current_timestamp": "%Y-%m-%d %H:%M:%S",
    "current_date": "%Y-%m-%d",
    "current_time": "%H:%M:%S",
}
_local = threading.local()


def steady(start: datetime = START, step: timedelta = timedelta(seconds=1)) -> Clock:
    """Return a clock that advances by one step a call."""
    return lambda calls: start + calls * step


def wall(calls: int) -> datetime:
    """Return the real time."""
    return datetime.now(UTC)


def install(connection: apsw.Connection, now: Callable[[], datetime]) -> None:
    """Let SQLite's own time functions use this time in place of the real one.

    A verifier that asks for ``datetime('now', '-1 day')`` then means the day that the tools wrote. Local time
    is UTC, as in the containers of the real servers, wherever the machine stands.
    """
    for name in _FUNCTIONS:
        connection.create_scalar_function(name, _time_function(name, now), -1)
    connection.create_scalar_function("timediff", _difference(now), 2)
    for name, layout in _CONSTANTS.items():
        connection.create_scalar_function(name, _constant(layout, now), 0)


def _constant(layout: str, now: Callable[[], datetime]) -> Callable[..., Any]:
    return lambda *_: now().strftime(layout)


def _time_function(name: str, now: Callable[[], datetime]) -> Callable[..., Any]:
    first = 1 if name == "strftime" else 0  # strftime's time comes after its format

    def call(*arguments: Any) -> Any:
        values = list(arguments)
        if len(values) == first:
            values.append("now")
        values[first : first + 1] = [_moment(value, now) for value in values[first : first + 1]]
        values[first + 1 :] = map(_modifier, values[first + 1 :])
        marks = ", ".join("?" * len(values))
        return plain_connection().execute(f"SELECT {name}({marks})", values).get

    return call


def _difference(now: Callable[[], datetime]) -> Callable[..., Any]:
    def call(*moments: Any) -> Any:
        values = [_moment(value, now) for value in moments]
        return plain_connection().execute("SELECT timediff(?, ?)", values).get

    return call


def _moment(value: Any, now: Callable[[], datetime]) -> Any:
    """Return a time value with the clock's in place of ``now``."""
    is_now = isinstance(value, str) and value.lower() == "now"
    return now().strftime("%Y-%m-%d %H:%M:%S.%f")[:-3] if is_now else value


def _modifier(value: Any) -> Any:
    """Return a modifier; one that shifts by the machine's zone shifts by nothing, in its place among them."""
    return _NO_SHIFT if isinstance(value, str) and value.lower() in _ZONES else value


def plain_connection() -> apsw.Connection:
    """Return a connection whose time functions are SQLite's own; one for each thread."""
    if not hasattr(_local, "connection"):
        _local.connection = apsw.Connection(":memory:")
    connection: apsw.Connection = _local.connection
    return connection
