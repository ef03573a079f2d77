"""Waiting for what another thread or process is about to do."""

import time
from collections.abc import Callable


def eventually(true: Callable[[], bool], seconds: float = 10) -> bool:
    """Return whether a condition comes to hold within a time."""
    until = time.monotonic() + seconds
    while not true() and time.monotonic() < until:
        time.sleep(0.005)
    return true()
