"""TRL's own arguments go in under ``trl``: those there are, and none that another setting governs."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eops_traj.config import checked
from eops_traj.errors import ConfigError, InputError
from eops_traj.instances import load_module
from eops_traj.planner.prompt import PlannerView
from eops_traj.recipes import RECIPES, dpo, grpo
from eops_traj.train.rollout_env import environment_name
from eops_traj.train.run import train
from eops_traj.train.trl_settings import FIXED, GOVERNED, check_trl, make_trl_config
from tests.collectors.group_tasks import TASK
from tests.planner_data import planner_prompt, planner_sft, task_text
from tests.recipes.runs import TINY, config, metrics, planner
from tests.tokenizers import tokenizer

NEEDED = {"data": "d", "output": "o", "model": "m", "max_length": 9, "learning_rate": 0.1, "batch_size": 8}


def of_recipe(recipe: str, trl: dict[str, Any]) -> Any:
    settings = {**NEEDED, "recipe": recipe, "trl": trl}
    return checked(load_module("recipe", recipe).Config, settings, "c.yaml")


def problems(recipe: str, **trl: Any) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        check_trl(of_recipe(recipe, trl), "c.yaml")
    return caught.value.problems


@pytest.mark.parametrize("recipe", RECIPES)
def test_every_recipe_takes_arguments_of_its_own_trl_config(recipe: str) -> None:
    own = {"eval_packing": "sft", "f_divergence_type": "dpo", "epsilon_high": "grpo"}
    assert check_trl(of_recipe(recipe, {"optim": "sgd"}), "c") == {"optim": "sgd"}
    unknown = [p for p in problems(recipe, no_such=1, **dict.fromkeys(own)) if "unknown key" in p]
    foreign = [name for name, of in own.items() if of != recipe]
    assert all(any(name in problem for problem in unknown) for name in foreign)
    assert len(unknown) == 1 + len(foreign)


def test_every_problem_is_said_at_once() -> None:
    assert problems("sft", optm="sgd", learning_rate=1, max_grad_norm="big", hub_token="x", zz=1) == [
        "unknown key 'trl.optm'; choose from optim",
        "trl.learning_rate: give learning_rate instead, which sets it",
        "trl.max_grad_norm: Input should be a valid number, unable to parse string as a number, not 'big'",
        "trl.hub_token: it stays as it is: " + FIXED["hub_token"],
        "unknown key 'trl.zz'; SFTConfig has none like it",
    ]


@pytest.mark.parametrize("name", ["output_dir", "seed", "max_length", "num_train_epochs", "packing"])
def test_what_a_setting_governs_is_refused_with_its_name(name: str) -> None:
    key = GOVERNED.get(name, name)
    assert problems("sft", **{name: 1}) == [f"trl.{name}: give {key} instead, which sets it"]


def test_a_name_is_governed_only_where_the_recipe_has_the_setting() -> None:
    assert problems("dpo", loss_type=["ipo"]) == ["trl.loss_type: give loss instead, which sets it"]
    assert check_trl(of_recipe("sft", {"loss_type": "dft"}), "c") == {"loss_type": "dft"}


def test_nothing_that_a_recipe_gives_is_given_twice() -> None:
    own = dpo.trl_config(of_recipe("dpo", {"max_grad_norm": 0.5}))
    assert own.max_grad_norm == 0.5 and own.precompute_ref_log_probs
    with pytest.raises(ConfigError, match=r"trl\.max_grad_norm: the recipe sets it by itself"):
        make_trl_config(of_recipe("dpo", {"max_grad_norm": 0.5}), max_grad_norm=1.0)


def test_what_a_recipe_of_tries_is_told_reaches_trainer_and_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each setting differs from what the recipe or TRL would take."""
    from datasets import Dataset

    given: dict[str, Any] = {}
    monkeypatch.setattr(grpo, "rollout_trainer_class", lambda: lambda **made: given.update(made))
    monkeypatch.setattr(grpo, "load_training_model", lambda config: "the model")
    told = {"beta": 0.3, "temperature": 0.7, "loss": "dr_grpo", "generations": 4, "max_new_tokens": 33}
    settings = {**NEEDED, "recipe": "grpo", "seeds": "seeds", "max_turns": 7, **told}
    rows = Dataset.from_list([{"prompt": [], "task": "{}", "other": 1}])
    view = PlannerView(values="marked")
    grpo.make_trainer(checked(grpo.Config, settings, "c.yaml"), tokenizer(), rows, None, view)
    args = given["args"]
    assert (args.beta, args.temperature, args.loss_type, args.num_generations) == (0.3, 0.7, "dr_grpo", 4)
    assert (args.max_completion_length, args.max_tool_calling_iterations) == (33, 7)
    assert given["judge"].view == view
    assert given["judge"].root == Path("seeds") and given["reward_funcs"] == given["judge"].plans
    assert given["train_dataset"].column_names == ["prompt", "task"] and given["model"] == "the model"


