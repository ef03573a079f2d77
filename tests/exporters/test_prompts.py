"""Prompts for online learning: one a task, with the task that scores a completion."""

import json

from eops_traj.planner.plan_check import evaluate_plan
from eops_traj.schema import Task
from eops_traj.store.arrow import from_row
from tests.collectors.group_tasks import TASK, TWIN
from tests.exporters.attempts import CHATTER, GOLD, REFUSAL, SHORT, export, mixed, numbered, planned, rows
from tests.selected import certificate
from tests.tokenizers import save_tokenizer


def test_a_completion_is_scored_by_the_row_alone(tmp_path):
    bundles = [*planned(TASK, GOLD), *planned(TWIN, REFUSAL)]
    tasks = [from_row(Task, json.loads(row["task"])) for row in rows(tmp_path, "prompts", numbered(bundles))]
    assert [task.task_id for task in tasks] == [TASK.task_id, TWIN.task_id]
    for text in (GOLD, SHORT, REFUSAL, CHATTER):
        for row_task, task in zip(tasks, (TASK, TWIN), strict=True):
            assert evaluate_plan(text, row_task) == evaluate_plan(text, task)


def test_a_task_keeps_its_policy_where_that_tells_what_numbers_stand_for(tmp_path):
    for values, policy in (("plain", ""), ("marked", TASK.system_prompt)):
        (folder := tmp_path / values).mkdir()
        [row] = rows(folder, "prompts", planned(TASK, GOLD), values=values)
        assert json.loads(row["task"])["system_prompt"] == policy


def test_the_row_holds_no_answer(tmp_path):
    [row] = rows(tmp_path, "prompts", planned(TASK, GOLD))
    assert json.loads(row["task"])["plan"] is None and [m["role"] for m in row["prompt"]] == [
        "system",
        "user",
    ]
    assert "add_new_group_member(group_id=$1" not in json.dumps(row)


def test_lengths_are_counted_and_no_loss_is_claimed(tmp_path):
    written = certificate(
        export(tmp_path, "prompts", mixed(), tokenizer=save_tokenizer(tmp_path / "tokenizer"))
    )
    assert written["lengths"]["rows"] == 2 and written["lengths"]["tokens_with_loss"] == 0
    assert written["checks"]["loss_mask"]["status"] == "not run"
    assert (
        written["checks"]["task_scores"]["status"] == "passed"
        and written["checks"]["task_scores"]["rows"] == 2
    )
