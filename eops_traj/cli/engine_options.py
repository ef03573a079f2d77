"""The options of heavy work: how many workers, and of what kind."""

import os
from typing import Annotated

import typer

from eops_traj.workers.engine import ENGINES, Engine

Workers = Annotated[int, typer.Option(min=0, help="Processes, or workers of a cluster; 0 is one a core.")]
Kind = Annotated[str, typer.Option("--engine", help=f"Where they work: {' or '.join(ENGINES)}.")]
LOCAL = ENGINES[0]
"""The usual kind."""


def engine_of(workers: int, kind: str) -> Engine:
    """Return the engine that was asked for. Raises UnknownName for a kind that there is none of."""
    return Engine(workers or _cores(), kind)


def _cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
