"""The tasks that result files of EnterpriseOps-Gym's harness are joined with, each as the run saw it.

A result names its task and its mode, and the mode says which tools the run was shown. Of a task of ours the
tools of every mode follow from those of oracle; of the benchmark's they stand in a file of that mode alone.
"""

from collections.abc import Iterable
from dataclasses import replace

from eops_traj.errors import InputError
from eops_traj.schema import BENCHMARK_SUITE, Task
from eops_traj.tasks import in_mode


class KnownTasks:
    """Tasks by id and mode."""

    def __init__(self, tasks: Iterable[Task]) -> None:
        """Take any tasks; of one id there may be one for each mode."""
        self._by_mode: dict[str, dict[str, Task]] = {}
        for task in tasks:
            self._by_mode.setdefault(task.task_id, {})[task.mode] = task

    def find(self, task_id: str, mode: str | None) -> Task | None:
        """Return a task in a mode, or where the result names none its oracle one, else any.

        It is without tools where nobody knows which of them that mode shows. None for an unknown id.
        """
        known = self._by_mode.get(task_id, {})
        if mode in known:
            return known[mode]
        task = known.get("oracle") or next(iter(known.values()), None)
        return task if task is None or mode is None else _in_mode(task, mode)


def _in_mode(task: Task, mode: str) -> Task:
    try:
        if task.suite != BENCHMARK_SUITE:
            return in_mode(task, mode)
    except InputError:  # a mode, or a server, that we do not know
        pass
    return replace(task, mode=mode, tools=())
