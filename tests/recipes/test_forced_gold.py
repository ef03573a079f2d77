"""The channel from tools to rewards, end to end: gold calls at tasks of all domains are worth one.

The model's replies are forced; environments, tools, verifiers, trainer and optimizer are the real ones.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from eops_traj.recipes import grpo
from eops_traj.schema import Task
from eops_traj.tasks.summary import BENCHMARK
from eops_traj.train.run import train
from eops_traj.train.scratch_model import ScratchConfig, make_scratch_model, train_tokenizer
from tests.planner_data import planner_prompt, prompts
from tests.recipes.forced import force_gold
from tests.recipes.runs import TINY, config, metrics
from tests.tasks.small_suite import small_suite

pytestmark = pytest.mark.slow
STEPS = 8
"""One at each task. All fifty of a longer run are worth one as well; they take ten minutes."""
SIZES = ScratchConfig(vocabulary=4000, hidden=16, layers=1, heads=1, intermediate=16)


def reader(folder: Path, tasks: Sequence[Task]) -> Path:
    """Save a model with random weights whose tokenizer knows how these tasks are told."""
    import torch

    torch.manual_seed(0)
    rows = [{"messages": planner_prompt(task), "tools": None} for task in tasks]
    tokenizer = train_tokenizer(rows, SIZES.vocabulary)
    make_scratch_model(SIZES, tokenizer, 65_536).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def test_gold_calls_of_every_domain_are_worth_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tasks, make_trainer = small_suite(), grpo.make_trainer
    monkeypatch.setattr(grpo, "make_trainer", lambda *given: force_gold(make_trainer(*given), tasks))
    settings: dict[str, Any] = {
        **{**TINY, "recipe": "grpo", "act": "tools", "first_look": None, "max_length": 65_536},
        **{
            "generations": 2,
            "batch_size": 2,
            "max_new_tokens": 32_768,
            "max_steps": STEPS,
            "save_steps": STEPS,
        },
        **{"held_out": {"allow": ["prompt", "database", "plan"]}},
    }
    data, model = prompts(tmp_path, tasks), reader(tmp_path / "model", tasks)
    train(config(tmp_path / "out", {**settings, "data": str(data), "model": str(model)}))
    results = metrics(tmp_path / "out")
    assert {task.domain for task in tasks} == set(BENCHMARK) and results["steps"] == STEPS
    assert [each["reward"] for each in results["rewards"]] == [1.0] * STEPS
    assert results["tries"] == {"made": 2 * STEPS, "cut": 0, "out_of_turns": 0}
