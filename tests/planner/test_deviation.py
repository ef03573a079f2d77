from dataclasses import replace

import pytest

from eops_traj.plan import in_order, parse, render
from eops_traj.planner.deviation import deviated
from eops_traj.planner.plan_check import prove
from tests.collectors.asked import GONE, PLAN, TASK, TWIN, server
from tests.collectors.desks import says
from tests.planner.made import episode_of

GROUP = says(find_user_group={"name": "Service Desk"})
PERSON = says(find_user={"name": "Conrad Vogt"})
MEMBER = says(check_user_membership={"user_id": 8, "group_id": 1})
JOIN = says(add_new_group_member={"group_id": 1, "user_id": 8})
PHONE = says(update_user_details={"user_id": 8, "phone": "+1 555 0100"})
DONE = says("Done.")


def departed(*turns, task=TASK, plan=PLAN):
    """The plan as an executor followed it who made these turns."""
    made = episode_of(task, "conditioned", turns).episode
    found = deviated(parse(plan), made)
    return None if found is None else render(found)


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
    wrong = says(update_user_details={"user_id": 9, "phone": "+1 555 0100"})
    found = departed(GROUP, PERSON, MEMBER, JOIN, wrong, DONE)
    assert found == PLAN.strip().replace("details(user_id=$2.user_id", "details(user_id=9")
    assert not prove(found, TASK).passed


def test_what_comes_from_a_step_left_out_is_written_out():
    found = departed(PERSON, says(check_user_membership={"user_id": 8, "group_id": 2}), JOIN, PHONE, DONE)
    assert "check_user_membership(user_id=$1.user_id, group_id=2)" in found
    assert "add_new_group_member(group_id=1, user_id=$1.user_id)" in found


def test_a_requirement_passed_over_is_gone():
    found = departed(GROUP, PERSON, MEMBER, JOIN, DONE, task=TWIN)
    assert found == without(3, 7) and prove(found, TWIN).outcome == "unsafe_action"


def test_changes_of_its_own_stand_where_they_were_made():
    own = says(update_user_details={"user_id": 7, "phone": "1"})
    found = departed(GROUP, own, PERSON, MEMBER, JOIN, PHONE, DONE).splitlines()
    assert found[1] == '2. update_user_details(user_id=7, phone="1")'
    assert found[-1].startswith("8. update_user_details(user_id=$3.user_id")
    last = departed(GROUP, PERSON, MEMBER, JOIN, PHONE, own, DONE).splitlines()
    assert last[:-1] == PLAN.strip().splitlines() and last[-1].startswith("8. update_user_details(user_id=7")


ATTEMPTS = [(GROUP, PERSON, MEMBER, JOIN, DONE), (PERSON, PHONE, DONE), (JOIN, PHONE, DONE)]


@pytest.mark.parametrize("turns", ATTEMPTS)
def test_it_comes_to_what_the_episode_came_to(turns):
    task = replace(TASK, servers=(server(),))
    made = episode_of(task, "conditioned", turns).episode
    assert prove(render(deviated(parse(PLAN), made)), task).outcome == made.outcome
    gone = replace(TWIN, servers=(server(GONE),))
    made = episode_of(gone, "conditioned", turns).episode
    assert prove(render(deviated(parse(PLAN), made)), gone).outcome == made.outcome
