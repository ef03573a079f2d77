from dataclasses import replace

import pytest

from eops_traj.collect.orchestrator import configure
from eops_traj.sandbox.embedded import open_session
from eops_traj.sandbox.open import open_task
from eops_traj.sandbox.replay import Diverged, reached_tool, replay
from tests.collectors.asked import TASK
from tests.collectors.desks import Desk, says

REPLIES = [
    says(find_user={"name": "Conrad Vogt"}, fly={"to": "the moon"}),
    says(add_new_group_member={"group_id": 1, "user_id": 8}, find_user_group={"name": 1}),
    says(update_user_details={"user_id": 8, "phone": "+1 555 0100"}),
    says("Done."),
]


@pytest.fixture(scope="module")
def desk():
    """An attempt that was worked, with a call that never reached a tool."""
    made = Desk(TASK, REPLIES)
    made.work(configure("react").orchestrator)
    return made


@pytest.mark.parametrize("turns", range(5))
def test_a_replayed_session_is_where_the_first_was(desk, turns):
    changes = tuple(c for turn in desk.turns[:turns] for call in turn.tool_calls for c in call.changes)
    with open_task(TASK) as session:
        replay(session, desk.turns[:turns])
        assert session.changed_rows() == changes
        assert (session.changes() == desk.session.changes()) == (turns > 2)


def test_what_never_reached_a_tool_is_left_out(desk):
    found, flown = desk.turns[0].tool_calls
    assert reached_tool(found) and not reached_tool(flown) and flown.is_error


def altered(desk, **fields):
    (call, *rest) = desk.turns[1].tool_calls
    return [desk.turns[0], replace(desk.turns[1], tool_calls=(replace(call, **fields), *rest))]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"result": "{}"}, 'turn 1: add_new_group_member now answers \'{"member_id"'),
        ({"is_error": True}, "turn 1: add_new_group_member now answers"),
        ({"arguments": '{"group_id":2,"user_id":9}'}, "turn 1: add_new_group_member now answers"),
    ],
)
def test_another_result_is_a_divergence(desk, fields, said):
    with open_task(TASK) as session, pytest.raises(Diverged, match=said.replace("{", r"\{")):
        replay(session, altered(desk, **fields))


def test_other_rows_are_a_divergence(desk):
    change = replace(desk.turns[1].tool_calls[0].changes[0], operation="update")
    with open_task(TASK) as session, pytest.raises(Diverged, match="now changes other rows"):
        replay(session, altered(desk, changes=(change,)))


def test_another_seed_is_a_divergence(desk):
    with (
        open_session({"csm": 1}, {"x-user-email": "x@y.example"}) as session,
        pytest.raises(Diverged, match="0"),
    ):
        replay(session, desk.turns)
