from dataclasses import replace

import pytest

from eops_traj.plan import in_order, parse, render
from eops_traj.planner.deviation import deviated_plan
from eops_traj.planner.plan_check import evaluate_plan
from tests.collectors.group_tasks import GONE, PLAN, TASK, TWIN, server
from tests.collectors.scripted_context import scripted_turn
from tests.planner.attempts import episode_of

GROUP = scripted_turn(find_user_group={"name": "Service Desk"})
PERSON = scripted_turn(find_user={"name": "Conrad Vogt"})
MEMBER = scripted_turn(check_user_membership={"user_id": 8, "group_id": 1})
JOIN = scripted_turn(add_new_group_member={"group_id": 1, "user_id": 8})
PHONE = scripted_turn(update_user_details={"user_id": 8, "phone": "+1 555 0100"})
DONE = scripted_turn("Done.")


def departed(*turns, task=TASK, plan=PLAN):
    """The plan as an executor followed it who made these turns."""
    episode = episode_of(task, "conditioned", turns).episode
    followed = deviated_plan(parse(plan), episode)
    return None if followed is None else render(followed)


def without(*numbers):
    """The given plan without these lines, the others numbered anew."""
    return render(in_order(parse(PLAN), [n for n in range(1, 8) if n not in numbers]))


def test_to_follow_it_to_the_end_is_no_deviation():
    assert departed(GROUP, PERSON, MEMBER, JOIN, PHONE, DONE) is None
    assert departed(PERSON, GROUP, MEMBER, JOIN, PHONE, DONE) is None  # in another order of look-ups
    assert departed(DONE) is None


def test_what_was_left_out_is_left_out():
    assert departed(GROUP, PERSON, MEMBER, JOIN, DONE) == without(7)
    assert departed(GROUP, PERSON, MEMBER, PHONE, DONE) == without(6)
    assert departed(GROUP, PERSON, DONE) == without(3, 4, 5, 6, 7)


def test_an_argument_got_wrong_is_the_one_that_was_given():
    wrong = scripted_turn(update_user_details={"user_id": 9, "phone": "+1 555 0100"})
    followed = departed(GROUP, PERSON, MEMBER, JOIN, wrong, DONE)
    assert followed == PLAN.strip().replace("details(user_id=$2.user_id", "details(user_id=9")
    assert not evaluate_plan(followed, TASK).passed


def test_what_comes_from_a_step_left_out_is_written_out():
    followed = departed(
        PERSON, scripted_turn(check_user_membership={"user_id": 8, "group_id": 2}), JOIN, PHONE, DONE
    )
    assert "check_user_membership(user_id=$1.user_id, group_id=2)" in followed
    assert "add_new_group_member(group_id=1, user_id=$1.user_id)" in followed


def test_a_requirement_passed_over_is_gone():
    followed = departed(GROUP, PERSON, MEMBER, JOIN, DONE, task=TWIN)
    assert followed == without(3, 7) and evaluate_plan(followed, TWIN).outcome == "unsafe_action"


def test_changes_of_its_own_stand_where_they_were_made():
    own = scripted_turn(update_user_details={"user_id": 7, "phone": "1"})
    followed = departed(GROUP, own, PERSON, MEMBER, JOIN, PHONE, DONE).splitlines()
    assert followed[1] == '2. update_user_details(user_id=7, phone="1")'
    assert followed[-1].startswith("8. update_user_details(user_id=$3.user_id")
    last = departed(GROUP, PERSON, MEMBER, JOIN, PHONE, own, DONE).splitlines()
    assert last[:-1] == PLAN.strip().splitlines() and last[-1].startswith("8. update_user_details(user_id=7")


ATTEMPTS = [(GROUP, PERSON, MEMBER, JOIN, DONE), (PERSON, PHONE, DONE), (JOIN, PHONE, DONE)]


@pytest.mark.parametrize("turns", ATTEMPTS)
def test_it_comes_to_what_the_episode_came_to(turns):
    task = replace(TASK, servers=(server(),))
    episode = episode_of(task, "conditioned", turns).episode
    assert evaluate_plan(render(deviated_plan(parse(PLAN), episode)), task).outcome == episode.outcome
    gone = replace(TWIN, servers=(server(GONE),))
    episode = episode_of(gone, "conditioned", turns).episode
    assert evaluate_plan(render(deviated_plan(parse(PLAN), episode)), gone).outcome == episode.outcome
