"""The replies behind a run's scores: how many were cut, and whether a task's samples differ."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from eops_traj.metrics.cut_replies import cut_share, reply_counts
from eops_traj.metrics.percent import percent

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class ReplyStats:
    """The replies of models in some episodes. Errors and superseded attempts are none."""

    replies: int
    cut: float
    """The share of them that were cut at their cap."""
    samples: int
    """The most attempts at a task."""
    tasks_sampled: int
    """The tasks with more than one plan."""
    tasks_with_different_samples: int
    """Those of them whose plans are not all the same text."""

    def lines(self) -> Iterator[str]:
        """Yield what people are told of them."""
        yield f"replies: {self.replies:,}, {percent(self.cut)} cut at the cap"
        if self.tasks_sampled:
            differ = f"{self.tasks_with_different_samples:,} of {self.tasks_sampled:,} tasks"
            yield f"samples: up to {self.samples} a task; those of {differ} differ"
        if self.all_alike:
            yield "warning: no two samples of a task differ; does the endpoint take temperature and seed?"

    @property
    def all_alike(self) -> bool:
        """Whether no task had two samples that differ, though tasks were sampled more than once."""
        return self.tasks_sampled > 0 and self.tasks_with_different_samples == 0


def reply_stats(episodes: "pl.LazyFrame") -> ReplyStats:
    """Count the replies of episodes in a store that were cut, and the tasks whose samples differ.

    A sample is the plan that an attempt's details note; turns that no model wrote have no reason to end.
    """
    import polars as pl

    from eops_traj.metrics.standing import with_standing

    columns = ("episode_id", "task_hash", "outcome", "supersedes", "parent")
    plan = pl.col("details").str.json_path_match("$.plan")
    frame = with_standing(episodes.select(*columns, *reply_counts(), plan=plan).collect())
    scored = frame.filter(frame["standing"] == "scored")
    plans = scored.drop_nulls("plan").group_by("task_hash").agg(pl.len(), texts=pl.col("plan").n_unique())
    sampled = plans.filter(pl.col("len") > 1)
    return ReplyStats(
        replies=int(scored["replies"].sum()),
        cut=cut_share(scored) or 0.0,
        samples=int(scored.group_by("task_hash").len()["len"].max() or 0),  # type: ignore[arg-type]
        tasks_sampled=sampled.height,
        tasks_with_different_samples=sampled.filter(pl.col("texts") > 1).height,
    )
