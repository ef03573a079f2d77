import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from eops_traj.errors import DamagedStore, InputError, StoreError
from eops_traj.review.labels import check_reader, latest, make_label
from eops_traj.schema import Label
from eops_traj.store.check import check_store
from eops_traj.store.store import Store
from tests.conftest import Ran
from tests.episodes import EPISODE


def label(reader: str, value: str, turn: int | None = None) -> Label:
    return make_label(EPISODE, reader, value, turn=turn)


def test_the_latest_of_each_reader_counts() -> None:
    given = [label("ana", "right"), label("bo", "wrong"), label("ana", "unsure"), label("ana", "wrong", 1)]
    assert [(one.reader, one.turn, one.value) for one in latest(given)] == [
        ("ana", None, "unsure"),
        ("bo", None, "wrong"),
        ("ana", 1, "wrong"),
    ]


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "x" * 81])
def test_a_reader_has_a_name(name: str) -> None:
    with pytest.raises(InputError, match="a reader has a name"):
        check_reader(name)


def test_a_store_gets_its_table_of_labels_with_the_first(tmp_path: Path) -> None:
    first, second = label("ana", "right"), label("bo", "wrong", 1)
    with Store.open(tmp_path / "store", create=True) as store:
        store.append([EPISODE])
        assert store.labels() == [] and "labels" not in store.present()
        store.append(labels=[first])
        assert store.labels() == [first]  # while it waits in the journal
    with Store.open(tmp_path / "store") as store:
        store.append(labels=[second])
        assert store.labels() == [first, second]
    with Store.open(tmp_path / "store") as store:
        assert store.labels() == [first, second] and "labels" in store.present()
        assert [row["table"] for row in store.compact()][-1] == "labels"
        assert store.labels() == [first, second]
        assert check_store(store).damage == []


def test_a_damaged_table_of_labels_is_no_missing_one(tmp_path: Path) -> None:
    with Store.open(tmp_path / "store", create=True) as store:
        store.append([EPISODE], labels=[label("ana", "right")])
    for file in (tmp_path / "store" / "labels" / "_delta_log").iterdir():
        file.unlink()
    damage = check_store(Store(str(tmp_path / "store"))).damage
    assert [one.table for one in damage if "missing" in one.what] == ["labels"]


def lose_labels(folder: Path) -> None:
    """Make a store of a labelled episode, and take the whole table of its labels away."""
    with Store.open(folder, create=True) as store:
        store.append([EPISODE], labels=[label("ana", "right"), label("bo", "wrong", 1)])
    shutil.rmtree(folder / "labels")


def test_a_table_of_labels_that_is_gone_is_missed(tmp_path: Path, cli: Callable[..., Ran]) -> None:
    lose_labels(folder := tmp_path / "store")
    with pytest.raises(DamagedStore, match="it has no labels"):
        Store.open(folder)
    damage = json.loads(cli("check", folder, "--json").out)["damage"]
    assert [(one["table"], one["what"]) for one in damage] == [("labels", "the table is missing")]


def test_only_who_gives_up_lost_labels_begins_their_table_anew(
    tmp_path: Path, cli: Callable[..., Ran]
) -> None:
    lose_labels(folder := tmp_path / "store")
    kept = cli("check", folder, "--repair")
    assert kept.code == 1 and "labels: 2 rows are lost" in kept.err
    assert cli("check", folder, "--repair", "--drop-lost").code == 0
    with Store.open(folder) as store:
        store.append(labels=[later := label("cy", "unsure")])
    assert cli("check", folder).code == 0
    with Store.open(folder) as store:
        assert store.labels() == [later]


def test_labels_lost_while_a_store_is_open_are_missed(tmp_path: Path) -> None:
    with Store.open(folder := tmp_path / "store", create=True) as store:
        store.append([EPISODE], labels=[label("ana", "right")])
    store = Store.open(folder)
    shutil.rmtree(folder / "labels")
    with pytest.raises(StoreError):
        store.labels()
    store.append(labels=[label("bo", "wrong")])  # which waits in the journal
    with pytest.raises(StoreError):
        store.close()
    assert not (folder / "labels").exists()


def test_the_command_counts_turns_as_the_viewer_does(tmp_path: Path, cli: Callable[..., Ran]) -> None:
    with Store.open(tmp_path / "store", create=True) as store:
        store.append([EPISODE], labels=[label("ana", "right"), label("bo", "wrong", 1)])
    lines = cli("labels", "--store", tmp_path / "store").out.splitlines()
    given = [line.split()[1:-1] for line in lines if " ana " in line or " bo " in line]
    assert given == [["ana", "right"], ["2", "bo", "wrong"]]
    told = json.loads(cli("labels", "--store", tmp_path / "store", "--json").out)
    assert [one["turn"] for one in told["labels given"]] == [None, 1]
