"""Processes that share the work of a suite, and end without a word where the program is interrupted."""

import os
import signal
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context


def worker_pool(workers: int) -> ProcessPoolExecutor:
    """Return a pool of fresh processes, the same on every system."""
    return ProcessPoolExecutor(workers, get_context("spawn"), initializer=_end_quietly)


def _end_quietly() -> None:
    """Have Ctrl-C, which a terminal sends to every process, end this one at once and without a word."""
    signal.signal(signal.SIGINT, lambda *_: os._exit(130))
