"""The cost of collecting beside the model: processor time an episode, episodes a second, memory.

    python -m benchmarks.collect [EPISODES]

The model is a stand-in in another process that answers at once, over the OpenAI API. An episode is 10 model
turns and 9 tool calls, its tools and results about as large as the benchmark's; everything is counted that
the collecting process does, from the first request to the episode in its Delta table. Each line is a process
of its own; start-up (imports, the first company, the checks) is measured with a collection of a few episodes
and taken off. The remote sandbox is ``gym serve`` in a process of its own, which is not counted. On a machine
that others use too the figures are worse than they need be: processor time grows with their load.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.gym import serving
from tests.collect import case_tasks, fake_endpoint

EPISODES, FEW, TASKS = 600, 40, 200
AT_ONCE = (1, 16, 64, 256)
BUDGET = {"embedded": 0.025, "remote": 0.05}
"""Seconds of processor time an episode may cost."""


def collect(config: Path, store: Path, overrides: list[str]) -> dict[str, Any]:
    """Collect in this process; return the number of episodes, processor and wall seconds, peak megabytes."""
    from eops_traj.collect.config import load_setup
    from eops_traj.collect.job import load_job
    from eops_traj.collect.run import collect

    job = load_job(load_setup(config, overrides), str(store))
    cpu, wall = time.process_time(), time.perf_counter()
    stats = collect(job)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    assert stats.pass_rate == 1.0, stats.report()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"episodes": stats.settled, "cpu": cpu, "wall": wall, "peak": peak}


def collect_in_process(config: Path, store: Path, episodes: int, *overrides: str) -> dict[str, Any]:
    """Collect in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.collect", "one", str(config), str(store)]
    command += [f"attempts={-(-episodes // TASKS)}", f"tasks.limit={min(episodes, TASKS)}", *overrides]
    finished = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    measured: dict[str, Any] = json.loads(finished.stdout)
    return measured


def measure(
    config: Path, scratch: Path, episodes: int, name: str, *overrides: str
) -> tuple[float, float, float]:
    """Measure processor seconds an episode, episodes a second, and peak megabytes."""
    few = collect_in_process(config, scratch / f"{name}-few", FEW, *overrides)
    many = collect_in_process(config, scratch / name, episodes, *overrides)
    more = many["episodes"] - few["episodes"]
    return (many["cpu"] - few["cpu"]) / more, more / (many["wall"] - few["wall"]), many["peak"]


def configs(scratch: Path, model: str, gym_url: str) -> dict[str, Path]:
    """Write a config for each kind of sandbox."""
    tasks = case_tasks.write_tasks(scratch / "tasks", TASKS)
    sandboxes: dict[str, dict[str, Any]] = {
        "embedded": {"kind": "embedded"},
        "remote": {"kind": "remote", "urls": {"csm": gym_url}},
    }
    paths = {}
    for kind, sandbox in sandboxes.items():
        settings = {
            "tasks": {"source": str(tasks)},
            "orchestrator": {"name": "react"},
            "models": {"executor": {"kind": "openai_api", "model": "clerk", "base_url": f"{model}/v1"}},
            "sandbox": sandbox,
            "requests_at_once": 256,
            "check": "none",
        }
        paths[kind] = scratch / f"{kind}.yaml"
        paths[kind].write_text(json.dumps(settings))
    return paths


def main() -> None:
    if sys.argv[1:2] == ["one"]:
        print(json.dumps(collect(Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4:])))
        return
    episodes = int(sys.argv[1]) if len(sys.argv) > 1 else EPISODES
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; {episodes} episodes a line")
    served = serving("csm", "--max-databases", "1000")
    with tempfile.TemporaryDirectory() as folder, fake_endpoint.run_endpoint() as model, served as (url, _):
        scratch = Path(folder)
        for kind, config in configs(scratch, model, url).items():
            for at_once in AT_ONCE:
                name, override = f"{kind}-{at_once}", f"pace.episodes={at_once}"
                cpu, rate, peak = measure(config, scratch, episodes, name, override)
                verdict = "within" if cpu <= BUDGET[kind] else "OVER"
                print(
                    f"{kind:8} {at_once:4} at once: {cpu * 1000:5.1f} ms of processor time an episode "
                    f"({verdict} {BUDGET[kind] * 1000:.0f}), {rate:6.1f} episodes/s, {peak:.0f} MB",
                    flush=True,
                )


if __name__ == "__main__":
    main()
