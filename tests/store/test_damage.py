"""Damage: told by every reader, listed by `check`, and mended from what is whole."""

import json
import shutil
import sqlite3
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from eops_traj.errors import DamagedStore, StoreError, StoreWarning
from eops_traj.store.arrow import to_json
from eops_traj.store.journal import Entry, Journal
from eops_traj.store.store import Store
from tests.attacks.damage_kinds import (
    cut,
    data_file,
    entry,
    foreign_delete,
    foreign_removal,
    overwrite,
    remove_journal,
    sql,
    unmark,
)  # fmt: skip
from tests.episodes import episode


def ids(folder: Path) -> list[str]:
    with Store.open(folder) as store:
        return sorted(e.episode_id for e in store.episodes())


EVERY = ["a1", "a2", "b1", "b2", "c1", "c2"]


@pytest.mark.parametrize(
    ("damage", "word"),
    [
        (lambda s: cut(data_file(s)), "bytes instead of"),
        (lambda s: data_file(s).unlink(), "is missing"),
        (lambda s: overwrite(data_file(s)), "its checksum differs"),
        (lambda s: entry(s, -1).unlink(), "version 3 was written"),
        (lambda s: entry(s, -1).write_text(""), "entry 3 of its log is damaged"),
        (lambda s: entry(s, 1).unlink(), "entry 1 of its log is missing"),
        (lambda s: shutil.rmtree(s / "toolsets"), "it has no toolsets"),
        (lambda s: unmark(s, 1), "ends at version 2, but version 3 was written"),
        (lambda s: unmark(s, 3, data=True), "ends at version 0, but version 3 was written"),
        (lambda s: (unmark(s, 2), remove_journal(s)), "does not list 2 data files"),
        (foreign_removal, "4 rows at version 4, but version 3 had 6"),
        (lambda s: foreign_delete(s, "episode_id = 'b1'"), "5 rows at version 4, but version 3 had 6"),
    ],
)
def test_a_reader_is_told_of_what_is_not_there(folder: Path, damage: Callable, word: str) -> None:
    damage(folder)
    with pytest.raises(DamagedStore, match=word):
        Store.open(folder).scan().collect()


def test_a_mark_alone_may_be_gone(folder: Path) -> None:
    for table in ("episodes", "prompts"):
        (folder / table / "_head.json").unlink()
    assert ids(folder) == EVERY
    remove_journal(folder)
    assert ids(folder) == EVERY


def test_a_crash_before_the_first_mark_is_no_damage(tmp_path: Path) -> None:
    Store.open(tmp_path / "s", create=True).close()
    (tmp_path / "s" / "episodes" / "_head.json").unlink()
    Store.open(tmp_path / "s").close()
    assert (tmp_path / "s" / "episodes" / "_head.json").exists()  # before a file could lie there unlisted


def test_another_table_in_the_place_of_the_written_one_is_told(folder: Path, tmp_path: Path) -> None:
    with Store.open(tmp_path / "other", create=True) as other:
        other.append([episode("x")])
    mark = (folder / "episodes" / "_head.json").read_bytes()
    shutil.rmtree(folder / "episodes")
    shutil.copytree(tmp_path / "other" / "episodes", folder / "episodes")
    (folder / "episodes" / "_head.json").write_bytes(mark)
    with pytest.raises(DamagedStore, match="not the table that was written here"):
        Store.open(folder)


def test_a_version_that_another_program_wrote_is_no_damage(folder: Path) -> None:
    (folder / "episodes" / "_head.json").write_text(
        json.dumps(json.loads((folder / "episodes" / "_head.json").read_text()) | {"version": 2, "rows": 4})
    )
    assert ids(folder) == EVERY


def test_entries_that_something_else_took_out_of_the_journal_are_missed(folder: Path) -> None:
    store = Store.open(folder)
    store.append([episode("d1"), episode("d2")])
    store.journal.close()
    sql("DELETE FROM entry WHERE key = 'd2'")(folder)
    with pytest.raises(DamagedStore, match="1 records that waited"):
        Store.open(folder)
    for path in folder.glob("journal.sqlite*"):
        path.unlink()
    with pytest.raises(DamagedStore, match="2 records that waited"):
        Store.open(folder)


def test_a_journal_that_goes_while_nothing_waits_is_begun_anew(folder: Path) -> None:
    (folder / "journal.sqlite").unlink()
    with Store.open(folder) as store:
        store.append([episode("d1")])
    assert ids(folder) == [*EVERY, "d1"]


def test_what_no_table_takes_is_set_aside_and_the_rest_goes_on(folder: Path, cli: Callable) -> None:
    store = Store.open(folder)
    poison = to_json(episode("bad")).replace('"n_turns": 2', '"n_turns": 9223372036854775808')
    store.journal.add([Entry("episodes", "bad", poison), Entry("verdicts", "v", "{}")])
    store.append([episode("good")])
    with pytest.warns(StoreWarning, match="2 records that no table can take are set aside"):
        store.close()
    with warnings.catch_warnings(action="ignore", category=StoreWarning):
        assert ids(folder) == [*EVERY, "good"]
    history = cli("history", "--store", folder, "--json")
    assert history.code == 1 and json.loads(history.out)["set_aside"] == 2
    aside = json.loads(cli("check", folder, "--json").out)["set_aside"]
    assert [(a["kind"], a["key"]) for a in aside] == [("episodes", "bad"), ("verdicts", "v")]
    assert aside[0]["reason"] and "unknown kind" in aside[1]["reason"]


