"""A model that acts is examined by rollouts of its likeliest replies, each task judged like any other."""

from dataclasses import replace
from pathlib import Path

import pytest

from eops_traj.llm.base import Request
from eops_traj.schema import Task
from eops_traj.train.acting_eval import ActingTasks
from eops_traj.train.plan_eval import PlanEval
from tests.collectors.group_tasks import TWIN
from tests.planner_data import planner_prompt
from tests.recipes.forced import HALF, TO_DO, actor, force
from tests.train.test_rollout_trainer import make_trainer

GONE = replace(TWIN, tools=TO_DO.tools)
"""The same request where it has to be declined, which the forced replies do not do."""


def exam_of(tasks: list[Task], root: Path | None = None) -> ActingTasks:
    """Make the exam of these tasks."""
    return ActingTasks.of(PlanEval(tasks, [Request(planner_prompt(task)) for task in tasks], root, 2, 99))


def test_the_rows_of_an_exam_are_those_of_training_with_the_root_of_its_tasks(tmp_path: Path) -> None:
    here, there = exam_of([TO_DO]), exam_of([TO_DO], tmp_path)
    assert [message["content"] for message in here.rows[0]["prompt"]] == [
        TO_DO.system_prompt, TO_DO.user_prompt,
    ]  # fmt: skip
    assert here.rows[0]["environment"] != there.rows[0]["environment"] and there.root == tmp_path


@pytest.mark.slow
def test_rates_are_of_rollouts_and_a_task_without_room_is_failed_and_cut(tmp_path: Path) -> None:
    trainer = force(make_trainer(actor(tmp_path / "actor"), [TO_DO], max_new_tokens=900), HALF)
    exam = exam_of([TO_DO, TO_DO, GONE, TO_DO])
    rates = exam.by(trainer, [True, True, True, False]).rates()
    assert (rates.tasks, rates.verified, rates.cut) == (4, 0.25, 0.25)  # every other try leaves a call out
    assert (rates.safe_refusal, rates.over_refusal) == (0.0, 0.0)
