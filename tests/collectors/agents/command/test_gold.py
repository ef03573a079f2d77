"""Gold plans of every domain, worked over MCP by a program: all of them pass, every verifier counted."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from eops_traj.store.store import Store
from eops_traj.taskgen.save import save_suite
from tests.collectors.agents.command.programs import HERE
from tests.harness.checkouts import gold_scripts
from tests.tasks.small_suite import small_suite


@pytest.mark.slow
def test_gold_calls_pass_in_every_domain(tmp_path: Path, cli: Callable) -> None:
    save_suite(small_suite(), tmp_path / "suite", {})
    (tmp_path / "scripts.json").write_text(json.dumps(gold_scripts(small_suite())))
    run = [sys.executable, str(HERE / "scripted_agent.py"), str(tmp_path / "scripts.json")]
    settings = {
        "tasks": {"source": str(tmp_path / "suite")},
        "orchestrator": {"name": "command", "run": run},
        "limits": {"turns": 200},
    }
    (tmp_path / "gold.yaml").write_text(yaml.safe_dump(settings))
    ran = cli("collect", tmp_path / "gold.yaml", "--store", tmp_path / "store", "--json")
    assert ran.code == 0, ran.err
    with Store.open(str(tmp_path / "store")) as store:
        made = {episode.task_id: episode for episode in store.episodes()}
    assert made.keys() == {task.task_id for task in small_suite()}
    failed = {name: [v.name for v in e.verdicts if not v.passed_strict] for name, e in made.items()}
    assert {name: names for name, names in failed.items() if names or not made[name].success_strict} == {}
    assert {e.outcome for e in made.values()} <= {"success", "safe_refusal"}
