"""A job of branching: which points of a store's episodes, how many alternatives at each, and the work."""

import asyncio
from collections import defaultdict, deque
from collections.abc import AsyncIterator
from contextlib import AbstractContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial

from eops_traj.bundle import build_run
from eops_traj.collect.attempt import RunContext
from eops_traj.collect.branch_points import POINT_FINDERS, BranchPoint
from eops_traj.collect.branching import Branch, ForkingSandbox, ResumedOrchestrator, make_branch
from eops_traj.collect.job import Job
from eops_traj.collect.local_runner import interruptible, run_context
from eops_traj.collect.model_clients import open_models
from eops_traj.collect.pending import AttemptLedger, StoredAttempt
from eops_traj.collect.preconditions import require_passed, run_checks
from eops_traj.collect.progress import show_progress
from eops_traj.collect.scheduler import AttemptSeries, Engine, MakeAttempt
from eops_traj.collect.sole_recorder import sole_recorder
from eops_traj.collect.stats import RunStats
from eops_traj.collect.writer import EpisodeWriter
from eops_traj.errors import InputError, UnknownName
from eops_traj.hashing import digest
from eops_traj.sandbox.replay import Diverged
from eops_traj.schema import Run
from eops_traj.store.run_names import find_runs
from eops_traj.store.store import Store


