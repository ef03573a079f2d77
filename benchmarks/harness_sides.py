"""One side of the comparison with the benchmark's harness: its collection, and what it made of each task."""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from benchmarks.fallible_model import MARK, STRICT, Asked, FallibleModel
from eops_traj.hashing import canonical_json
from eops_traj.schema import Episode, Task
from eops_traj.store.store import Store

HARNESS, OURS = "harness", "ours"
ORCHESTRATORS = {
    "react": "react",
    "planner_react": "benchmark_planner_react",
    "decomposing": "benchmark_decomposing",
}
"""The harness's orchestrators, and ours."""
Facts = Mapping[str, Any]
LINKED = 0.02
"""Seconds between two looks for new result files."""


def harness_settings(suite: Path, name: str, checkout: Path, url: str, folder: Path) -> dict[str, Any]:
    """Return the config of a collection by the harness; its file of models is written into the folder."""
    llm = {"llm_provider": "vllm", "llm_model": "scripted", "llm_api_key": "none", "llm_api_endpoint": url}
    path = folder / f"{name}_llm.json"
    path.write_text(json.dumps(llm))
    tasks = {"source": str(suite)}
    return {"tasks": tasks, "harness": str(checkout), "llm": str(path), "orchestrator": name}


def our_settings(suite: Path, name: str, url: str) -> dict[str, Any]:
    """Return the config of our collection under the benchmark's protocol."""
    return {
        "tasks": {"source": str(suite)},
        "protocol": "benchmark",
        "orchestrator": {"name": ORCHESTRATORS[name]},
        "models": {"executor": {"kind": "openai_api", "model": "scripted", "base_url": url}},
        "requests": {"pause": 0.1},
        "check": "none",
    }


def collect(settings: Mapping[str, Any], folder: Path) -> None:
    """Collect into a store in the folder; the harness's own result files stay beside it."""
    folder.mkdir(parents=True)
    config = folder / "config.yaml"
    config.write_text(yaml.safe_dump(dict(settings)))
    command = [sys.executable, "-m", "eops_traj.cli", "collect", config, "--store", folder / "store"]
    with tempfile.TemporaryDirectory(dir=folder) as scratch, _kept(Path(scratch), folder / "results"):
        done = subprocess.run(
            command, env={**os.environ, "TMPDIR": scratch}, capture_output=True, text=True, check=False
        )
    if done.returncode not in (0, 1):  # 1: some attempts erred, which the model sees to
        raise SystemExit(done.stderr)


@contextlib.contextmanager
def _kept(scratch: Path, results: Path) -> Iterator[None]:
    """Keep the harness's result files, which it drops once they are stored: link them as they appear."""
    results.mkdir()
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(LINKED):
            for path in scratch.glob("harness-*/*/results/run_1/*.json"):
                with contextlib.suppress(OSError):
                    (results / path.name).hardlink_to(path)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()


def facts_by_task(store: Path, tasks: Iterable[Task], model: FallibleModel) -> dict[str, Facts]:
    """Return what a collection made of the tasks, by the numbers in their marks."""
    with Store.open(str(store)) as opened:
        last = {episode.task_id: episode for episode in sorted(opened.episodes(), key=lambda e: e.attempt)}
    found = {}
    for task in tasks:
        [number] = MARK.findall(task.user_prompt)
        if task.task_id in last:
            found[number] = _facts(last[task.task_id], model.asked[number])
    return found


def _facts(episode: Episode, asked: Iterable[Asked]) -> Facts:
    """Return all that is compared, what strict verifiers ask left out.

    Of a run that erred the harness keeps neither answer nor calls.
    """
    erred, asked = episode.error is not None, list(asked)
    ran = [[call.name, call.arguments] for call in episode.tool_calls() if call.envelope]
    kinds = Counter(f"{one.kind}{' with tools' if one.tools else ''}" for one in asked if one.kind != STRICT)
    return {
        "verdicts": {v.name: v.passed_parity for v in episode.verdicts if v.passed_parity is not None},
        "success": bool(episode.success_parity),
        "verifiers": episode.verifier_pass_parity or 0.0,
        "errors": erred,
        "model calls": dict(kinds),
        "tool calls": None if erred else ran,
        "answer": None if erred else episode.response,
        "conversations": [_sent(_unasked(one.body)) for one in asked if one.kind == "executor"],
        "requests": [_sent(one.body) for one in asked if one.kind == "executor"],
    }


def _unasked(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return an executor's request without the words that it begins with: where we plan, they are ours."""
    policy, asked, *rest = body["messages"]
    return {**body, "messages": [policy, {**asked, "content": ""}, *rest]}


def _sent(body: Mapping[str, Any]) -> str:
    """Return a request, without what says nothing: `null` and `false`."""
    return canonical_json({key: value for key, value in body.items() if value not in (None, False)})
