"""Scores of groups of episodes, and paired differences between two groups.

Episodes come in parts, all attempts at a task in one (:class:`eops_traj.report.load.ReportData`), and each
part is read for itself.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from eops_traj.metrics.compare import PAIRED_COLUMNS, paired_rate_rows, task_rates
from eops_traj.metrics.counted import count_judged, merge, split_groups
from eops_traj.metrics.score import common_ks, score_row
from eops_traj.report.figure import count_noun

if TYPE_CHECKING:
    import polars as pl

Row = dict[str, Any]
Parts = Sequence["pl.LazyFrame"]
PASS = "strict pass@1"


def score_groups(scored: Parts, by: Sequence[str], ks: Sequence[int] = ()) -> list[Row]:
    """Score each group of scored episodes, in the order of the keys.

    Unlike the grouping of :func:`eops_traj.metrics.score.score`, this goes by any column, an agent's name
    among them, and a group is scored at the numbers of attempts that its own tasks have.
    """
    counted = merge([count_judged(part, by) for part in scored])
    return [
        {**dict(zip(by, values, strict=True)), **score_row(group, sorted({*common_ks(group.fewest), *ks}))}
        for values, group in split_groups(counted, by)
    ]


def success_row(scores: Mapping[str, Any], *columns: str) -> Row:
    """Return these columns of a group's scores, and its success with the interval."""
    success = {"parity": scores["success_parity"], "low": scores["ci_low"], "high": scores["ci_high"]}
    return {**{name: scores[name] for name in columns}, **success}


def rank_agents(scored: Parts) -> list[Row]:
    """Return the agents' scores over everything, the best first."""
    rows = score_groups(scored, ["agent"])
    return sorted(rows, key=lambda row: (-(row["success_parity"] or 0), row["agent"]))


def largest_k(rows: Sequence[Row]) -> int:
    """Return the largest number of attempts k that some row has at every task of its own."""
    return max(int(key.removeprefix("pass@")) for row in rows for key in row if key.startswith("pass@"))


def describe_sample(episodes: Parts) -> str:
    """Say in words how many episodes, tasks and agents a figure is over."""
    import polars as pl

    whole = pl.concat(episodes).select(pl.len(), pl.col("agent").n_unique()).collect(engine="streaming")
    count, agents = whole.row(0)
    sample = f"{count_noun(count, 'episode')} at {count_noun(count_tasks(episodes), 'task')}"
    return f"{sample} by {count_noun(agents, 'agent')}"


def count_tasks(episodes: Parts) -> int:
    """Count the tasks of episodes."""
    import polars as pl

    tasks = (part.select(pl.col("task_hash").n_unique()) for part in episodes)
    return sum(part.collect(engine="streaming").item() for part in tasks)


def value_at(counts: "pl.DataFrame", column: str, rank: int) -> tuple[Any, int]:
    """Return the value of this rank, from 0, in a column that is in order, and its place among equal ones.

    How often each value is there, the column ``len`` says.
    """
    total = counts["len"].cum_sum()
    row = int(total.search_sorted(rank, "right"))
    return counts[column][row], rank - (total[row] - counts["len"][row])


def paired_rows(base: Parts, new: Parts, rates: Collection[str] = ()) -> list[Row]:
    """Compare pass@1 and these rates of two groups of scored episodes, at the tasks that both attempted.

    Each row is a :class:`eops_traj.metrics.rates.RateRow`, its name under ``rate``; without such tasks there
    is none.
    """
    import polars as pl

    sides = (
        pl.concat(task_rates(part.select(PAIRED_COLUMNS).collect()) for part in side) for side in (base, new)
    )
    rows = [{**asdict(row), "rate": row.name} for row in paired_rate_rows(*sides)]
    return [row for row in rows if row["conclusion"] and (row["rate"] == PASS or row["rate"] in rates)]
