"""The two sides of a comparison: the episodes that BASE and NEW name, and those of them that count."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from eops_traj.errors import InputError, UnknownName
from eops_traj.metrics.error_rule import by_error_rule
from eops_traj.metrics.protocols import describe_protocols

if TYPE_CHECKING:
    import polars as pl

SIDE_COLUMNS = (
    "episode_id", "task_hash", "attempt", "run_id", "model", "orchestrator", "outcome", "supersedes",
    "parent",
)  # fmt: skip
"""The columns by which sides differ, and by which episodes count."""
RUN_ID_DIGITS = 12
"""Digits of a run id that a message shows; with 96 bits to an id they are enough to tell runs apart."""


@dataclass(frozen=True)
class Side:
    """One side of a comparison. Superseded attempts, branches and episodes that no verifier saw are left out.

    Errors are among the ``attempts`` by the benchmark's rule (:mod:`eops_traj.metrics.error_rule`), and left
    out by the other.
    """

    name: str
    runs: tuple[str, ...]
    agents: tuple[str, ...]
    """Model and orchestrator of each."""
    attempts: int
    tasks: int
    left_out_tasks: int
    """Those that the other side has no attempt at."""
    errors: int
    superseded: int
    branches: int
    unverified: int
    conditions: str = ""
    """The protocol of its episodes, and which orchestrators are in our own words."""


def select_sides(episodes: "pl.DataFrame", base: str, new: str) -> tuple["pl.DataFrame", "pl.DataFrame"]:
    """Return the episodes of both sides, of a frame by :func:`eops_traj.metrics.score.with_standing`.

    Raises UnknownName for a name that fits nothing, or more than one run; InputError where an episode is on
    both sides.
    """
    base_side, new_side = (episodes.filter(_matches_name(episodes, name)) for name in (base, new))
    if both := base_side.join(new_side, on="episode_id", how="semi").height:
        raise InputError(f"{base} and {new} have {both} episodes in common; compare runs that have none")
    return base_side, new_side


def count_errors(name: str, side: "pl.DataFrame", rule: str) -> "pl.DataFrame":
    """Return a side with its errors counted by a rule. Raises InputError where no attempt counts."""
    counted = by_error_rule(side.lazy(), rule).collect()
    if not (counted["standing"] == "scored").any():
        kinds = "errors, superseded ones, branches and unverified ones"
        raise InputError(f"{name} has no attempt that counts, only {kinds}")
    return counted


def _matches_name(episodes: "pl.DataFrame", name: str) -> "pl.Expr":
    """Match the episodes of a run, by its id or a prefix of it that no other has, or those of a model."""
    import polars as pl

    runs, models = (sorted(episodes[column].unique()) for column in ("run_id", "model"))
    if name in runs:
        return pl.col("run_id").eq(name)
    if name in models:
        return pl.col("model").eq(name)
    matches = [run for run in runs if name and run.startswith(name)]
    if len(matches) != 1:
        raise UnknownName("run or model", name, matches or [*(run[:RUN_ID_DIGITS] for run in runs), *models])
    return pl.col("run_id").eq(matches[0])


def describe_side(name: str, side: "pl.DataFrame", paired: int) -> Side:
    """Describe a side of :func:`count_errors`, given how many of its tasks are paired."""
    counts = dict(side["standing"].value_counts().iter_rows())
    scored = side.filter(side["standing"] == "scored")
    agents = scored.select("model", "orchestrator").unique().sort("model", "orchestrator").iter_rows()
    tasks = scored["task_hash"].n_unique()
    return Side(
        name=name,
        runs=tuple(scored["run_id"].unique().sort()),
        agents=tuple(", ".join(agent) for agent in agents),
        attempts=scored.height,
        tasks=tasks,
        left_out_tasks=tasks - paired,
        errors=int(side["erred"].sum()),
        superseded=counts.get("superseded", 0),
        branches=counts.get("branch", 0),
        unverified=counts.get("unverified", 0),
        conditions=describe_protocols(side),
    )
