from eops_traj.collect.orchestrator import configure
from tests.collectors.asked import TASK
from tests.collectors.desks import Desk, says

PLANNED = '1. find_user(name="Conrad Vogt") -- who is to join'


def test_the_planner_plans_and_the_executor_follows():
    replies = [says(f"\n{PLANNED}\n"), says(find_user={"name": "Conrad Vogt"}), says("He is there.")]
    desk = Desk(TASK, replies)
    assert desk.work(configure("planner_react").orchestrator) == "He is there."
    assert [(role, tools) for _, role, tools in desk.asked] == [
        ("planner", False), ("executor", True), ("executor", True),
    ]  # fmt: skip
    assert desk.notes == {"plan": PLANNED, "conversations": [0, 1]}


def test_the_planner_sees_policy_tools_and_request():
    desk = Desk(TASK, [says(PLANNED), says("Done.")])
    desk.work(configure("planner_react").orchestrator)
    system, user = desk.asked[0][0]
    assert system["content"] == TASK.system_prompt and user["content"] == desk.turns[0].nudge
    assert TASK.user_prompt in user["content"]
    assert "add_new_group_member(group_id: integer, user_id: integer) -- " in user["content"]


def test_the_executor_starts_afresh_with_the_plan():
    desk = Desk(TASK, [says(PLANNED), says("Done.")])
    desk.work(configure("planner_react").orchestrator)
    _, user = desk.asked[1][0]
    assert user["content"] == desk.turns[1].nudge
    assert TASK.user_prompt in user["content"] and PLANNED in user["content"]
    assert "Tools (" not in user["content"]


def test_any_text_goes_before_the_executor():
    desk = Desk(TASK, [says("I would rather not plan."), says("Neither would I.")])
    desk.work(configure("planner_react").orchestrator)
    assert "I would rather not plan." in desk.asked[1][0][1]["content"]


def test_the_planner_may_be_shown_less_than_the_executor():
    desk = Desk(TASK, [says(PLANNED), says("Done.")])
    shown = {"policy": "reference", "tools": "none", "prompt": "plan_short"}
    desk.work(configure("planner_react", {"shown": shown}).orchestrator)
    assert desk.asked[0][0][-1]["content"] == desk.turns[0].nudge == TASK.user_prompt
    assert desk.asked[1][0][0]["content"] == TASK.system_prompt
