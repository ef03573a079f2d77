"""Attempts that are uneven: figures over tasks beside those over episodes, and what a figure is of.

A collection that was stopped, or that errors left holes in, has tried some tasks more often than others. A
mean over episodes then weighs those more, and is another figure than the mean over tasks, as
:mod:`eops_traj.metrics.compare` has it.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from eops_traj.metrics.percent import percent

if TYPE_CHECKING:
    import polars as pl

Row = dict[str, Any]


def task_means(tasks: "pl.DataFrame") -> Row:
    """Return the fewest and most attempts at a task of a group that was counted, and success over its tasks.

    A task's own success is the mean over its attempts, of whatever agents; None where nothing is known.
    """
    tried = tasks["tried"].filter(tasks["tried"] > 0)
    return {
        "fewest_attempts": tried.min(),
        "most_attempts": tried.max(),
        "success_parity_by_task": _mean(tasks, "won", "tried"),
        "success_strict_by_task": _mean(tasks, "won_strict", "tried_strict"),
    }


def _mean(tasks: "pl.DataFrame", won: str, tried: str) -> float | None:
    known = list(tasks.filter(tasks[tried] > 0).select(won, tried, "number").iter_rows())
    total = sum(number for *_, number in known)
    return math.fsum(c / n * number for c, n, number in known) / total if total else None


def is_uneven(row: Row) -> bool:
    """Check whether some tasks of a scored group were tried more often than others."""
    return bool(row["fewest_attempts"] != row["most_attempts"])


def partial_ks(row: Row) -> list[int]:
    """Return the k above 1 whose pass@k are of fewer tasks than the group has."""
    ks = sorted(int(key.removeprefix("tasks@")) for key in row if key.startswith("tasks@"))
    return [k for k in ks if k > 1 and row[f"tasks@{k}"] < row["tasks@1"]]


def uneven_notes(rows: Sequence[Row], total: Row) -> list[str]:
    """Say where figures over episodes are others than those over tasks, and of how many tasks pass@k is."""
    uneven = [total] if is_uneven(total) else [row for row in rows if is_uneven(row)]
    notes = []
    if uneven:
        fewest = min(row["fewest_attempts"] for row in uneven)
        most = max(row["most_attempts"] for row in uneven)
        notes.append(
            f"attempts at a task are uneven ({fewest:,} to {most:,}): parity and strict are means over "
            f"episodes; over tasks, as compare has them, they are {success_by_task(total)}"
        )
    apart = ", each agent's by itself" if total["tasks@1"] > total["tasks"] else ""
    return notes + [
        f"pass@{k} and pass^{k} are of {total[f'tasks@{k}']:,} of {total['tasks@1']:,} tasks{apart}: "
        "the others have fewer attempts"
        for k in partial_ks(total)
    ]


def success_by_task(row: Row) -> str:
    """Name parity and strict success as means over tasks."""
    shares = (row["success_parity_by_task"], row["success_strict_by_task"])
    return " and ".join("unknown" if share is None else percent(share) for share in shares)
