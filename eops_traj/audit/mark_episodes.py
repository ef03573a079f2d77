"""The verdicts of an audit given to the episodes of a store: a column, amended in its next version."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import islice

from eops_traj.schema import Task
from eops_traj.store.store import Store

TOGETHER = 256
"""Episodes that are amended in one commit."""


def mark_episodes(store: Store, tasks: Iterable[Task], defects: Mapping[str, str]) -> int:
    """Give the episodes of these tasks their verdicts, or take them away; return how many are defective's.

    An episode of a task that has only the name in common (another request) is left as it is. Raises
    StoreError where another process amends an episode meanwhile; what was marked before stays.
    """
    import polars as pl

    version = store.version()
    requests = {task.task_id: task.user_prompt for task in tasks}
    named = (
        store.scan(version)
        .filter(pl.col("task_id").is_in(list(requests)))
        .select("episode_id", "user_prompt", "task_id")
    )
    ids = [row[0] for row in named.collect().iter_rows() if requests[row[2]] == row[1]]
    marked, episodes = 0, store.episodes(ids, version)
    while batch := list(islice(episodes, TOGETHER)):
        changed = [
            replace(one, task_defect=verdict)
            for one in batch
            if (verdict := defects.get(one.task_id)) != one.task_defect
        ]
        store.amend(changed, version)
        marked += sum(one.task_id in defects for one in batch)
    return marked
