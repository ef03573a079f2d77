"""A perfect planner passes every rebench: gold plans, over HTTP, through the measurement as it is."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from eops_traj.config import checked
from eops_traj.recipes import rebench
from eops_traj.schema import Task
from eops_traj.store.store import Store
from eops_traj.tasks import find_tasks
from eops_traj.tasks.summary import BENCHMARK
from eops_traj.train.scratch_model import train_tokenizer
from tests.collectors.group_tasks import PLAN, TASK, TWIN
from tests.gold_endpoint import gold_endpoint
from tests.planner_data import planner_prompt, task_files
from tests.tasks.small_suite import larger_suite

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


def trained_tokenizer(tasks: Sequence[Task], vocabulary: int) -> "PreTrainedTokenizerBase":
    """Train a byte-level BPE on prompts of tasks; it sees no plan, so plans take more tokens than usual."""
    rows = [{"messages": planner_prompt(task), "tools": None} for task in tasks]
    return train_tokenizer(rows, vocabulary)


def measured(folder: Path, tasks: Sequence[Task], tokenizer: Any, **settings: Any) -> dict[str, Any]:
    """Measure gold plans of tasks, with all settings as they are but these."""
    folder.mkdir(exist_ok=True)
    source = task_files(folder / "tasks", [replace(task, split="test") for task in tasks])
    with gold_endpoint(tasks, tokenizer) as served:
        given = {
            "recipe": "rebench",
            "model": "gold",
            "tasks": {"source": str(source), "splits": ["test"]},
            "store": str(folder / "store"),
            "client": {"kind": "openai_api", "base_url": served.url},
        }
        return rebench.run(checked(rebench.Config, {**given, **settings}, "c"))


def failed(folder: Path) -> list[tuple[str, str, list[str | None]]]:
    """The episodes that did not pass: task, outcome, and what the verifiers say."""
    with Store.open(folder / "store") as store:
        return [
            (e.task_id, e.outcome, [v.details or v.error for v in e.verdicts if not v.passed_strict])
            for e in store.episodes()
            if not e.success_strict
        ]


def test_a_gold_plan_passes_at_the_default_settings_and_so_does_its_refusal(tmp_path: Path) -> None:
    result = measured(tmp_path, [TASK, TWIN], trained_tokenizer([TASK], 500))
    assert failed(tmp_path) == [] and result["scores"][-1]["success_strict"] == 1.0
    assert (result["replies"].replies, result["replies"].cut) == (2, 0.0)


def test_a_plan_that_reaches_the_cap_is_cut_and_fails(tmp_path: Path) -> None:
    tokenizer = trained_tokenizer([TASK], 500)
    needed = len(tokenizer(PLAN, add_special_tokens=False)["input_ids"]) + 1
    whole = measured(tmp_path / "whole", [TASK], tokenizer, max_new_tokens=needed)
    assert (whole["scores"][-1]["success_strict"], whole["replies"].cut) == (1.0, 0.0)
    half = measured(tmp_path / "half", [TASK], tokenizer, max_new_tokens=needed // 2)
    assert (half["scores"][-1]["success_strict"], half["replies"].cut) == (0.0, 1.0)
    assert [outcome for _, outcome, _ in failed(tmp_path / "half")] == ["failure"]


@pytest.mark.slow
def test_gold_plans_of_tasks_of_all_domains_pass(tmp_path: Path) -> None:
    tasks = find_tasks(str(larger_suite()))
    first = {task.domain: task for task in reversed(tasks)}
    result = measured(tmp_path, tasks, trained_tokenizer(list(first.values()), 4000))
    assert first.keys() == set(BENCHMARK) and {"train", "test_ood"} <= {task.split for task in tasks}
    assert failed(tmp_path) == []
    assert (result["scores"][-1]["tasks"], result["scores"][-1]["success_strict"]) == (48, 1.0)
    assert result["replies"].cut == 0.0
    print("\n".join(["", *result["replies"].lines()]))
