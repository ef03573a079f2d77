"""A gold plan of usual length is cut nowhere, unless somebody asks for that."""

import pytest

from eops_traj.config import checked, find_config, read_settings
from eops_traj.instances import load_module
from eops_traj.planner.plan_length import PLAN_TOKENS
from eops_traj.recipes import rebench
from eops_traj.train.config import Evaluate, TrainingConfig
from eops_traj.train.measured_client import NEUTRAL

LONGEST = 2496
"""The longest gold plan of 1,150 tasks (suite default, seed 31), in SmolLM2's tokenizer."""


def test_the_longest_gold_plan_fits() -> None:
    assert PLAN_TOKENS > LONGEST
    assert Evaluate(tasks="suite").max_new_tokens == PLAN_TOKENS
    assert rebench.Config.model_fields["max_new_tokens"].default == PLAN_TOKENS
    planner = read_settings(find_config("collect", "collect_planner"))["models"]["planner"]
    assert planner["sampling"] == {**NEUTRAL, "temperature": 0, "max_tokens": PLAN_TOKENS}


@pytest.mark.parametrize("name", ["train_planner", "train_dpo", "train_kto", "train_grpo"])
def test_the_configs_for_planners_ask_for_no_less(name: str) -> None:
    settings = read_settings(find_config("train", name))
    config: TrainingConfig = checked(load_module("recipe", settings["recipe"]).Config, settings, name)
    assert config.evaluate and config.evaluate.max_new_tokens == PLAN_TOKENS
    assert getattr(config, "max_new_tokens", PLAN_TOKENS) == PLAN_TOKENS
