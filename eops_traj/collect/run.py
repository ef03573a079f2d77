"""A collection from its start to its end, in this process: checks first, then the engine."""

import asyncio
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from eops_traj.collect.attempt import Workplace
from eops_traj.collect.job import Job, check_resume
from eops_traj.collect.model_clients import judge_of, open_models
from eops_traj.collect.pending import Ledger
from eops_traj.collect.preconditions import Finding, examine, refuse
from eops_traj.collect.progress import watched
from eops_traj.collect.scheduler import Engine
from eops_traj.collect.stats import Tally
from eops_traj.collect.writer import Writer
from eops_traj.llm.retry import PatientChat
from eops_traj.sandbox.options import Sandbox
from eops_traj.store.store import Store

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def collect(job: Job, *, resume: bool = False) -> Tally:
    """Collect what a job is owed, and say what it came to; an interrupted one is resumed by another call.

    Raises InputError, before anything is written, where a check fails or where the store has attempts of this
    job and ``resume`` is not said; WorkError where the store cannot be written any more or errors do not end.
    """
    if job.setup.config.engine == "ray":
        from eops_traj.collect.ray_runner import collect_with_ray

        return collect_with_ray(job, resume)
    return asyncio.run(_collect(job, resume))


def examine_job(job: Job) -> list[Finding]:
    """Every check of a job."""
    return asyncio.run(_examined(job))


async def _examined(job: Job) -> list[Finding]:
    with job.sandbox() as sandbox:
        async with open_models(job.setup, Tally().traffic) as models:
            return await examine(job, sandbox, models)


async def _collect(job: Job, resume: bool) -> Tally:
    tally = Tally()
    with job.sandbox() as sandbox:
        async with open_models(job.setup, tally.traffic) as models:
            refuse(await examine(job, sandbox, models))
            with Store.open(job.store, create=True) as store:
                owed = job.ledgers(store)
                check_resume(job, owed, resume)
                async with watched(tally):
                    with interruptible(tally):
                        await work(job, sandbox, models, store, owed, tally)
    return tally


async def work(
    job: Job, sandbox: Sandbox, models: dict[str, PatientChat], store: Store, owed: Sequence[Ledger],
    tally: Tally,
) -> None:  # fmt: skip
    """Work what is owed with what is open."""
    with Writer(store, job.run()) as writer:
        engine = Engine(workplace(job, sandbox, models), writer, tally, job.setup.config.pace)
        await engine.run(owed)


def workplace(job: Job, sandbox: Sandbox, models: dict[str, PatientChat]) -> Workplace:
    """Where a job's attempts are made, with what is open."""
    players = {role: chat for role, chat in models.items() if role != "judge"}
    judge, loop = None, asyncio.get_running_loop()
    if "judge" in models:
        judge = judge_of(models["judge"], loop)
        loop.set_default_executor(ThreadPoolExecutor(job.setup.config.pace.episodes, "judge"))
    return Workplace(
        run_id=job.run_id,
        agent=job.agent,
        orchestrator=job.setup.made.orchestrator,
        models=players,
        sandbox=sandbox,
        limits=job.setup.config.limits,
        seeds=job.setup.seeds,
        judge=judge,
    )


@contextmanager
def interruptible(tally: Tally) -> Iterator[None]:
    """Let Ctrl-C (or SIGTERM) interrupt a collection, and a second one cancel the task that we are in."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None

    def interrupt() -> None:
        if tally.interrupted:
            tally.abandoned = True
            task.cancel()
        tally.interrupted = True

    for number in _SIGNALS:
        loop.add_signal_handler(number, interrupt)
    try:
        yield
    except asyncio.CancelledError:
        if not tally.abandoned:
            raise
        task.uncancel()  # what was under way is abandoned, and owed again
    finally:
        for number in _SIGNALS:
            loop.remove_signal_handler(number)
