"""Episodes as a score needs them: counted while the store is read, so that memory is that of what differs."""

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from eops_traj.metrics.error_rule import LABELS, by_error_rule
from eops_traj.metrics.protocols import PROTOCOL_COLUMNS, with_protocol_of
from eops_traj.metrics.standing import with_standing_of

if TYPE_CHECKING:
    import polars as pl

TOKENS = ("input_tokens", "cached_tokens", "output_tokens", "reasoning_tokens")
SUMS = (*TOKENS, "cost")
_KINDS = ("protocol", "orchestrator", "standing", "erred", "outcome", "n_steps", *LABELS)
COLUMNS = ("episode_id", "supersedes", "parent", "task_hash", "agent_hash", "outcome", "feasible", "n_steps",
           "task_defect", *LABELS, *SUMS, *PROTOCOL_COLUMNS)  # fmt: skip
_SCALE, _MOST = 2**80, 2.0**40
"""Costs are summed as whole multiples of 1 / `_SCALE`, in 128 bits: exactly, in whatever order they come."""


class Counted(NamedTuple):
    """The episodes of a score, counted."""

    kinds: "pl.DataFrame"
    """A row for episodes alike in group, standing, labels and steps: how many, the sums, of how many each is
    unknown."""
    tasks: "pl.DataFrame"
    """A row for each task and agent of a group, by their hashes as numbers of 64 bits: attempts that are
    scored, and successes. That two of ten million tasks are taken for one has a chance of 3 in a million."""


def count_episodes(episodes: "pl.LazyFrame", by: Sequence[str], errors: str) -> Counted:
    """Count episodes by their groups, in one pass over the columns that a score needs."""
    import polars as pl

    names = [name for name in dict.fromkeys((*by, *COLUMNS)) if name != "protocol"]
    frame = with_protocol_of(by_error_rule(with_standing_of(episodes.select(names)), errors))
    infeasible = pl.col("feasible").eq_missing(False)
    frame = frame.with_columns(infeasible=infeasible, defective=pl.col("task_defect").is_not_null())
    kinds = list(dict.fromkeys((*by, *_KINDS, "infeasible", "defective")))
    counted = frame.group_by(kinds).agg(pl.len().cast(pl.Int64).alias("episodes"), *_sums())
    hashes = {"task": pl.col("task_hash").hash(), "agent": pl.col("agent_hash").hash()}
    won, tried = pl.col("success_parity").sum(), pl.col("success_parity").count()
    scored = frame.filter(pl.col("standing") == "scored")
    scored = scored.select(*by, "defective", "success_parity", **hashes)
    tasks = scored.group_by(*by, "defective", "task", "agent").agg(won=won, tried=tried)
    return Counted(*pl.collect_all([counted, tasks], engine="streaming"))


def _sums() -> "list[pl.Expr]":
    """Return the sums of tokens and cost, and for each of how many episodes it is not known."""
    import polars as pl

    exact = (pl.col("cost").cast(pl.Float64).clip(-_MOST, _MOST) * float(_SCALE)).cast(pl.Int128).sum()
    sums = [pl.col(name).cast(pl.Int64).sum() for name in TOKENS]
    unknown = [pl.col(name).null_count().cast(pl.Int64).alias(f"{name}_unknown") for name in SUMS]
    return [*sums, pl.col("cost").cast(pl.Float64).sum(), exact.alias("cost_exact"), *unknown]


def known_mean(kinds: "pl.DataFrame", values: "pl.Expr | str") -> float | None:
    """Return the exact mean of the known values over the episodes, rounded once."""
    import polars as pl

    column = pl.col(values) if isinstance(values, str) else values
    rows = kinds.select(column.alias("value"), "episodes").drop_nulls("value")
    counts = rows.group_by("value").agg(pl.col("episodes").sum()).rows()
    known = sum(count for _, count in counts)
    return float(sum(Fraction(value) * count for value, count in counts) / known) if known else None


def known_sum(kinds: "pl.DataFrame", name: str) -> Any:
    """Return the sum of tokens or cost, rounded once; None unless it is known of every episode."""
    if kinds[f"{name}_unknown"].sum() or kinds.is_empty():
        return None
    if name != "cost":
        return int(kinds[name].sum())
    plain = float(kinds["cost"].sum())
    return float(Fraction(sum(kinds["cost_exact"]), _SCALE)) if abs(plain) < _MOST else plain
