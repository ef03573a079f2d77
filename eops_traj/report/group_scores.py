"""Scores of groups of episodes, and paired differences between two groups."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from eops_traj.metrics.compare import compare
from eops_traj.metrics.counted import COLUMNS
from eops_traj.metrics.score import score
from eops_traj.report.figure import count_noun

if TYPE_CHECKING:
    import polars as pl

Row = dict[str, Any]
PASS = "strict pass@1"


def score_groups(episodes: "pl.DataFrame", by: Sequence[str], ks: Sequence[int] = ()) -> list[Row]:
    """Score each group that has a scored episode, in the order of the keys.

    Unlike the grouping of :func:`eops_traj.metrics.score.score`, this goes by any column, an agent's name
    among them.
    """
    narrow = episodes.select(*dict.fromkeys((*by, *COLUMNS)))
    parts = narrow.sort(by, nulls_last=True, maintain_order=True).partition_by(
        by, as_dict=True, maintain_order=True
    )
    rows = [
        {**dict(zip(by, values, strict=True)), **score(part.lazy(), ks=ks, mixed=True)[0]}
        for values, part in parts.items()
    ]
    return [row for row in rows if row["episodes"]]


def success_row(scores: Mapping[str, Any], *columns: str) -> Row:
    """Return these columns of a group's scores, and its success with the interval."""
    success = {"parity": scores["success_parity"], "low": scores["ci_low"], "high": scores["ci_high"]}
    return {**{name: scores[name] for name in columns}, **success}


def rank_agents(episodes: "pl.DataFrame") -> list[Row]:
    """Return the agents' scores over everything, the best first."""
    if episodes.is_empty():
        return []
    rows = score_groups(episodes, ["agent"])
    return sorted(rows, key=lambda row: (-(row["success_parity"] or 0), row["agent"]))


def largest_k(rows: Sequence[Row]) -> int:
    """Return the largest number of attempts k that some row has at every task of its own."""
    return max(int(key.removeprefix("pass@")) for row in rows for key in row if key.startswith("pass@"))


def describe_sample(episodes: "pl.DataFrame") -> str:
    """Say in words how many episodes, tasks and agents a figure is over."""
    counts = {"episode": episodes.height, "task": episodes["task_hash"].n_unique()}
    agents = episodes["agent"].n_unique()
    return (
        " at ".join(count_noun(n, noun) for noun, n in counts.items()) + f" by {count_noun(agents, 'agent')}"
    )


def paired_rows(base: "pl.DataFrame", new: "pl.DataFrame", rates: Collection[str] = ()) -> list[Row]:
    """Compare pass@1 and these rates of two groups of episodes, at the tasks that both attempted.

    Each row is a :class:`eops_traj.metrics.rates.RateRow`, its name under ``rate``; without such tasks there
    is none.
    """
    import polars as pl

    if base.join(new, on="task_hash", how="semi").is_empty():
        return []
    sides = zip((base, new), ("base", "new"), strict=True)
    named = pl.concat(side.with_columns(run_id=pl.lit(name), model=pl.lit("")) for side, name in sides)
    comparison = compare(named.lazy(), "base", "new", mixed=True)
    rows = [{**asdict(row), "rate": row.name} for row in (comparison.pass_at_1, *comparison.rates)]
    return [row for row in rows if row["conclusion"] and (row["rate"] == PASS or row["rate"] in rates)]
