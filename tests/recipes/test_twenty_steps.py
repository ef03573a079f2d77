"""Twenty steps of each recipe that starts from a checkpoint, each towards the plans that pass.

They start from a planner that learned two answers to one request: a plan that does the work and, twice as
often, a refusal. Its likeliest answer is to decline; twenty steps later it is to do the work.
"""

from pathlib import Path
from typing import Any

import pytest

from eops_traj.planner.plan_check import evaluate_plan
from eops_traj.train.run import train
from tests.planner_data import SHORT, certified_data, planner_prompt, prompts, reply, task_files
from tests.recipes.forced import TO_DO, worked_conversation
from tests.recipes.runs import TINY, config, killed, metrics, weights
from tests.tiny_model import train_tiny_model

pytestmark = pytest.mark.slow
DONE = (
    '1. add_new_group_member(group_id=1, user_id=8)\n2. update_user_details(user_id=8, phone="+1 555 0100")'
)
REFUSED = "REFUSE: this is not for you to ask"
SIZES = {"vocabulary": 320, "hidden": 64, "layers": 2, "heads": 2, "intermediate": 128}
ASKED = planner_prompt(TO_DO, SHORT)
LEARNT_BY_HEART = {"allow": ["prompt", "database", "plan"]}
SETTINGS: dict[str, Any] = {
    **{**TINY, "max_length": 512, "max_steps": 20, "save_steps": 20, "batch_size": 4},
    "held_out": LEARNT_BY_HEART,
}

GRPO: dict[str, Any] = {"recipe": "grpo", "first_look": None}


@pytest.fixture(scope="module")
def torn(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Settings with a planner that would rather decline, and the task to evaluate it on."""
    assert evaluate_plan(DONE, TO_DO).passed and not evaluate_plan(REFUSED, TO_DO).passed
    folder = tmp_path_factory.mktemp("torn")
    tasks = task_files(folder / "tasks", [TO_DO])
    evaluate = {"tasks": str(tasks), "steps": 20, "max_new_tokens": 120}
    rows = [{"prompt": ASKED, "completion": reply(text)} for text in (DONE, REFUSED, REFUSED)]
    first = {
        **{
            **SETTINGS,
            "recipe": "sft",
            "scratch": SIZES,
            "batch_size": 3,
            "max_steps": 150,
            "learning_rate": 0.004,
        },
        **{"data": str(certified_data(folder / "data", "planner_sft", rows, SHORT)), "evaluate": evaluate},
    }
    train(config(folder / "sft", first), ["evaluate.steps=150"])
    assert metrics(folder / "sft")["best"]["over_refusal"] == 1.0
    return {**SETTINGS, "model": str(folder / "sft" / "model"), "evaluate": evaluate, "learning_rate": 0.001}


def passes(output: Path) -> bool:
    """Check whether the likeliest plan of a run's model passes after the last of twenty steps."""
    results = metrics(output)
    return (results["steps"], results["best"]["step"], results["best"]["verified"]) == (20, 20, 1.0)


def test_dpo(torn: dict[str, Any], tmp_path: Path) -> None:
    rows = [{"prompt": ASKED, "chosen": reply(DONE), "rejected": reply(REFUSED)}] * 4
    data = certified_data(tmp_path / "data", "planner_dpo", rows, SHORT)
    train(config(tmp_path / "out", {**torn, "recipe": "dpo", "sft_weight": 0.1}, data=data))
    assert passes(tmp_path / "out")


def test_kto(torn: dict[str, Any], tmp_path: Path) -> None:
    labels = {DONE: True, REFUSED: False}
    rows = [
        {"prompt": ASKED, "completion": reply(text), "label": label} for text, label in labels.items()
    ] * 4
    data = certified_data(tmp_path / "data", "kto", rows, SHORT)
    train(config(tmp_path / "out", {**torn, "recipe": "kto"}, data=data))
    assert passes(tmp_path / "out")


def test_grpo_on_plans(torn: dict[str, Any], tmp_path: Path) -> None:
    tries = {"generations": 8, "batch_size": 8, "max_new_tokens": 120, "temperature": 0.6}
    gently = {"learning_rate": 0.0003, "schedule": "constant_with_warmup"}
    train(
        config(tmp_path / "out", {**torn, **GRPO, **tries, **gently}, data=prompts(tmp_path, [TO_DO], SHORT))
    )
    assert passes(tmp_path / "out")
    rewards = [each["reward"] for each in metrics(tmp_path / "out")["rewards"]]
    assert sum(rewards[10:]) > sum(rewards[:10]) > 0


def test_grpo_resumes_to_the_same_weights(torn: dict[str, Any], tmp_path: Path) -> None:
    tries = {**GRPO, "generations": 8, "batch_size": 8, "max_new_tokens": 120, "evaluate": None}
    settings = {
        **torn,
        **tries,
        "max_steps": 4,
        "save_steps": 2,
        "data": str(prompts(tmp_path, [TO_DO], SHORT)),
    }
    train(config(tmp_path / "whole", settings))
    assert any(each["reward"] for each in metrics(tmp_path / "whole")["rewards"])
    cut = killed(tmp_path / "whole", tmp_path / "cut")
    train(config(cut, settings), resume=True)
    assert weights(cut / "model") == weights(tmp_path / "whole" / "model")


def test_grpo_in_the_sandbox(tmp_path: Path) -> None:
    """From a model that was taught to do the work, call by call."""
    model = train_tiny_model(tmp_path / "model", [worked_conversation()])
    tries = {**GRPO, "act": "tools", "generations": 2, "batch_size": 2, "max_new_tokens": 400}
    settings = {**SETTINGS, **tries, "max_length": 2048, "temperature": 0.3, "learning_rate": 1e-6}
    train(config(tmp_path / "out", settings, data=prompts(tmp_path, [TO_DO]), model=model))
    rewards = [each["reward"] for each in metrics(tmp_path / "out")["rewards"]]
    assert len(rewards) == 20 and max(rewards) == 1.0
