"""Thirty in a hundred requests break, and nothing is lost, doubled, or blamed on the model."""

import contextlib
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from eops_traj.collect.config import load_setup
from eops_traj.collect.job import load_job
from eops_traj.collect.run import collect
from eops_traj.collect.stats import RunStats
from eops_traj.schema import Episode
from eops_traj.store.store import Store
from tests.collect import case_tasks, fake_endpoint

TASKS = 80


@contextlib.contextmanager
def served_gym() -> Iterator[str]:
    """The CSM server in a process of its own: its address."""
    command = [sys.executable, "-m", "eops_traj.cli", "gym", "serve", "--server", "csm", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        try:
            yield process.stderr.readline().split()[-1].removesuffix("/mcp")
        finally:
            process.kill()


def work(
    at: Path, name: str, tasks: Path, model: str, gym: str, timeout: float
) -> tuple[RunStats, list[Episode]]:
    """A collection through these addresses, and what it stored."""
    settings = {
        "tasks": {"source": str(tasks)},
        "orchestrator": {"name": "react"},
        "models": {
            "executor": {
                "kind": "openai_api",
                "model": "clerk",
                "base_url": f"{model}/v1",
                "timeout": timeout,
            }
        },
        "sandbox": {"kind": "remote", "urls": {"csm": gym}, "timeout": timeout},
        "requests": {"failures": 8, "pause": 0.05},
        "pace": {"episodes": 24, "retries": 20},
        "check": "none",
    }
    path = at / f"{name}.yaml"
    path.write_text(yaml.safe_dump(settings))
    stats = collect(load_job(load_setup(path), str(at / name)))
    with Store.open(at / name) as store:
        return stats, list(store.episodes())


def verdicts(episodes: list[Episode]) -> dict[str, tuple[object, ...]]:
    """What came of each task, errors left out."""
    return {
        e.task_id: (e.outcome, e.success_parity, e.response, [v.passed_strict for v in e.verdicts])
        for e in episodes
        if e.outcome != "error"
    }


@pytest.mark.slow
def test_chaos(tmp_path: Path):
    tasks = case_tasks.write_tasks(tmp_path / "tasks", TASKS)
    with fake_endpoint.run_endpoint("4") as model, served_gym() as gym:
        quiet, calm = work(tmp_path, "quiet", tasks, model, gym, 60.0)
        assert quiet.outcomes == {"success": TASKS}
        with fake_endpoint.run_endpoint("0.3", "7", model, gym, module="tests.collect.faulty_proxy") as url:
            stats, wild = work(tmp_path, "wild", tasks, url, url, 1.5)

    assert stats.settled == TASKS and stats.given_up == 0
    assert sum(stats.traffic.failures.values()) > 0.15 * stats.traffic.requests
    assert set(stats.traffic.failures) >= {"throttled", "server", "timeout", "connection", "garbled"}

    good = [e for e in wild if e.outcome != "error"]
    assert Counter(e.task_id for e in good) == dict.fromkeys((e.task_id for e in calm), 1)
    assert len({e.episode_id for e in wild}) == len(wild) == stats.episodes
    assert verdicts(wild) == verdicts(calm)
    assert all(len(e.tool_calls()[-1].changes) == 1 for e in good)

    replaced = {e.supersedes for e in wild} - {None}
    errors = [e for e in wild if e.outcome == "error"]
    assert {e.episode_id for e in errors} == replaced
    assert all(
        str(e.error).startswith(("sandbox: ", *(f"{k}: " for k in stats.traffic.failures))) for e in errors
    )
    assert all(e.success_strict is None and e.success_parity is None for e in errors)