@dataclass(frozen=True)
class BranchSelection:
    """Which points are branched, and how often."""

    at: str = "divergence"
    alternatives: int = 1
    episodes: tuple[str, ...] = ()
    """Their ids; every episode of the runs where none is named."""
    runs: tuple[str, ...] = ()
    """The ids of the runs, or how they begin; every run of the store where none is named."""
    limit: int | None = None
    """The most points, spread evenly over those there are."""

    def __post_init__(self) -> None:
        """Raises UnknownName for points that there are none of."""
        if self.at not in POINT_FINDERS:
            raise UnknownName("branch point", self.at, POINT_FINDERS)

    def resolved(self, store: Store) -> "BranchSelection":
        """Return the selection with the whole ids of its runs. Raises UnknownName where one is not there."""
        return replace(self, runs=find_runs(store, self.runs)) if self.runs else self

    def points(self, store: Store) -> list[BranchPoint]:
        """Return the branch points of a store; episodes that failed to run, and branches, have none.

        Raises InputError for a named episode that is not there, or is one of those.
        """
        import polars as pl

        rows = store.scan().filter(pl.col("parent").is_null() & (pl.col("outcome") != "error"))
        rows = rows.filter(pl.col("run_id").is_in(self.runs)) if self.runs else rows
        named_rows = rows.filter(pl.col("episode_id").is_in(self.episodes)) if self.episodes else rows
        siblings = rows.join(named_rows.select("task_hash").unique(), on="task_hash", how="semi")
        ids = siblings.sort("task_hash", "attempt", "episode_id").select("episode_id").collect()
        episodes = list(store.episodes(ids["episode_id"].to_list()))
        named = set(self.episodes or ids["episode_id"])
        if strays := sorted(named - set(ids["episode_id"])):
            raise InputError(f"no episode {strays[0]!r} to branch in {store.url}: none, an error or a branch")
        points = [point for point in POINT_FINDERS[self.at](episodes) if point.parent.episode_id in named]
        if self.limit is None or len(points) <= self.limit:
            return points
        return [points[n * len(points) // self.limit] for n in range(self.limit)]


def branch(job: Job, selection: BranchSelection) -> tuple[RunStats, list[str]]:
    """Branch the episodes of the job's store with its agent; return the counts, and which points diverged.

    Alternatives that the store has already are not made again. Raises InputError, before anything is
    written, where a check fails, the orchestrator cannot go on from a middle, or there is no point to branch
    at.
    """
    return asyncio.run(_branch(job, selection))


async def _branch(job: Job, selection: BranchSelection) -> tuple[RunStats, list[str]]:
    stats, diverged = RunStats(), list[str]()
    with Store.open(job.store) as store, _sole_branching(store, job), job.sandbox() as sandbox:
        selection = selection.resolved(store)  # a run is known by it, however its own runs were named
        branches = _branches(job, selection, store)
        ResumedOrchestrator(job.setup.configured.orchestrator, branches[0].point)
        async with open_models(job.setup, stats.traffic) as models:
            require_passed(await run_checks(job, sandbox, models))
            run = _run(job, selection)
            with EpisodeWriter(store, run) as writer:
                context = replace(run_context(job, sandbox, models), run_id=run.run_id)
                series = [_series(one, selection.alternatives, context, diverged) for one in branches]
                tries = context.protocol.run_tries
                engine = Engine(writer, stats, job.setup.config.pace, stop_on_errors=False, tries=tries)
                async with show_progress(stats):
                    with interruptible(stats):
                        await engine.run(series)
    return stats, diverged


def _sole_branching(store: Store, job: Job) -> AbstractContextManager[None]:
    """Hold a store against others that branch with this agent. Raises InputError where there is one."""
    advice = "wait for its end: what it made is not made again"
    return sole_recorder(store, job.agent, "branching", advice, numbers="branches")


def _branches(job: Job, selection: BranchSelection, store: Store) -> list[Branch]:
    """Return the selected points of the job's tasks. Raises InputError where there are none."""
    tasks, stored = {task.task_hash: task for task in job.tasks}, _stored_branches(job, store)
    points = selection.points(store)
    branches = [
        Branch(point, tasks[point.parent.task_hash], stored[point.parent.episode_id, point.turn])
        for point in points
        if point.parent.task_hash in tasks
    ]
    if branches:
        return branches
    if points:
        raise InputError(f"none of the {len(points)} branch points belongs to a task of the config")
    raise InputError(f"no branch point of kind {selection.at} in {store.url}")


def _stored_branches(job: Job, store: Store) -> dict[tuple[str, int], list[StoredAttempt]]:
    """Return the stored branches of this agent, by parent and turn."""
    import polars as pl

    ours = (pl.col("agent_hash") == job.agent.agent_hash) & pl.col("parent").is_not_null()
    columns = ("parent", "branch_turn", "episode_id", "attempt", "supersedes", "error")
    stored: dict[tuple[str, int], list[StoredAttempt]] = defaultdict(list)
    for parent, turn, *attempt in store.scan().filter(ours).select(columns).collect().iter_rows():
        stored[parent, turn].append(StoredAttempt(*attempt))
    return stored


def _run(job: Job, selection: BranchSelection) -> Run:
    """Return the run's record: the collection's, with the selection in its identity and its config."""
    run, selected = job.run(), vars(selection)
    config = {"branch": selected, "collect": run.config}
    run_id = digest("branch", run.run_id, selected)
    return build_run("branch", config, run_id=run_id, started_at=run.started_at)


def _series(branch: Branch, alternatives: int, context: RunContext, diverged: list[str]) -> AttemptSeries:
    """Return the alternatives of one point as a series: they follow each other in one forking sandbox."""
    ledger = AttemptLedger(branch.task, alternatives, branch.stored, context.protocol.run_tries)
    pending = deque(ledger.take_pending())
    return AttemptSeries(ledger, pending, partial(_at_point, branch, context, diverged), retry_here=True)


@asynccontextmanager
async def _at_point(branch: Branch, context: RunContext, diverged: list[str]) -> AsyncIterator[MakeAttempt]:
    """Yield the way to make an alternative, and note a point whose session could not be brought back."""
    sandbox = ForkingSandbox(context.sandbox, branch.point)
    try:
        yield partial(make_branch, branch=branch, context=replace(context, sandbox=sandbox))
    except Diverged as error:
        diverged.append(f"episode {branch.point.parent.episode_id}: {error}")
    finally:
        await context.sandbox.do(sandbox.close)
