"""One cache for all ranks: made and removed by the first, and whoever fails in it first says why."""

import tempfile
from pathlib import Path
from threading import Event
from typing import Any
from unittest.mock import Mock

import pytest

from eops_traj.errors import InputError, WorkError
from eops_traj.train import run_cache as module
from eops_traj.train.ranks import ALONE, Quiet, Ranks
from eops_traj.train.run_cache import run_cache
from tests.train.threaded_ranks import on_ranks


def test_all_ranks_have_the_folder_of_the_first_until_the_last_is_done() -> None:
    def work(ranks: Ranks) -> tuple[Path, bool]:
        with run_cache(ranks) as folder:
            if ranks.first:
                (folder / "rows").touch()
                ranks._gather(None)
            else:
                ranks._gather(None)
            there = (folder / "rows").is_file()
        return folder, there

    (first, there), *others = on_ranks(3, work)
    assert there and others == [(first, True)] * 2 and not first.exists()


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_of_ranks_that_fail_the_first_to_do_so_says_why(order: tuple[int, int]) -> None:
    turns, folders = [Event(), Event()], []

    def work(ranks: Ranks) -> None:
        try:
            with run_cache(ranks) as folder:
                folders.append(folder)
                if ranks.index != order[0]:
                    turns[order[0]].wait(300)
                raise WorkError(f"rank {ranks.index}")
        finally:
            turns[ranks.index].set()

    results = on_ranks(2, work)
    assert str(results[order[0]]) == f"rank {order[0]}"
    assert isinstance(quiet := results[order[1]], Quiet) and quiet.code == WorkError.exit_code
    assert quiet.speaker == ("threads", order[0]) and not folders[0].parent.exists()


def test_where_no_link_can_be_made_each_rank_says_its_own_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def work(ranks: Ranks) -> None:
        with run_cache(ranks):
            ranks.wait()
            raise WorkError(f"rank {ranks.index}")

    monkeypatch.setattr(Path, "symlink_to", Mock(side_effect=PermissionError(1, "Operation not permitted")))
    assert [*map(str, on_ranks(2, work))] == ["rank 0", "rank 1"]


def test_who_fails_while_the_folder_is_removed_is_not_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Removal takes one file after the other, and the one that says who was the first among them."""
    begun, removal = [Event(), Event()], tempfile.TemporaryDirectory.cleanup

    def slow(it: Any) -> None:
        for path in Path(it.name).glob("*/*"):
            path.unlink()
        begun[0].set()
        begun[1].wait(300)
        removal(it)

    def work(ranks: Ranks) -> None:
        try:
            with run_cache(ranks) as folder:
                folders.append(folder.parent)
                if not ranks.first:
                    begun[0].wait(300)
                raise WorkError(f"rank {ranks.index}")
        finally:
            begun[ranks.index].set()

    folders: list[Path] = []
    monkeypatch.setattr(tempfile.TemporaryDirectory, "cleanup", slow)
    first, second = on_ranks(2, work)
    assert str(first) == "rank 0" and isinstance(second, Quiet) and not folders[0].exists()


def test_a_rank_that_does_not_see_the_folder_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = module._check_seen

    def on_another_machine(folder: Path, ranks: Ranks) -> None:
        seen(folder / "not here" if ranks.index == 1 else folder, ranks)

    monkeypatch.setattr(module, "_check_seen", on_another_machine)
    first, second = on_ranks(2, lambda ranks: run_cache(ranks).__enter__())
    assert isinstance(first, Quiet) and isinstance(second, InputError)
    assert "rank 1 does not see" in str(second) and "set TMPDIR to a folder that all of them share" in str(
        second
    )


def test_a_process_alone_raises_its_own_error_and_leaves_nothing() -> None:
    with pytest.raises(KeyError, match="mine"), run_cache(ALONE) as folder:
        raise KeyError("mine")
    assert not folder.exists()
