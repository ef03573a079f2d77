"""Checking a whole suite, in several processes."""

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from eops_traj.schema import Task
from eops_traj.taskgen.checks import problems

_TOGETHER = 20  # tasks handed to a process at once


def prove(
    tasks: Sequence[Task], root: Path | None, workers: int, done: Callable[[int], None] = lambda count: None
) -> dict[str, list[str]]:
    """What is wrong with each task that does not hold, by id; ``done`` is told of every task checked."""
    wrong: dict[str, list[str]] = {}
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        for task, found in zip(
            tasks, pool.map(partial(problems, root=root), tasks, chunksize=_TOGETHER), strict=True
        ):
            if found:
                wrong[task.task_id] = found
            done(1)
    return wrong
