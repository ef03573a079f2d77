"""The journal gives back what is as it was written, to whoever asks, and counts what something else took."""

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from eops_traj.store.journal import Entry, Journal, is_writable

FIRST, SECOND, OTHER = (
    Entry("episodes", "e1", "{}"),
    Entry("episodes", "e2", "[2]"),
    Entry("labels", "e1", "3"),
)


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    """A journal in a folder that was not there, with three entries of two kinds."""
    journal = Journal(tmp_path / "new" / "folder" / "journal.sqlite")
    journal.add([FIRST, OTHER, SECOND])
    yield journal
    journal.close()


def change(journal: Journal, statement: str) -> None:
    """Change the journal's file as another program would."""
    with sqlite3.connect(journal._path) as other:
        other.execute(statement)
    other.close()


def test_entries_are_found_by_kind_and_key(journal: Journal) -> None:
    assert journal.of_kind("episodes") == [FIRST, SECOND] and journal.of_kind("runs") == []
    assert journal.entry("labels", "e1") == OTHER and journal.entry("labels", "e2") is None
    assert journal.keys("episodes") == {"e1", "e2"} == journal.holds("episodes", ["e2", "e3", "e1"])
    assert journal.waiting(2) == (2, [FIRST, OTHER], [])
    journal.forget(3)
    assert journal.waiting(2) == (0, [], []) and len(journal) == 0


def test_what_was_changed_is_not_given_out_and_what_an_older_program_wrote_is(journal: Journal) -> None:
    change(journal, "UPDATE entry SET payload = '[9]' WHERE key = 'e2'")
    change(journal, "UPDATE entry SET crc = NULL WHERE kind = 'labels'")
    assert journal.of_kind("episodes") == [FIRST] and journal.of_kind("labels") == [OTHER]
    assert journal.entry("episodes", "e2") is None
    assert journal.entry("episodes", "e1") == FIRST and journal.entry("labels", "e1") == OTHER
    assert journal.waiting(9) == (3, [FIRST, OTHER], [Entry("episodes", "e2", "[9]")])


def test_what_something_else_took_out_is_missed_and_what_it_put_in_is_not(journal: Journal) -> None:
    assert journal.lost() == 0
    change(journal, "DELETE FROM entry WHERE kind = 'episodes'")
    assert journal.lost() == 2
    journal.settle()
    journal.settle()  # its mark is gone by now
    assert journal.lost() == 0
    change(journal, "INSERT INTO entry (kind, key, payload) VALUES ('runs', 'r', '{}')")
    assert journal.lost() == 0


def test_another_thread_may_write(journal: Journal) -> None:
    thread = Thread(target=journal.add, args=([Entry("runs", "r", "{}")],))
    thread.start()
    thread.join()
    assert journal.keys("runs") == {"r"}


@pytest.mark.parametrize("writable", [True, False])
def test_a_journal_is_read_in_its_place_and_where_that_cannot_be_written_from_a_copy(
    writable: bool, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("eops_traj.store.journal.is_writable", lambda path: writable)
    with Journal.readable(journal._path) as read:
        assert read.of_kind("labels") == [OTHER]
        read.set_aside([(FIRST, "to see where this goes")])
    assert journal.quarantined() == int(writable)


@pytest.mark.parametrize("refused", ["file", "folder", None])
def test_a_journal_is_writable_with_its_folder(
    refused: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = {"file": tmp_path / "j.sqlite", "folder": tmp_path, None: None}
    monkeypatch.setattr(os, "access", lambda path, mode: path != places[refused])
    assert is_writable(tmp_path / "j.sqlite") is (refused is None)
