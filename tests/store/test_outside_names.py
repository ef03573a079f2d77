"""A log that names files outside its table, as a store from elsewhere may: nothing there is read or moved."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from eops_traj.errors import DamagedStore
from eops_traj.store import integrity
from eops_traj.store.store import Store
from tests.attacks.damage_kinds import entry, trust_log
from tests.store.test_damage import EVERY, ids


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A file that is none of the store's, of long ago."""
    path = tmp_path / "notes.txt"
    path.write_text("mine!")
    os.utime(path, (1, 1))
    return path


def name_in_log(folder: Path, path: str) -> None:
    """Have the last entry of the log add a data file of another name, of five bytes and no rows."""
    last = entry(folder, -1)
    [add] = [line["add"] for line in map(json.loads, last.read_text().splitlines()) if "add" in line]
    other = {**add, "path": path, "size": 5, "stats": json.dumps({"numRecords": 0})}
    last.write_text(f"{last.read_text().rstrip()}\n{json.dumps({'add': other})}\n")
    trust_log(folder)


@pytest.mark.parametrize("name", ["../../notes.txt", "sub/../../../notes.txt", "{notes}"])
def test_what_lies_outside_is_damage_and_stays_as_it_is(
    name: str, folder: Path, notes: Path, cli: Callable
) -> None:
    name_in_log(folder, name.format(notes=notes))
    with pytest.raises(DamagedStore, match="its log names a data file outside the table"):
        Store.open(folder)
    told = cli("check", folder)
    assert told.code == 1 and "outside the table" in told.out
    assert cli("check", folder, "--repair").code == 0
    assert (notes.read_text(), notes.stat().st_mtime) == ("mine!", 1)
    assert ids(folder) == EVERY and cli("check", folder).code == 0
    assert cli("compact", "--store", folder).code == 0
    assert cli("vacuum", "--store", folder, "--days", "0").code == 0 and notes.exists()


def test_a_name_in_disguise_is_outside_too(folder: Path, notes: Path, cli: Callable) -> None:
    name_in_log(folder, "..%2F..%2Fnotes.txt")
    assert "outside the table" in cli("check", folder).out
    cli("check", folder, "--repair", "--drop-lost")
    assert (notes.read_text(), notes.stat().st_mtime) == ("mine!", 1)


def test_a_folder_of_the_table_that_is_a_link_keeps_what_it_leads_to(
    folder: Path, notes: Path, cli: Callable
) -> None:
    (folder / "episodes" / "sub").symlink_to(notes.parent, target_is_directory=True)
    name_in_log(folder, f"sub/{notes.name}")
    assert cli("check", folder, "--repair").code == 0
    assert notes.read_text() == "mine!" and ids(folder) == EVERY
    assert cli("check", folder).code == 0


@pytest.mark.parametrize("link", [False, True])
def test_what_is_the_tables_own_and_no_data_stays_as_it_is(link: bool, folder: Path, cli: Callable) -> None:
    first, where = entry(folder, 0), "_delta_log"
    if link:
        where = "sub"
        (folder / "episodes" / where).symlink_to("_delta_log", target_is_directory=True)
    before = first.read_bytes()
    name_in_log(folder, f"{where}/{first.name}")
    with pytest.raises(DamagedStore, match=first.name):
        Store.open(folder)
    assert cli("check", folder, "--repair").code == 0
    assert first.read_bytes() == before and ids(folder) == EVERY
    assert cli("check", folder).code == 0


@pytest.mark.parametrize("name", ["part-1.parquet", "sub/part-1.parquet", "a..b", "sub/_part"])
def test_a_name_of_the_table_is_inside(name: str) -> None:
    assert not integrity.is_outside(name)


@pytest.mark.parametrize(
    "name",
    [
        *("", ".", "..", "sub/..", "/part-1.parquet", "s3://bucket/x", "a\0b"),
        *("_delta_log/0.json", "./_head.json", "_sha256/x", "_vacuumed", ".part-1.crc", "..."),
    ],
)
def test_a_name_of_no_data_file_in_the_table_is_outside(name: str) -> None:
    assert integrity.is_outside(name)
