"""Which paired tasks other verifiers judged on one side than on the other.

A task keeps its identity when its verifiers are mended or changed, so that two runs of one task may have been
judged by other verifiers; the verdicts hold by which. Where nothing of a verifier is recorded but what came
of it (an import without the tasks, a judge that failed), nothing is held against the other side.
"""

from typing import TYPE_CHECKING

from eops_traj.verify.verifier_kinds import KINDS

if TYPE_CHECKING:
    import polars as pl

_TOLD = ("query", "comparison", "expected")
"""What a verdict has of its verifier besides the configuration, as it ran."""


def judged_otherwise(episodes: "pl.LazyFrame", base: "pl.DataFrame", new: "pl.DataFrame") -> int:
    """Count the tasks that both sides have verdicts of, by other verifiers; each has the attempts that count.

    Verifiers are told apart by name, kind and configuration, or without one by what they asked and expected.
    """
    import polars as pl

    keys = ("episode_id", "task_hash")
    sides = [
        _judges(episodes, side.filter(~side["erred"]).select(keys).join(other, on="task_hash", how="semi"))
        for side, other in ((base, new), (new, base))
    ]
    alike = [side.group_by("task_hash").agg(pl.col("configured").all()) for side in sides]
    known = alike[0].join(alike[1], on=["task_hash", "configured"])  # else one of them is not told in full
    left, right = (side.join(known, on="task_hash", how="semi").drop("configured") for side in sides)
    pairs = left.join(right, on=["task_hash", "name"], how="full", coalesce=True, suffix="_new")
    other = pairs.filter(
        pl.col("judges").ne_missing(pl.col("judges_new")),
        ~pl.any_horizontal(pl.col("untold", "untold_new").fill_null(False)),
    )
    return other["task_hash"].n_unique()


def _judges(episodes: "pl.LazyFrame", attempts: "pl.DataFrame") -> "pl.DataFrame":
    """Return of each task and verifier's name what judged a side's attempts, as one text of hashes."""
    import polars as pl

    one = pl.element().struct
    configured = one.field("kind").is_in(list(KINDS)) & (one.field("config") != "{}")
    asked = pl.concat_str([one.field(name).fill_null("") for name in _TOLD], separator="\n")
    told = pl.when(configured).then(one.field("config")).otherwise(asked)
    judge = pl.struct(one.field("kind"), told.alias("told")).hash()
    untold = ~configured & one.field("error").is_not_null()  # what it expects is not recorded then
    fields = pl.struct(
        one.field("name"), configured.alias("configured"), untold.alias("untold"), judge.alias("judge")
    )
    return (
        episodes.select("episode_id", pl.col("verdicts").list.eval(fields))
        .join(attempts.lazy(), on="episode_id")
        .explode("verdicts")
        .drop_nulls("verdicts")
        .unnest("verdicts")
        .group_by("task_hash", "name")
        .agg(
            pl.col("configured").all(),
            pl.col("untold").any(),
            judges=pl.col("judge").unique().sort().cast(pl.String).str.join(" "),
        )
        .collect()
    )
