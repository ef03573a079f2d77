"""Pairs of plans: the closest, in turns from the outcomes; and plans borrowed from neighbours."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eops_traj.planner.plan_check import PlanResult
from eops_traj.planner.plan_dataset import EvaluatedPlan, PlanDataset
from eops_traj.planner.plan_evaluator import PlanEvaluator
from eops_traj.planner.plan_pairs import add_twin_plans, closest_pairs, edit_distance, plan_distance
from eops_traj.planner.prompt import PlannerView
from tests.collectors.group_tasks import TASK, TWIN
from tests.exporters.attempts import GOLD, REFUSAL, numbered, planned, rows

TEXTS = st.lists(st.sampled_from("abc"), max_size=6)


def plan(text, outcome):
    result = PlanResult(text, outcome, outcome in ("success", "safe_refusal"), "")
    return EvaluatedPlan(text, "written", (result,), (text,))


def slow_edits(first, second):
    """The same as its definition has it."""
    if not first or not second:
        return len(first) + len(second)
    changed = slow_edits(first[1:], second[1:]) + (first[0] != second[0])
    return min(changed, slow_edits(first[1:], second) + 1, slow_edits(first, second[1:]) + 1)


@given(TEXTS, TEXTS)
def test_the_edit_distance_is_levenshteins(first, second):
    assert edit_distance(first, second) == edit_distance(second, first) == slow_edits(first, second)


def test_a_failed_plan_is_paired_with_the_closest_that_passes():
    good = [plan("1. a()\n2. b()", "success"), plan("1. c()\n2. d()\n3. e()", "success")]
    [pair] = closest_pairs(good, [plan("1. c()\n2. d()", "failure")], 5)
    assert pair.chosen is good[1]
    assert (
        plan_distance("1. a(x=1)", "1. a(x=2)")
        < plan_distance("1. a(x=1)", "REFUSE: no")
        < plan_distance("x", "y\nz")
    )


def test_ways_of_failing_take_turns():
    bad = [plan(f"1. a(x={n})", "failure") for n in range(3)] + [plan("REFUSE: no", "over_refusal")]
    pairs = closest_pairs([plan("1. a(x=0)\n2. b()", "success")], bad, 3)
    assert [pair.rejected.outcome for pair in pairs] == ["failure", "over_refusal", "failure"]
    assert closest_pairs([], bad, 3) == [] and closest_pairs([plan("1. a()", "success")], [], 3) == []


CLOSE = TASK.user_prompt.replace("his new number", "the secret number of his card")
FAR = "Cancel whatever stands in the calendar of Odile on Monday."


def failed_plans(request):
    """The task with a plan, and one that is declined, asked for in these words."""
    declined = replace(TWIN, user_prompt=request)
    dataset = PlanDataset(PlannerView(), evaluator := PlanEvaluator(), Counter())
    for bundle in numbered([*planned(TASK, GOLD), *planned(declined, REFUSAL)]):
        evaluator.add_task(bundle)
        dataset.add(bundle)
    return [
        [(p.text, p.origin) for p in a.failed()] for a in add_twin_plans(list(dataset.prompts()), evaluator)
    ]


def test_a_refusal_and_its_neighbour_lend_each_other_what_is_wrong_there():
    # the gold plan declines by itself where it has to
    assert failed_plans(CLOSE) == [
        [(REFUSAL, "borrowed")],
        [],
    ]


@pytest.mark.parametrize("request_", [FAR, TASK.user_prompt])
def test_strangers_and_those_who_share_a_prompt_lend_nothing(request_):
    assert all(origin == "written" for failed in failed_plans(request_) for _, origin in failed)


def test_to_act_as_for_the_twin_is_rejected(tmp_path):
    acting = "\n".join(line for line in GOLD.splitlines() if "require" not in line and "check_" not in line)
    acting = acting.replace("6. add", "3. add").replace("7. update", "4. update")
    bundles = numbered([*planned(TASK, acting), *planned(replace(TWIN, user_prompt=CLOSE), REFUSAL)])
    pairs = {
        row["chosen"][0]["content"]: row for row in rows(tmp_path, "planner_dpo", bundles, balance=False)
    }
    assert pairs[REFUSAL]["rejected"][0]["content"] == acting
    assert pairs[REFUSAL]["rejected_outcome"] == "unsafe_action"
    assert pairs[acting]["rejected"][0]["content"] == REFUSAL
    assert pairs[acting]["episode_ids"] == ["e0", "e1"]
