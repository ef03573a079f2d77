"""The rows of a comparison: one rate on both sides, over the tasks that have it on both."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from eops_traj.metrics.paired_stats import LEVEL, interval

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import polars as pl

NEW = ":new"
"""What a column of NEW's ends in, beside BASE's of the same name."""
LESS_IS_BETTER = frozenset({"over-refusal"})
CONCLUSIONS = ("no difference shown", "better", "worse")
"""By the sign of a difference that the interval shows: none, positive, negative."""


@dataclass(frozen=True)
class Row:
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


def pairs(tasks: "pl.DataFrame", column: str) -> "pl.DataFrame":
    """A rate of each task on both sides, in the columns ``base`` and ``new``, where both are known."""
    import polars as pl

    return tasks.select(base=pl.col(column).cast(float), new=pl.col(column + NEW).cast(float)).drop_nulls()


def differences(of: "pl.DataFrame") -> "npt.NDArray[np.float64]":
    """The difference of each pair, to nine digits: a mean summed in another order is no other mean."""
    return (of["new"] - of["base"]).round(9).to_numpy()


def family(members: Mapping[str, "pl.DataFrame"]) -> tuple[Row, ...]:
    """The rows of rates, given as pairs, with intervals that all hold together at 95% (Bonferroni)."""
    told = sum(not of.is_empty() for of in members.values())
    level = 1 - (1 - LEVEL) / max(told, 1)
    return tuple(_row(name, of, level) for name, of in members.items())


def cost(name: str, tasks: "pl.DataFrame", column: str) -> Row:
    """The row of a cost: unknown unless every task's is known, and without interval or conclusion."""
    known = pairs(tasks, column)
    return _means(name, known) if known.height == tasks.height else Row(name, 0)


def _means(name: str, of: "pl.DataFrame") -> Row:
    if of.is_empty():
        return Row(name, 0)
    (base,), (new,) = of.mean().iter_columns()
    return Row(name, of.height, base, new, new - base)


def _row(name: str, of: "pl.DataFrame", level: float) -> Row:
    found = interval(differences(of), level)
    if found is None:
        return Row(name, 0)
    low, high = found
    sign = (low > 0) - (high < 0)
    conclusion = CONCLUSIONS[-sign if name in LESS_IS_BETTER else sign]
    return replace(_means(name, of), low=low, high=high, conclusion=conclusion)
