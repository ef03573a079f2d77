"""A collection from its start to its end, in this process: checks first, then the engine."""

import asyncio
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from eops_traj.collect.attempt import RunContext
from eops_traj.collect.job import Job, check_resume, sole_collection
from eops_traj.collect.model_clients import make_judge, open_models
from eops_traj.collect.pending import AttemptLedger
from eops_traj.collect.preconditions import require_passed, run_checks
from eops_traj.collect.progress import show_progress
from eops_traj.collect.scheduler import Engine, attempt_series
from eops_traj.collect.stats import RunStats
from eops_traj.collect.writer import EpisodeWriter
from eops_traj.llm.retry import RetryingChat
from eops_traj.sandbox.options import Sandbox
from eops_traj.store.store import Store

SPARE_THREADS = 8
"""Threads beside those in which each episode may wait for its judge: the loop, which asks it, has its host
looked up by one of the same threads."""
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


async def collect_here(job: Job, resume: bool) -> RunStats:
    """Check the job, then make its pending attempts in this process; return the counts."""
    stats = RunStats()
    with job.sandbox() as sandbox:
        async with open_models(job.setup, stats.traffic) as models:
            require_passed(await run_checks(job, sandbox, models))
            with Store.open(job.store, create=True) as store, sole_collection(store, job.agent):
                ledgers = job.ledgers(store)
                check_resume(job, ledgers, resume)
                async with show_progress(stats):
                    with interruptible(stats):
                        await run_engine(job, sandbox, models, store, ledgers, stats)
    return stats


async def run_engine(
    job: Job, sandbox: Sandbox, models: dict[str, RetryingChat], store: Store,
    ledgers: Sequence[AttemptLedger], stats: RunStats,
) -> None:  # fmt: skip
    """Make the pending attempts of these ledgers with what is open."""
    context = run_context(job, sandbox, models)
    series = attempt_series(ledgers, context)
    with EpisodeWriter(store, job.run(len(series))) as writer:
        engine = Engine(writer, stats, job.setup.config.pace, tries=context.protocol.run_tries)
        await engine.run(series)


def run_context(job: Job, sandbox: Sandbox, models: dict[str, RetryingChat]) -> RunContext:
    """Return the context of a job's attempts, from what is open."""
    judge, loop = None, asyncio.get_running_loop()
    if "judge" in models:
        judge = make_judge(models["judge"], loop, job.setup.protocol)
        loop.set_default_executor(ThreadPoolExecutor(job.setup.config.pace.episodes + SPARE_THREADS, "judge"))
    return RunContext(
        run_id=job.run_id,
        agent=job.agent,
        orchestrator=job.setup.configured.orchestrator,
        models={role: chat for role, chat in models.items() if role != "judge"},
        sandbox=sandbox,
        limits=job.setup.limits,
        seeds=job.setup.seeds,
        judge=judge,
        protocol=job.setup.protocol,
    )


@contextmanager
def interruptible(stats: RunStats) -> Iterator[None]:
    """Let Ctrl-C (or SIGTERM) interrupt a collection, and a second one cancel the task that we are in."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None

    def interrupt() -> None:
        if stats.interrupted:
            stats.abandoned = True
            task.cancel()
        stats.interrupted = True

    for number in _SIGNALS:
        loop.add_signal_handler(number, interrupt)
    try:
        yield
    except asyncio.CancelledError:
        if not stats.abandoned:
            raise
        task.uncancel()  # what was under way is abandoned, and pending again
    finally:
        for number in _SIGNALS:
            loop.remove_signal_handler(number)
