"""The store loses nothing, doubles nothing, and keeps its old versions."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import ColumnProperties, WriterProperties, write_deltalake
from deltalake.exceptions import CommitFailedError

from eops_traj.errors import StoreError, UnknownName
from eops_traj.filter.selecting import list_selections
from eops_traj.hashing import canonical_json
from eops_traj.schema import Json, Run, Selection, SelectionRow
from eops_traj.store import integrity, selection_rows
from eops_traj.store.check import check_store
from eops_traj.store.journal import Entry, Journal
from eops_traj.store.store import Store
from eops_traj.store.table import Table
from tests.attacks.damage_kinds import trust_log
from tests.episodes import PROMPT, TOOLS, episode
from tests.forks import CONTEXT


def ids(store: Store, version: int | None = None) -> list[str]:
    return sorted(store.scan(version).select("episode_id").collect()["episode_id"])


def test_what_is_appended_is_read_back_whole(empty: Path) -> None:
    with Store.open(empty) as store:
        assert store.append([episode("a"), episode("b")], prompts=[PROMPT], toolsets=[TOOLS]) == 2
    with Store.open(empty) as store:
        assert store.episode("b") == episode("b")
        assert store.prompt(PROMPT.prompt_hash) == PROMPT.text
        assert store.toolset(TOOLS.toolset_hash) == TOOLS


def test_an_episode_is_stored_once(empty: Path) -> None:
    with Store.open(empty) as store:
        assert store.append([episode("a"), episode("a")]) == 1
        store.flush()
        assert store.append([episode("a"), episode("b")]) == 1
    with Store.open(empty) as store:
        assert ids(store) == ["a", "b"]


def test_an_old_version_stays_readable(empty: Path) -> None:
    with Store.open(empty) as store:
        store.append([episode("a")])
        store.flush()
        version = store.version()
        store.append([episode("b")])
        store.flush()
        assert ids(store, version) == ["a"]
        assert [c["rows_added"] for c in store.history()][:2] == [1, 1]
        store.compact()
        assert ids(store) == ["a", "b"] and ids(store, version) == ["a"]


def test_what_waits_in_the_journal_after_a_crash_is_there_for_the_next_reader(empty: Path) -> None:
    store = Store.open(empty)
    store.append([episode("a")])
    del store  # no close, no flush: as if the process had died here
    with Store.open(empty) as reader:
        assert ids(reader) == ["a"]


def test_a_crash_between_delta_and_journal_doubles_nothing(
    empty: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store.open(empty)
    store.append([episode("a")])
    monkeypatch.setattr(Journal, "forget", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        store.flush()
    monkeypatch.undo()
    with Store.open(empty) as reader:
        assert ids(reader) == ["a"]


def test_data_is_on_disk_before_the_journal_lets_go_of_it(
    empty: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting: list[int] = []
    with Store.open(empty) as store:
        monkeypatch.setattr("os.sync", lambda: waiting.append(len(store.journal)))
        store.append([episode("a"), episode("b")])
    assert waiting == [2]


def test_once_added_a_record_is_on_disk(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j.sqlite")
    settings = [
        journal._db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous")
    ]
    assert settings == ["wal", 2]  # FULL: the log is flushed at every commit
    journal.close()


@pytest.mark.parametrize("broken", ["prompts", "toolsets", "runs"])
def test_no_episode_is_there_before_what_it_refers_to(
    broken: str, empty: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append = Table.append

    def breaking(table: Table, rows: list[dict[str, Any]]) -> int:
        if table.url.endswith(broken):
            raise KeyboardInterrupt
        return append(table, rows)

    store = Store.open(empty)
    run = Run(run_id="r0", kind="collect", config=Json("{}"), version="0")
    store.append([episode("a")], prompts=[PROMPT], toolsets=[TOOLS], runs=[run])
    monkeypatch.setattr(Table, "append", breaking)
    with pytest.raises(KeyboardInterrupt):
        store.flush()
    assert store.tables["episodes"].keys() == set()
    monkeypatch.undo()
    with Store.open(empty) as reader:
        assert ids(reader) == ["a"] and reader.run("r0") == run


def test_an_amendment_that_another_writer_was_quicker_than_is_no_success(
    empty: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def conflict(*_: object, **__: object) -> None:
        raise CommitFailedError("a concurrent transaction deleted data that this one read")

    with Store.open(empty) as store:
        store.append([episode("a"), episode("b")])
        store.flush()
        monkeypatch.setattr("deltalake.write_deltalake", conflict)
        with pytest.raises(StoreError, match="episodes was written by another process meanwhile"):
            store.amend([episode("a", outcome="failure")], store.version())
        monkeypatch.undo()
        assert store.episode("a").outcome == "success" and len(store.history()) == 2
        store.amend([episode("a", outcome="failure")], store.version())
        assert store.episode("a").outcome == "failure" and store.episode("b").outcome == "success"


def test_an_amendment_adds_no_row(empty: Path) -> None:
    with Store.open(empty) as store:
        store.append([episode("a")])
        store.flush()
        store.amend([episode("a", outcome="failure")], store.version())
        assert [commit["rows_added"] for commit in store.history()] == [0, 1, 0]
        assert store.episode("a").outcome == "failure" and ids(store) == ["a"]
        assert store.episode("a", version=1).outcome == "success"


def selection(name: str, *dropped: str | None) -> Selection:
    """A selection of as many rows, dropped by these rules."""
    rows = tuple(SelectionRow(episode_id=str(n), dropped_by=rule) for n, rule in enumerate(dropped))
    return Selection(name=name, store_version=1, config=Json("{}"), created_at="2026-11-30", rows=rows)


def test_a_selection_takes_the_place_of_its_older_one_and_touches_no_other(empty: Path) -> None:
    with Store.open(empty) as store:
        table = store.tables["selections"]
        for saved in (selection("a", None), selection("aa", "x"), selection("a", "y", None)):
            before = {file.name for file in integrity.data_files(table.open())} if table.exists() else set()
            store.save_selection(saved)
        after = {file.name for file in integrity.data_files(table.open())}
        assert len(before) == len(after) == 2 and len(before & after) == 1
        assert store.selection("a") == saved and store.selection("aa") == selection("aa", "x")
        assert not check_store(store).damage


def test_a_selection_in_parts_is_one_that_is_replaced_whole(empty: Path) -> None:
    whole = selection("a", None, "x", None, "y")
    with Store.open(empty) as store:
        for saved in (selection("aa", "x"), selection("a", "z"), whole, whole):
            rows = selection_rows.frame(saved.rows)
            store.save_selection_parts(replace(saved, rows=()), [rows[:2], rows[2:3], rows[3:]])
        assert store.selection("a") == whole and store.selection("aa") == selection("aa", "x")
        assert store.selection("a", ["3"]).rows == whole.rows[3:]
        assert store.selection("a", []).rows == ()
        listed = [(row["name"], row["kept"], row["dropped"]) for row in list_selections(store)]
        assert listed == [("a", 2, 2), ("aa", 0, 1)]
        assert not check_store(store).damage
        store.save_selection(selection("a", "w"))
        assert store.selection("a") == selection("a", "w")
        assert len(integrity.data_files(store.tables["selections"].open())) == 2


def test_a_selection_in_a_file_of_unknown_names_takes_no_other_with_it(empty: Path) -> None:
    """A foreign writer that tells no range of its keys may have put others into the same file."""
    silent = WriterProperties(default_column_properties=ColumnProperties(statistics_enabled="NONE"))
    both = [selection("a", None), selection("b", "x")]
    with Store.open(empty) as store:
        table = store.tables["selections"]
        parts = (selection_rows.to_arrow(s, [selection_rows.frame(s.rows)], table.schema) for s in both)
        rows = pa.concat_tables([one for part in parts for one in part])
        write_deltalake(table.url, rows, mode="append", writer_properties=silent)
        table.record()
        assert [file.range.low for file in table.snapshot()] == [None]
        store.save_selection(selection("a", "y"))
        assert store.selection("a") == selection("a", "y") and store.selection("b") == both[1]


def saving_first(other: Store, theirs: Selection, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have another writer save a selection once, right before the next data file is put in its place."""
    put = Table._put

    def late(table: Table, *written: Any) -> Any:
        monkeypatch.setattr(Table, "_put", put)
        other.save_selection(theirs)
        return put(table, *written)

    monkeypatch.setattr(Table, "_put", late)


