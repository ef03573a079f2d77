"""Processes that share the work of a suite: they count what is done, and end without a word when it ends."""

import os
import signal
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from multiprocessing import get_context, parent_process
from typing import Any, TypeVar

Work = TypeVar("Work")
Result = TypeVar("Result")
LOOK = 0.5
"""Seconds between two looks at what is done."""
_counter: Any = None


def worker_pool(workers: int, counter: Any = None) -> ProcessPoolExecutor:
    """Return a pool of fresh processes, the same on every system; ``counter`` is what they count in."""
    return ProcessPoolExecutor(workers, get_context("spawn"), initializer=_start, initargs=(counter,))


def counted_map(
    work: Callable[[Work], Result], parts: Sequence[Work], workers: int, done: Callable[[int], None]
) -> Iterable[Result]:
    """Return the result of each part in order; ``done`` is told as the parts count (`count_done`)."""
    counter = get_context("spawn").Value("l", 0)
    told = 0
    with worker_pool(workers, counter) as pool:
        waiting = results = [pool.submit(work, part) for part in parts]
        while waiting:
            waiting = list(wait(waiting, LOOK, FIRST_COMPLETED).not_done)
            done(counter.value - told)
            told = counter.value
        return [result.result() for result in results]


def count_done(count: int) -> None:
    """Count what this process has done; nothing where no one counts."""
    if _counter is not None:
        with _counter.get_lock():
            _counter.value += count


def _start(counter: Any) -> None:
    """Keep the counter; have Ctrl-C, which a terminal sends to every process, end this one at once.

    A user's own servers are looked up, so that what their packages define can be sent here. What that takes
    is imported after Ctrl-C has its meaning: it takes a while, and would end in a traceback.
    """
    global _counter
    signal.signal(signal.SIGINT, lambda *_: os._exit(130))
    threading.Thread(target=_end_with_parent, daemon=True).start()
    from eops_traj.gym.registry import SERVERS

    _counter, _ = counter, SERVERS.own


def _end_with_parent() -> None:
    """End this process with the one that began it, however that ends: its part would be of use to nobody."""
    if parent := parent_process():
        parent.join()
    os._exit(1)
