"""What takes long to make and many tests read: made once in a test run, by whichever process asks first."""

import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from filelock import FileLock

from eops_traj.cli.main import main
from eops_traj.hashing import digest
from eops_traj.taskgen.suites import Suite
from eops_traj.workspace.make import make_workspace

RUN = "EOPS_TRAJ_TEST_RUN"
"""The variable that names the folder of a test run, which its processes share."""
SUITE = Suite("quick", {"hr": 14})
"""As many tasks of one domain as a working folder has."""


def begin_run() -> bool:
    """Make the folder of a test run; return False in a process that belongs to one already."""
    if RUN in os.environ:
        return False
    os.environ[RUN] = tempfile.mkdtemp(prefix="eops-traj-tests-")
    return True


def end_run() -> None:
    """Remove the folder of the test run."""
    shutil.rmtree(os.environ.pop(RUN), ignore_errors=True)


def made(name: str, make: Callable[[Path], object]) -> Path:
    """Return the folder of this name, filled by ``make`` where it is not there yet. Nobody changes it."""
    run = Path(os.environ[RUN])
    with FileLock(run / f"{name}.lock"):
        if not (run / name).exists():
            begun = Path(tempfile.mkdtemp(dir=run)) / name
            make(begun)
            begun.rename(run / name)
    return run / name


def made_tasks(arguments: Sequence[object]) -> Path:
    """Return the folder that ``eops-traj tasks make`` writes with these arguments, without ``--out``."""
    words = ["tasks", "make", *map(str, arguments)]
    return made(f"tasks-{digest(*words)[:12]}", lambda out: run_command(*words, "--out", out))


def made_workspace() -> Path:
    """Return a working folder with the tasks of `SUITE`."""
    return made("workspace", lambda out: make_workspace(out, SUITE))


def expert_store(tasks: Path) -> Path:
    """Return a store of the expert's episodes, one for each task of a folder of `made_tasks`."""
    options = (f"tasks.source={tasks}", "tasks.splits=[]", "attempts=1")
    return made(
        f"expert-{tasks.name}", lambda out: run_command("collect", "collect_expert", "--store", out, *options)
    )


def run_command(*arguments: object) -> None:
    """Run the command line in this process. Raises AssertionError where it fails."""
    try:
        main([str(argument) for argument in arguments])
    except SystemExit as stop:
        assert not stop.code, f"{arguments} exits with {stop.code}"
