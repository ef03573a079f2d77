"""Connections to databases in memory: without files, with the gym's time and ids, not the machine's."""

import threading
import uuid
from collections.abc import Callable
from datetime import datetime
from functools import lru_cache
from typing import Any

import apsw

from eops_traj.gym.engine import clock

MAX_PAGES = 65_536
"""The most that a database may grow to: 256 MB."""
_MAX_VALUE_BYTES = 16_000_000
_SHORT_SECOND = ("trim", "ltrim", "rtrim", "unhex")
_SHORT = 100  # characters
_ULID_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_ULID_RANDOM_BITS = 80
_registering = threading.Lock()


def connect(now: Callable[[], Any], draw: Callable[..., str]) -> apsw.Connection:
    """Open an empty database in memory, with the gym's time and ids in place of the machine's."""
    connection = apsw.Connection(":memory:", vfs=_no_files())
    connection.config(apsw.SQLITE_DBCONFIG_DQS_DML, 0)  # a misspelt column must not pass for a text
    connection.limit(apsw.SQLITE_LIMIT_LENGTH, _MAX_VALUE_BYTES)
    connection.pragma("max_page_count", MAX_PAGES)
    connection.pragma("temp_store", 2)  # in memory: a temporary table would need a file
    clock.install(connection, now)
    connection.create_scalar_function("new_hex", draw, 0)
    connection.create_scalar_function("new_uuid", lambda *_: str(uuid.UUID(draw(), version=4)), 0)
    connection.create_scalar_function("new_ulid", lambda *_: ulid(now(), int(draw(), 16)), 0)
    connection.create_scalar_function("casefold", lambda *given: _casefold(*given), 1, deterministic=True)
    for name in _SHORT_SECOND:
        connection.create_scalar_function(name, _short_second(name), 2, deterministic=True)
    return connection


def ulid(when: datetime, randomness: int) -> str:
    """Return the ULID of a time, of which milliseconds count, and of 80 random bits.

    ULIDs are ids of 26 letters and digits that sort by the time they were made.
    """
    number = int(when.timestamp() * 1000) << _ULID_RANDOM_BITS | randomness & (1 << _ULID_RANDOM_BITS) - 1
    return "".join(_ULID_DIGITS[number >> shift & 31] for shift in range(125, -1, -5))


class _NoFiles(apsw.VFS):
    """A file system in which nothing can be opened."""

    name = "no-files"

    def __init__(self) -> None:
        super().__init__(self.name, "")

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:
        """Refuse: SQLite opens a file to attach one, and to hold what its memory does not."""
        raise apsw.CantOpenError("no files can be opened or written")


@lru_cache(maxsize=1)
def _registered() -> _NoFiles:
    return _NoFiles()


def _no_files() -> str:
    """Return the name of the file system, registered once, whichever thread comes first."""
    with _registering:
        return _registered().name


def _casefold(value: Any) -> Any:
    """Return a text without its case, whatever its letters: SQLite's ``lower`` knows A to Z alone."""
    return value.casefold() if isinstance(value, str) else value


def _short_second(name: str) -> Callable[..., object]:
    """Return a function of SQLite whose time grows with both its values, with a short second one."""

    def call(text: object, characters: object) -> object:
        if isinstance(characters, str | bytes) and len(characters) > _SHORT:
            raise ValueError(f"{name} takes at most {_SHORT} characters")
        return clock.plain_connection().execute(f"SELECT {name}(?, ?)", (text, characters)).get

    return call
