"""Waiting for what another thread or process is about to do."""

import time
from collections.abc import Callable

PATIENCE = 60.0
"""Seconds for what takes a moment where no thread stands still."""


def eventually(true: Callable[[], bool], seconds: float = PATIENCE) -> bool:
    """Return whether a condition comes to hold within a time."""
    until = time.monotonic() + seconds
    while not (holds := true()) and time.monotonic() < until:  # asked once more it may hold no longer
        time.sleep(0.005)
    return holds
