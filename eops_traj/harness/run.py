"""Collect with the harness: its script is started on the attempts that are owed, and watched.

An episode is in the store as soon as its result file is whole. What is under way when this process ends,
however it ends, is not: the script ends with us, its files are forgotten, and the attempt is owed again.
"""

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory

from eops_traj.bundle import EpisodeBundle
from eops_traj.collect.episode_builder import PendingAttempt
from eops_traj.collect.job import sole_collection
from eops_traj.collect.progress import looked_at
from eops_traj.collect.stats import RunStats
from eops_traj.errors import FormatError, InputError, WorkError
from eops_traj.gym import registry
from eops_traj.harness.episode import harness_episode, unstorable_episode
from eops_traj.harness.job import HarnessJob
from eops_traj.harness.recording import RecordedSession
from eops_traj.harness.served_gym import ServedGym
from eops_traj.harness.staging import Stage, Staged
from eops_traj.interchange.base import HARNESS, open_importer
from eops_traj.interchange.import_files import append_bundles
from eops_traj.llm.child_process import ChildProcess
from eops_traj.schema import Task
from eops_traj.store.store import Store
from eops_traj.workers.uninterrupted import uninterrupted

POLL_SECONDS = 0.2
SHOWN_LINES = 3
"""Lines of the script's log that an error repeats."""
_LOCAL = ("127.0.0.1", "localhost")


@dataclass
class HarnessRun:
    """A collection under way: its counts, and what went wrong with result files."""

    job: HarnessJob
    store: Store
    stats: RunStats = field(default_factory=RunStats)
    problems: list[str] = field(default_factory=list)
    look: Callable[[], None] = lambda: None
    """Shows the counts as they are."""
    _taken: dict[str, RecordedSession] = field(default_factory=dict)
    """What the gym recorded of sessions whose episodes are not stored yet: it gives it once."""

    def work(self, gym: ServedGym, folder: Path, attempts: Sequence[PendingAttempt]) -> None:
        """Have the script work these attempts, which are at different tasks, and store what comes of them."""
        stage = Stage(folder, gym, self.job.root)
        waiting = stage.put(attempts)
        self.stats.running = min(len(waiting), self.job.config.concurrency)
        with self._script(stage, folder) as process:
            try:
                while waiting and process.code is None:
                    with uninterrupted():  # what the gym recorded is given once
                        waiting = self._take(waiting, gym)
                    self.look()
                    time.sleep(POLL_SECONDS)
            finally:  # what is whole is stored, also where someone stops us
                with uninterrupted():
                    waiting = self._take(waiting, gym, last=process.code is not None)
        self.stats.running = 0
        if waiting:
            log = " | ".join(line.strip() for line in process.tail(SHOWN_LINES))
            self.problems.append(f"{len(waiting)} tasks left no result file; the script's log ends: {log}")

    @contextmanager
    def _script(self, stage: Stage, folder: Path) -> Iterator[ChildProcess]:
        """Start the script; when this context is left, it has ended."""
        options = {
            "--configs_folder": stage.tasks,
            "--llm_config": self.job.llm,
            "--output_folder": stage.results,
            "--concurrency": self.job.config.concurrency,
            "--num_runs": 1,
            "--orchestrator": self.job.config.orchestrator,
            **({"--planner_llm_config": self.job.planner_llm} if self.job.planner_llm else {}),
        }
        command = self.job.checkout.command(str(part) for pair in options.items() for part in pair)
        process = ChildProcess(command, folder / "log", _without_proxy())
        try:
            yield process
        finally:
            process.stop()

    def _take(self, waiting: Sequence[Staged], gym: ServedGym, last: bool = False) -> list[Staged]:
        """Store the episodes whose result files are whole, and return the attempts that still wait.

        The ``last`` time, a file that is not whole has a problem.
        """
        left, bundles = [], list[EpisodeBundle]()
        for staged in waiting:
            read = self._read(staged, last) if staged.result.exists() else None
            if read is None:
                left.append(staged)
            else:
                bundles += self._episode(staged, read, self._record(gym, staged.session))
        append_bundles(self.store, bundles)
        self._taken.clear()
        for bundle in bundles:
            self.stats.count(bundle.episode, again=False)
        return left

    def _episode(
        self, staged: Staged, read: EpisodeBundle, record: RecordedSession
    ) -> Iterator[EpisodeBundle]:
        """Yield the episode of a whole result file: where no store can hold it, one that says so.

        There is none where the task alone is what no store can hold. The other files go on in either case.
        """
        task = staged.pending.task
        try:
            yield harness_episode(self.job, staged, read, record)
        except FormatError as error:
            self.problems.append(f"the result file of {task.task_id}: {error}")
            with suppress(FormatError):
                yield unstorable_episode(self.job, staged, read.episode.source, str(error))

    def _record(self, gym: ServedGym, session: str) -> RecordedSession:
        if session not in self._taken:
            self._taken[session] = gym.take(session)
        return self._taken[session]

    def _read(self, staged: Staged, last: bool) -> EpisodeBundle | None:
        try:
            task = replace(staged.pending.task, task_id=staged.session)
            [read] = open_importer(HARNESS, [task]).read(staged.result)
        except (FormatError, ValueError, LookupError, ArithmeticError, RecursionError) as error:
            if last:
                known = isinstance(error, FormatError)
                why = str(error) if known else f"{staged.result}: {type(error).__name__}: {error}"
                self.problems.append(why)
            return None
        return read


