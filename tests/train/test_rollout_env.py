"""An environment is a task's sandbox with the task's tools, judged by the task's verifiers."""

import inspect
from dataclasses import replace

from eops_traj.schema import Task
from eops_traj.train.rollout_env import (
    Environment,
    acting_prompt,
    environment_name,
    last_reply,
    make_environments,
    parse_task,
    plan_reward,
    verified,
)
from tests.collectors.group_tasks import PLAN, TASK, TWIN
from tests.planner_data import planner_prompt, reply, task_text


def reset_environment(task: Task) -> Environment:
    environment = make_environments([task])[environment_name(task)]()
    environment.reset(task=task_text(task), prompt=[])
    return environment


def do_work(environment: Environment) -> None:
    """Do what the request asks for."""
    environment.add_new_group_member(group_id=1, user_id=8)  # type: ignore[attr-defined]
    environment.update_user_details(user_id=8, phone="+1 555 0100")  # type: ignore[attr-defined]


def test_tasks_that_show_the_same_tools_share_an_environment() -> None:
    other = replace(TASK, tools=("find_user",))
    environments = make_environments([TASK, TWIN, other])
    assert set(environments) == {environment_name(TASK), environment_name(other)}
    methods = inspect.getmembers(environments[environment_name(TASK)], inspect.isfunction)
    assert {name for name, _ in methods if not name.startswith("_")} == {*TASK.tools, "reset"}


def test_a_rollout_is_judged_by_its_state_and_its_last_reply() -> None:
    done, idle, declined, refused = (
        reset_environment(TASK),
        reset_environment(TASK),
        reset_environment(TWIN),
        reset_environment(TASK),
    )
    do_work(done)
    replies = [reply("Done."), reply("Done."), *[reply("I cannot do this: they have left.")] * 2]
    assert verified(replies, [done, idle, declined, refused]) == [1.0, 0.0, 1.0, 0.0]


def test_a_reset_forgets_what_was_done() -> None:
    environment = reset_environment(TASK)
    do_work(environment)
    environment.reset(task=task_text(TASK))
    assert verified([reply("Done.")], [environment]) == [0.0]


def test_plans_are_scored_by_running_them() -> None:
    plans = [PLAN, f"<think>A look-up first.</think>{PLAN}", "REFUSE: no", "REFUSE: no", "nonsense"]
    tasks = [task_text(task) for task in (TASK, TWIN, TASK, TWIN, TASK)]
    assert plan_reward(None)([reply(plan) for plan in plans], tasks) == [1.0, 1.0, 0.0, 1.0, 0.0]


def test_a_rollout_that_ends_in_a_call_has_no_last_reply() -> None:
    assert last_reply([{"role": "assistant", "content": "", "tool_calls": [{}]}]) == ""
    assert last_reply([*reply("x"), {"role": "tool", "content": "y"}]) == ""
    assert last_reply(reply("<think>hm</think>Done.")) == "Done."


def test_an_acting_model_gets_the_request_as_it_is() -> None:
    system, user = acting_prompt(planner_prompt(TASK), TASK)
    assert (system["content"], user["content"]) == (TASK.system_prompt, TASK.user_prompt)
    assert parse_task(task_text(TASK)) == TASK
