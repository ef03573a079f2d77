"""Stores of every shape that a program of ours ever wrote: read, scored, selected, written on and merged.

``tests/fixtures/stores`` has one of each, of the five episodes of ``tests/fixtures/results``, as they were.
A change of what is written adds one; none is ever made anew.
"""

import json
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from eops_traj.store.store import Store
from tests.episodes import episode

STORES = sorted((Path(__file__).parents[1] / "fixtures" / "stores").glob("*.tar.gz"))
TASKS = {f"task_20260302_demo_000{n}" for n in (1, 2, 3)}


@pytest.fixture(params=STORES, ids=[path.name.removesuffix(".tar.gz") for path in STORES])
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A store of an older program, to write on."""
    with tarfile.open(request.param) as packed:
        packed.extractall(tmp_path / "old", filter="data")
    return tmp_path / "old"


def test_it_is_read_whole_scored_and_selected(old: Path, cli: Callable, tmp_path: Path) -> None:
    with Store.open(old) as store:
        episodes = list(store.episodes())
        assert len(episodes) == 5 and {e.task_id for e in episodes} == TASKS
        assert sum(e.outcome == "error" for e in episodes) == 1
        assert all(store.prompt(e.prompt_hash) and store.toolset(e.toolset_hash).tools for e in episodes)
    [row] = json.loads(cli("score", "--store", old, "--errors", "out", "--json").out)
    assert (row["episodes"], row["errors"]) == (4, 1)
    (tmp_path / "rules.yaml").write_text("rules:\n  - no_error\n")
    assert cli("filter", tmp_path / "rules.yaml", "--store", old, "--name", "kept").code == 0
    erred = next(e.episode_id for e in episodes if e.outcome == "error")
    why = json.loads(cli("why", erred, "--selection", "kept", "--store", old, "--json").out)
    assert (why["kept"], why["dropped_by"]) == (False, "no_error")
    assert cli("check", old).code == 0


def test_it_is_written_on_and_merged_and_loses_no_row(old: Path, cli: Callable) -> None:
    with Store.open(old) as store:
        before = {e.episode_id: e for e in store.episodes()}
        assert store.append([episode("new", task_defect="no answer is right"), *before.values()]) == 1
    assert cli("compact", "--store", old).code == 0
    with Store.open(old) as store:
        assert store.episode("new").task_defect == "no answer is right"
        assert {e.episode_id: e for e in store.episodes() if e.episode_id != "new"} == before
    assert cli("check", old).code == 0
