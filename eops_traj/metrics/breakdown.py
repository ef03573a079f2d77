"""The parts of a comparison: the paired tasks by domain and horizon, their verifiers by category."""

from itertools import pairwise
from typing import TYPE_CHECKING

from eops_traj.metrics.rates import NEW_SUFFIX, RateRow, family_rows, paired_rates
from eops_traj.tasks.sampling import HORIZONS

if TYPE_CHECKING:
    import polars as pl

UNSOLVED = "solved by none"
"""The horizon of tasks that no episode in the store solved."""
HORIZON_NAMES = [
    f"up to {HORIZONS[0]} calls",
    *(f"{above + 1} to {longest} calls" for above, longest in pairwise(HORIZONS)),
    f"over {HORIZONS[-1]} calls",
    UNSOLVED,
]
"""The classes of horizons, the shortest first."""


def group_rows(tasks: "pl.DataFrame", by: str, column: str) -> tuple[RateRow, ...]:
    """Compute a rate over each group of tasks, in the order of the groups."""
    groups = tasks.sort(by, maintain_order=True).partition_by(by, as_dict=True, maintain_order=True)
    return family_rows({str(name): paired_rates(group, column) for (name,), group in groups.items()})


def with_horizon(tasks: "pl.DataFrame", scored: "pl.DataFrame") -> "pl.DataFrame":
    """Add the ``horizon`` of each task: the class of the fewest calls that any episode solved it with."""
    import polars as pl

    solved = scored.filter(scored["success_strict"])
    shortest = solved.group_by("task_hash").agg(pl.col("n_steps").min().alias("shortest"))
    joined = tasks.join(shortest, on="task_hash", how="left")
    return joined.with_columns(horizon=horizon_of(pl.col("shortest")))


def horizon_of(calls: "pl.Expr") -> "pl.Expr":
    """Return the class of a number of calls; that of the unsolved where there is none."""
    import polars as pl

    above = pl.sum_horizontal(calls > longest for longest in HORIZONS)
    number = pl.when(calls.is_null()).then(len(HORIZONS) + 1).otherwise(above)
    return number.replace_strict(dict(enumerate(HORIZON_NAMES)), return_dtype=pl.Enum(HORIZON_NAMES))


def category_rows(
    episodes: "pl.LazyFrame", tasks: "pl.DataFrame", base: "pl.DataFrame", new: "pl.DataFrame"
) -> tuple[RateRow, ...]:
    """Compute the share of verifiers passed, by category; both sides hold the attempts that count."""
    import polars as pl

    keys = ("episode_id", "task_hash", "erred")
    attempts = pl.concat(
        side.select(*keys, new=pl.lit(side is new)).join(tasks, on="task_hash", how="semi")
        for side in (base, new)
    )
    shares = _pass_shares(episodes, attempts)
    on_base, on_new = shares.filter(~pl.col("new")), shares.filter(pl.col("new"))
    paired = on_base.join(on_new, on=["task_hash", "category"], suffix=NEW_SUFFIX)
    return group_rows(paired, "category", "passed")


def _pass_shares(episodes: "pl.LazyFrame", attempts: "pl.DataFrame") -> "pl.DataFrame":
    """Compute for each side, task and category the mean over attempts of the share of verifiers passed.

    An error that counts passed none in any category that other attempts at its task have.
    """
    import polars as pl

    known = _attempt_shares(episodes, attempts.filter(~pl.col("erred")))
    categories = known.select("task_hash", "category").unique()
    erred = attempts.filter("erred").join(categories, on="task_hash").with_columns(passed=pl.lit(0.0))
    return (
        pl.concat([known, erred.select(known.columns)])
        .sort("episode_id")  # a sum of floats depends on their order
        .group_by("new", "task_hash", "category", maintain_order=True)
        .agg(pl.col("passed").mean())
        .sort("task_hash", "category")
    )


def _attempt_shares(episodes: "pl.LazyFrame", attempts: "pl.DataFrame") -> "pl.DataFrame":
    """Compute for each attempt and category the share of verifiers passed."""
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
        .collect()
    )
