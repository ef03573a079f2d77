"""A resumed run tells of all its steps: how long they took, how many tokens they had, how it tried."""

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="no torch: pip install 'eops-traj[train]'")

from eops_traj.train.run import train
from tests.collectors.group_tasks import TASK, TWIN
from tests.planner_data import NAMES, planner_sft, prompts
from tests.recipes.runs import TINY, config, killed, metrics, planner


def with_seconds(run: Path, seconds: float, aside: float) -> Path:
    """Have the first checkpoint of a run say that it took so long, exams included."""
    path = run / "checkpoint-2" / "trainer_state.json"
    state = json.loads(path.read_text())
    state["stateful_callbacks"]["TotalsCallback"]["attributes"]["totals"] |= {
        "seconds": seconds,
        "aside": aside,
    }
    path.write_text(json.dumps(state))
    return run


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Settings of four steps over rows of different lengths, which are padded."""
    folder = tmp_path_factory.mktemp("totals")
    names = [name * (n + 1) for n, name in enumerate(NAMES)]
    model = planner(folder / "planner", positions=4096)
    return {**TINY, "recipe": "sft", "data": str(planner_sft(folder, names)), "model": str(model)}


def test_a_resumed_run_has_the_seconds_and_tokens_of_all_its_steps(
    settings: dict[str, Any], tmp_path: Path
) -> None:
    train(config(tmp_path / "whole", settings))
    cut = with_seconds(killed(tmp_path / "whole", tmp_path / "cut"), 5000.0, 1000.0)
    train(config(cut, settings), resume=True)
    whole, again = metrics(tmp_path / "whole"), metrics(cut)
    assert 5000 < again["seconds"] < 5100 > whole["seconds"]
    pace = again["throughput"]
    assert 4000 < pace["seconds_without_exams"] < 4100
    assert (pace["tokens"], pace["padding_share"]) == tuple(
        whole["throughput"][name] for name in ("tokens", "padding_share")
    )
    assert pace["tokens_per_second"] == pytest.approx(pace["tokens"] / pace["seconds_without_exams"], abs=0.1)
    assert f"4 steps in {again['seconds']} s" in (cut / "model" / "README.md").read_text()


def test_a_run_whose_checkpoint_kept_no_counts_goes_on(settings: dict[str, Any], tmp_path: Path) -> None:
    train(config(tmp_path / "whole", settings))
    cut = killed(tmp_path / "whole", tmp_path / "cut")
    path = cut / "checkpoint-2" / "trainer_state.json"
    state = json.loads(path.read_text())
    del state["stateful_callbacks"]["TotalsCallback"]
    path.write_text(json.dumps(state))
    train(config(cut, settings), resume=True)
    assert 0 < metrics(cut)["throughput"]["tokens"] < metrics(tmp_path / "whole")["throughput"]["tokens"]


def test_a_resumed_run_has_the_tries_of_all_its_steps(settings: dict[str, Any], tmp_path: Path) -> None:
    tries = {"recipe": "grpo", "first_look": None, "generations": 2, "max_new_tokens": 8, "max_length": 4096}
    run = {**settings, **tries, "data": str(prompts(tmp_path / "prompts", [TASK, TWIN]))}
    train(config(tmp_path / "whole", run))
    cut = killed(tmp_path / "whole", tmp_path / "cut")
    train(config(cut, run), resume=True)
    assert metrics(cut)["tries"] == metrics(tmp_path / "whole")["tries"]
    assert metrics(cut)["tries"]["made"] == 8 and metrics(cut)["tries"]["cut"] > 0
