"""A checkpoint measured again: it plans held-out tasks, and is compared with another one or a run before it.

Run it with ``eops-traj rebench CONFIG`` or as it stands, ``python recipes/rebench.py CONFIG``. The plans are
run as they stand by the orchestrator ``plan``, or handed to an executor by ``planner_react``. Every episode
goes into a store, where ``score``, ``compare`` and ``lineage`` find it. Attempts that the store has already
are not made again. Both sides of a comparison are asked alike: sampling, cap and template are settings of the
measurement, whatever the client, and a client's own are refused.
"""

import dataclasses
import logging
import sys
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, PositiveInt, field_validator, model_validator

from eops_traj.collect.config import CollectConfig, Setup, TaskSelection, build_setup
from eops_traj.collect.job import Job, load_job
from eops_traj.config import Settings, checked
from eops_traj.errors import UnknownName, WorkError
from eops_traj.llm.options import Sampling
from eops_traj.metrics.conditions import agent_conditions, agents_conditions, unlike_settings
from eops_traj.metrics.reply_stats import ReplyStats, reply_stats
from eops_traj.metrics.sides import RUN_ID_DIGITS
from eops_traj.planner.plan_length import PLAN_TOKENS
from eops_traj.planner.prompt import PlannerView
from eops_traj.protocol import ROBUST, protocol_of, require_one
from eops_traj.store.store import Store
from eops_traj.train.measured_client import (
    PLACES,
    client_problems,
    planner_client,
    reply_sampling,
    sampling_problems,
)

_log = logging.getLogger(__name__)


class Config(Settings):
    """The settings of a measurement: the checkpoint, the tasks, and what it is compared with."""

    recipe: Literal["rebench"]
    model: str
    """The checkpoint: a folder, an adapter's too, or the name of a model in the local Hugging Face cache."""
    tasks: TaskSelection
    """The source of the tasks, and which splits of them: not the one that was trained on."""
    store: str
    base: str | None = None
    """A run (its id, or how it begins) or a model in the store, to compare with."""
    before: str | None = None
    """In the place of ``base``: a checkpoint that is measured first, in the very same way."""
    shown: PlannerView = PlannerView()
    """The planner's view: that of its training data, which the data's certificate records."""
    orchestrator: Literal["plan", "planner_react"] = "plan"
    """Whether a plan is run as it stands, or handed to ``executor``."""
    client: dict[str, Any] = Field(default_factory=dict)
    """In the place of the checkpoint in this process: the client that serves it, as in a collect config."""
    executor: dict[str, Any] | None = None
    """The client of the model that follows the plans, as in a collect config."""
    sampling: Sampling = Sampling(temperature=0)
    """The planner's, and the executor's where that names none; above temperature 0 each reply has a seed."""
    max_new_tokens: PositiveInt = PLAN_TOKENS
    """The cap of a reply; what reaches it is cut, and counted."""
    chat_template: Path | None = None
    """A template in the place of the checkpoint's own."""
    attempts: PositiveInt = 1
    """The samples of each task; more than one need a temperature."""
    batch_size: PositiveInt = 16
    margin: float | None = Field(None, gt=0, lt=1)
    """Test for equivalence within this share of 1, too."""

    @field_validator("tasks")
    @classmethod
    def _held_out(cls, tasks: TaskSelection) -> TaskSelection:
        if not tasks.splits or "train" in tasks.splits:
            raise ValueError("name the splits to measure on, and leave train out")
        return tasks

    @model_validator(mode="after")
    def _fair(self) -> "Config":
        problems = sampling_problems(self.sampling, self.attempts)
        problems += client_problems(self.client, self.chat_template) + self._side_problems()
        if problems:
            raise ValueError("; ".join(problems))
        return self

    def _side_problems(self) -> list[str]:
        problems = ["give base or before, one of them"] if self.base and self.before else []
        if self.before and (named := [name for name in PLACES if name in self.client]):
            problems.append(f"client.{named[0]}: with before, model and before say which checkpoints")
        if (self.executor is None) == (self.orchestrator == "planner_react"):
            problems.append("executor: planner_react needs one, and plan has none")
        return problems


def run(config: Config) -> dict[str, Any]:
    """Measure, and compare where there is a base; return the run, its score, and the comparison or None.

    Raises ConfigError or InputError before anything is written, WorkError where attempts ended in error.
    """
    jobs = [load_job(setup(side), config.store) for side in sides(config)]
    if config.base:
        check_base(config.base, config.store, jobs[-1])
    for job in jobs:
        measure(job)
    return compared(config, jobs)


