"""Other readers see the store as this project does, merged or not: the pass rate by tool used."""

import ast
import re
import subprocess
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import pytest

from eops_traj.interchange.base import open_importer
from eops_traj.interchange.import_files import import_files
from eops_traj.store.store import Store
from tests.environments.other_side import python_with

ROOT = Path(__file__).parents[2]
SECTION = (ROOT / "docs" / "store.md").read_text().split("## Reading it with others")[1].split("\n## ")[0]
BLOCKS = re.findall(r"```python\n(.*?)```", SECTION, re.DOTALL)
DAFT = BLOCKS.pop()
NO_GOODBYE = "\nimport os, sys\nsys.stdout.flush()\nos._exit(0)"
"""Daft's threads now and then end a process by a signal once Python ends: that is none of our store."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store: the fixtures' episodes, each in a data file of its own; one failed once too."""
    place = tmp_path_factory.mktemp("interop")
    with Store.open(place / "store", create=True) as store:
        files = sorted((ROOT / "tests" / "fixtures" / "results").glob("*.json"))
        for file in files:
            import_files([file], open_importer("enterpriseops"), store)
            store.flush()
        one = next(episode for episode in store.episodes() if len(episode.tool_calls()) > 1)
        store.append([replace(one, episode_id=f"{one.episode_id}-again", success_strict=False)])
    return place


def expected(folder: Path) -> dict[str, float]:
    passed: dict[str, list[bool]] = defaultdict(list)
    with Store.open(folder / "store") as store:
        for episode in store.episodes():
            for tool in {call.name for turn in episode.turns for call in turn.tool_calls}:
                passed[tool].append(bool(episode.success_strict))
    return {tool: sum(of) / len(of) for tool, of in sorted(passed.items())}


@pytest.mark.parametrize("block", BLOCKS, ids=["polars", "duckdb", "pandas", "datasets"])
@pytest.mark.parametrize("merged", [False, True], ids=["small files", "merged"])
def test_the_pass_rate_by_tool(
    block: str, merged: bool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if merged:
        with Store.open(folder / "store") as store:
            store.compact()
    seen: list[object] = []
    monkeypatch.chdir(folder)
    exec(block, {"print": seen.append})  # the very block of the page
    assert rates(seen[0]) == pytest.approx(expected(folder))


@pytest.mark.slow
@pytest.mark.parametrize("merged", [False, True], ids=["small files", "merged"])
def test_the_pass_rate_by_tool_in_daft(merged: bool, folder: Path) -> None:
    python = python_with(["deltalake>=1.6", "daft>=0.7"])
    if merged:
        with Store.open(folder / "store") as store:
            store.compact()
    script = [python, "-c", DAFT + NO_GOODBYE]
    ran = subprocess.run(script, cwd=folder, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stderr[-2000:]
    assert rates(ast.literal_eval(ran.stdout.splitlines()[-1])) == pytest.approx(expected(folder))


def rates(shown: object) -> dict[str, float]:
    """Return what a block printed as rates by tool."""
    if isinstance(shown, list):
        return {tool: rate for tool, rate, _ in shown}
    if isinstance(shown, dict):
        return shown
    if hasattr(shown, "iter_rows"):
        return {tool: rate for tool, rate, _ in shown.iter_rows()}
    return {str(tool): float(rate) for tool, rate in shown.items()}  # type: ignore[attr-defined]
