"""A suite is written whole, wherever it goes, and kept once however many ask for it at once."""

from pathlib import Path

import pytest

from eops_traj.schema import Task
from eops_traj.taskgen import suite_cache
from eops_traj.taskgen.reword.command import Rewording
from eops_traj.taskgen.save import save_suite
from eops_traj.taskgen.slots import BuildResult
from eops_traj.taskgen.suite_cache import suite_tasks
from eops_traj.taskgen.suites import Suite
from eops_traj.tasks import find_tasks
from eops_traj.workers.engine import Engine
from tests.taskgen.test_checks import make_task


def test_a_suite_is_written_into_the_folder_that_one_is_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    save_suite([make_task()], Path(), {"tasks": 1}, seeds=False)
    assert sorted(path.name for path in Path.cwd().iterdir()) == ["hub", "suite.json", "tasks"]
    assert find_tasks(".") == [make_task()] and [path.name for path in tmp_path.iterdir()] == ["here"]


def test_the_journal_of_a_rewording_lies_beside_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert Rewording("suite", Path(), "m").journal == tmp_path / ".here.journal"
    assert Rewording("suite", Path("out"), "m").journal == Path(".out.journal")


def test_of_two_that_make_a_suite_at_once_the_later_takes_what_the_other_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other ends while this one builds, as another process would."""
    builds: list[int] = []

    def build(suite: Suite, seed: int, engine: Engine) -> BuildResult:
        builds.append(seed)
        if len(builds) == 1:
            assert suite_tasks("quick@7", "oracle") == [make_task()]
        return BuildResult([make_task()])

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(suite_cache, "build_suite", build)
    tasks: list[Task] = suite_tasks("quick@7", "oracle")
    assert tasks == [make_task()] and builds == [7, 7]
    assert suite_tasks("quick@7", "oracle") == tasks and builds == [7, 7]