def sides(config: Config) -> list[Config]:
    """Return the measurements to make, the one before first: they differ in the checkpoint alone."""
    alone = config.model_copy(update={"before": None})
    return [alone.model_copy(update={"model": config.before}), alone] if config.before else [alone]


def measure(job: Job) -> None:
    """Make the attempts that the store does not have yet. Raises WorkError where some are owed in the end."""
    from eops_traj.collect.run import collect

    stats = collect(job, resume=True)
    if stats.given_up or stats.interrupted:
        raise WorkError(
            f"{stats.attempts - stats.settled} of {stats.attempts} attempts are owed; run it again"
        )


def compared(config: Config, jobs: list[Job]) -> dict[str, Any]:
    """Return the scores of the last job's run, its replies, and the comparison with what was before it."""
    from eops_traj.metrics.compare import compare

    run_id = jobs[-1].run_id
    base = jobs[0].run_id if config.before else config.base
    with Store.open(config.store) as store:
        episodes, records = store.scan(), store.scan(table="runs")
        comparison = compare(episodes, base, run_id, config.margin, runs=records) if base else None
        scores, replies = score_run(store, run_id), run_replies(store, run_id)
    return {"run": run_id, "scores": scores, "replies": replies, "comparison": comparison}


def check_base(base: str, store: str, job: Job) -> None:
    """Check, before hours are spent, that there is something to compare with; warn of what is not alike.

    Raises UnknownName for a base that is not there, InputError for one of another protocol.
    """
    import polars as pl

    columns = ("run_id", "orchestrator", "settings", "model", "source")
    with Store.open(store) as episodes:
        found = episodes.scan().select(columns).unique().collect()
        records = episodes.scan(table="runs").select("run_id", "config").collect()
    runs, models = (set(found.get_column(name).to_list()) for name in ("run_id", "model"))
    if base not in models and not any(run.startswith(base) for run in runs):
        raise UnknownName("run or model", base, models | {run[:RUN_ID_DIGITS] for run in runs})
    named = found.filter((pl.col("model") == base) | pl.col("run_id").str.starts_with(base))
    protocols = [protocol_of(*row) for row in named.select("settings", "source").iter_rows()]
    require_one([ROBUST.name, *protocols], f"{base} and a measurement")
    kinds = {role: str(model["kind"]) for role, model in job.setup.config.models.items()}
    ours = agent_conditions(job.agent.settings, job.agent.orchestrator, kinds)
    for unlike in unlike_settings(agents_conditions(named, records), [ours]):
        _log.warning("%s was not asked as this measurement asks, %s", base, unlike)


def setup(config: Config) -> Setup:
    """Build the collection that measures. Raises ConfigError with every problem at once."""
    sampling = reply_sampling(config.sampling, config.max_new_tokens)
    how = (sampling, config.chat_template, config.batch_size)
    orchestrator = {"name": config.orchestrator, "shown": config.shown.model_dump()}
    models = {"planner": planner_client(config.model, config.client, *how)}
    if config.executor is not None:
        models["executor"] = {"sampling": sampling, **config.executor}
    collection = {
        "tasks": config.tasks,
        "orchestrator": orchestrator,
        "models": models,
        "attempts": config.attempts,
        "check": "endpoint",
    }
    return build_setup(checked(CollectConfig, collection, "rebench"), "rebench")


def score_run(store: Store, run_id: str) -> list[dict[str, Any]]:
    """Score a run: a row for each split, and one for all of them."""
    import polars as pl

    from eops_traj.metrics.score import score

    episodes = store.scan().filter(pl.col("run_id") == run_id)
    return [*score(episodes, ["split"]), *score(episodes)]


def run_replies(store: Store, run_id: str) -> ReplyStats:
    """Count a run's replies, and those of them that were cut."""
    import polars as pl

    return reply_stats(store.scan().filter(pl.col("run_id") == run_id))


def as_json(result: dict[str, Any]) -> dict[str, Any]:
    """Render the result of :func:`run` for machines."""
    comparison = result["comparison"]
    return {
        **result,
        "replies": dataclasses.asdict(result["replies"]),
        "comparison": dataclasses.asdict(comparison) if comparison else None,
    }


if __name__ == "__main__":
    from eops_traj.cli.main import main

    main(["rebench", *sys.argv[1:]])