def test_environments_are_made_from_the_folder_of_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    from datasets import Dataset

    roots: list[Path | None] = []
    monkeypatch.setattr(grpo, "make_environments", lambda tasks, root: roots.append(root) or {})
    settings = {**NEEDED, "recipe": "grpo", "act": "tools", "seeds": "seeds"}
    rows = Dataset.from_list([{"prompt": planner_prompt(TASK), "task": task_text(TASK)}])
    prepared, _ = grpo.prepare_rows(checked(grpo.Config, settings, "c.yaml"), rows, None)
    assert roots == [Path("seeds")]
    assert prepared["environment"] == [environment_name(TASK, Path("seeds"))]


def test_a_value_that_trl_refuses_is_one_line() -> None:
    with pytest.raises(InputError, match=r"cannot train so: .*adamw_of_mine"):
        dpo.trl_config(of_recipe("dpo", {"optim": "adamw_of_mine"}))


def test_where_to_report_to_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    installed = "transformers.integrations.integration_utils.get_available_reporting_integrations"
    monkeypatch.setattr(installed, lambda: ["wandb"])
    assert check_trl(of_recipe("sft", {"report_to": ["wandb"]}), "c") == {"report_to": ["wandb"]}
    assert problems("sft", report_to="trackio") == [
        "trl.report_to: trackio is not installed: `pip install trackio`"
    ]
    (unknown,) = problems("sft", report_to=["wandbb"])
    assert unknown.startswith("trl.report_to: there is no 'wandbb'; choose from azure_ml, ")


def test_a_run_is_done_so_and_says_so(tmp_path: Path) -> None:
    settings = {**TINY, "recipe": "sft", "data": str(planner_sft(tmp_path)), "trl": {"save_only_model": True}}
    path = config(tmp_path / "out", settings, model=planner(tmp_path / "planner"), max_steps=2)
    train(path)
    assert not list((tmp_path / "out").glob("checkpoint-*/optimizer.pt"))
    run = json.loads((tmp_path / "out" / "run.json").read_text())
    lineage = json.loads((tmp_path / "out" / "model" / "lineage.json").read_text())
    assert run["config"]["trl"] == lineage["config"]["trl"] == {"save_only_model": True}
    assert metrics(tmp_path / "out")["config"]["trl"] == {"save_only_model": True}
    with pytest.raises(InputError, match=r"trl was .*True.*, is .*False"):
        train(path, ["trl.save_only_model=false"], resume=True)


def test_a_wrong_name_is_one_line_before_anything_is_read(tmp_path: Path, cli: Callable) -> None:
    path = config(tmp_path / "out", {**TINY, "recipe": "sft", "data": "nowhere", "model": "none"})
    ran = cli("train", path, "trl.max_grad_nrm=1")
    assert ran.code == 2 and ran.err.count("\n") == 1
    assert ran.err.endswith("unknown key 'trl.max_grad_nrm'; choose from max_grad_norm\n")


def test_losses_and_exams_go_to_tensorboard(tmp_path: Path) -> None:
    from transformers.integrations.integration_utils import is_tensorboard_available

    if not is_tensorboard_available():
        pytest.skip("neither tensorboard nor tensorboardX is installed")
    settings = {**TINY, "recipe": "sft", "data": str(planner_sft(tmp_path))}
    train(
        config(tmp_path / "out", settings, model=planner(tmp_path / "planner"), max_steps=2),
        ["trl.report_to=tensorboard", "trl.logging_first_step=true"],
    )
    (events,) = (tmp_path / "out" / "runs").rglob("events.out.tfevents.*")
    assert b"train/loss" in events.read_bytes()
