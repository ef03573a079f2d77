"""A model that acts is trained through the sandbox: its work decides its rewards, and they its weights.

The model's replies are forced; environments, tools, verifiers, trainer and optimizer are the real ones.
"""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eops_traj.config import find_config, read_settings
from eops_traj.errors import WorkError
from eops_traj.recipes import grpo
from eops_traj.train.run import train
from tests.planner_data import prompts, task_files
from tests.recipes.forced import (
    FIRST,
    HALF,
    RIGHT,
    SECOND,
    TO_DO,
    WRONG,
    actor,
    call_message,
    force,
    rendered,
)
from tests.recipes.runs import TINY, config, metrics
from tests.recipes.test_accelerate import launch

pytestmark = pytest.mark.slow
SETTINGS: dict[str, Any] = {
    **{**TINY, "max_length": 2048, "batch_size": 4, "generations": 4, "max_new_tokens": 900},
    **{
        "recipe": "grpo",
        "act": "tools",
        "first_look": None,
        "held_out": {"allow": ["prompt", "database", "plan"]},
    },
}
Run = Callable[..., dict[str, Any]]


OTHER = replace(TO_DO, task_id="other")


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Settings with one task and an actor with random weights."""
    folder = tmp_path_factory.mktemp("acting")
    data = prompts(folder, [TO_DO])
    return {**SETTINGS, "data": str(data), "model": str(actor(folder / "actor"))}


@pytest.fixture
def run(settings: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that runs the recipe with forced replies, and returns its metrics."""
    make_trainer = grpo.make_trainer

    def forced_run(right: int, resume: bool = False, **changes: Any) -> dict[str, Any]:
        monkeypatch.setattr(grpo, "make_trainer", lambda *given: force(make_trainer(*given), right))
        train(config(tmp_path / "out", {**settings, **changes}), resume=resume)
        return metrics(tmp_path / "out")

    return forced_run


def rewards(results: dict[str, Any]) -> list[float]:
    return [each["reward"] for each in results["rewards"]]


@pytest.mark.parametrize(("right", "reward"), [(RIGHT, 1.0), (WRONG, 0.0)])
def test_gold_calls_are_worth_one_and_with_one_left_out_nothing(right: int, reward: float, run: Run) -> None:
    results = run(right, max_steps=2)
    assert rewards(results) == [reward, reward]
    assert results["tries"] == {"made": 8, "cut": 0, "out_of_turns": 0}


def test_fifty_steps_of_gold_calls_stay_worth_one(run: Run) -> None:
    results = run(RIGHT, max_steps=50, save_steps=50, batch_size=2, generations=2)
    assert rewards(results) == [1.0] * 50 and results["tries"]["made"] == 100


def test_a_few_steps_learn_what_was_rewarded(run: Run, settings: dict[str, Any], tmp_path: Path) -> None:
    results = run(HALF, max_steps=10, save_steps=10, learning_rate=5e-3)
    assert rewards(results) == [0.5] * 10
    before, after = (preference(folder) for folder in (Path(settings["model"]), tmp_path / "out" / "model"))
    assert after > before + 1


def test_the_shipped_learning_rate_moves_an_adapter(
    run: Run, settings: dict[str, Any], tmp_path: Path
) -> None:
    shipped = read_settings(find_config("train", "train_grpo_acting"))
    rate = {name: shipped[name] for name in ("learning_rate", "schedule")}
    results = run(HALF, max_steps=12, save_steps=12, lora={"rank": 16, "alpha": 32}, **rate)
    assert results["trained_parameters"] < results["parameters"]
    before, after = (preference(folder) for folder in (Path(settings["model"]), tmp_path / "out" / "model"))
    assert after > before + 0.01


def test_an_exam_acts_and_the_last_model_is_kept(run: Run, tmp_path: Path) -> None:
    long = replace(TO_DO, task_id="long", user_prompt=TO_DO.user_prompt + " Thank you." * 999)
    tasks = task_files(tmp_path / "tasks", [TO_DO, long])
    evaluate = {"tasks": str(tasks), "steps": 1, "batch_size": 2}
    results = run(HALF, max_steps=3, evaluate=evaluate)
    best = {name: results["best"][name] for name in ("verified", "step", "tasks", "cut")}
    assert best == {
        "verified": 0.5,
        "step": 1,
        "tasks": 2,
        "cut": 0.5,
    }  # no room for the long one
    weights = [(tmp_path / "out" / name / "model.safetensors").read_bytes() for name in ("model", "last")]
    assert weights[0] != weights[1]
    assert results["tries"]["made"] == 12  # those of the exam are no part of training


