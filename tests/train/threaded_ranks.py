"""Ranks as threads of one process: what they say to one another goes through a list and a barrier."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Barrier
from typing import Any

from eops_traj.train.ranks import Process, Ranks


@dataclass(frozen=True)
class ThreadedRanks(Ranks):
    """A rank that is a thread."""

    values: list[Any] = field(default_factory=list)
    barrier: Barrier = field(default_factory=lambda: Barrier(1))

    @property
    def process(self) -> Process:
        """Take each thread for a process of its own."""
        return "threads", self.index

    def _gather(self, value: Any) -> list[Any]:
        self.values[self.index] = value
        self.barrier.wait(300)
        gathered = list(self.values)
        self.barrier.wait(300)
        return gathered

    def leave(self) -> None:
        """Wait for the others; a thread has nothing to part from."""
        self.wait()

    def _broadcast(self, value: Any) -> Any:
        return self._gather(value)[0]


def on_ranks(count: int, work: Callable[[Ranks], Any]) -> list[Any]:
    """Do work on every rank at once; return what each came to: a result, an error, the end of it."""
    values, barrier = [None] * count, Barrier(count)

    def one(index: int) -> Any:
        try:
            return work(ThreadedRanks(index, count, values, barrier))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - errors are what some tests look at
            return error

    with ThreadPoolExecutor(count) as threads:
        return list(threads.map(one, range(count)))
