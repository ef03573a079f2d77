from dataclasses import replace

from eops_traj.schema import Json, Turn
from eops_traj.view.plan_alignment import align_plan
from tests.episodes import episode
from tests.view.conftest import call, opened_episode


def test_each_step_has_what_came_of_it() -> None:
    alignment = align_plan(opened_episode())
    assert [(line.number, line.state, line.match and line.match.turn) for line in alignment.lines] == [
        (1, "as planned", 1),
        (2, "other arguments", 2),
        (3, "not made", None),
    ]
    assert [other.turn for other in alignment.others] == [3]


def test_a_step_that_failed_and_a_requirement() -> None:
    plan = '{"plan":"1. find_user(name=\\"Odile\\")\\n2. require($1.active == 1)"}'
    failed = replace(call("find_user", "no such user", name="Odile"), is_error=True)
    alignment = align_plan(episode("e", details=Json(plan), turns=(Turn(text="", tool_calls=(failed,)),)))
    assert [line.state for line in alignment.lines] == ["failed", "not true, or not reached: stops"]


def test_no_plan_a_refusal_and_a_text_that_is_none() -> None:
    assert align_plan(episode("e")) is None
    assert align_plan(episode("e", details=Json('{"plan":"REFUSE: no"}'))).refusal == "no"
    assert "line 1" in align_plan(episode("e", details=Json('{"plan":"I would look"}'))).problem
