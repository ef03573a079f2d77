"""The shell completes configs, formats, and what the named store has."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from eops_traj.cli.main import program
from eops_traj.store.run_names import find_runs
from eops_traj.store.store import Store
from tests.made import made, run_command

CODE = "import sys; sys.argv[0] = 'eops-traj'; from eops_traj.cli.main import main; main()"


def asked(words: str) -> dict[str, str]:
    """Return the variables by which bash asks what is offered after these words."""
    line = f"eops-traj {words}"
    return {
        "_EOPS_TRAJ_COMPLETE": "complete_bash",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(line.split(" ")) - 1),
    }


@pytest.fixture
def completed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], list[str]]:
    """What a shell is offered after these words, asked of the program in this process."""

    def offered(words: str) -> list[str]:
        for name, value in asked(words).items():
            monkeypatch.setenv(name, value)
        with pytest.raises(SystemExit):
            program()([], prog_name="eops-traj")
        return capsys.readouterr().out.split()

    return offered


@pytest.fixture
def store(fixtures: Path) -> Path:
    """A store of result files, with a selection."""
    return made("imported", lambda at: make_imported(fixtures / "results", at))


def make_imported(results: Path, at: Path) -> None:
    """Import result files, and choose among them."""
    run_command("import", "enterpriseops", results, "--store", at)
    run_command("filter", "filter_imported", "--store", at, "--name", "imported")


def test_a_shell_asks_a_process_of_its_own() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", CODE], env=os.environ | asked("collect collect_o"), capture_output=True,
        text=True,
    )  # fmt: skip
    assert ran.stdout.split() == ["collect_openai"]


def test_configs_are_completed_by_their_kind(completed: Callable) -> None:
    assert completed("train train_t") == ["train_tiny"]
    assert "filter_sft" in completed("config show filter_")


def test_formats_selections_and_runs_are_completed(store: Path, completed: Callable) -> None:
    assert completed("export planner_") == ["planner_sft", "planner_dpo"]
    assert completed(f"export sft --store {store} --selection im") == ["imported"]
    assert completed(f"compare --store {store} vllm") == ["vllm/demo-1"]


@pytest.mark.parametrize("words", ["verify", "report", "branch collect_expert"])
def test_where_a_run_is_asked_for_what_is_offered_names_one(
    words: str, store: Path, completed: Callable[[str], list[str]]
) -> None:
    """No model is among it: all its runs are none of these commands' business."""
    offered = completed(f"{words} --store {store} --run ")
    with Store.open(store) as opened:
        runs = find_runs(opened, offered)
    assert offered and [run[:12] for run in runs] == offered and "vllm/demo-1" not in offered


def test_a_store_that_is_not_there_completes_nothing(tmp_path: Path, completed: Callable) -> None:
    assert completed(f"export sft --store {tmp_path / 'none'} --selection i") == []
