"""What an episode counts as: scored, or one of the kinds that stand apart from every score."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

UNSCORED_OUTCOMES = ("error", "unverified")
"""Outcomes that say nothing about the model."""


def with_standing(frame: "pl.DataFrame") -> "pl.DataFrame":
    """Add the column ``standing``: scored, error, unverified, superseded or branch."""
    return frame.with_columns(standing=standing_of(frame["supersedes"]))


def with_standing_of(frame: "pl.LazyFrame") -> "pl.LazyFrame":
    """Add the column ``standing`` to what is not read yet; what was superseded is."""
    import polars as pl

    replaced = frame.select(pl.col("supersedes").drop_nulls()).collect(engine="streaming")
    return frame.with_columns(standing=standing_of(replaced["supersedes"]))


def standing_of(supersedes: "pl.Series") -> "pl.Expr":
    """Return the standing of episodes, given all ids that some of them name as superseded."""
    import polars as pl

    replaced = supersedes.drop_nulls().implode()
    superseded = pl.col("episode_id").is_in(replaced)
    outcome = pl.col("outcome")
    broken = pl.when(outcome.is_in(UNSCORED_OUTCOMES)).then(outcome)
    branch = pl.when(pl.col("parent").is_not_null()).then(pl.lit("branch"))
    return branch.when(superseded).then(pl.lit("superseded")).otherwise(broken.otherwise(pl.lit("scored")))
