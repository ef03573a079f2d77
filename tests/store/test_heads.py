"""The journal's record of last commits: the later of two marks is believed, whichever was taken back."""

from pathlib import Path

import pytest

from eops_traj.errors import StoreError
from eops_traj.store.heads import later
from eops_traj.store.store import Store
from tests.episodes import episode


def test_a_mark_and_a_log_taken_back_together_are_told(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s", create=True) as store:
        store.append([episode("a")])
        store.flush()
        table = store.tables["episodes"]
        mark = (table.folder or tmp_path) / table.head_name
        before = mark.read_bytes()
        store.append([episode("b")])
        store.flush()
    mark.write_bytes(before)
    max((tmp_path / "s" / "episodes" / "_delta_log").glob("*.json")).unlink()
    with pytest.raises(StoreError, match="ends at version 1, but version 2 was written"):
        Store.open(tmp_path / "s")


def test_the_later_mark_is_believed_and_the_only_one_too() -> None:
    old, new = {"version": 1}, {"version": 2}
    assert later(old, new) is new and later(new, old) is new
    assert later(None, old) is old and later(old, None) is old and later(None, None) is None
