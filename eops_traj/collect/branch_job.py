"""A job of branching: which points of a store's episodes, how many alternatives at each, and the work."""

import asyncio
from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace

from eops_traj.collect.attempt import Workplace
from eops_traj.collect.branch_points import POINTS, Point
from eops_traj.collect.branching import Branch, Continued, Standing, make_branch
from eops_traj.collect.episode_builder import Owed
from eops_traj.collect.job import Job
from eops_traj.collect.model_clients import open_models
from eops_traj.collect.pending import Ledger, Past, may_retry
from eops_traj.collect.preconditions import examine, refuse
from eops_traj.collect.progress import watched
from eops_traj.collect.run import interruptible, workplace
from eops_traj.collect.stats import Tally
from eops_traj.collect.writer import Writer
from eops_traj.errors import EopsError, InputError, UnknownName
from eops_traj.hashing import canonical_json, digest
from eops_traj.sandbox.replay import Diverged
from eops_traj.schema import Json, Run
from eops_traj.store.store import Store


@dataclass(frozen=True)
class Choice:
    """Which points are branched, and how often."""

    at: str = "divergence"
    alternatives: int = 1
    episodes: tuple[str, ...] = ()
    """Their ids; every episode of the runs where none is named."""
    runs: tuple[str, ...] = ()
    """The ids of the runs; every run of the store where none is named."""
    limit: int | None = None
    """The most points, spread evenly over those there are."""

    def __post_init__(self) -> None:
        """Raises UnknownName for points that there are none of."""
        if self.at not in POINTS:
            raise UnknownName("branch point", self.at, POINTS)

    def points(self, store: Store) -> list[Point]:
        """The branch points of a store. Episodes that failed to run, and branches themselves, have none.

        Raises InputError for a named episode that is not there, or is one of those.
        """
        import polars as pl

        known = store.scan().filter(pl.col("parent").is_null() & (pl.col("outcome") != "error"))
        wanted = known.filter(pl.col("run_id").is_in(self.runs)) if self.runs else known
        tasks = wanted.filter(pl.col("episode_id").is_in(self.episodes)) if self.episodes else wanted
        siblings = wanted.join(tasks.select("task_hash").unique(), on="task_hash", how="semi")
        ids = siblings.sort("task_hash", "attempt", "episode_id").select("episode_id").collect()
        found = list(store.episodes(ids["episode_id"].to_list()))
        named = set(self.episodes or ids["episode_id"])
        if strays := sorted(named - set(ids["episode_id"])):
            raise InputError(f"no episode {strays[0]!r} to branch in {store.url}: none, an error or a branch")
        points = [point for point in POINTS[self.at](found) if point.parent.episode_id in named]
        if self.limit is None or len(points) <= self.limit:
            return points
        return [points[n * len(points) // self.limit] for n in range(self.limit)]


def branch(job: Job, choice: Choice) -> tuple[Tally, list[str]]:
    """Branch the episodes of the job's store with its agent; what that came to, and which points diverged.

    What the store has of it already is not made again. Raises InputError, before anything is written, where
    a check fails, the orchestrator cannot go on from a middle, or there is no point to branch at.
    """
    return asyncio.run(_branch(job, choice))


async def _branch(job: Job, choice: Choice) -> tuple[Tally, list[str]]:
    tally = Tally()
    with Store.open(job.store) as store, job.sandbox() as sandbox:
        branches = _branches(job, choice, store)
        Continued(job.setup.made.orchestrator, branches[0].point)
        async with open_models(job.setup, tally.traffic) as models:
            refuse(await examine(job, sandbox, models))
            with Writer(store, _run(job, choice)) as writer:
                at = replace(workplace(job, sandbox, models), run_id=_run(job, choice).run_id)
                brancher = Brancher(at, writer, tally, choice.alternatives, job.setup.config.pace.retries)
                async with watched(tally):
                    with interruptible(tally):
                        await brancher.run(branches, job.setup.config.pace.episodes)
    return tally, brancher.diverged


def _branches(job: Job, choice: Choice, store: Store) -> list[Branch]:
    """The chosen points of the job's tasks. Raises InputError where there are none."""
    tasks, past = {task.task_hash: task for task in job.tasks}, _past(job, store)
    points = choice.points(store)
    found = [
        Branch(point, tasks[point.parent.task_hash], past[point.parent.episode_id, point.turn])
        for point in points
        if point.parent.task_hash in tasks
    ]
    if found:
        return found
    if points:
        raise InputError(f"none of the {len(points)} branch points belongs to a task of the config")
    raise InputError(f"no branch point of kind {choice.at} in {store.url}")


def _past(job: Job, store: Store) -> dict[tuple[str, int], list[Past]]:
    """What is stored of this agent's branches, by parent and turn."""
    import polars as pl

    mine = (pl.col("agent_hash") == job.agent.agent_hash) & pl.col("parent").is_not_null()
    columns = ("parent", "branch_turn", "episode_id", "attempt", "supersedes", "error")
    found: dict[tuple[str, int], list[Past]] = defaultdict(list)
    for parent, turn, *known in store.scan().filter(mine).select(columns).collect().iter_rows():
        found[parent, turn].append(Past(*known))
    return found


def _run(job: Job, choice: Choice) -> Run:
    """The run's record: the collection's, with the choice of points in its identity and its config."""
    run = job.run()
    chosen = vars(choice)
    config = Json(canonical_json({"branch": chosen, "collect": run.config}))
    return replace(run, run_id=digest("branch", run.run_id, chosen), kind="branch", config=config)


@dataclass
class Brancher:
    """Works branch points, several at once; the alternatives of one point follow each other."""

    at: Workplace
    writer: Writer
    tally: Tally
    alternatives: int
    retries: int
    diverged: list[str] = field(default_factory=list)
    """The points whose sessions could not be brought back, with the reason."""
    _broken: EopsError | None = None

    @property
    def _stopping(self) -> bool:
        """Whether no more alternatives are begun; those under way are finished."""
        return self._broken is not None or self.tally.interrupted

    async def run(self, branches: Iterable[Branch], at_once: int) -> None:
        """Try every alternative that is owed.

        Raises WorkError for a store that cannot be written, InputError for input that is no use after all.
        """
        ledgers = [(branch, Ledger(branch.task, self.alternatives, branch.past)) for branch in branches]
        queue = deque((branch, ledger, deque(ledger.owed())) for branch, ledger in ledgers)
        self.tally.owed = sum(len(owed) for *_, owed in queue)
        async with asyncio.TaskGroup() as group:
            for _ in range(min(at_once, len(queue))):
                group.create_task(self._worker(queue))
        if self._broken is not None:
            raise self._broken

    async def _worker(self, queue: deque[tuple[Branch, Ledger, deque[Owed]]]) -> None:
        while queue and not self._stopping:
            branch, ledger, owed = queue.popleft()
            async with AsyncExitStack() as stack:
                standing = Standing(self.at.sandbox, branch.point)
                stack.push_async_callback(self.at.sandbox.do, standing.close)
                await self._work(branch, ledger, owed, replace(self.at, sandbox=standing))

    async def _work(self, branch: Branch, ledger: Ledger, owed: deque[Owed], there: Workplace) -> None:
        """Work the alternatives of one point."""
        while owed and not self._stopping:
            self.tally.running += 1
            try:
                owed.extend(await self._one(branch, ledger, owed.popleft(), there))
            except Diverged as error:
                self.diverged.append(f"episode {branch.point.parent.episode_id}: {error}")
                return
            except EopsError as error:
                self._broken = self._broken or error
            finally:
                self.tally.running -= 1

    async def _one(self, branch: Branch, ledger: Ledger, owed: Owed, there: Workplace) -> Sequence[Owed]:
        """Make an alternative and store it; what has to be made in its place, where it ended in an error."""
        made = await make_branch(owed, branch, there)
        await self.writer.put(made)
        error = made.episode.error
        again = error is not None and may_retry(error) and owed.tries <= self.retries
        self.tally.count(made.episode, again)
        return [ledger.retry(owed, made.episode.episode_id)] if again else []
