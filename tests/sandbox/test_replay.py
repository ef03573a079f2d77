from dataclasses import replace

import pytest

from eops_traj.collect.orchestrator import configure
from eops_traj.sandbox.embedded import open_session
from eops_traj.sandbox.open import open_task
from eops_traj.sandbox.replay import Diverged, reached_tool, replay
from tests.collectors.group_tasks import TASK
from tests.collectors.scripted_context import ScriptedContext, scripted_turn

REPLIES = [
    scripted_turn(find_user={"name": "Conrad Vogt"}, fly={"to": "the moon"}),
    scripted_turn(add_new_group_member={"group_id": 1, "user_id": 8}, find_user_group={"name": 1}),
    scripted_turn(update_user_details={"user_id": 8, "phone": "+1 555 0100"}),
    scripted_turn("Done."),
]


@pytest.fixture(scope="module")
def context():
    """An attempt that was worked, with a call that never reached a tool."""
    made = ScriptedContext(TASK, REPLIES)
    made.work(configure("react").orchestrator)
    return made


@pytest.mark.parametrize("turns", range(5))
def test_a_replayed_session_is_where_the_first_was(context, turns):
    changes = tuple(c for turn in context.turns[:turns] for call in turn.tool_calls for c in call.changes)
    with open_task(TASK) as session:
        replay(session, context.turns[:turns])
        assert session.changed_rows() == changes
        assert (session.changes() == context.session.changes()) == (turns > 2)


def test_what_never_reached_a_tool_is_left_out(context):
    found, flown = context.turns[0].tool_calls
    assert reached_tool(found) and not reached_tool(flown) and flown.is_error


def altered(context, **fields):
    (call, *rest) = context.turns[1].tool_calls
    return [context.turns[0], replace(context.turns[1], tool_calls=(replace(call, **fields), *rest))]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"result": "{}"}, 'turn 1: add_new_group_member now answers \'{"member_id"'),
        ({"is_error": True}, "turn 1: add_new_group_member now answers"),
        ({"arguments": '{"group_id":2,"user_id":9}'}, "turn 1: add_new_group_member now answers"),
    ],
)
def test_another_result_is_a_divergence(context, fields, said):
    with open_task(TASK) as session, pytest.raises(Diverged, match=said.replace("{", r"\{")):
        replay(session, altered(context, **fields))


def test_other_rows_are_a_divergence(context):
    change = replace(context.turns[1].tool_calls[0].changes[0], operation="update")
    with open_task(TASK) as session, pytest.raises(Diverged, match="now changes other rows"):
        replay(session, altered(context, changes=(change,)))


def test_another_seed_is_a_divergence(context):
    with (
        open_session({"csm": 1}, {"x-user-email": "x@y.example"}) as session,
        pytest.raises(Diverged, match="turn 0: find_user now answers"),
    ):
        replay(session, context.turns)
