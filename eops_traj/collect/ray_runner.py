"""Collections on many machines: actors of a Ray cluster, each the same engine on a share of the tasks.

Every actor has a sandbox, clients and a writer of its own, and all write into one store: a folder on one
machine, an object-store URL for several (the journal of a folder is SQLite, which does not share well over a
network). An actor that dies loses what it had under way; another takes its share, and makes what is owed.
Keys are read from the environment of each machine.
"""

import asyncio
import logging
import os
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from eops_traj.collect.job import Job, check_resume
from eops_traj.collect.model_clients import open_models
from eops_traj.collect.preconditions import refuse
from eops_traj.collect.progress import watched
from eops_traj.collect.run import examine_job, interruptible, work
from eops_traj.collect.stats import Tally
from eops_traj.errors import EopsError, InputError, WorkError
from eops_traj.optional import require
from eops_traj.store.store import Store

if TYPE_CHECKING:
    from ray.actor import ActorHandle

DEATHS = 5
"""How often a share is given to another actor."""
SUMS = ("input_tokens", "output_tokens", "cost")
LOOK = 0.5
"""Seconds between two looks at what the actors have done."""


class Ended(NamedTuple):
    """How an actor's work ended: what it came to, and what stopped it."""

    tally: Tally
    error: str | None = None
    exit_code: int = 0


class Worker:
    """What an actor does: the tasks of its share, as an engine alone would."""

    def __init__(self, job: Job) -> None:
        """``job`` has the tasks of the share."""
        self._job, self._tally = job, Tally()

    async def work(self) -> Ended:
        """Make what is owed of the share."""
        job, tally = self._job, self._tally
        try:
            with job.sandbox() as sandbox:
                async with open_models(job.setup, tally.traffic) as models:
                    with Store.open(job.store, create=True) as store:
                        await work(job, sandbox, models, store, job.ledgers(store), tally)
        except EopsError as error:
            return Ended(tally, str(error), error.exit_code)
        return Ended(tally)

    async def progress(self, interrupted: bool) -> Tally:
        """What it has come to so far; ``interrupted`` begins no more attempts."""
        self._tally.interrupted |= interrupted
        return self._tally


class Share:
    """One actor's part of a job, and the actor that has it now."""

    def __init__(self, job: Job) -> None:
        self.job, self.tally, self.deaths = job, Tally(), 0
        self._actor: ActorHandle[Worker] | None = None

    async def run(self) -> Ended:
        """Have the share worked, by one actor after the other where they die."""
        from ray.exceptions import RayActorError

        while True:
            self._actor = _actor(self.job)
            try:
                ended: Ended = await self._actor.work.remote()
            except RayActorError as error:
                self.deaths += 1
                if self.deaths > DEATHS:
                    raise WorkError(f"ray: {self.deaths} actors in a row died: {error}") from error
                continue
            self.tally = ended.tally
            return ended

    async def look(self, interrupted: bool) -> None:
        """Ask the actor for its tally; one that is starting or has died has none."""
        from ray.exceptions import RayError

        if self._actor is not None:
            try:
                self.tally = await asyncio.wait_for(self._actor.progress.remote(interrupted), LOOK)
            except (RayError, TimeoutError):
                return

    def kill(self) -> None:
        """End the actor with all that it has under way."""
        import ray

        if self._actor is not None:
            ray.kill(self._actor)


def collect_with_ray(job: Job, resume: bool) -> Tally:
    """Collect what a job is owed with actors; what `eops_traj.collect.run.collect` does alone."""
    require("ray")
    refuse(examine_job(job))
    with Store.open(job.store, create=True) as store:
        owed = job.ledgers(store)
        check_resume(job, owed, resume)
        before = set(store.known_ids())
    _connect(job.setup.config.workers)
    tally, deaths = asyncio.run(_drive(job))
    return _recounted(job, tally, sum(len(ledger.owed()) for ledger in owed), before) if deaths else tally


def _connect(workers: int) -> None:
    import ray

    if ray.is_initialized():
        return
    alone = not os.environ.get("RAY_ADDRESS")
    ray.init(
        num_cpus=max(workers, os.cpu_count() or 1) if alone else None,
        include_dashboard=False,
        log_to_driver=False,
        logging_level=logging.ERROR,
    )


async def _drive(job: Job) -> tuple[Tally, int]:
    """What the actors came to, and how many died."""
    tally, ended = Tally(), list[Ended]()
    shares = [Share(part) for part in parts(job, job.setup.config.workers)]
    async with watched(tally):
        with interruptible(tally):
            watching = asyncio.create_task(_watch(shares, tally))
            try:
                ended += await asyncio.gather(*(share.run() for share in shares))
            finally:
                watching.cancel()
                for share in shares:
                    share.kill()
        _sum_up(shares, tally)
    for end in ended:
        if end.error is not None:
            raise (InputError if end.exit_code == InputError.exit_code else WorkError)(end.error)
    return tally, sum(share.deaths for share in shares)


async def _watch(shares: list[Share], tally: Tally) -> None:
    while True:
        await asyncio.gather(*(share.look(tally.interrupted) for share in shares))
        _sum_up(shares, tally)
        await asyncio.sleep(LOOK)


def _sum_up(shares: list[Share], tally: Tally) -> None:
    tally.clear()
    for share in shares:
        tally.add(share.tally)


def _recounted(job: Job, tally: Tally, owed: int, before: set[str]) -> Tally:
    """The tally as the store tells it: what dead actors had counted is lost, what they had stored is not."""
    import polars as pl

    with Store.open(job.store) as store:
        mine = (pl.col("run_id") == job.run_id) & ~pl.col("episode_id").is_in(list(before))
        rows = store.scan().filter(mine).select("outcome", *SUMS).collect()
        left = sum(len(ledger.owed()) for ledger in job.ledgers(store))
    tally.owed, tally.episodes, tally.outcomes = owed, rows.height, Counter(rows["outcome"])
    known = {name: rows[name].drop_nulls().to_list() for name in SUMS}
    tally.input_tokens, tally.output_tokens = sum(known["input_tokens"]), sum(known["output_tokens"])
    tally.cost = sum(known["cost"]) if known["cost"] else None
    tally.settled, tally.given_up = (owed - left, 0) if tally.interrupted else (owed, left)
    return tally


def parts(job: Job, count: int) -> list[Job]:
    """The job in so many shares, each with every count-th task; a share without tasks is left out."""
    shares = [replace(job, tasks=job.tasks[n::count], part_of=job.run_id) for n in range(count)]
    return [share for share in shares if share.tasks]


def _actor(job: Job) -> Any:
    import ray

    return ray.remote(num_cpus=1, max_restarts=0)(Worker).remote(job)
