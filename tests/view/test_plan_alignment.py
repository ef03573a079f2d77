from dataclasses import replace

from eops_traj.schema import Json, Turn
from eops_traj.view.plan_alignment import planned
from tests.episodes import episode
from tests.view.conftest import call, shown


def test_each_step_has_what_came_of_it() -> None:
    told = planned(shown())
    assert [(line.number, line.state, line.made and line.made.turn) for line in told.lines] == [
        (1, "as planned", 1),
        (2, "other arguments", 2),
        (3, "not made", None),
    ]
    assert [other.turn for other in told.others] == [3]


def test_a_step_that_failed_and_a_requirement() -> None:
    plan = '{"plan":"1. find_user(name=\\"Odile\\")\\n2. require($1.active == 1)"}'
    failed = replace(call("find_user", "no such user", name="Odile"), is_error=True)
    told = planned(episode("e", details=Json(plan), turns=(Turn(text="", tool_calls=(failed,)),)))
    assert [line.state for line in told.lines] == ["failed", "not met or not reached"]


def test_no_plan_a_refusal_and_a_text_that_is_none() -> None:
    assert planned(episode("e")) is None
    assert planned(episode("e", details=Json('{"plan":"REFUSE: no"}'))).refusal == "no"
    assert "line 1" in planned(episode("e", details=Json('{"plan":"I would look"}'))).problem
