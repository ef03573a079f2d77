"""Every command that takes a store says of one at a URL what it says of the same store in a folder."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eops_traj.store.store import Store
from tests.attacks.commands import commands
from tests.collectors.group_tasks import TASK, TWIN
from tests.planner_data import task_files

pytestmark = pytest.mark.slow

LINES = (
    "collect collect_expert --store {store} tasks.source={tasks} attempts=6 orchestrator.rate=0.15 --json",
    "branch collect_expert --store {store} tasks.source={tasks} --json",
    "filter {filter} --store {store} --name all",
    "selections --store {store} --json",
    "verify --store {store} --json",
    "score --store {store} --by model,domain --json",
    "diagnose --store {store} --json",
    "why {episode} --selection all --store {store} --json",
    "export sft --store {store} --selection all --out {out}/sft",
    "export atif --store {store} --selection all --out {out}/atif",
    "convert {store} {out}/openai --to openai --json",
    "leaks {out}/sft test --tasks {held} --store {store}",
    "publish all --store {store} --to {out}/hub --licence MIT --tasks {held} --policy {policy} --dry-run",
    "tasks audit {tasks} --store {store}",
    "labels --store {store}",
    "report --store {store} --out {out}/report.html",
    "history --store {store} --json",
    "check {store} --json",
    "compact --store {store} --json",
    "vacuum --store {store} --dry-run --json",
    "import enterpriseops {results} --store {store} --json",
    "compare expert vllm/demo-1 --store {store} --mix-protocols",
    "score --store {store} --mix-protocols --json",
)
CODES = {"branch": 2, "compare": 2, "leaks": 1, "publish": 1}
"""The exit codes of lines that find failures; an expert cannot go on, and the two models share no task."""
ELSEWHERE = {"doctor", "init", "lineage", "rebench", "view", "improve", "loop"}
"""Commands with a store that need a model or a browser, and read it as these do."""
VARIES = re.compile(
    r"(?<=seconds\": )[\d.]+|\d+(\.\d+)?( s\b|ms)|\d{4}-\d\d-\d\d[T ][\d:.]+"
    r"|\b[0-9a-f]{12,64}\b|\d+(\.\d+)? [kM]?B\b|\b\d{5}\b"
)
"""Times, sizes and ids."""


def said(cli: Callable, store: str, out: Path, places: dict[str, Any]) -> Iterator[tuple[str, int, str]]:
    """Run every line with a store; yield the line, the exit code and what was said, without what varies."""
    for line in LINES:
        first = min(e.episode_id for e in Store.open(store).episodes()) if "{episode}" in line else None
        ran = cli(*line.format(store=store, out=out, episode=first, **places).split())
        text = f"{ran.out}{ran.err}".replace(store, "STORE").replace(str(out), "OUT")
        text = text.replace("Store `store`", "Store `STORE`")  # a card says no path of a machine
        yield line, ran.code, VARIES.sub("…", text)


def test_a_url_is_said_the_same_of_as_a_folder(
    s3: str, cli: Callable, fixtures: Path, tmp_path: Path
) -> None:
    terms = {"pattern": "*", "licence": "MIT", "publish": True, "train": True, "note": "ours"}
    (tmp_path / "filter.yaml").write_text("rules: [no_error, {verified: {label: strict}}]\n")
    (tmp_path / "policy.yaml").write_text(json.dumps({"models": [terms]}))
    places = {
        "results": fixtures / "results",
        "tasks": task_files(tmp_path / "tasks", [replace(TASK, split="train")]),
        "held": task_files(tmp_path / "held", [replace(TWIN, split="test")]),
        "filter": tmp_path / "filter.yaml",
        "policy": tmp_path / "policy.yaml",
    }
    folder = said(cli, str(tmp_path / "store"), tmp_path / "a", places)
    url = said(cli, s3, tmp_path / "b", places)
    for (line, code, here), (_, at_url, there) in zip(folder, url, strict=True):
        assert code == CODES.get(line.split()[0], 0), here
        assert (at_url, there) == (code, here), line


def test_every_command_with_a_store_is_among_them() -> None:
    with_store = {
        name for name, command in commands().items() if any(p.name == "store" for p in command.params)
    }
    listed = {name for name in with_store for line in LINES if line.startswith(f"{name} ")}
    assert listed == with_store - ELSEWHERE
