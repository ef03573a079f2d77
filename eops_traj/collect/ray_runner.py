"""Collections on many machines: actors of a Ray cluster, each the same engine on a share of the tasks.

Every actor has a sandbox, clients and a writer of its own, and all write into one store: a folder on one
machine, an object-store URL for several (the journal of a folder is SQLite, which does not share well over a
network). An actor that dies loses what it had under way; another takes its share, and makes what is pending.
Keys are read from the environment of each machine.
"""

import asyncio
from collections import Counter
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from eops_traj.collect.job import Job, check_resume, sole_collection
from eops_traj.collect.local_runner import interruptible, run_engine
from eops_traj.collect.model_clients import open_models
from eops_traj.collect.preconditions import check_job, require_passed
from eops_traj.collect.progress import show_progress
from eops_traj.collect.stats import SUMS, RunStats
from eops_traj.errors import EopsError, InputError, WorkError
from eops_traj.optional import require
from eops_traj.store.store import Store
from eops_traj.workers.ray_tasks import MAX_DEATHS, connect

if TYPE_CHECKING:
    from ray.actor import ActorHandle

POLL_SECONDS = 0.5
"""Seconds between two looks at what the actors have done."""


class WorkerResult(NamedTuple):
    """The end of an actor's work: its counts, and the error that stopped it."""

    stats: RunStats
    error: str | None = None
    exit_code: int = 0


class Worker:
    """An actor: it works the tasks of its share, as an engine alone would."""

    def __init__(self, job: Job) -> None:
        """Take the job, which has the tasks of the share."""
        self._job, self._stats = job, RunStats()

    async def work(self) -> WorkerResult:
        """Make the pending attempts of the share."""
        job, stats = self._job, self._stats
        try:
            with job.sandbox() as sandbox:
                async with open_models(job.setup, stats.traffic) as models:
                    with Store.open(job.store, create=True) as store:
                        await run_engine(job, sandbox, models, store, job.ledgers(store), stats)
        except EopsError as error:
            return WorkerResult(stats, str(error), error.exit_code)
        return WorkerResult(stats)

    async def progress(self, interrupted: bool) -> RunStats:
        """Return the counts so far; ``interrupted`` begins no more attempts."""
        self._stats.interrupted |= interrupted
        return self._stats


class JobShare:
    """One actor's part of a job, and the actor that has it now."""

    def __init__(self, job: Job) -> None:
        self.job, self.stats, self.deaths, self._ended = job, RunStats(), 0, False
        self._actor: ActorHandle[Worker] | None = None

    async def run(self) -> WorkerResult:
        """Have actors work the share, one after the other where they die."""
        from ray.exceptions import RayActorError

        while True:
            self._actor = _actor(self.job)
            try:
                result: WorkerResult = await self._actor.work.remote()
            except RayActorError as error:
                self.deaths += 1
                if self.deaths > MAX_DEATHS:
                    raise WorkError(f"ray: {self.deaths} actors in a row died: {error}") from error
                continue
            self.stats, self._ended = result.stats, True
            return result

    async def poll(self, interrupted: bool) -> None:
        """Ask the actor for its counts; one that is starting or has died has none."""
        from ray.exceptions import RayError

        if self._actor is not None:
            try:
                asked: Any = self._actor.progress.remote(interrupted)
                stats: RunStats = await asyncio.wait_for(asked, POLL_SECONDS)
            except (RayError, TimeoutError):
                return
            if not self._ended:  # else it is older than the last
                self.stats = stats

    def kill(self) -> None:
        """End the actor with all that it has under way."""
        import ray

        if self._actor is not None:
            ray.kill(self._actor)


def collect_with_ray(job: Job, resume: bool) -> RunStats:
    """Make the pending attempts of a job with actors, as `collect_here` does in this process."""
    require("ray")
    require_passed(check_job(job))
    with ExitStack() as held:
        with Store.open(job.store, create=True) as store:
            held.enter_context(sole_collection(store, job.agent))
            ledgers = job.ledgers(store)
            check_resume(job, ledgers, resume)
            before = store.tables["episodes"].keys()
        connect(job.setup.config.workers)
        stats, deaths = asyncio.run(_drive(job))
        attempts = sum(len(ledger.take_pending()) for ledger in ledgers)
        return _recount(job, stats, attempts, before) if deaths else stats


async def _drive(job: Job) -> tuple[RunStats, int]:
    """Return the counts of the actors together, and how many actors died."""
    stats, results = RunStats(), list[WorkerResult]()
    shares = [JobShare(part) for part in split_job(job, job.setup.config.workers)]
    async with show_progress(stats):
        with interruptible(stats):
            watching = asyncio.create_task(_watch(shares, stats))
            try:
                results += await asyncio.gather(*(share.run() for share in shares))
            finally:
                watching.cancel()
                for share in shares:
                    share.kill()
        _sum_up(shares, stats)
    for result in results:
        if result.error is not None:
            raise (InputError if result.exit_code == InputError.exit_code else WorkError)(result.error)
    return stats, sum(share.deaths for share in shares)


async def _watch(shares: list[JobShare], stats: RunStats) -> None:
    while True:
        await asyncio.gather(*(share.poll(stats.interrupted) for share in shares))
        _sum_up(shares, stats)
        await asyncio.sleep(POLL_SECONDS)


def _sum_up(shares: list[JobShare], stats: RunStats) -> None:
    stats.clear()
    for share in shares:
        stats.add(share.stats)


def _recount(job: Job, stats: RunStats, attempts: int, before: set[str]) -> RunStats:
    """Count from the store: what dead actors had counted is lost, what they had stored is not."""
    import polars as pl

    with Store.open(job.store) as store:
        ours = (pl.col("run_id") == job.run_id) & ~pl.col("episode_id").is_in(list(before))
        rows = store.scan().filter(ours).select("outcome", *SUMS).collect()
        left = sum(len(ledger.take_pending()) for ledger in job.ledgers(store))
    stats.attempts, stats.episodes, stats.outcomes = attempts, rows.height, Counter(rows["outcome"])
    for name in SUMS:
        known = rows[name].drop_nulls().to_list()
        setattr(stats, name, sum(known) if known else None)
    stats.settled, stats.given_up = (attempts - left, 0) if stats.interrupted else (attempts, left)
    return stats


def split_job(job: Job, count: int) -> list[Job]:
    """Split the job into so many shares, each with every count-th task; a share without tasks is left out."""
    shares = [replace(job, tasks=job.tasks[n::count], part_of=job.run_id) for n in range(count)]
    return [share for share in shares if share.tasks]


def _actor(job: Job) -> Any:
    import ray

    return ray.remote(num_cpus=1, max_restarts=0)(Worker).remote(job)
