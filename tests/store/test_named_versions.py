"""The versions that a vacuum keeps for the selections that name them, in stores that were mended too."""

from collections.abc import Callable
from pathlib import Path

import pytest

from eops_traj.errors import DamagedStore, StoreError
from eops_traj.schema import Json, Selection, SelectionRow
from eops_traj.store.named_versions import named_versions
from eops_traj.store.store import Store
from tests.attacks.damage_kinds import GARBAGE, entry
from tests.episodes import episode


def save(store: Store, name: str, version: int) -> None:
    """Save a selection of one row that names a version of the episodes."""
    rows = (SelectionRow(episode_id="a1"),)
    store.save_selection(
        Selection(name=name, store_version=version, config=Json("{}"), created_at="2026", rows=rows)
    )


def named(folder: Path) -> set[int]:
    with Store.open(folder) as store:
        return named_versions(store.tables["selections"], store.tables["episodes"].versions())


def trim(folder: Path, table: str) -> None:
    """Delete the entries of a table's log that its checkpoint holds, as older programs did."""
    opened = Store(str(folder)).tables[table].open()
    opened.create_checkpoint()
    for _ in range(opened.version()):
        entry(folder, 0, table).unlink()


def test_a_version_that_a_repair_cut_off_is_named_no_more(folder: Path, cli: Callable) -> None:
    with Store.open(folder) as store:
        store.append([episode("d1")])
        store.flush()
        for version in (2, 4):
            save(store, "s", version)
    entry(folder, 3).write_bytes(GARBAGE)
    assert named_versions(Store(str(folder)).tables["selections"], range(5)) == {2, 4}
    assert cli("check", folder, "--repair").code == 0
    with Store.open(folder) as store:
        newest = store.version()
    assert newest == 3 and named(folder) == {2}
    ran = cli("vacuum", "--store", folder, "--days", "0")
    assert ran.code == 0, ran.err


def test_what_a_repair_gave_up_of_the_selections_hinders_no_vacuum(folder: Path, cli: Callable) -> None:
    with Store.open(folder) as store:
        for name, version in (("lost", 1), ("kept", 2), ("kept", 3)):
            save(store, name, version)
        table = store.tables["selections"]
        [lost] = [file.name for file in table.snapshot() if file.range.low == "lost"]
    (folder / "selections" / lost).write_bytes(GARBAGE)
    with pytest.raises(DamagedStore, match="selections: the data file part-"):
        named_versions(table, range(4))
    assert cli("check", folder, "--repair", "--drop-lost").code == 0
    assert named(folder) == {2, 3}
    ran = cli("vacuum", "--store", folder, "--days", "0")
    assert ran.code == 0, ran.err


def test_an_older_selection_that_is_damaged_may_name_any_version(folder: Path, cli: Callable) -> None:
    with Store.open(folder) as store:
        save(store, "s", 1)
        [older] = [file.name for file in store.tables["selections"].snapshot()]
        save(store, "s", 3)
    (folder / "selections" / older).unlink()
    ran = cli("vacuum", "--store", folder)
    assert ran.code == 2 and older in ran.err and ran.err.count("\n") == 1


def test_a_version_whose_log_is_gone_is_kept_no_more_and_a_later_one_is(folder: Path, cli: Callable) -> None:
    with Store.open(folder) as store:
        for name, version in (("replaced", 2), ("replaced", 3), ("old", 1)):
            save(store, name, version)
    for table in ("episodes", "selections"):
        trim(folder, table)
    with Store.open(folder) as store:
        store.append([episode("d1")])
        store.flush()
        store.compact()
    assert named(folder) == {3}
    ran = cli("vacuum", "--store", folder, "--days", "0")
    assert ran.code == 0, ran.err
    with Store.open(folder) as store:
        assert len(list(store.episodes(version=3))) == 6
        with pytest.raises(StoreError, match="no longer has version 4"):
            store.scan(4)


def test_a_hole_in_the_log_before_a_version_to_keep_is_damage(folder: Path, cli: Callable) -> None:
    with Store.open(folder) as store:
        save(store, "s", 2)
        store.compact()
    Store(str(folder)).tables["episodes"].open().create_checkpoint()
    entry(folder, 1).unlink()
    before = sorted(folder.rglob("*.parquet"))
    ran = cli("vacuum", "--store", folder, "--days", "0")
    assert ran.code == 2 and "is damaged: episodes: its log cannot be read" in ran.err, ran.err
    assert sorted(folder.rglob("*.parquet")) == before


def test_behind_a_url_a_vacuum_keeps_what_the_log_still_tells(s3: str, cli: Callable) -> None:
    with Store.open(s3, create=True) as store:
        for name in ("a", "b", "c"):
            store.append([episode(name)])
            store.flush()
        save(store, "s", 1)
        save(store, "t", 3)
        table = store.tables["episodes"]
        table.open().create_checkpoint()
        for version in range(3):
            table._files().delete_file(f"_delta_log/{version:020}.json")
        assert table.versions() == range(3, 4)
        store.compact()
    ran = cli("vacuum", "--store", s3, "--days", "0")
    assert ran.code == 0, ran.err
    assert len(list(Store.open(s3).episodes(version=3))) == 3
