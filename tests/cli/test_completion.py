"""The shell completes configs, formats, and what the named store has."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest


def completed(words: str) -> list[str]:
    """Return what a shell is offered after these words, as bash asks for it."""
    line = f"eops-traj {words}"
    asked = {
        "_EOPS_TRAJ_COMPLETE": "complete_bash",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(line.split(" ")) - 1),
    }
    code = "import sys; sys.argv[0] = 'eops-traj'; from eops_traj.cli.main import main; main()"
    ran = subprocess.run([sys.executable, "-c", code], env=os.environ | asked, capture_output=True, text=True)
    return ran.stdout.split()


@pytest.fixture
def store(cli: Callable, fixtures: Path, tmp_path: Path) -> Path:
    cli("import", "enterpriseops", fixtures / "results", "--store", tmp_path / "s")
    cli("filter", "filter_imported", "--store", tmp_path / "s", "--name", "imported")
    return tmp_path / "s"


def test_configs_are_completed_by_their_kind() -> None:
    assert completed("collect collect_o") == ["collect_openai"]
    assert completed("train train_t") == ["train_tiny"]
    assert "filter_sft" in completed("config show filter_")


def test_formats_selections_and_runs_are_completed(store: Path) -> None:
    assert completed("export planner_") == ["planner_sft", "planner_dpo"]
    assert completed(f"export sft --store {store} --selection im") == ["imported"]
    assert completed(f"compare --store {store} vllm") == ["vllm/demo-1"]


def test_a_store_that_is_not_there_completes_nothing(tmp_path: Path) -> None:
    assert completed(f"export sft --store {tmp_path / 'none'} --selection i") == []
