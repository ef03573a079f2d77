"""Suites of this project's own, made at their first use and kept in the user's cache."""

import os
import re
from importlib.metadata import version
from pathlib import Path

from eops_traj.errors import FormatError
from eops_traj.gym.registry import SERVERS
from eops_traj.schema import Task
from eops_traj.taskgen.build import build_suite
from eops_traj.taskgen.save import save_suite
from eops_traj.taskgen.suites import LARGEST_SEED, Suite, find_suite
from eops_traj.tasks.hub import read_hub
from eops_traj.tasks.summary import stats
from eops_traj.workers.engine import Engine


def suite_tasks(name: str, mode: str) -> list[Task]:
    """Load the tasks of a suite in a mode: ``quick``, or with a seed ``quick@3``.

    Raises UnknownName for a suite that there is none of, FormatError for a seed that is no number, or out of
    range, and for the suite of a server of one's own: what is kept would not follow its changes.
    """
    name, _, seed = name.partition("@")
    if seed and not re.fullmatch(r"\d{1,16}", seed):
        raise FormatError(f"suite:{name}@{seed}: the seed is a number from 0 to {LARGEST_SEED}")
    if name in SERVERS.own:
        raise FormatError(
            f"suite:{name}: make a folder of it: eops-traj tasks make --suite {name} --out FOLDER"
        )
    suite = find_suite(name)
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "eops-traj"
    folder = cache / f"{name}-{int(seed or 0)}-{version('eops-traj')}"
    if not folder.exists():
        _make(suite, int(seed or 0), folder)
    return read_hub(folder / "hub", mode)


def _make(suite: Suite, seed: int, folder: Path) -> None:
    """Make a suite; where another process was sooner its suite is taken, which is the same."""
    built = build_suite(suite, seed, Engine(2))
    try:
        save_suite(built.tasks, folder, stats(built.tasks), seeds=False)
    except (FormatError, OSError):
        if not folder.exists():
            raise
