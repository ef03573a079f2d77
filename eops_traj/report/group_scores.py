"""Scores of parts of the episodes: :mod:`eops_traj.metrics.score`, asked once a part."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from eops_traj.metrics.score import score
from eops_traj.report.figure import counted

if TYPE_CHECKING:
    import polars as pl

Row = dict[str, Any]


def scores(episodes: "pl.DataFrame", by: Sequence[str], ks: Sequence[int] = ()) -> list[Row]:
    """A row of :func:`eops_traj.metrics.score.score` for each part with a scored episode, in the order of the keys.

    Unlike its own grouping, this goes by any column, an agent's name among them.
    """
    parts = episodes.sort(by, nulls_last=True, maintain_order=True).partition_by(
        by, as_dict=True, maintain_order=True
    )
    rows = [
        {**dict(zip(by, values, strict=True)), **score(part.lazy(), ks=ks)[0]}
        for values, part in parts.items()
    ]
    return [row for row in rows if row["episodes"]]


def ranked(episodes: "pl.DataFrame") -> list[Row]:
    """The agents' scores over everything, the best first."""
    if episodes.is_empty():
        return []
    return sorted(scores(episodes, ["agent"]), key=lambda row: (-(row["success_parity"] or 0), row["agent"]))


def most_k(rows: Sequence[Row]) -> int:
    """The largest number of attempts k that some row has at every task of its own."""
    return max(int(key.removeprefix("pass@")) for row in rows for key in row if key.startswith("pass@"))


def over(episodes: "pl.DataFrame") -> str:
    """How much a figure is over, in words."""
    parts = {"episode": episodes.height, "task": episodes["task_hash"].n_unique()}
    agents = episodes["agent"].n_unique()
    return " at ".join(counted(n, noun) for noun, n in parts.items()) + f" by {counted(agents, 'agent')}"
