"""A SQLite file with a write-ahead log, whoever opens it at the same time."""

import time
from collections.abc import Callable


def use_wal(execute: Callable[[str], object], seconds: float) -> None:
    """Give a database a write-ahead log through what executes its SQL; no change where it has one.

    SQLite waits for no other here, whatever its timeout: it holds a lock to read, and asks for one to write.
    Raises SQLite's error where another is in the way for longer than ``seconds``.
    """
    until = time.monotonic() + seconds
    while True:
        try:
            execute("PRAGMA journal_mode=WAL")
            return
        except Exception as error:  # of sqlite3 or of apsw, which name it in the same words
            if "database is locked" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(0.01)
