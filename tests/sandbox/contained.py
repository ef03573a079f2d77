"""What the stand-in's containers run, by the image's repository.

``gym/SERVER`` serves a server of our gym, ``leaky/SERVER`` one that leaves five files open for every database
that it is given, ``changing/SERVER`` one whose every process has another company, ``deaf/SERVER`` runs and
never listens, and any other ends at once.
"""

import os
import resource
import sys
import time
from pathlib import Path
from typing import Any

import eops_traj.gym.http.app  # noqa: F401 - so that a fork has it already
from eops_traj.cli import gym
from eops_traj.gym import registry
from eops_traj.gym.http.databases import Databases
from eops_traj.gym.server import Server

LEAKED = 5
registry.server("csm").template()  # made once, before the forks


def leak() -> None:
    """Have every seeding leave files open."""
    seed = Databases.seed

    async def leaking(self: Databases, server: Server, database_id: str, sql: str) -> Any:
        for _ in range(LEAKED):
            os.open(os.devnull, os.O_RDONLY)
        return await seed(self, server, database_id, sql)

    Databases.seed = leaking  # type: ignore[assignment]


def change() -> None:
    """Have a seed come to what no other process makes of it."""
    seed = Databases.seed

    async def changing(self: Databases, server: Server, database_id: str, sql: str) -> Any:
        name = "A" * (os.getpid() % 1000 + 1)
        extra = f"INSERT INTO user VALUES (5, '{name}', 'B', 'a@b', NULL, 'agent', NULL, 1, '', '');"
        return await seed(self, server, database_id, sql + extra)

    Databases.seed = changing  # type: ignore[assignment]


def main(repository: str, port: int, log: Path, open_files: int) -> None:
    """Run the image of this repository on a port, its output in a log."""
    with log.open("wb") as out:
        os.dup2(out.fileno(), 1)
        os.dup2(out.fileno(), 2)
    most = min(open_files, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    *_, kind, server = ["", *repository.split("/")]
    if kind == "deaf":
        time.sleep(600)
    if kind not in KINDS:
        sys.exit(f"contained: nothing to run in {repository}")
    KINDS[kind]()
    gym.serve(server=[server], port=port)


KINDS = {"gym": lambda: None, "leaky": leak, "changing": change}
