"""The parts of a comparison: the paired tasks by domain and horizon, their verifiers by category."""

from itertools import pairwise
from typing import TYPE_CHECKING

from eops_traj.metrics.rates import NEW, Row, family, pairs
from eops_traj.tasks.sampling import HORIZONS

if TYPE_CHECKING:
    import polars as pl

UNSOLVED = "solved by none"
"""The horizon of tasks that nobody in the store solved."""
_HORIZON_NAMES = [
    f"up to {HORIZONS[0]} calls",
    *(f"{above + 1} to {longest} calls" for above, longest in pairwise(HORIZONS)),
    f"over {HORIZONS[-1]} calls",
    UNSOLVED,
]


def grouped(tasks: "pl.DataFrame", by: str, column: str) -> tuple[Row, ...]:
    """A rate over each group of tasks, in the order of the groups."""
    groups = tasks.sort(by, maintain_order=True).partition_by(by, as_dict=True, maintain_order=True)
    return family({str(name): pairs(group, column) for (name,), group in groups.items()})


def with_horizon(tasks: "pl.DataFrame", scored: "pl.DataFrame") -> "pl.DataFrame":
    """The tasks with their ``horizon``: the class of the fewest calls that any episode solved them with."""
    import polars as pl

    solved = scored.filter(scored["success_strict"])
    shortest = solved.group_by("task_hash").agg(pl.col("n_steps").min().alias("shortest"))
    above = pl.sum_horizontal(pl.col("shortest") > longest for longest in HORIZONS)
    place = pl.when(pl.col("shortest").is_null()).then(len(HORIZONS) + 1).otherwise(above)
    name = place.replace_strict(dict(enumerate(_HORIZON_NAMES)), return_dtype=pl.Enum(_HORIZON_NAMES))
    return tasks.join(shortest, on="task_hash", how="left").with_columns(horizon=name)


def categories(
    episodes: "pl.LazyFrame", tasks: "pl.DataFrame", base: "pl.DataFrame", new: "pl.DataFrame"
) -> tuple[Row, ...]:
    """The share of verifiers passed, by category; ``base`` and ``new`` are the attempts that count."""
    import polars as pl

    keys = ("episode_id", "task_hash")
    attempts = pl.concat(
        side.select(*keys, new=pl.lit(side is new)).join(tasks, on="task_hash", how="semi")
        for side in (base, new)
    )
    passed = _passed(episodes, attempts)
    ours, theirs = passed.filter(~pl.col("new")), passed.filter(pl.col("new"))
    return grouped(ours.join(theirs, on=["task_hash", "category"], suffix=NEW), "category", "passed")


def _passed(episodes: "pl.LazyFrame", attempts: "pl.DataFrame") -> "pl.DataFrame":
    """Of each side, task and category, the mean over attempts of the share of verifiers passed."""
    import polars as pl

    parts = (pl.element().struct.field(name) for name in ("category", "passed_strict"))
    return (
        episodes.select("episode_id", pl.col("verdicts").list.eval(pl.struct(*parts)))
        .join(attempts.lazy(), on="episode_id")
        .explode("verdicts")
        .drop_nulls("verdicts")
        .unnest("verdicts")
        .group_by("new", "task_hash", "episode_id", "category")
        .agg(passed=pl.col("passed_strict").fill_null(False).mean())
        .sort("episode_id")  # a sum of floats depends on their order
        .group_by("new", "task_hash", "category", maintain_order=True)
        .agg(pl.col("passed").mean())
        .sort("task_hash", "category")
        .collect()
    )
