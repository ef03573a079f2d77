"""Twenty tasks at once, and a collection that is killed: every attempt once, and no program outlives it."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from eops_traj.schema import Episode
from eops_traj.store.store import Store
from tests.collect.case_tasks import write_tasks
from tests.collect.test_run import journal_size
from tests.collectors.agents.command.programs import PLAIN, running
from tests.waiting import eventually


def config(tmp_path: Path, *arguments: str, count: int = 20, **pace: Any) -> Path:
    """A config of the small agent at so many tasks."""
    settings = {
        "tasks": {"source": str(write_tasks(tmp_path / "tasks", count))},
        "orchestrator": {"name": "command", "run": [sys.executable, str(PLAIN), *arguments]},
        "pace": {"episodes": 50, **pace},
    }
    path = tmp_path / "command.yaml"
    path.write_text(yaml.safe_dump(settings))
    return path


def episodes(store: Path) -> list[Episode]:
    with Store.open(str(store)) as opened:
        return list(opened.episodes())


def test_twenty_tasks_in_parallel(tmp_path: Path, cli: Callable) -> None:
    ran = cli("collect", config(tmp_path), "--store", tmp_path / "store", "--json")
    assert ran.code == 0, ran.err
    made = episodes(tmp_path / "store")
    assert {episode.outcome for episode in made} == {"success"}
    assert len({episode.task_id for episode in made}) == len(made) == 20
    for episode in made:
        assert episode.response == f"Case {int(episode.task_id[-3:])} is done."
        assert all(str(int(episode.task_id[-3:])) in call.arguments for call in episode.tool_calls())
    verified = json.loads(cli("verify", "--store", tmp_path / "store", "--json").out)
    assert (verified["episodes"], verified["changed"]) == (20, 0), "verified again, no label changes"
    assert (made[0].model, made[0].orchestrator) == (Path(sys.executable).name, "command")
    assert str(PLAIN.parent) not in made[0].settings and "plain_agent.py@" in made[0].settings


def allow(folder: Path, *names: str) -> str:
    """Let so many agents that wait at a folder write; its path is in their commands."""
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / name).touch()
    return str(folder)


def test_a_killed_collection_leaves_no_process_and_doubles_nothing(tmp_path: Path, cli: Callable) -> None:
    agents = allow(tmp_path / "allowed", *"ab")
    path, store = config(tmp_path, agents, count=8, episodes=4), tmp_path / "store"
    command = [sys.executable, "-m", "eops_traj.cli", "collect", str(path), "--store", str(store)]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    eventually(lambda: journal_size(store) == 2 and len(running(agents)) >= 4, 120)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert journal_size(store) == 2 and eventually(lambda: not running(agents)), running(agents)
    allow(tmp_path / "allowed", *"cdefgh")
    ran = cli("collect", path, "--store", store, "--resume", "--json")
    assert ran.code == 0, ran.err
    made = episodes(store)
    assert sorted(episode.task_id for episode in made) == [f"case_{n:03}" for n in range(1, 9)]
    assert {(episode.outcome, episode.attempt) for episode in made} == {("success", 1)}


def test_a_missing_program_is_told_before_anything_is_written(tmp_path: Path, cli: Callable) -> None:
    path = config(tmp_path, count=1)
    broken = path.read_text().replace(sys.executable, "no-such-program")
    path.write_text(broken)
    for command in ("doctor", "collect"):
        ran = cli(command, path, "--store", tmp_path / "store")
        assert ran.code == 2 and "no program 'no-such-program'" in ran.err
    assert not (tmp_path / "store").exists()


@pytest.mark.slow
def test_a_second_interrupt_ends_the_programs(tmp_path: Path) -> None:
    agents = allow(tmp_path / "allowed")
    path = config(tmp_path, agents, count=4, episodes=4)
    command = [sys.executable, "-m", "eops_traj.cli", "collect", str(path), "--store", str(tmp_path / "s")]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
    assert eventually(lambda: len(running(agents)) >= 4, 120)
    first = time.monotonic()
    while process.poll() is None and time.monotonic() < first + 60:  # two that wait are one
        os.kill(process.pid, signal.SIGINT)
        time.sleep(0.3)
    process.communicate(timeout=60)
    assert process.returncode == 130 and eventually(lambda: not running(agents))
