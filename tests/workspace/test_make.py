"""A working folder has all that the committed configs name, and is made whole or not at all."""

import errno
from pathlib import Path

import pytest

from eops_traj.collect.config import load_setup
from eops_traj.config import CONFIGS, find_config
from eops_traj.errors import EopsError
from eops_traj.tasks.catalog import find_tasks
from eops_traj.workspace import make
from eops_traj.workspace.make import PART, check_empty, default_suite, make_workspace
from tests.made import SUITE


def test_its_tasks_are_of_every_split_and_some_are_to_be_declined(made: Path) -> None:
    tasks = find_tasks(str(made / "suite"))
    assert {task.split for task in tasks} == {"train", "dev", "test", "test_ood"}
    for split in ("train", "test"):
        assert {task.feasible for task in tasks if task.split == split} == {True, False}


def test_the_default_has_test_tasks_to_decline_in_every_domain() -> None:
    assert min(default_suite().tasks.values()) == SUITE.tasks["hr"] and len(default_suite().tasks) == 8


def test_every_committed_config_is_copied_and_goes_before_the_committed_one(work: Path) -> None:
    assert {path.name for path in (work / "configs").iterdir()} == {p.name for p in CONFIGS.glob("*.yaml")}
    mine = work / "configs" / "collect_expert.yaml"
    mine.write_text(mine.read_text().replace("attempts: 3", "attempts: 7"))
    assert find_config("collect", "collect_expert").resolve() == mine
    assert load_setup("collect_expert").config.attempts == 7


def test_a_folder_that_holds_something_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(EopsError, match="is not empty"):
        make_workspace(tmp_path, SUITE)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_what_was_interrupted_is_begun_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(make, "write_configs", stop)
    with pytest.raises(KeyboardInterrupt):
        make_workspace(tmp_path / "w", SUITE.scaled(1))
    assert [path.name for path in (tmp_path / "w").iterdir()] == [PART]
    check_empty(tmp_path / "w")


def test_a_folder_that_cannot_be_made_is_told_before_the_tasks_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(make, "build_suite", None)
    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(EopsError, match=r"cannot write to .*: Read-only file system"):
        make_workspace(tmp_path / "w", SUITE)
