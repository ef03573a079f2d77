"""Where heavy work is done, and how it is shared out: the results come in order, wherever each was made."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, as_completed, wait
from dataclasses import dataclass
from itertools import chain, islice
from multiprocessing import get_context
from typing import Any, TypeVar

from eops_traj.errors import UnknownName
from eops_traj.workers.processes import counted_call, counting, deaths_told, worker_pool

Work = TypeVar("Work")
Result = TypeVar("Result")
ENGINES = ("processes", "ray")
"""The kinds: processes of this machine, or tasks of a Ray cluster (RAY_ADDRESS, else this machine alone)."""
AHEAD = 3
"""Batches a worker that are under way or wait to be taken: what is read and kept has a bound."""
FEW = 4
"""Batches that this process does by itself in the time that others take to start."""
LOOK = 0.5
"""Seconds between two looks at what is done."""


@dataclass(frozen=True)
class Engine:
    """So many workers of a kind. One process is this one. Raises UnknownName for another kind."""

    workers: int = 1
    kind: str = "processes"

    def __post_init__(self) -> None:
        """Check the kind, before anything is begun."""
        if self.kind not in ENGINES:
            raise UnknownName("engine", self.kind, ENGINES)

    def open(self, counter: Any = None) -> Executor:
        """Open the workers. Processes count what they do in ``counter``. Raises InputError without Ray."""
        if self.kind == "processes":
            return worker_pool(self.workers, counter)
        from eops_traj.workers.ray_tasks import RayTasks

        return RayTasks(self.workers)

    def map(
        self, work: Callable[[Work], Result], items: Iterable[Work], together: int = 1
    ) -> Iterator[Result]:
        """Yield the result of each item, in order; ``together`` items are given to a worker at once.

        Items given together should take about half a second: processes are not begun for less than a few
        times as much. ``work`` and items are pickled: it is a function of a module, or a partial of one.
        What it raises is raised here, in its turn, and the rest is not begun. Raises WorkError where a worker
        was killed.
        """
        left = iter(items)
        batches = iter(lambda: list(islice(left, together)), [])
        first = list(islice(batches, FEW)) if self.kind == "processes" else []
        if self.kind == "processes" and (self.workers == 1 or len(first) < FEW):
            return map(work, chain(chain.from_iterable(first), left))
        return self._map_batches(work, chain(first, batches))

    def _map_batches(self, work: Callable[[Work], Result], batches: Iterator[list[Work]]) -> Iterator[Result]:
        pool = self.open()
        try:
            with deaths_told():
                waiting = deque(_submit(pool, work, islice(batches, AHEAD * self.workers)))
                while waiting:
                    yield from waiting.popleft().result()
                    waiting.extend(_submit(pool, work, islice(batches, 1)))
        finally:
            pool.shutdown(cancel_futures=True)

    def counted(
        self, work: Callable[[Work], Result], parts: Sequence[Work], done: Callable[[int], None]
    ) -> list[Result]:
        """Return the result of each part, in order; ``done`` is told what the parts count (`count_done`).

        The workers of a cluster have no counter in common: what they do is seen when they end. Raises
        WorkError where a worker was killed.
        """
        if self.kind == "ray":
            return self._counted_at_ends(work, parts, done)
        if self.workers == 1:
            with counting(done):
                return [work(part) for part in parts]
        counter = get_context("spawn").Value("l", 0)
        told = 0
        with deaths_told(), self.open(counter) as pool:
            waiting: Iterable[Future[Result]]
            waiting = results = [pool.submit(work, part) for part in parts]
            while waiting:
                waiting = list(wait(waiting, LOOK, FIRST_COMPLETED).not_done)
                count = counter.value  # read once: it goes on while it is told
                done(count - told)
                told = count
            return [result.result() for result in results]

    def _counted_at_ends(
        self, work: Callable[[Work], Result], parts: Sequence[Work], done: Callable[[int], None]
    ) -> list[Result]:
        with self.open() as pool:
            results = [pool.submit(counted_call, work, part) for part in parts]
            for result in as_completed(results):
                done(result.result()[1])
            return [result.result()[0] for result in results]


HERE = Engine()
"""This process alone."""


def _submit(
    pool: Executor, work: Callable[[Work], Result], batches: Iterable[list[Work]]
) -> list["Future[list[Result]]"]:
    return [pool.submit(_each, work, batch) for batch in batches]


def _each(work: Callable[[Work], Result], batch: list[Work]) -> list[Result]:
    return [work(item) for item in batch]
