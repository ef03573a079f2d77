"""The tasks of an exam, looked for before a run has cost anything."""

from eops_traj.errors import InputError
from eops_traj.schema import Task
from eops_traj.tasks.catalog import choose, load
from eops_traj.train.config import Evaluate


def exam_tasks(evaluate: Evaluate) -> list[Task]:
    """Load the tasks at the place of an exam, those of its other splits too.

    Raises InputError where there is no such place, or no task of the exam's split. What is in the tasks is
    checked when the exam is made.
    """
    try:
        every = load(evaluate.tasks, evaluate.mode)
        choose(every, mode=evaluate.mode, splits=[evaluate.split])
    except InputError as error:
        raise InputError(
            f"no tasks for the exam: {error}; name others, evaluate.tasks=PLACE, or go without, evaluate=null"
        ) from error
    return every
