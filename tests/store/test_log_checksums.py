"""The checksums of a log: one bit of it that flips is told, and what other programs write is no damage."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from deltalake import DeltaTable

from eops_traj.errors import DamagedStore
from eops_traj.store.store import Store
from tests.attacks.damage_kinds import LEAST_KEY, edit, entry, mark, trust_log
from tests.episodes import episode
from tests.store.test_damage import EVERY, ids

BITS = {
    "a range of keys": (-1, LEAST_KEY + "c", LEAST_KEY + "s", 3),
    "a column": (0, "success_parity", "success_pavity", 0),
    "an added column": (0, "task_defect", "task_degect", 0),
    "what says nothing": (1, "rows_added", "rows_adder", 1),
}


@pytest.mark.parametrize("bit", BITS)
def test_a_flipped_bit_of_the_log_is_told_listed_and_mended(bit: str, folder: Path, cli: Callable) -> None:
    number, old, new, version = BITS[bit]
    assert old in entry(folder, number).read_text()
    edit(entry(folder, number), old, new)
    told = f"entry {version} of its log was changed"
    with pytest.raises(DamagedStore, match=told):
        Store.open(folder)
    checked = cli("check", folder)
    assert checked.code == 1 and told in checked.out
    mended = cli("check", folder, "--repair")
    assert mended.code == 0, mended.out + mended.err
    assert ids(folder) == EVERY and cli("check", folder).code == 0
    with Store.open(folder) as store:
        assert store.append([episode("a1"), episode("c2"), episode("d1")]) == 1
    assert cli("check", folder).code == 0


def test_what_other_programs_write_to_the_log_is_no_damage(folder: Path, cli: Callable) -> None:
    """Entries after the mark, checkpoints, older entries deleted, a mark of a program without checksums."""
    table = DeltaTable(str(folder / "episodes"))
    table.alter.set_table_properties({"delta.logRetentionDuration": "interval 1 days"})
    table.create_checkpoint()
    assert ids(folder) == EVERY
    trust_log(folder)
    with Store.open(folder) as store:
        store.append([episode("d1")])
    assert len(json.loads(mark(folder).read_text())["log"]) == 7  # six entries, and the checkpoint
    entry(folder, 1).unlink()
    assert ids(folder) == [*EVERY, "d1"]


def test_an_entry_that_another_program_wrote_is_guarded_from_our_next_commit_on(folder: Path) -> None:
    DeltaTable(str(folder / "episodes")).alter.set_table_properties({"delta.appendOnly": "false"})
    with Store.open(folder) as store:
        store.append([episode("d1")])
    edit(entry(folder, 4), "delta.appendOnly", "delta.appendOnlx")
    with pytest.raises(DamagedStore, match="entry 4 of its log was changed"):
        Store.open(folder)


def test_a_checkpoint_is_told_where_it_tells_something_else(folder: Path, cli: Callable) -> None:
    DeltaTable(str(folder / "episodes")).create_checkpoint()
    with Store.open(folder) as store:
        store.append([episode("d1")])
    path = next((folder / "episodes" / "_delta_log").glob("*.checkpoint.parquet"))
    before = path.read_bytes()
    DeltaTable(str(folder / "episodes"), version=3).create_checkpoint()  # the same, in other bytes or not
    path.write_bytes(path.read_bytes())
    assert ids(folder) == [*EVERY, "d1"]
    path.write_bytes(before.replace(b"success_parity", b"success_pavity"))
    with pytest.raises(DamagedStore, match="checkpoint 3 of its log was changed"):
        Store.open(folder)
    assert cli("check", folder, "--repair").code == 0
    assert ids(folder) == [*EVERY, "d1"] and cli("check", folder).code == 0


def test_a_flipped_bit_of_the_checksums_is_told_and_costs_no_version(folder: Path, cli: Callable) -> None:
    [first, *_] = json.loads(mark(folder).read_text())["log"].values()
    edit(mark(folder), str(first), str(first ^ 1))
    with pytest.raises(DamagedStore, match="the checksums in the mark"):
        Store.open(folder)
    assert cli("check", folder, "--repair").code == 0
    assert ids(folder) == EVERY and Store.open(folder).version() == 3


def test_a_column_that_a_log_without_checksums_lacks_is_told_in_one_line(folder: Path, cli: Callable) -> None:
    edit(entry(folder, 0), *BITS["a column"][1:3])
    trust_log(folder)
    ran = cli("score", "--store", folder)
    assert ran.code == 2 and ran.err.count("\n") == 1 and "success_parity" in ran.err
