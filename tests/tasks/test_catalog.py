"""Tasks are chosen by names that are there; those without a split by its name."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from eops_traj.errors import FormatError, UnknownName
from eops_traj.schema import Json, Task
from eops_traj.taskgen.save import save_suite
from eops_traj.tasks.catalog import choose, find_tasks
from tests.tasks.small_suite import small_suite


def test_tasks_without_a_split_are_chosen_as_none() -> None:
    one, other = (
        replace(task, split=split) for task, split in zip(small_suite()[:2], (None, "test"), strict=True)
    )
    assert choose([one, other], splits=["none"]) == [one]
    assert choose([one, other], splits=["test"]) == [other]
    assert choose([one, other], splits=["none", "test"]) == [one, other]


def test_a_split_that_no_task_has_is_named_with_those_there_are() -> None:
    one = replace(small_suite()[0], split=None)
    with pytest.raises(UnknownName, match="unknown split 'train'; choose from none"):
        choose([one], splits=["train"])


def test_only_chosen_tasks_are_checked(tmp_path: Path) -> None:
    """A suite of thousands is not compiled to measure on a few; what is chosen is."""
    whole, broken = (replace(small_suite()[n], split=split) for n, split in enumerate(("test", "train")))
    save_suite([whole, _with_a_broken_query(broken)], tmp_path / "made", {}, seeds=False)
    assert find_tasks(str(tmp_path / "made"), splits=["test"]) == [whole]
    for splits in (["train"], []):
        with pytest.raises(FormatError, match=f"task {broken.task_id}: verifiers.0"):
            find_tasks(str(tmp_path / "made"), splits=splits)


def _with_a_broken_query(task: Task) -> Task:
    first, *others = task.verifiers
    config = json.loads(first.config) | {"query": "SELECT nothing FROM nowhere"}
    return replace(task, verifiers=(replace(first, config=Json(json.dumps(config))), *others))
