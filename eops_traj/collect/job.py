"""A job: a config with its tasks, and the store that it fills."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

from eops_traj.audit.register import with_defects
from eops_traj.bundle import build_run
from eops_traj.collect.config import Setup
from eops_traj.collect.pending import AttemptLedger, load_ledgers
from eops_traj.collect.sole_recorder import sole_recorder
from eops_traj.errors import InputError
from eops_traj.hashing import digest
from eops_traj.privacy.redact import scrub
from eops_traj.sandbox.options import Sandbox
from eops_traj.schema import Agent, Run, Task
from eops_traj.store.store import Store
from eops_traj.tasks import find_tasks


@dataclass(frozen=True)
class Job:
    """The tasks that are worked, by which agent, and the store for their episodes."""

    setup: Setup
    tasks: tuple[Task, ...]
    root: Path | None
    store: str
    part_of: str | None = None
    """The run that this job is a part of, where it is one."""

    @cached_property
    def agent(self) -> Agent:
        """The agent that works the tasks."""
        return self.setup.agent

    @cached_property
    def run_id(self) -> str:
        """Identity by content: who works which tasks how often, and who judges; not where or how fast."""
        if self.part_of is not None:
            return self.part_of
        judge = self.setup.judge.behaviour() if self.setup.judge else None
        hashes = sorted(task.task_hash for task in self.tasks)
        return digest("collect", self.agent.agent_hash, hashes, self.setup.config.attempts, judge)

    def run(self, attempts: int | None = None) -> Run:
        """Return the run's record, begun now with so many attempts to make; a part does not know them all."""
        config = self.setup.config.model_dump(mode="json")
        now = datetime.now(UTC).isoformat(timespec="seconds")
        run = build_run("collect", config, run_id=self.run_id, started_at=now)
        return scrub(replace(run, attempts=attempts if self.part_of is None else None))

    def ledgers(self, store: Store) -> list[AttemptLedger]:
        """Load the stored and the pending attempts, task by task."""
        setup = self.setup
        return load_ledgers(self.tasks, self.agent, setup.config.attempts, store, setup.protocol.run_tries)

    @contextmanager
    def sandbox(self) -> Iterator[Sandbox]:
        """Open the sandbox, for as long as this context lasts."""
        sandbox = self.setup.sandbox.open(self.root, self.setup.config.pace.episodes)
        try:
            yield sandbox
        finally:
            sandbox.close()


def load_job(setup: Setup, store: str) -> Job:
    """Read the tasks of a job. Raises InputError where there are none, or where they hold problems."""
    selection = setup.config.tasks
    tasks = find_tasks(
        selection.source, mode=selection.mode, splits=selection.splits, domains=selection.domains,
        limit=selection.limit, seed=selection.seed, lenient=setup.protocol.lenient_tasks,
    )  # fmt: skip
    by_hash = {task.task_hash: task for task in tasks}
    if not by_hash:
        raise InputError(f"no tasks in {selection.source} of that mode, split and domain")
    root = selection.root
    return Job(setup, tuple(with_defects(by_hash.values(), root)), root, store)


def sole_collection(store: Store, agent: Agent) -> AbstractContextManager[None]:
    """Hold a store against other collections of this agent. Raises InputError where there is one."""
    advice = "wait for its end and go on with --resume, or choose another --store"
    return sole_recorder(store, agent, "collection", advice)


def check_resume(job: Job, ledgers: list[AttemptLedger], resume: bool) -> None:
    """Check that ``resume`` is set where the store has attempts of this job. Raises InputError."""
    stored = sum(len(ledger.stored) for ledger in ledgers)
    if stored and not resume:
        raise InputError(
            f"{job.store} has {stored} attempts of this agent at these tasks already; --resume makes those "
            "that are still to be made, another store starts anew"
        )
