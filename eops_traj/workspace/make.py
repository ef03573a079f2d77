"""A working folder: tasks of every domain, the configs with all their keys, a page of the next commands.

::

    DIR/suite/      tasks to do and to decline, in all splits, as `eops-traj tasks make` writes them
    DIR/configs/    a copy of every committed config, which goes before the committed one of its name
    DIR/README.md   the next commands
"""

import shutil
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

from eops_traj.config import CONFIGS
from eops_traj.errors import FormatError
from eops_traj.files import folders_made, require_no_file
from eops_traj.taskgen.build import build_suite
from eops_traj.taskgen.save import save_suite
from eops_traj.taskgen.suites import Suite, find_suite
from eops_traj.tasks.summary import stats
from eops_traj.workers.engine import HERE, Engine
from eops_traj.workspace.config_page import config_page

TASKS = 112
"""Tasks of a working folder: the fewest with an infeasible one among the test tasks of each domain."""
PART = ".init"


def default_suite(tasks: int = TASKS) -> Suite:
    """Return the suite of a working folder: all domains alike, in all splits."""
    return find_suite("quick").scaled(tasks)


def make_workspace(
    folder: Path, suite: Suite, seed: int = 0, engine: Engine = HERE, *, seeds: bool = False,
    done: Callable[[int], None] = lambda count: None,
) -> dict[str, Any]:  # fmt: skip
    """Make a working folder whole or not at all, and return the figures of its tasks.

    With ``seeds`` the databases lie beside the tasks as SQL, which servers outside this process need.
    Raises FormatError where the folder holds something already.
    """
    check_empty(folder)
    part = folder / PART
    shutil.rmtree(part, ignore_errors=True)  # of an interrupted one
    with folders_made(part):  # before the tasks, which take minutes
        built = build_suite(suite, seed, engine, done)
        counts = stats(built.tasks)
        save_suite(built.tasks, part / "suite", {"suite": suite.name, "seed": seed, **counts}, seeds=seeds)
        write_configs(part / "configs")
        readme = files(__package__).joinpath("start.md").read_text(encoding="utf-8")
        (part / "README.md").write_text(readme, encoding="utf-8")
        for path in sorted(part.iterdir()):
            path.rename(folder / path.name)
    return counts


def check_empty(folder: Path) -> None:
    """Raise FormatError where a folder holds anything but the rest of an interrupted `make_workspace`."""
    require_no_file(folder)
    if folder.exists() and any(path.name != PART for path in folder.iterdir()):
        raise FormatError(f"{folder} is not empty; name a folder that is not there yet")


def write_configs(folder: Path) -> None:
    """Write every committed config, the keys that it leaves out in comments below it."""
    folder.mkdir()
    for path in sorted(CONFIGS.glob("*.yaml")):
        (folder / path.name).write_text(config_page(path), encoding="utf-8")
