"""Programs that work cases, and attempts that they make."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from eops_traj.collect.orchestrator import configure
from eops_traj.schema import Episode, Task
from tests.collect.attempts import attempt

HERE = Path(__file__).parent
PLAIN, OFFICIAL = HERE / "plain_agent.py", HERE / "mcp_agent.py"


def worked(*run: str, limits: Any = None, **options: Any) -> Episode:
    """The episode that a program leaves of the task of case 5."""
    orchestrator = configure("command", {"run": list(run), **options}).orchestrator
    return attempt((), orchestrator=orchestrator, **({"limits": limits} if limits else {}))


def of_task(task: Task, *run: str) -> Episode:
    """The episode that a program leaves of another task."""
    orchestrator = configure("command", {"run": list(run)}).orchestrator
    return attempt((), of=task, orchestrator=orchestrator)


def shell(script: str, **options: Any) -> Episode:
    """The episode that a shell script leaves."""
    return worked("sh", "-c", script, **options)


def plain(*arguments: str, **options: Any) -> Episode:
    """The episode of the small agent."""
    return worked(sys.executable, str(PLAIN), *arguments, **options)


def running(word: str) -> list[str]:
    """The processes with this word in their command, zombies aside."""
    listed = subprocess.run(["ps", "-ww", "-eo", "stat=,pid=,args="], capture_output=True, text=True).stdout
    own = str(os.getpid())
    return [
        line
        for line in listed.splitlines()
        if word in line and line[0] != "Z" and own not in line.split()[:2]
    ]
