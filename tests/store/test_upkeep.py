"""Merging and vacuuming: files sorted by key, look-ups that read little, versions with a name that stay."""

import itertools
import json
import math
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from eops_traj.errors import InputError, StoreError
from eops_traj.hashing import digest
from eops_traj.schema import Json, Selection, SelectionRow
from eops_traj.store import compaction, upkeep
from eops_traj.store.key_index import KeyRange, keyed_files
from eops_traj.store.store import Store
from eops_traj.store.table import Table
from tests.attacks.damage_kinds import GARBAGE, overwrite, replace_by_folder
from tests.episodes import episode
from tests.store.copies import copied

IDS = [digest(str(number))[:24] for number in range(60)]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A store of six commits, ten episodes each, in no order."""
    return Store.open(copied("store-of-six-commits", make_six_commits, tmp_path / "s"))


def make_six_commits(at: Path) -> None:
    """Make a store by one writer that flushes after every ten episodes."""
    with Store.open(at, create=True) as opened:
        for start in range(0, 60, 10):
            opened.append([episode(id_) for id_ in IDS[start : start + 10]])
            opened.flush()


def ranges(store: Store) -> list[KeyRange]:
    return [file.range for file in store.tables["episodes"].snapshot()]


def test_merged_files_are_in_order_and_do_not_overlap(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    before = {e.episode_id: e for e in store.episodes()}
    size = sum(source.size for source in upkeep._unmerged(store.tables["episodes"]))
    monkeypatch.setattr(compaction, "TARGET", size // 3)
    store.compact()
    files = sorted(ranges(store))
    assert len(files) in (3, 4) and all(str(a.high) < str(b.low) for a, b in itertools.pairwise(files))
    assert {e.episode_id: e for e in store.episodes()} == before


def test_what_was_merged_is_not_merged_again(store: Store) -> None:
    assert [row["files_removed"] for row in store.compact() if row["table"] == "episodes"] == [6]
    assert [row["files_removed"] for row in store.compact() if row["table"] == "episodes"] == [0]


def test_a_look_up_opens_the_file_that_may_have_it(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    size = sum(source.size for source in upkeep._unmerged(store.tables["episodes"]))
    monkeypatch.setattr(compaction, "TARGET", size // 3)
    store.compact()
    opened: list[str] = []
    real = Table.open_file
    monkeypatch.setattr(Table, "open_file", lambda table, name: (opened.append(name), real(table, name))[1])
    assert store.episode(IDS[7]) == episode(IDS[7])
    assert len(opened) == 1
    with pytest.raises(StoreError, match="no episode 'zz'"):
        store.episode("zz")
    assert len(opened) == 1


def test_files_without_ranges_are_read_and_merged(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    table = store.tables["episodes"]
    monkeypatch.setattr(Table, "add_action", _bare(Table.add_action))
    store.append([episode("old")])
    store.flush()
    monkeypatch.undo()
    assert KeyRange(None, None) in ranges(store)
    assert store.append([episode("old"), episode("new")]) == 1 and store.episode("old") == episode("old")
    store.flush()
    store.compact()
    assert KeyRange(None, None) not in ranges(store) and "old" in table.keys()  # noqa: SIM118


def _bare(real: Callable) -> Callable:
    """Wrap what adds a file so that it says nothing of its keys, as older programs did."""
    from deltalake.transaction import AddAction

    def add(table: Table, file: object, changes: bool = True) -> AddAction:
        action = real(table, file, changes)
        stats = json.dumps({"numRecords": json.loads(action.stats)["numRecords"]})
        return AddAction(action.path, action.size, {}, action.modification_time, changes, stats)

    return add


def test_known_ids_are_known_before_and_after_a_merge(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eops_traj.store.key_index.SMALL_ROWS", 0)
    for merge in (lambda: 0, store.compact):
        merge()
        assert store.known([*IDS, "new"]) == set(IDS)
    assert store.append([episode(IDS[0]), episode("n"), episode("n")]) == 1
    assert store.known(["n", "m"]) == {"n"}


def test_a_file_that_was_replaced_meanwhile_is_not_merged(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = Table.write_file

    def amending(table: Table, rows: object) -> object:
        monkeypatch.undo()
        store.amend([episode(IDS[0], outcome="failure")], store.version())
        return write(table, rows)  # type: ignore[arg-type]

    monkeypatch.setattr(Table, "write_file", amending)
    with pytest.raises(StoreError, match="written by another process meanwhile"):
        upkeep.compact(store.tables["episodes"])
    assert store.episode(IDS[0]).outcome == "failure" and len(list(store.episodes())) == 60


def test_a_vacuum_keeps_what_a_selection_named_even_once_replaced(cli: Callable, store: Store) -> None:
    named = store.version() - 2
    for version in (named, store.version()):
        rows = (SelectionRow(episode_id=IDS[0]),)
        store.save_selection(
            Selection(name="s", store_version=version, config=Json("{}"), created_at="", rows=rows)
        )
    store.compact()
    store.append([episode("late")])
    store.flush()
    store.compact()
    listed = {file.name for file in keyed_files(store.tables["episodes"].open(named), "episode_id")}
    would = json.loads(cli("vacuum", "--store", store.url, "--days", "0", "--dry-run", "--json").out)[
        "tables"
    ]
    took = json.loads(cli("vacuum", "--store", store.url, "--days", "0", "--json").out)["tables"]
    assert would == took and took[-1]["files"] > 0
    assert len(list(store.episodes(version=named))) == 40 and len(list(store.episodes())) == 61
    assert all((Path(store.url) / "episodes" / name).exists() for name in listed)
    assert cli("check", store.url).code == 0


def test_a_version_that_a_vacuum_took_is_no_damage_and_is_told(cli: Callable, store: Store) -> None:
    store.compact()
    assert cli("vacuum", "--store", store.url, "--days", "0").code == 0
    with pytest.raises(StoreError, match="no longer has version 2"):
        store.scan(2)
    assert cli("check", store.url).code == 0 and len(list(store.episodes())) == 60


@pytest.mark.parametrize("days", [-1, math.nan, math.inf, 1e30])
def test_days_are_none_to_a_century(days: float, store: Store) -> None:
    with pytest.raises(InputError, match=rf"from 0 to 36500, not {re.escape(f'{days:g}')}"):
        store.vacuum(days)
    assert [row["files"] for row in store.vacuum(36_500)] == [0, 0, 0, 0]


def test_half_an_hour_is_not_no_time(store: Store) -> None:
    store.compact()
    assert [row["files"] for row in store.vacuum(0.02, dry_run=True) if row["table"] == "episodes"] == [0]
    assert [row["files"] for row in store.vacuum(0, dry_run=True) if row["table"] == "episodes"] == [6]


@pytest.mark.parametrize(
    ("damage", "again"), [(lambda path: path.write_bytes(GARBAGE), 0), (replace_by_folder, 2)]
)
def test_a_list_of_what_a_vacuum_took_that_cannot_be_read_is_as_none(
    damage: Callable, again: int, cli: Callable, store: Store
) -> None:
    store.compact()
    store.vacuum(0)
    damage(Path(store.url) / "episodes" / "_vacuumed")
    told = cli("check", store.url)
    assert told.code == 1 and told.out.count("is missing, of another version") == 6
    assert len(list(store.episodes())) == 60
    ran = cli("vacuum", "--store", store.url, "--days", "0")
    assert ran.code == again and ran.err.count("\n") == again // 2
    assert cli("check", store.url).code == again // 2


def test_a_damaged_store_keeps_what_may_mend_it(cli: Callable, store: Store) -> None:
    store.compact()
    overwrite(Path(store.url) / "episodes" / store.tables["episodes"].snapshot()[0].name)
    before = sorted(Path(store.url).rglob("*.parquet"))
    ran = cli("vacuum", "--store", store.url, "--days", "0")
    assert ran.code != 0 and sorted((Path(store.url) / "episodes").glob("*.parquet")) == [
        path for path in before if path.parent.name == "episodes"
    ]


def test_a_file_larger_than_what_is_handed_over_at_once(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("eops_traj.store.table.CHUNK", 256)
    store.compact()
    assert [file.rows for file in store.tables["episodes"].snapshot()] == [60]
    assert len(list(store.episodes())) == 60
