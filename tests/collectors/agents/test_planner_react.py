from dataclasses import replace

from eops_traj.collect.orchestrator import configure
from tests.collectors.group_tasks import TASK
from tests.collectors.scripted_context import ScriptedContext, scripted_turn

PLANNED = '1. find_user(name="Conrad Vogt") -- who is to join'


def test_the_planner_plans_and_the_executor_follows():
    replies = [
        scripted_turn(f"\n{PLANNED}\n"),
        scripted_turn(find_user={"name": "Conrad Vogt"}),
        scripted_turn("He is there."),
    ]
    context = ScriptedContext(TASK, replies)
    assert context.work(configure("planner_react").orchestrator) == "He is there."
    assert [(role, tools) for _, role, tools in context.requests] == [
        ("planner", False), ("executor", True), ("executor", True),
    ]  # fmt: skip
    assert context.notes == {"plan": PLANNED, "conversations": [0, 1]}


def test_the_planner_sees_policy_tools_and_request():
    context = ScriptedContext(TASK, [scripted_turn(PLANNED), scripted_turn("Done.")])
    context.work(configure("planner_react").orchestrator)
    system, user = context.requests[0][0]
    assert system["content"] == TASK.system_prompt and user["content"] == context.turns[0].nudge
    assert TASK.user_prompt in user["content"]
    assert "add_new_group_member(group_id: integer, user_id: integer) -> {member_id, " in user["content"]


def test_the_executor_starts_afresh_with_the_plan():
    context = ScriptedContext(TASK, [scripted_turn(PLANNED), scripted_turn("Done.")])
    context.work(configure("planner_react").orchestrator)
    _, user = context.requests[1][0]
    assert user["content"] == context.turns[1].nudge
    assert TASK.user_prompt in user["content"] and PLANNED in user["content"]
    assert "Tools (" not in user["content"]


def test_a_plan_that_was_cut_goes_before_the_executor_with_a_note_of_it():
    planned = replace(scripted_turn(PLANNED), finish_reason="length")
    context = ScriptedContext(TASK, [planned, scripted_turn("Done.")])
    context.work(configure("planner_react").orchestrator)
    assert context.notes["plan"] == PLANNED and context.notes["plan_cut"]
    assert PLANNED in context.turns[1].nudge


def test_any_text_goes_before_the_executor():
    context = ScriptedContext(
        TASK, [scripted_turn("I would rather not plan."), scripted_turn("Neither would I.")]
    )
    context.work(configure("planner_react").orchestrator)
    assert "I would rather not plan." in context.requests[1][0][1]["content"]


def test_the_planner_may_be_shown_less_than_the_executor():
    context = ScriptedContext(TASK, [scripted_turn(PLANNED), scripted_turn("Done.")])
    shown = {"policy": "reference", "tools": "none", "prompt": "plan_short"}
    context.work(configure("planner_react", {"shown": shown}).orchestrator)
    assert context.requests[0][0][-1]["content"] == context.turns[0].nudge == TASK.user_prompt
    assert context.requests[1][0][0]["content"] == TASK.system_prompt
