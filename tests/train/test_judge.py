"""Tries are judged as episodes are, and those that their budget ended are counted."""

from pathlib import Path
from typing import Any

import pytest

from eops_traj.errors import FormatError
from eops_traj.planner.prompt import PlannerView
from eops_traj.train.judge import Judge, Tried, last_reply
from tests.collectors.group_tasks import BY_SLOTS, PLAN, TASK, TWIN
from tests.planner_data import reply, task_text
from tests.train.rollouts import do_work, reset_environment, seeded_by_file

END = 7
CALL = {"role": "assistant", "content": "", "tool_calls": [{}]}
ANSWER = {"role": "tool", "name": "find_user", "content": "{}"}
DONE = [1, END]


def test_a_rollout_is_judged_by_its_state_and_its_last_reply() -> None:
    tasks = (TASK, TASK, TWIN, TASK)
    environments = [reset_environment(task) for task in tasks]
    do_work(environments[0])
    replies = [reply("Done."), reply("Done."), *[reply("I cannot do this: they have left.")] * 2]
    judge = Judge(ends={END})
    assert judge.rollouts(replies, [DONE] * 4, environments) == [1.0, 0.0, 1.0, 0.0]
    outcomes = [tried.outcome for tried in judge.last]
    assert outcomes == ["success", "failure", "safe_refusal", "over_refusal"]
    assert all(environment._context is None for environment in environments)


def test_plans_are_scored_by_running_them() -> None:
    plans = [PLAN, f"<think>A look-up first.</think>{PLAN}", "REFUSE: no", "REFUSE: no", "nonsense"]
    tasks = [task_text(task) for task in (TASK, TWIN, TASK, TWIN, TASK)]
    judge = Judge(ends={END})
    ids = [DONE, DONE, DONE, DONE, [1, 2]]
    assert judge.plans([reply(plan) for plan in plans], ids, tasks) == [1.0, 1.0, 0.0, 1.0, 0.0]
    assert [tried.cut for tried in judge.last] == [False, False, False, False, True]


def test_plans_are_read_as_the_planner_was_told_to_write_them() -> None:
    replies, tasks, ids = [reply(BY_SLOTS), reply(PLAN)], [task_text(TASK)] * 2, [DONE] * 2
    marked = Judge(ends={END}, view=PlannerView(values="marked"))
    assert marked.plans(replies, ids, tasks) == [1.0, 1.0]
    assert Judge(ends={END}).plans(replies, ids, tasks) == [0.0, 1.0]


def test_a_plan_that_was_cut_fails_though_what_is_there_of_it_passes() -> None:
    texts = [PLAN[:-4], "REFUSE: no", PLAN.strip() + " and so on" * 99]
    tasks, replies = [task_text(task) for task in (TASK, TWIN, TASK)], [reply(text) for text in texts]
    judge = Judge(ends={END})
    assert judge.plans(replies, [DONE] * 3, tasks) == [1.0] * 3
    assert judge.plans(replies, [[1, 2]] * 3, tasks) == [0.0] * 3
    assert judge.last == [Tried("failure", cut=True)] * 3


def test_a_plan_runs_on_the_database_of_its_seed_file(tmp_path: Path) -> None:
    text = task_text(seeded_by_file(TASK, tmp_path))
    assert Judge(tmp_path, ends={END}).plans([reply(PLAN)], [DONE], [text]) == [1.0]
    with pytest.raises(FormatError, match=r"seeds/desk\.sql"):
        Judge(ends={END}).plans([reply(PLAN)], [DONE], [text])


def test_tries_that_a_budget_ended_are_counted_and_logged() -> None:
    rollouts: list[Any] = [
        (reply("Done."), DONE),
        (reply("Do"), [1]),  # cut in its last reply
        ([CALL, ANSWER, CALL], DONE),  # no room for the answer to its second call
        ([CALL, ANSWER], DONE),  # no room for a reply
        ([CALL, ANSWER, CALL, ANSWER, CALL], DONE),  # a third round of calls
    ]
    logged: dict[str, float] = {}
    judge = Judge(max_turns=2, ends={END})
    completions, ids = zip(*rollouts, strict=True)
    environments = [reset_environment(TASK) for _ in rollouts]
    judge.rollouts(completions, ids, environments, log_metric=logged.__setitem__)
    assert [tried.cut for tried in judge.last] == [False, True, True, True, False]
    assert [tried.out_of_turns for tried in judge.last] == [False, False, False, False, True]
    assert logged == {"tries/cut": 0.6, "tries/out_of_turns": 0.2}
    judge.rollouts([reply("Done.")], [[]], [reset_environment(TASK)])
    assert (judge.tries, judge.cut, judge.out_of_turns) == (6, 4, 1)


def test_what_led_to_a_reply_is_not_judged() -> None:
    judge = Judge(ends={END})
    ended: list[Any] = [CALL, ANSWER, *reply("Done.")]
    judge.rollouts([ended], [DONE], [reset_environment(TASK)])
    assert judge.last == [Tried("failure")] and not judge.last[0].cut and not judge.last[0].out_of_turns
    assert judge.plans([[*reply("REFUSE: no"), *reply(PLAN)]], [DONE], [task_text(TASK)]) == [1.0]


def test_as_many_tries_as_replies_are_scored_or_none() -> None:
    judge = Judge(ends={END})
    with pytest.raises(ValueError, match="shorter"):
        judge.plans([reply(PLAN)] * 2, [DONE], [task_text(TASK)])
    with pytest.raises(ValueError, match="shorter"):
        judge.rollouts([reply("Done.")] * 2, [DONE], [reset_environment(TASK)])


def test_a_rollout_that_ends_in_a_call_has_no_last_reply() -> None:
    assert last_reply([CALL]) == ""
    assert last_reply([*reply("x"), ANSWER]) == ""
    assert last_reply(reply("<think>hm</think>Done.")) == "Done."
