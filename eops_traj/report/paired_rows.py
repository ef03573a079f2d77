"""Paired differences: :func:`eops_traj.metrics.compare.compare`, asked about any two groups of episodes."""

from collections.abc import Collection
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from eops_traj.metrics.compare import compare

if TYPE_CHECKING:
    import polars as pl

PASS = "pass@1"


def paired_rows(
    base: "pl.DataFrame", new: "pl.DataFrame", rates: Collection[str] = ()
) -> list[dict[str, Any]]:
    """pass@1 and these rates of two groups of episodes, at the tasks that both attempted; none without such.

    Each row is a :class:`eops_traj.metrics.rates.Row`, its name under ``rate``.
    """
    import polars as pl

    if base.join(new, on="task_hash", how="semi").is_empty():
        return []
    sides = zip((base, new), ("base", "new"), strict=True)
    named = pl.concat(side.with_columns(run_id=pl.lit(name), model=pl.lit("")) for side, name in sides)
    found = compare(named.lazy(), "base", "new")
    rows = [{**asdict(row), "rate": row.name} for row in (found.pass_at_1, *found.rates)]
    return [row for row in rows if row["conclusion"] and (row["rate"] == PASS or row["rate"] in rates)]
