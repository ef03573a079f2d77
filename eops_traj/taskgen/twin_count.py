"""Which gold plans hold what only the database decides: those that do not pass the check `twin`."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from eops_traj.schema import Task
from eops_traj.taskgen.trial import Trial
from eops_traj.taskgen.twin_world.check import origin_of, twin
from eops_traj.tasks.recipe import made_of
from eops_traj.workers.engine import HERE, Engine

_BATCH = 4  # tasks handed to a worker at once


def decided_by_database(
    tasks: Sequence[Task],
    root: Path | None,
    engine: Engine = HERE,
    done: Callable[[int], None] = lambda count: None,
) -> dict[str, bool]:
    """Say of each planner row, by task id, whether only the database decides something in its plan.

    Planner rows are feasible tasks that are not reactive; those that do not say how they were made are left
    out, since they cannot be played again.
    """
    rows = [task for task in tasks if is_planner_row(task)]
    found = engine.map(partial(_is_decided, root=root), rows, _BATCH)
    decided = {}
    for task, failed in zip(rows, found, strict=True):
        decided[task.task_id] = failed
        done(1)
    return decided


def is_planner_row(task: Task) -> bool:
    """Check whether a task is planned from request and policy, and can be played again."""
    return bool(task.feasible and task.plan and not made_of(task).get("reactive") and origin_of(task))


def _is_decided(task: Task, root: Path | None) -> bool:
    trial = Trial(task, root)
    try:
        return any(twin(trial))
    finally:
        trial.close()
