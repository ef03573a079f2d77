"""Plans that hold what only the database decides are counted; reactive and foreign tasks are left out."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eops_traj.hashing import canonical_json
from eops_traj.metrics.task_quality import world_figures
from eops_traj.schema import Json, Task
from eops_traj.taskgen.draft import build_task, play
from eops_traj.taskgen.family import families
from eops_traj.taskgen.twin_count import decided_by_database, is_planner_row
from eops_traj.tasks import load_tasks

FAMILY = next(family for family in families(["csm"]) if family.name == "join_group")


@pytest.fixture(scope="module")
def ours() -> Task:
    """A task whose plan takes all ids from results."""
    return build_task(play((FAMILY,), 3, "twins"), "t_1", "s", "train")


def with_made(task: Task, **changes: Any) -> Task:
    details = json.loads(task.details)
    return replace(task, details=Json(canonical_json({**details, "made": {**details["made"], **changes}})))


def test_a_literal_that_only_the_database_knows_is_counted(ours: Task) -> None:
    invented = replace(ours, task_id="t_2", plan=(ours.plan or "").replace("user_id=$", "user_id=7, x=$"))
    assert invented.plan != ours.plan
    decided = decided_by_database([ours, invented], None)
    assert decided == {"t_1": False, "t_2": True}
    rows, counted = world_figures([ours, invented], decided)
    assert (rows.whole, counted.whole, counted.by_domain) == (2, 1, {"csm": 1})


def test_reactive_infeasible_and_foreign_tasks_are_no_planner_rows(ours: Task, shared: Path) -> None:
    assert is_planner_row(ours) and not is_planner_row(replace(ours, feasible=False))
    assert not is_planner_row(with_made(ours, reactive=["reads prose"]))
    assert not is_planner_row(with_made(ours, families=["no_such_family"]))
    assert not any(map(is_planner_row, load_tasks(shared / "eog" / "tasks").values()))
