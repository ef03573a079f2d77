from dataclasses import replace

import pytest

from eops_traj.collect.orchestrator import LimitReached, configure
from eops_traj.errors import ConfigError
from eops_traj.schema import final_answer
from tests.collectors.group_tasks import BY_SLOTS, PLAN, TASK, TWIN
from tests.collectors.scripted_context import ScriptedContext, scripted_turn

LOOKS_MORE = PLAN.replace("7. update", '7. find_user(name="Iwo Olszewska") -- to be sure\n8. update')
WRONG = PLAN.replace("+1 555 0100", "+1 555 0199")
STOPS = PLAN.replace("$2.user_id", "$2.no_such_field")
CHATTER, REFUSAL, OTHER_REFUSAL = "First I would look.", "REFUSE: it is not allowed", "REFUSE: they have left"
HIDDEN = "1. list_user_groups()"
"""A tool of the server that the task does not show."""


def cut(text):
    return replace(scripted_turn(text), finish_reason="length")


def worked(*texts, task=TASK, **options):
    replies = [scripted_turn(text) if isinstance(text, str) else text for text in texts]
    context = ScriptedContext(task, replies)
    context.work(configure("plan_vote", {"samples": len(texts), **options}).orchestrator)
    return context


def chosen(*texts, **options):
    return worked(*texts, **options).notes["plan"]


def test_the_plan_is_run_that_most_agree_with():
    context = worked(WRONG, PLAN, LOOKS_MORE)
    assert context.notes["plan"] == PLAN.strip()  # the third changes the same, a look-up later
    assert [tried["came_to"] for tried in context.notes["tried"]] == ["completed"] * 3
    assert [role for _, role, _ in context.requests] == ["planner"] * 3
    assert [c.name for turn in context.turns for c in turn.tool_calls][-2:] == [
        "add_new_group_member",
        "update_user_details",
    ]


def test_what_is_tried_leaves_no_trace():
    context = worked(WRONG, PLAN, PLAN)
    numbers = context.session.run_sql("csm", "SELECT phone FROM user WHERE user_id = 8").rows
    assert numbers == (("+1 555 0100",),)
    assert len([turn for turn in context.turns if turn.tool_calls]) == 5


@pytest.mark.parametrize("bad", [STOPS, CHATTER, HIDDEN])
def test_plans_that_do_not_run_to_an_end_fall_out(bad):
    assert chosen(bad, bad, PLAN) == PLAN.strip()


def test_what_was_cut_has_no_vote():
    context = worked(cut(WRONG), PLAN, cut(WRONG), cut(PLAN))
    assert context.notes["plan"] == PLAN.strip() and "plan_cut" not in context.notes
    assert [tried["came_to"] for tried in context.notes["tried"]] == ["cut", "completed", "cut", "cut"]
    assert chosen(PLAN, *[cut(REFUSAL)] * 4) == PLAN.strip()
    assert chosen(cut(PLAN), cut(PLAN), CHATTER) == CHATTER


def test_where_all_were_cut_nothing_is_run_or_answered():
    context = worked(cut(REFUSAL), cut(PLAN))
    assert len(context.turns) == 2 and context.notes["plan_cut"] and context.notes["plan"] == REFUSAL
    assert final_answer(context.turns, context.notes) == ""


def test_to_decline_takes_nearly_all_whatever_their_reasons():
    assert chosen(PLAN, REFUSAL, OTHER_REFUSAL, REFUSAL) == PLAN.strip()
    assert chosen(PLAN, REFUSAL, OTHER_REFUSAL, REFUSAL, OTHER_REFUSAL) == REFUSAL
    assert chosen(STOPS, CHATTER, OTHER_REFUSAL, STOPS) == OTHER_REFUSAL


def test_how_many_have_to_decline_can_be_said():
    assert chosen(PLAN, REFUSAL, OTHER_REFUSAL, declining=0.6) == REFUSAL
    assert chosen(PLAN, REFUSAL, OTHER_REFUSAL, declining=0.7) == PLAN.strip()
    assert chosen(PLAN, REFUSAL, REFUSAL, REFUSAL, REFUSAL, declining=1) == PLAN.strip()
    assert chosen(WRONG, PLAN, PLAN, REFUSAL, declining=0.3) == PLAN.strip()


def test_plans_that_stop_agree_by_where_they_left_the_records():
    assert chosen(WRONG.replace("$2.user_id, p", "$2.nothing, p"), STOPS, STOPS) == STOPS.strip()


def test_the_first_of_equals_is_run():
    assert chosen(WRONG, PLAN) == WRONG.strip()
    assert chosen(PLAN, WRONG, REFUSAL) == PLAN.strip()


def test_a_plan_that_stops_is_better_than_none():
    context = worked(CHATTER, CHATTER, STOPS)
    assert context.notes["plan"] == STOPS.strip() and context.notes["ending"]["kind"] == "stopped"
    assert "plan_error" in worked(CHATTER, CHATTER).notes


def test_the_samples_are_one_turn_of_those_that_an_attempt_may_take():
    alone, texts = '1. find_user(name="Conrad Vogt")', [scripted_turn('1. find_user(name="Conrad Vogt")')] * 5
    options = {"plan": {}, "plan_vote": {"samples": 5}}
    for name, settings in options.items():
        contexts = [ScriptedContext(TASK, texts, turns=turns) for turns in (3, 2)]
        contexts[0].work(configure(name, settings).orchestrator)
        assert contexts[0].notes["plan"] == alone and contexts[0].turns[-1].text.startswith("Done.")
        with pytest.raises(LimitReached, match="max_turns"):
            contexts[1].work(configure(name, settings).orchestrator)


def test_steps_that_are_no_plan_are_no_answer():
    context = worked("1. require(x) -- this is not allowed", CHATTER)
    assert final_answer(context.turns, context.notes) == ""
    assert context.notes["plan_error"] == "none of the texts is a plan"


def test_a_requirement_that_fails_is_declined_on_the_fork_too():
    context = worked(PLAN, WRONG, task=TWIN)
    assert [tried["came_to"] for tried in context.notes["tried"]] == ["declined"] * 2
    assert context.turns[-1].text.startswith("I cannot do this")


def test_plans_by_slots_are_tried_with_their_values():
    assert chosen(WRONG, BY_SLOTS, BY_SLOTS, shown={"values": "marked"}) == PLAN.strip()


def test_one_sample_is_no_vote():
    with pytest.raises(ConfigError, match="greater than or equal to 2"):
        configure("plan_vote", {"samples": 1})
