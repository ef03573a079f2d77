"""Pairs of plans: the closest, in turns from the ways of failing."""

from hypothesis import given
from hypothesis import strategies as st

from eops_traj.planner.plan_check import Proof
from eops_traj.planner.plan_dataset import ProvenPlan
from eops_traj.planner.plan_pairs import distance, edits, pairs

TEXTS = st.lists(st.sampled_from("abc"), max_size=6)


def plan(text, outcome):
    proof = Proof(text, outcome, outcome in ("success", "safe_refusal"), "")
    return ProvenPlan(text, "written", (proof,), (text,))


def slow_edits(ours, theirs):
    """The same as its definition has it."""
    if not ours or not theirs:
        return len(ours) + len(theirs)
    changed = slow_edits(ours[1:], theirs[1:]) + (ours[0] != theirs[0])
    return min(changed, slow_edits(ours[1:], theirs) + 1, slow_edits(ours, theirs[1:]) + 1)


@given(TEXTS, TEXTS)
def test_the_edit_distance_is_levenshteins(ours, theirs):
    assert edits(ours, theirs) == edits(theirs, ours) == slow_edits(ours, theirs)


def test_a_failed_plan_is_paired_with_the_closest_that_passes():
    good = [plan("1. a()\n2. b()", "success"), plan("1. c()\n2. d()\n3. e()", "success")]
    [pair] = pairs(good, [plan("1. c()\n2. d()", "failure")], 5)
    assert pair.chosen is good[1]
    assert distance("1. a(x=1)", "1. a(x=2)") < distance("1. a(x=1)", "REFUSE: no") < distance("x", "y\nz")


def test_ways_of_failing_take_turns():
    bad = [plan(f"1. a(x={n})", "failure") for n in range(3)] + [plan("REFUSE: no", "over_refusal")]
    found = pairs([plan("1. a(x=0)\n2. b()", "success")], bad, 3)
    assert [pair.rejected.outcome for pair in found] == ["failure", "over_refusal", "failure"]
    assert pairs([], bad, 3) == [] and pairs([plan("1. a()", "success")], [], 3) == []
