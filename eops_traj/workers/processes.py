"""Processes that share work: they count what is done, and end without a word when it ends."""

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing import get_context, parent_process
from typing import Any, ParamSpec, TypeVar

from eops_traj.errors import WorkError
from eops_traj.workers.uninterrupted import uninterrupted

Work = TypeVar("Work")
Result = TypeVar("Result")
Given = ParamSpec("Given")


def _uncounted(count: int) -> None:
    """Count nothing: no one asks."""


_done: Callable[[int], None] = _uncounted


class _Pool(ProcessPoolExecutor):
    """Processes that Ctrl-C reaches once `_start` can take it: Python's own start would print a traceback."""

    def submit(
        self, fn: Callable[Given, Result], /, *args: Given.args, **kwargs: Given.kwargs
    ) -> Future[Result]:
        """Submit a call. A process that is begun for it is begun whole, with Ctrl-C blocked as it is here."""
        with uninterrupted():
            before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            try:
                return super().submit(fn, *args, **kwargs)
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)


def worker_pool(workers: int, counter: Any = None) -> ProcessPoolExecutor:
    """Return a pool of fresh processes, the same on every system; ``counter`` is what they count in."""
    return _Pool(workers, get_context("spawn"), initializer=_start, initargs=(counter,))


@contextlib.contextmanager
def deaths_told() -> Iterator[None]:
    """Say in one line that a process of a pool was killed. Raises WorkError where it was."""
    try:
        yield
    except BrokenProcessPool:
        raise WorkError("a worker process was killed (out of memory?); fewer --workers take less") from None


def count_done(count: int) -> None:
    """Count what this process has done; nothing where no one counts."""
    _done(count)


@contextlib.contextmanager
def counting(done: Callable[[int], None]) -> Iterator[None]:
    """Tell ``done`` what this process counts until the context ends."""
    global _done
    before, _done = _done, done
    try:
        yield
    finally:
        _done = before


def counted_call(work: Callable[[Work], Result], part: Work) -> tuple[Result, int]:
    """Return the result of a part and what it counted, where no counter is shared with those who wait."""
    counts: list[int] = []
    with counting(counts.append):
        return work(part), sum(counts)


def _add(counter: Any, count: int) -> None:
    with counter.get_lock():
        counter.value += count


def _start(counter: Any) -> None:
    """Keep the counter; have Ctrl-C, which a terminal sends to every process, end this one at once.

    A user's own servers are looked up, so that what their packages define can be sent here. What that takes
    is imported after Ctrl-C has its meaning: it takes a while, and Ctrl-C was blocked before.
    """
    global _done
    signal.signal(signal.SIGINT, lambda *_: os._exit(130))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_end_with_parent, daemon=True).start()
    from eops_traj.gym.registry import SERVERS

    _done, _ = _uncounted if counter is None else partial(_add, counter), SERVERS.own


def _end_with_parent() -> None:
    """End this process with the one that began it, however that ends: its part would be of use to nobody."""
    if parent := parent_process():
        parent.join()
    os._exit(1)
