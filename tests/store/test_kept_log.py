"""The log keeps every entry: versions stay readable however old they are and whatever a checkpoint holds."""

import os
import tarfile
import time
from pathlib import Path

import pytest

from eops_traj.store.store import Store
from tests.conftest import FIXTURES
from tests.episodes import episode

OLDEST = FIXTURES / "stores" / "1-files-of-delta.tar.gz"
SIXTY_DAYS = 60 * 24 * 3600


@pytest.fixture
def oldest(tmp_path: Path) -> Path:
    """A store of the first program, whose tables lack columns and the setting that keeps the log."""
    with tarfile.open(OLDEST) as packed:
        packed.extractall(tmp_path / "old", filter="data")
    return tmp_path / "old"


def let_age(store: Path) -> set[str]:
    """Make a checkpoint of the episodes, all of whose log is then of two months ago; return its entries."""
    Store(str(store)).tables["episodes"].open().create_checkpoint()
    for path in (store / "episodes" / "_delta_log").iterdir():
        os.utime(path, (time.time() - SIXTY_DAYS,) * 2)
    return entries(store)


def entries(store: Path) -> set[str]:
    return {path.name for path in (store / "episodes" / "_delta_log").glob("*.json")}


@pytest.mark.parametrize("made_by", ["folder", "oldest"])
def test_a_vacuum_leaves_old_entries_of_the_log(made_by: str, request: pytest.FixtureRequest) -> None:
    folder: Path = request.getfixturevalue(made_by)
    with Store.open(folder) as store:
        store.append([episode("new")])
        store.flush()
        store.compact()
    before = let_age(folder)
    with Store.open(folder) as store:
        [took] = [row["files"] for row in store.vacuum(0) if row["table"] == "episodes"]
        assert took >= 2 and before < entries(folder)
        assert store.history()[-1]["version"] == 0
        assert [row["files"] for row in store.vacuum(0)] == [0, 0, 0, 0]


def test_the_first_write_to_an_older_store_leaves_old_entries_of_the_log(oldest: Path) -> None:
    before = let_age(oldest)
    with Store.open(oldest) as store:
        store.append([episode("new", task_defect="no answer is right")])
        store.flush()
        assert before < entries(oldest)
        assert store.scan(1).collect().height == 5 and store.scan().collect().height == 6
