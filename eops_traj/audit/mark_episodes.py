"""The verdicts of an audit given to the episodes of a store: a column, amended in its next version."""

from collections.abc import Collection, Iterable
from dataclasses import replace
from itertools import islice

from eops_traj.protocol.identity import UNKNOWN
from eops_traj.schema import Task
from eops_traj.store.store import Store

TOGETHER = 256
"""Episodes that are amended in one commit."""


def mark_episodes(store: Store, verdicts: Iterable[tuple[Task, str | None]]) -> int:
    """Give the episodes of these tasks their verdicts, or take them away; return how many are defective's.

    An episode of a task that has only the name in common (another request, or another mode, which shows
    other tools) is left as it is. Raises StoreError where another process amends an episode meanwhile; what
    was marked before stays.
    """
    known = {
        (task.task_id, task.user_prompt, mode): verdict
        for task, verdict in verdicts
        for mode in (task.mode, UNKNOWN)  # what other programs recorded names none
    }
    version, marked = store.version(), 0
    episodes = store.episodes(_named(store, version, known), version)
    while batch := list(islice(episodes, TOGETHER)):
        pairs = [(one, known[one.task_id, one.user_prompt, one.mode]) for one in batch]
        changed = [replace(one, task_defect=said) for one, said in pairs if said != one.task_defect]
        store.amend(changed, version)
        marked += sum(said is not None for _, said in pairs)
    return marked


def _named(store: Store, version: int, known: Collection[tuple[str, str, str]]) -> list[str]:
    """Return the ids of the episodes whose task is among those known, each by its name, request and mode."""
    import polars as pl

    rows = (
        store.scan(version)
        .filter(pl.col("task_id").is_in([task_id for task_id, _, _ in known]))
        .select("episode_id", "task_id", "user_prompt", "mode")
    )
    return [row[0] for row in rows.collect().iter_rows() if row[1:] in known]