@pytest.mark.parametrize("older", [True, False])
def test_a_selection_that_another_writer_was_quicker_to_save_is_no_success(
    older: bool, empty: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = (Store.open(empty) for _ in range(2))
    ours.save_selection(selection("a" if older else "b", None))
    saving_first(theirs, selection("a", "theirs"), monkeypatch)
    with pytest.raises(StoreError, match="selections was written by another process meanwhile"):
        ours.save_selection(selection("a", "ours"))
    assert ours.selection("a") == selection("a", "theirs")


def append_many(url: Path, worker: int) -> None:
    with Store.open(url, create=True) as store:
        for i in range(12):
            store.append([episode(f"{worker}-{i}"), episode(f"shared-{i}")], prompts=[PROMPT])
            if i % 3 == worker:
                store.flush()


def test_three_processes_append_at_once(tmp_path: Path) -> None:
    workers = [CONTEXT.Process(target=append_many, args=(tmp_path / "s", w)) for w in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [w.exitcode for w in workers] == [0] * 3
    with Store.open(tmp_path / "s") as store:
        expected = [f"{w}-{i}" for w in range(3) for i in range(12)] + [f"shared-{i}" for i in range(12)]
        assert ids(store) == sorted(expected)
        assert store.scan(table="prompts").collect().height == 1


def test_a_selection_is_saved_under_its_name(empty: Path) -> None:
    rows = (SelectionRow(episode_id="a"), SelectionRow(episode_id="b", dropped_by="no_error"))
    first = Selection(name="it's", store_version=1, config=Json("{}"), created_at="2026", rows=rows)
    second = Selection(name="it's", store_version=2, config=Json("{}"), created_at="2026", rows=rows[:1])
    with Store.open(empty) as store:
        store.save_selection(first)
        store.save_selection(second)
        assert store.selection("it's") == second
        with pytest.raises(UnknownName, match="it's"):
            store.selection("other")


def test_a_missing_store_is_named_and_not_made(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no store at"):
        Store.open(tmp_path / "s")
    assert not (tmp_path / "s").exists()


def test_a_folder_of_other_things_is_no_store(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(StoreError, match="neither a store nor an empty folder"):
        Store.open(tmp_path, create=True)
    assert [p.name for p in tmp_path.iterdir()] == ["notes.txt"]


def test_a_newer_schema_is_refused(empty: Path) -> None:
    Store.open(empty)
    log = empty / "episodes" / "_delta_log" / f"{0:020}.json"
    log.write_text(log.read_text().replace("eops-traj schema 1", "eops-traj schema 99"))
    trust_log(empty)
    with pytest.raises(StoreError, match="schema version 99"):
        Store.open(empty)


def test_a_damaged_store_is_one_clear_error(empty: Path) -> None:
    Store.open(empty)
    (empty / "episodes" / "_delta_log" / f"{0:020}.json").write_text("not json")
    with pytest.raises(StoreError, match="entry 0 of its log is damaged"):
        Store.open(empty)


def test_an_unknown_version_is_named(empty: Path) -> None:
    with Store.open(empty) as store, pytest.raises(StoreError, match="version 7"):
        store.scan(7)


def test_the_journal_keeps_order_and_shrinks(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j.sqlite")
    journal.add(Entry("episodes", str(i), json.dumps("x" * 5000)) for i in range(50))
    assert journal.add([Entry("episodes", "3", "{}")]) == 0
    last, entries, damaged = journal.waiting(10)
    assert not damaged and [e.key for e in entries] == [str(i) for i in range(10)]
    journal.forget(last)
    assert len(journal) == 40 and journal.keys("episodes") == {str(i) for i in range(10, 50)}
    journal.forget(50)
    journal.close()
    assert (tmp_path / "j.sqlite").stat().st_size < 20_000


def test_text_that_utf8_cannot_hold_is_stored_readable(empty: Path) -> None:
    with Store.open(empty) as store:
        store.append([episode("a", user_prompt="broken \ud83d emoji")])
        store.flush()
        assert store.episode("a").user_prompt == "broken \ufffd emoji"
    assert canonical_json("é") == '"é"'


def test_history_and_compact_on_the_command_line(cli: Callable, folder: Path) -> None:
    done = {
        row["table"]: row for row in json.loads(cli("compact", "--store", folder, "--json").out)["tables"]
    }
    assert done["episodes"]["files_removed"] == 3 and done["episodes"]["files_added"] == 1
    versions = json.loads(cli("history", "--store", folder, "--json").out)["versions"]
    assert [v["rows_added"] for v in versions[1:4]] == [2, 2, 2]
    assert versions[0]["version"] == 4 and versions[0]["time"].endswith("+00:00")
