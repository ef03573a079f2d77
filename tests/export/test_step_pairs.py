"""Which decisions are paired: those of one place, the rejected one such that it can be what went wrong."""

from dataclasses import replace

from eops_traj.export.decisions import decisions
from eops_traj.export.step_pairs import Pairing
from tests.collectors.group_tasks import TASK
from tests.collectors.scripted_context import scripted_turn
from tests.exporters.attempts import numbered
from tests.planner.attempts import episode_of

PERSON = scripted_turn(find_user={"name": "Conrad Vogt"})
OTHER = scripted_turn(find_user={"name": "Iwo Olszewska"})
UNKNOWN = scripted_turn(find_nobody={})
JOIN = scripted_turn(add_new_group_member={"group_id": 1, "user_id": 8})
WRONG = scripted_turn(add_new_group_member={"group_id": 1, "user_id": 7})
PHONE = scripted_turn(update_user_details={"user_id": 8, "phone": "+1 555 0100"})
DONE = scripted_turn("Done.")
GOOD = (PERSON, JOIN, PHONE, DONE)


def pairs(*attempts, siblings="any", require="decisive", most=9, fields=None):
    """The pairs of attempts with these turns; ``fields`` are to be changed in the episodes, by place."""
    attempted = numbered(episode_of(TASK, "react", turns) for turns in attempts)
    changed = [
        replace(m, episode=replace(m.episode, **(fields or {}).get(n, {}))) for n, m in enumerate(attempted)
    ]
    all_decisions = [decision for bundle in changed for decision in decisions(bundle)]
    return [
        (p.chosen.episode.episode_id, p.rejected.episode.episode_id, p.rejected.turn)
        for p in Pairing(siblings, require, most).pairs(all_decisions)
    ]


def test_siblings_part_at_one_turn():
    assert pairs(GOOD, (PERSON, WRONG, PHONE, DONE)) == [("e0", "e1", 1)]
    assert pairs(GOOD, (PERSON, JOIN, DONE)) == [("e0", "e1", 2)]
    assert pairs(GOOD, (DONE,)) == [("e0", "e1", 0)]


def test_both_well_or_both_badly_make_no_pair():
    assert pairs(GOOD, GOOD) == [] and pairs((DONE,), (PERSON, DONE)) == []
    assert pairs(GOOD, (OTHER, *GOOD)) == []


def test_a_look_up_shows_nothing_unless_any_difference_will_do():
    astray = (OTHER, PERSON, DONE)
    assert pairs(GOOD, astray) == [] and pairs(GOOD, astray, require="any") == [("e0", "e1", 0)]
    assert pairs(GOOD, (UNKNOWN, DONE)) == [("e0", "e1", 0)]


def test_a_right_change_is_not_rejected_for_what_came_later():
    assert pairs(GOOD, (JOIN, DONE)) == []


def test_what_a_tool_refused_is_not_chosen():
    assert pairs((UNKNOWN, *GOOD), (DONE,)) == []
    assert pairs((UNKNOWN, *GOOD), (DONE,), GOOD) == [("e2", "e1", 0)]


def test_what_a_good_sibling_decided_too_is_not_rejected():
    assert pairs(GOOD, (PERSON, WRONG, DONE), (PERSON, JOIN, DONE)) == [("e0", "e1", 1), ("e0", "e2", 2)]


def test_branches_come_first_and_may_be_all_that_is_wanted():
    attempts = (GOOD, (PERSON, WRONG, DONE), (PERSON, DONE))
    branched = {2: {"parent": "e0", "branch_turn": 1}}
    assert pairs(*attempts, fields=branched, most=1) == [("e0", "e2", 1)]
    assert pairs(*attempts, fields=branched, siblings="branches") == [("e0", "e2", 1)]
    assert pairs(*attempts, fields={1: {"agent_hash": "x"}}, siblings="agent") == [("e0", "e2", 1)]
    both = {0: {"parent": "e1", "branch_turn": 1}, 2: {"parent": "e1", "branch_turn": 1}}
    assert pairs(*attempts, fields=both, siblings="branches") == [("e0", "e1", 1), ("e0", "e2", 1)]


def test_of_those_who_decided_alike_one_that_is_related_is_rejected():
    attempts = (GOOD, (PERSON, WRONG, DONE), (PERSON, WRONG, DONE))
    other, branched = {1: {"agent_hash": "x"}}, {2: {"parent": "e0", "branch_turn": 1}}
    assert pairs(*attempts, fields=other, siblings="agent") == [("e0", "e2", 1)]
    assert pairs(*attempts, fields=branched, siblings="branches") == [("e0", "e2", 1)]
    assert pairs(*attempts, fields=branched) == [("e0", "e2", 1)] and pairs(*attempts) == [("e0", "e1", 1)]


def test_of_several_that_went_well_the_same_agents_and_then_what_most_often_did_is_chosen():
    wrong, call = (PERSON, WRONG, DONE), (PERSON, PHONE, JOIN, DONE)
    other = {0: {"agent_hash": "x"}}
    assert pairs(GOOD, call, wrong, fields=other) == [("e1", "e2", 1)]
    assert set(pairs(call, (PERSON, PHONE, DONE), GOOD, wrong)) == {("e0", "e1", 2), ("e2", "e3", 1)}
