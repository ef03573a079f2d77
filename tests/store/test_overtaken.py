"""Another process does something between two looks of this one: nothing is lost, or called damaged for it."""

import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eops_traj.errors import StoreError
from eops_traj.store import journal, retention, selection_rows
from eops_traj.store.check import check_store
from eops_traj.store.journal import Journal
from eops_traj.store.repair import Repair
from eops_traj.store.store import Store
from eops_traj.store.table import Table
from tests.episodes import episode
from tests.store.test_store import ids, saving_first, selection


def overtaking(path: Path, does: Callable[[], object]) -> Path:
    """A path whose first answer whether it is there is older than what another does."""
    done: list[object] = []

    class Overtaken(type(path)):  # type: ignore[misc]
        def exists(self, **options: Any) -> bool:
            there = Path(self).exists(**options)
            if not done:
                done.append(does())
            return there

    return Overtaken(path)


def repaired(store: Store) -> list[str]:
    repair = Repair(store, False)
    repair._mend_journal()
    return repair.done


@pytest.mark.parametrize("look", [Store._check_journal, lambda store: check_store(store).damage, repaired])
def test_a_journal_that_is_made_meanwhile_lost_nothing(look: Callable[[Store], Any], empty: Path) -> None:
    store, other = Store(str(empty)), Store.open(empty)
    for path in empty.glob("journal.*"):
        path.unlink()
    store.journal_path = overtaking(store.journal_path, lambda: other.append([episode("a")]))  # type: ignore[misc]
    assert not look(store)
    other.close()
    assert ids(Store.open(empty)) == ["a"]


def test_a_journal_is_opened_and_read_while_another_holds_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal, "BUSY_SECONDS", 0)
    holder = Journal(tmp_path / "journal.sqlite")
    with holder.exclusive():
        assert len(Journal(tmp_path / "journal.sqlite")) == 0
        with pytest.raises(StoreError, match="locked"):
            Journal(tmp_path / "journal.sqlite").settle()


def test_a_table_whose_mark_is_written_meanwhile_is_whole(
    empty: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = Store.open(empty).tables["prompts"]
    table.write_file(table.arrow([{"prompt_hash": "a", "text": "A"}]))  # as of one that is about to commit
    head, looks = table.head, []
    monkeypatch.setattr(table, "head", lambda: looks.append(1) or (head() if len(looks) > 1 else None))
    assert table.checked(None)[1] == [] and len(looks) == 3
    monkeypatch.setattr(table, "head", lambda: None)
    with pytest.raises(StoreError, match="the mark of its last commit is gone"):
        table.checked(None)


def save(store: Store, *parts: int) -> None:
    """Save a selection in as many rows as parts, of so many episodes each."""
    frames = [selection_rows.frame(selection("a", *[None] * count).rows) for count in parts]
    store.save_selection_parts(selection("a"), frames)


def test_a_shorter_selection_whose_mark_was_not_written_is_no_damage(
    empty: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store.open(empty)
    save(store, 2, 1, 1)
    with monkeypatch.context() as killed:
        killed.setattr(Table, "write_head", lambda *_: None)
        save(store, 1)
        store.tables["selections"].open().alter.set_table_description("of which nothing hangs")
    assert len(Store.open(empty).selection("a").rows) == 1 and not check_store(Store(str(empty))).damage
    with monkeypatch.context() as killed:
        killed.setattr(Table, "write_head", lambda *_: None)
        store.tables["selections"].open().delete()  # by something else
    with pytest.raises(StoreError, match="its log lists 0 rows at version"):
        Store.open(empty)


def test_a_data_file_is_there_whole_or_not_at_all(empty: Path) -> None:
    class Failing(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            if size == 1 << 19 and self.tell():
                raise OSError("no more")
            return super().read(size)

    table = Store.open(empty).tables["prompts"]
    with pytest.raises(OSError, match="no more"):
        table._put(Failing(bytes(1 << 20)), 1, "a", "a")
    assert not [*(empty / "prompts").glob("*part-*")]


@pytest.mark.parametrize("dry_run", [True, False])
def test_nobody_writes_while_a_vacuum_deletes(
    dry_run: bool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, held = Store.open(folder), []
    store.compact()
    monkeypatch.setattr(retention, "note", lambda *_: held.append(store.journal.in_transaction))
    assert any(told["files"] for told in store.vacuum(0, dry_run))
    assert held == ([] if dry_run else [True] * len(held)) and bool(held) != dry_run


def test_a_vacuum_that_only_tells_waits_for_nobody(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "BUSY_SECONDS", 0)
    with Journal(folder / "journal.sqlite").exclusive():
        assert Store.open(folder).vacuum(0, dry_run=True)


def test_what_is_committed_while_a_vacuum_looks_stays(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, other = Store.open(folder), Store.open(folder)
    before, checked, came = ids(store), Table.checked, list[int]()

    def late(table: Table, *more: Any, **options: Any) -> Any:
        found = checked(table, *more, **options)
        if table is store.tables["episodes"] and options and not came:
            came.append(other.append([episode("new")]))
            other.flush()
            other.compact()
        return found

    monkeypatch.setattr(Table, "checked", late)
    assert any(told["files"] for told in store.vacuum(0))  # by what it finds once nobody else writes
    assert ids(Store.open(folder)) == sorted([*before, "new"]) and not check_store(Store(str(folder))).damage


def test_two_selections_that_are_saved_at_once_are_both_there(
    empty: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = (Store.open(empty) for _ in range(2))
    saving_first(theirs, selection("b", "theirs"), monkeypatch)
    ours.save_selection(selection("a", "ours"))
    assert ours.selection("a") == selection("a", "ours") and ours.selection("b") == selection("b", "theirs")


def test_a_merged_file_that_a_vacuum_took_meanwhile_is_not_listed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was there already, as the same rows had been merged before, and so was not written again."""
    store, write = Store.open(folder), Table.write_file

    def vanishing(table: Table, rows: Any) -> Any:
        written = write(table, rows)
        (folder / table.name / written.name).unlink()
        return written

    before = ids(store)
    monkeypatch.setattr(Table, "write_file", vanishing)
    with pytest.raises(StoreError, match="compact it again"):
        store.compact()
    assert ids(Store.open(folder)) == before and not check_store(Store(str(folder))).damage


def test_half_a_data_file_of_a_killed_writer_is_told(folder: Path) -> None:
    (folder / "episodes" / f".part-{'0' * 64}.parquet-1").write_bytes(b"PAR1")
    assert "episodes: 1 data files belong to no version" in check_store(Store(str(folder))).notes


def test_what_is_named_while_a_vacuum_looks_stays(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, other = Store.open(folder), Store.open(folder)
    checked, named = Table.checked, list[int]()

    def late(table: Table, *more: Any, **options: Any) -> Any:
        found = checked(table, *more, **options)
        if table is store.tables["episodes"] and options and not named:
            named.append(other.version())
            other.save_selection(replace(selection("a", None), store_version=named[0]))
            other.compact()
        return found

    monkeypatch.setattr(Table, "checked", late)
    store.vacuum(0)
    assert ids(Store.open(folder), named[0]) == ids(store)
