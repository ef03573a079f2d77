"""A checkpoint is measured through the collection engine, into a store, and compared with a run before it."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from eops_traj.errors import ConfigError, UnknownName
from eops_traj.recipes import rebench
from eops_traj.store.store import Store
from tests.collectors.group_tasks import PLAN, TASK
from tests.planner_data import SHORT, task_files
from tests.recipes.runs import planner

TEST = [replace(TASK, split="test"), replace(TASK, split="test", task_id="join_group_again")]


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("rebench")
    return {
        "recipe": "rebench",
        "model": str(planner(folder / "planner")),
        "tasks": {"source": str(task_files(folder / "tasks", TEST)), "splits": ["test"]},
        "shown": SHORT.model_dump(),
        "max_new_tokens": 4,
    }


def scripted_client(plan: str) -> dict[str, Any]:
    """Configure a client that gives this plan to any prompt."""
    return {"kind": "scripted", "model": "by heart", "replies": [plan]}


def test_a_checkpoint_is_measured_and_compared(
    settings: dict[str, Any], tmp_path: Path, cli: Callable
) -> None:
    config = {**settings, "store": str(tmp_path / "store")}
    (tmp_path / "c.yaml").write_text(yaml.safe_dump(config))
    first = cli("rebench", tmp_path / "c.yaml", "--json")
    base = json.loads(first.out)
    assert base["comparison"] is None and base["scores"][-1]["success_strict"] == 0.0
    (tmp_path / "c.yaml").write_text(
        yaml.safe_dump({**config, "client": scripted_client(PLAN), "base": base["run"]})
    )
    second = json.loads(cli("rebench", tmp_path / "c.yaml", "--json").out)
    assert second["comparison"]["tasks"] == 2 and second["scores"][-1]["success_strict"] == 1.0
    table = cli("rebench", tmp_path / "c.yaml").out  # nothing is pending: only compared again
    assert "pass@1 0.0% -> 100.0%" in table and "safe refusal" in table
    with Store.open(str(tmp_path / "store")) as store:
        assert store.scan().collect().height == 4


@pytest.mark.parametrize("name", ["rebench_test", "rebench_lora", "rebench_react"])
def test_a_committed_config_holds_and_starts_with_its_command(name: str) -> None:
    from eops_traj.config import checked, find_config, read_settings

    path = find_config("rebench", name)
    assert path.read_text().startswith(f"# eops-traj rebench configs/{name}.yaml")
    assert checked(rebench.Config, read_settings(path), "c").tasks.splits == ("test", "test_ood")


def test_what_cannot_be_measured_is_refused(settings: dict[str, Any], tmp_path: Path) -> None:
    for splits in ([], ["train", "test"]):
        with pytest.raises(ConfigError, match="name the splits to measure on, and leave train out"):
            checked(settings, tmp_path, tasks={**settings["tasks"], "splits": splits})
    Store.open(str(tmp_path / "store"), create=True).close()
    with pytest.raises(UnknownName, match="unknown run or model 'nobody'"):
        rebench.run(checked(settings, tmp_path, base="nobody"))


def checked(settings: dict[str, Any], folder: Path, **changes: Any) -> rebench.Config:
    from eops_traj.config import checked

    return checked(rebench.Config, {**settings, "store": str(folder / "store"), **changes}, "c")
