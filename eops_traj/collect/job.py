"""A job: a config with its tasks, and the store that it fills."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

from eops_traj import __version__
from eops_traj.collect.config import Setup
from eops_traj.collect.pending import Ledger, ledgers
from eops_traj.errors import InputError
from eops_traj.hashing import canonical_json, digest
from eops_traj.privacy.redact import scrub
from eops_traj.sandbox.options import Sandbox
from eops_traj.schema import Agent, Json, Run, Task
from eops_traj.store.store import Store
from eops_traj.tasks import find_tasks
from eops_traj.tasks.catalog import root_of


@dataclass(frozen=True)
class Job:
    """What is to be collected, and where it is stored."""

    setup: Setup
    tasks: tuple[Task, ...]
    root: Path | None
    store: str
    part_of: str | None = None
    """The run of which this is a part, where it is."""

    @cached_property
    def agent(self) -> Agent:
        """Who works."""
        return self.setup.agent

    @cached_property
    def run_id(self) -> str:
        """Identity by content: who works which tasks how often, and who judges; not where or how fast."""
        if self.part_of is not None:
            return self.part_of
        judge = self.setup.judge.behaviour() if self.setup.judge else None
        hashes = sorted(task.task_hash for task in self.tasks)
        return digest("collect", self.agent.agent_hash, hashes, self.setup.config.attempts, judge)

    def run(self) -> Run:
        """The run's record, begun now."""
        config = Json(canonical_json(self.setup.config.model_dump(mode="json")))
        now = datetime.now(UTC).isoformat(timespec="seconds")
        run = Run(run_id=self.run_id, kind="collect", config=config, started_at=now, version=__version__)
        return scrub(run)

    def ledgers(self, store: Store) -> list[Ledger]:
        """What there is and what is owed, task by task."""
        return ledgers(self.tasks, self.agent, self.setup.config.attempts, store)

    @contextmanager
    def sandbox(self) -> Iterator[Sandbox]:
        """The sandbox, for as long as this context lasts."""
        sandbox = self.setup.config.sandbox.open(self.root, self.setup.config.pace.episodes)
        try:
            yield sandbox
        finally:
            sandbox.close()


def load_job(setup: Setup, store: str) -> Job:
    """The job with its tasks read. Raises InputError where there are none, or where they hold problems."""
    chosen = setup.config.tasks
    found = find_tasks(
        chosen.source, mode=chosen.mode, splits=chosen.splits, domains=chosen.domains,
        limit=chosen.limit, seed=chosen.seed,
    )  # fmt: skip
    tasks = {task.task_hash: task for task in found}
    if not tasks:
        raise InputError(f"no tasks in {chosen.source} of that mode, split and domain")
    return Job(setup, tuple(tasks.values()), root_of(chosen.source), store)


def check_resume(job: Job, owed: list[Ledger], resume: bool) -> None:
    """Raises InputError where the store has attempts of this job and nobody said ``resume``."""
    there = sum(len(ledger.past) for ledger in owed)
    if there and not resume:
        raise InputError(
            f"{job.store} has {there} attempts of this agent at these tasks already; --resume makes those "
            "that are still owed, another store starts anew"
        )