def test_a_first_look_leaves_out_what_teaches_nothing(run: Run, tmp_path: Path) -> None:
    results = run(HALF, max_steps=1, first_look={"tries": 4})
    assert results["first_look"] == {
        **{"kept": 1, "all_passed": 0, "none_passed": 0, "not_looked_at": 0},
        "tries": 4,
    }
    record = (tmp_path / "out" / "first_look.jsonl").read_text(encoding="utf-8")
    assert json.loads(record) == {"row": 0, "task_id": TO_DO.task_id, "passed": 2, "tries": 4}


def test_a_first_look_that_was_stopped_goes_on(run: Run, tmp_path: Path) -> None:
    changes = {"max_steps": 1, "data": str(prompts(tmp_path, [TO_DO, OTHER])), "first_look": {"tries": 4}}
    assert run(HALF, **changes)["first_look"]["kept"] == 2
    for path in (tmp_path / "out").iterdir():
        if path.name != "run.json":
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    seen = '{"row": 1, "task_id": "other", "passed": 0, "tries": 4}'
    (tmp_path / "out" / "first_look.jsonl").write_text(f'{seen}\n{{"row": 0, "ta', encoding="utf-8")
    again = run(HALF, resume=True, **changes)["first_look"]
    assert (again["kept"], again["none_passed"], again["not_looked_at"]) == (1, 1, 0)
    lines = (tmp_path / "out" / "first_look.jsonl").read_text(encoding="utf-8").splitlines()
    assert lines[0] == seen and json.loads(lines[1])["row"] == 0 and len(lines) == 2


@pytest.mark.parametrize(("right", "all_of_them"), [(RIGHT, "passed"), (WRONG, "failed")])
def test_a_first_look_that_leaves_no_step_ends_the_run(right: int, all_of_them: str, run: Run) -> None:
    counts = {"failed": "failed at 1 of 1, and passed at 0", "passed": "failed at 0 of 1, and passed at 1"}
    with pytest.raises(
        WorkError, match=f"left 0 prompts, and a step takes 1: all tries {counts[all_of_them]}"
    ):
        run(right, first_look={"tries": 2})


def test_two_processes_look_at_each_prompt_once_and_end_with_one_word(
    settings: dict[str, Any], tmp_path: Path
) -> None:
    data = prompts(tmp_path, [TO_DO, OTHER])
    changes = {"max_new_tokens": 20, "generations": 2, "batch_size": 2, "first_look": {"tries": 3}}
    ran = launch(tmp_path, config(tmp_path / "out", {**settings, **changes}, data=data))
    assert ran.returncode == 1 and ran.stderr.count("the first look left 0 prompts") == 1, ran.stderr[-3000:]
    looks = [json.loads(line) for line in (tmp_path / "out" / "first_look.jsonl").read_text().splitlines()]
    assert sorted(look["row"] for look in looks) == [0, 1] and {look["tries"] for look in looks} == {3}


def preference(folder: Path) -> float:
    """Return by how much a model finds the right first call likelier than the wrong one, in nats."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    from tests.recipes.forced import worked_conversation

    model, tokenizer = AutoModelForCausalLM.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    talk = worked_conversation()
    prompt = tokenizer.apply_chat_template(
        talk["messages"][:2], tools=talk["tools"], add_generation_prompt=True, return_dict=False
    )
    likely = []
    for call in (FIRST, SECOND):
        reply = rendered(tokenizer, call_message(*call))
        with torch.no_grad():
            logits = model(torch.tensor([[*prompt, *reply]])).logits[0, len(prompt) - 1 : -1].log_softmax(-1)
        likely.append(logits.gather(-1, torch.tensor(reply)[:, None]).sum().item())
    return likely[0] - likely[1]
