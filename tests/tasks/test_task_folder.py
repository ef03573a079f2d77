"""No file of a folder of tasks is lost: a task may have one for each mode; two that differ are both named."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from eops_traj.errors import FormatError
from eops_traj.schema import Task
from eops_traj.taskgen.save import save_suite
from eops_traj.tasks import dump_task, find_tasks, load_folder, load_tasks
from tests.tasks.small_suite import small_suite

MODES = ("oracle", "plus_5_tools", "all")


@pytest.fixture(scope="module")
def made() -> list[Task]:
    """Two tasks of different domains."""
    return list(small_suite())[:2]


def write(path: Path, task: Task) -> Path:
    """Write a task to a file, in a folder that need not be there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(dump_task(task)))
    return path


def test_a_task_with_a_file_for_each_mode_is_found_in_every_mode(made: list[Task], tmp_path: Path) -> None:
    save_suite(made, tmp_path / "suite", {}, MODES, seeds=False)
    folder = tmp_path / "suite" / "tasks"
    for mode in (*MODES, "plus_10_tools"):
        found = find_tasks(str(folder), mode=mode)
        assert {(task.task_id, task.mode) for task in found} == {(task.task_id, mode) for task in made}
    assert find_tasks(str(folder), mode="oracle") == sorted(made, key=lambda t: (t.domain, t.task_id))
    assert len(load_folder(folder)) == len(MODES) * len(made)


def test_two_tasks_of_one_id_are_both_named(made: list[Task], tmp_path: Path) -> None:
    one, other = (write(tmp_path / f"{n}" / "task_1.json", task) for n, task in enumerate(made))
    with pytest.raises(FormatError, match="two tasks of one id, task_1, in mode oracle") as refused:
        load_tasks(tmp_path)
    assert str(one) in str(refused.value) and str(other) in str(refused.value)


def test_a_task_that_is_there_twice_is_one(made: list[Task], tmp_path: Path) -> None:
    for folder in ("here", "there"):
        write(tmp_path / folder / "task_1.json", made[0])
    assert load_folder(tmp_path) == [replace(made[0], task_id="task_1")]