def test_what_fits_again_leaves_the_quarantine(folder: Path, cli: Callable) -> None:
    with Store.open(folder) as store, store.journal.exclusive():
        store.journal.set_aside([(Entry("episodes", "d1", to_json(episode("d1"))), "an older version")])
    assert cli("check", folder).code == 1
    assert cli("check", folder, "--repair").code == 0
    assert ids(folder) == [*EVERY, "d1"]


def test_what_was_set_aside_twice_comes_back_once(folder: Path, cli: Callable) -> None:
    twice = [
        Entry("episodes", "d1", to_json(episode("d1", outcome=outcome))) for outcome in ("success", "error")
    ]
    with Store.open(folder) as store:
        for one in twice:
            with store.journal.exclusive():
                store.journal.set_aside([(one, "an older version")])
    assert cli("check", folder, "--repair").code == 0
    assert ids(folder) == [*EVERY, "d1"]
    with Store.open(folder) as store:
        assert store.episode("d1").outcome == "success" and store.set_aside() == 0


def test_a_changed_payload_is_never_taken_for_data(folder: Path, cli: Callable) -> None:
    store = Store.open(folder)
    store.append([episode("d1")])
    store.journal.close()
    sql("UPDATE entry SET payload = replace(payload, 'Odile', 'Edith')")(folder)
    with pytest.warns(StoreWarning, match="1 records"):
        assert Store.open(folder).scan().collect().height == 6
    assert cli("check", folder, "--repair").code == 1
    with warnings.catch_warnings(action="ignore", category=StoreWarning):
        assert ids(folder) == EVERY


def test_an_older_journal_gets_its_checksums(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "j.sqlite") as old:
        old.execute(
            "CREATE TABLE entry (sequence INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, "
            "key TEXT NOT NULL, payload TEXT NOT NULL, UNIQUE (kind, key))"
        )
        old.execute("INSERT INTO entry (kind, key, payload) VALUES ('episodes', 'a', '{}')")
    old.close()
    journal = Journal(tmp_path / "j.sqlite")
    journal.add([Entry("episodes", "b", "{}")])
    assert journal.lost() == 0 and [e.key for e in journal.waiting(5).entries] == ["a", "b"]


def test_a_store_that_cannot_be_written_answers_and_tells_what_waits(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store.open(folder)
    store.append([episode("d1")])
    store.journal.close()
    monkeypatch.setattr("eops_traj.store.journal.os.access", lambda *_: False)
    with pytest.warns(StoreWarning, match="1 records wait in the journal"):
        assert Store.open(folder).scan().collect().height == 6
    monkeypatch.undo()
    assert ids(folder) == [*EVERY, "d1"]


def test_a_full_disk_leaves_what_waits_where_it_is(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    store = Store.open(folder)
    store.append([episode("d1")])
    monkeypatch.setattr("eops_traj.store.table.Table.write_file", full)
    with pytest.raises(StoreError, match=r"cannot write .* No space left"):
        store.close()
    with pytest.warns(StoreWarning, match="1 records wait in the journal and are not part of the answer"):
        assert Store.open(folder).scan().collect().height == 6
    monkeypatch.undo()
    assert ids(folder) == [*EVERY, "d1"]


def test_a_store_that_was_replaced_meanwhile_takes_nothing(folder: Path) -> None:
    store = Store.open(folder)
    store.append([episode("d1")])
    folder.rename(folder.with_name("elsewhere"))
    with pytest.raises(StoreError, match="went away while it was in use"):
        store.append([episode("d2")])
    Store.open(folder, create=True).append([episode("x")])
    with pytest.raises(StoreError, match="replaced by another"):
        store.append([episode("d2")])
    assert ids(folder.with_name("elsewhere")) == [*EVERY, "d1"]


def test_a_torn_end_of_the_journals_log_is_missed(folder: Path, tmp_path: Path) -> None:
    with Store.open(folder) as store:
        for name in ("d1", "d2", "d3"):
            store.append([episode(name)])
        shutil.copytree(folder, tmp_path / "killed", ignore=shutil.ignore_patterns("*-shm"))
    log = tmp_path / "killed" / "journal.sqlite-wal"
    log.write_bytes(log.read_bytes()[:-1])
    with pytest.raises(DamagedStore, match="1 records that waited in its journal are gone"):
        Store.open(tmp_path / "killed")


@pytest.mark.parametrize("left", ["nothing", "an empty file"])
def test_a_full_disk_costs_a_checksum_and_no_row(
    folder: Path, left: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def without_room(path: Path, text: str) -> bool:
        if left == "an empty file":
            path.touch()
        return False

    with Store.open(folder) as store:
        monkeypatch.setattr("eops_traj.store.checksums.write_whole", without_room)
        store.amend([episode("a1", outcome="failure")], store.version())
    empty = [path for path in (folder / "episodes" / "_sha256").glob("*") if not path.stat().st_size]
    assert bool(empty) == (left == "an empty file")
    assert ids(folder) == EVERY
