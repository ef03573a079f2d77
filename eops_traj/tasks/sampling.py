"""Samples of tasks: a few that look like the many."""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence

from eops_traj.hashing import digest
from eops_traj.schema import Task

HORIZONS = (6, 10, 15)
"""Gold steps up to which a task counts as short, middling and long; the rest are very long."""


def horizon(task: Task) -> int:
    """Return the class of a task's length, from 0: by its gold plan's steps, else by its number of tools."""
    steps = json.loads(task.details).get("made", {}).get("steps") or len(task.tools)
    return sum(steps > longest for longest in HORIZONS)


def sample(tasks: Iterable[Task], limit: int, seed: int = 0) -> list[Task]:
    """Take at most ``limit`` tasks, in their order: each domain, feasibility and horizon in proportion.

    Shares are rounded by largest remainder, and which task of a class is taken is decided by its identity
    and ``seed``: never the head of a file, and the same at every time.
    """
    every = list(tasks)
    if limit >= len(every):
        return every
    classes: dict[tuple[str, str, int], list[Task]] = defaultdict(list)
    for task in every:
        classes[task.domain, str(task.feasible), horizon(task)].append(task)
    taken: set[int] = set()
    for key, count in _shares({key: len(members) for key, members in classes.items()}, limit).items():
        ranked = sorted(classes[key], key=lambda task: digest(str(seed), task.task_hash, task.mode))
        taken.update(id(task) for task in ranked[:count])
    return [task for task in every if id(task) in taken]


def _shares(sizes: dict[tuple[str, str, int], int], limit: int) -> dict[tuple[str, str, int], int]:
    """Count how many to take of each class: in proportion, what is left over to the largest remainders."""
    total = sum(sizes.values())
    exact = {key: size * limit / total for key, size in sizes.items()}
    shares = {key: int(share) for key, share in exact.items()}
    order: Sequence[tuple[str, str, int]] = sorted(sizes, key=lambda key: (shares[key] - exact[key], key))
    for key in order[: limit - sum(shares.values())]:
        shares[key] += 1
    return shares
