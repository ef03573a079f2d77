"""The rows of a comparison: one rate on both sides, over the tasks that have it on both."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from eops_traj.metrics.paired_stats import LEVEL, difference_interval

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import polars as pl

NEW_SUFFIX = ":new"
"""What a column of NEW's ends in, beside BASE's of the same name."""
LESS_IS_BETTER = frozenset({"over-refusal"})
CONCLUSIONS = ("no difference shown", "better", "worse")
"""By the sign of a difference that the interval shows: none, positive, negative."""


@dataclass(frozen=True)
class RateRow:
    """A rate or cost on both sides, as means over tasks, and the difference; None where it is not known."""

    name: str
    tasks: int
    base: float | None = None
    new: float | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    conclusion: str | None = None
    """One of CONCLUSIONS; None where there is no interval."""


def paired_rates(tasks: "pl.DataFrame", column: str) -> "pl.DataFrame":
    """Return a rate of each task on both sides, in the columns ``base`` and ``new``, where both are known."""
    import polars as pl

    return tasks.select(
        base=pl.col(column).cast(float), new=pl.col(column + NEW_SUFFIX).cast(float)
    ).drop_nulls()


def differences(pairs: "pl.DataFrame") -> "npt.NDArray[np.float64]":
    """Return the difference of each pair, to nine digits, so that the order of summing does not matter."""
    return (pairs["new"] - pairs["base"]).round(9).to_numpy()


def family_rows(members: Mapping[str, "pl.DataFrame"]) -> tuple[RateRow, ...]:
    """Return the rows of rates, given as pairs, with intervals that all hold together at 95% (Bonferroni)."""
    known = sum(not pairs.is_empty() for pairs in members.values())
    level = 1 - (1 - LEVEL) / max(known, 1)
    return tuple(_interval_row(name, pairs, level) for name, pairs in members.items())


def cost_row(name: str, tasks: "pl.DataFrame", column: str) -> RateRow:
    """Return the row of a cost: unknown unless every task's is known, and without interval or conclusion."""
    known = paired_rates(tasks, column)
    return _mean_row(name, known) if known.height == tasks.height else RateRow(name, 0)


def _mean_row(name: str, pairs: "pl.DataFrame") -> RateRow:
    if pairs.is_empty():
        return RateRow(name, 0)
    (base,), (new,) = pairs.mean().iter_columns()
    return RateRow(name, pairs.height, base, new, new - base)


def _interval_row(name: str, pairs: "pl.DataFrame", level: float) -> RateRow:
    interval = difference_interval(differences(pairs), level)
    if interval is None:
        return RateRow(name, 0)
    low, high = interval
    sign = (low > 0) - (high < 0)
    conclusion = CONCLUSIONS[-sign if name in LESS_IS_BETTER else sign]
    return replace(_mean_row(name, pairs), low=low, high=high, conclusion=conclusion)