def collect_with_harness(job: HarnessJob, *, resume: bool = False) -> RunStats:
    """Make the pending attempts of a job, and return the counts; another call resumes an interrupted one.

    Raises InputError where another collection of this agent is under way in the store, or it has attempts of
    this job and ``resume`` is not set, WorkError where some left no result file, or one that no store can
    hold, once all others are stored.
    """
    with Store.open(job.store, create=True) as store, sole_collection(store, job.agent):
        ledgers = job.ledgers(store)
        if (stored := sum(len(ledger.stored) for ledger in ledgers)) and not resume:
            raise InputError(
                f"{job.store} has {stored} attempts of this agent at these tasks already; --resume makes "
                "those that are still to be made, another store starts anew"
            )
        pending = [attempt for ledger in ledgers for attempt in ledger.take_pending()]
        run = HarnessRun(job, store)
        run.stats.attempts = len(pending)
        try:
            with looked_at(run.stats) as run.look:
                _work_in_turns(run, pending)
        except KeyboardInterrupt:
            run.stats.interrupted = True
        finally:
            store.flush()
    if run.problems and not run.stats.interrupted:
        raise WorkError("; ".join(run.problems) + "; --resume tries them again")
    return run.stats


def _without_proxy() -> dict[str, str]:
    """Return the variables by which the script asks our gym itself, whatever proxy it has for others."""
    return {
        name: ",".join(filter(None, (os.environ.get(name), *_LOCAL))) for name in ("NO_PROXY", "no_proxy")
    }


def servers_of(tasks: Iterable[Task]) -> set[str]:
    """Return the names of the servers that tasks need, as the gym has them. Raises UnknownName."""
    return {registry.server(server.name).name for task in tasks for server in task.servers}


def _work_in_turns(run: HarnessRun, pending: Sequence[PendingAttempt]) -> None:
    """Work the attempts, those of a number together: a start of the script works a task once."""
    ordered = sorted(pending, key=lambda attempt: attempt.attempt)
    with (
        ServedGym(run.job.config.concurrency, servers_of(run.job.tasks)).serving() as gym,
        TemporaryDirectory(prefix="harness-") as folder,
    ):
        for number, attempts in groupby(ordered, key=lambda attempt: attempt.attempt):
            run.work(gym, Path(folder) / str(number), list(attempts))
