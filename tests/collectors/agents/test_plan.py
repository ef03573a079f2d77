import json

import pytest

from eops_traj.collect.orchestrator import configure
from eops_traj.verify.refusal_text import declines
from tests.collectors.asked import PLAN, TASK, TWIN
from tests.collectors.desks import Desk, says


def worked(text, task=TASK):
    desk = Desk(task, [says(text)])
    desk.work(configure("plan").orchestrator)
    return desk


def test_the_gold_plan_runs_turn_by_turn():
    desk = worked(PLAN)
    assert [role for _, role, _ in desk.asked] == ["planner"]
    assert [c.name for turn in desk.turns for c in turn.tool_calls] == [
        *("find_user_group", "find_user", "check_user_membership"),
        *("add_new_group_member", "update_user_details"),
    ]
    assert all(len(turn.tool_calls) == 1 for turn in desk.turns[1:-1])
    assert json.loads(desk.turns[4].tool_calls[0].arguments) == {"group_id": 1, "user_id": 8}
    assert desk.turns[4].tool_calls[0].changes and desk.turns[4].text == "put them in"
    assert desk.turns[-1].text == "Done. put them in; note the new number."
    assert desk.notes["ending"]["kind"] == "completed"


def test_a_requirement_that_does_not_hold_declines():
    desk = worked(PLAN, TWIN)
    assert desk.notes["ending"] == {
        "kind": "declined", "step": 3, "reason": "an inactive person cannot be put into a group",
    }  # fmt: skip
    assert declines(desk.turns[-1].text) and desk.session.changed_rows() == ()


def test_a_refusal_is_the_answer():
    desk = worked("REFUSE: only managers may ask for this")
    assert desk.turns[-1].text == "I cannot do this: only managers may ask for this. Nothing was changed."
    assert len(desk.turns) == 2


@pytest.mark.parametrize("text", ["", "I cannot help with that.", "1. find_user(name=", "2. find_user()"])
def test_a_text_that_is_no_plan_is_the_answer(text):
    desk = worked(text)
    assert len(desk.turns) == 1 and desk.turns[0].text == text
    assert desk.notes["plan_error"]


def test_a_refused_call_stops_the_plan():
    desk = worked('1. find_user(name="Conrad Vogt")\n2. fly(to=$1.user_id)\n3. find_user(name="x")')
    assert desk.turns[2].tool_calls[0].is_error and len(desk.turns) == 4
    assert desk.notes["ending"]["kind"] == "stopped" and "Unknown tool" in desk.turns[-1].text


def test_a_number_that_json_cannot_hold_is_sent_as_text():
    desk = worked("1. update_user_details(user_id=1e999)")
    assert desk.turns[1].tool_calls[0].arguments == '{"user_id":"Infinity"}'
