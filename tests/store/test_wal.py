"""A database gets its write-ahead log, though another has begun to write at that moment."""

import sqlite3
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import apsw
import pytest

from eops_traj.store.journal import Journal
from eops_traj.store.store import Store
from eops_traj.store.wal import use_wal
from eops_traj.view.text_index import TextIndex


def by_sqlite3(path: Path) -> Any:
    return sqlite3.connect(path, check_same_thread=False, isolation_level=None)


def by_apsw(path: Path) -> Any:
    return apsw.Connection(str(path))


@pytest.mark.parametrize("connect", [by_sqlite3, by_apsw])  # in one process neither sees the other's locks
def test_who_writes_is_waited_for(connect: Callable[[Path], Any], tmp_path: Path) -> None:
    other, own = connect(tmp_path / "new.sqlite"), connect(tmp_path / "new.sqlite")
    other.execute("BEGIN IMMEDIATE")
    tries = []

    def switch(statement: str) -> None:
        tries.append(statement)
        if len(tries) == 3:
            other.execute("COMMIT")
        own.execute(statement)

    use_wal(switch, 60)
    assert own.execute("PRAGMA journal_mode").fetchone() == ("wal",) and len(tries) == 3


def test_not_for_ever_and_nothing_else_is(tmp_path: Path) -> None:
    other, own = by_sqlite3(tmp_path / "new.sqlite"), by_sqlite3(tmp_path / "new.sqlite")
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        use_wal(own.execute, 0.1)
    own.close()
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        use_wal(own.execute, 60)


class OneWriter:
    """Another that begins to write right before the first switch to a log, and ends a little later."""

    def __init__(self, connection: Any) -> None:
        self._connection, self.ends = connection, list[threading.Timer]()

    def begin(self, sql: str) -> None:
        if "WAL" in sql and not self.ends:
            self._connection.execute("BEGIN IMMEDIATE")
            self.ends.append(threading.Timer(0.2, self._connection.execute, ["COMMIT"]))
            self.ends[0].start()


def test_a_journal_that_others_make_at_the_same_time_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = OneWriter(by_sqlite3(tmp_path / "new.sqlite"))

    class Overtaken(sqlite3.Connection):
        def execute(self, sql: str, /, *values: Any) -> sqlite3.Cursor:
            writer.begin(sql)
            return super().execute(sql, *values)

    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=Overtaken))
    assert len(Journal(tmp_path / "new.sqlite")) == 0 and writer.ends


def test_an_index_of_texts_that_others_make_at_the_same_time_is_opened(
    empty: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with Store.open(empty) as store:
        path = TextIndex(store).path
        path.unlink()
        writer = OneWriter(by_apsw(path))

        class Overtaken(apsw.Connection):
            def execute(self, sql: str, *values: Any) -> Any:  # type: ignore[override]
                writer.begin(sql)
                return super().execute(sql, *values)

        monkeypatch.setattr(apsw, "Connection", Overtaken)
        assert [*TextIndex(store).update()] == [] and writer.ends
