"""A small suite: a task of each domain, as several pages of the documentation make it."""

from functools import cache
from pathlib import Path

from eops_traj.schema import Task
from eops_traj.tasks import find_tasks
from tests.made import made_tasks

EIGHT = ("--suite", "quick", "--tasks", 8, "--seed", 1, "--no-seeds", "--workers", 1)
FORTY_EIGHT = ("--suite", "quick", "--tasks", 48, "--seed", 5, "--json")
"""Six tasks of each domain, with their seed files."""


@cache
def small_suite() -> tuple[Task, ...]:
    """Return the tasks of the small suite."""
    return tuple(find_tasks(str(made_tasks(EIGHT))))


def larger_suite() -> Path:
    """Return a folder of 48 tasks of all domains."""
    return made_tasks(FORTY_EIGHT)
