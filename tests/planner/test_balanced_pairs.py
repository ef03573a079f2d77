"""Neither length nor a refusal tells which side of a pair is right; and every plan is run."""

from collections import Counter
from dataclasses import replace

import pytest

from eops_traj.planner.balanced_pairs import BalancedPairs
from eops_traj.planner.plan_check import PlanResult, evaluate_plan
from eops_traj.planner.plan_dataset import EvaluatedPlan, PlanPrompt
from eops_traj.planner.plan_evaluator import PlanEvaluator
from eops_traj.planner.plan_pairs import PlanPair
from tests.collectors.group_tasks import JOINED, NUMBER, TASK, counts
from tests.exporters.attempts import GOLD, LEFT, REFUSAL, SHORT, numbered, planned, rows

PARSER = "REFUSE: $2.user_id finds nothing in the result of step 2"
OTHER = replace(
    TASK,
    task_id="other",
    user_prompt="Conrad Vogt joins Service Desk; his number is +1 555 0200.",
    verifiers=(counts(JOINED, 1), counts(NUMBER.replace("0100", "0200"), 1)),
)
OTHER_GOLD, OTHER_SHORT = GOLD.replace("0100", "0200"), SHORT
ACTED = "1. add_new_group_member(group_id=1, user_id=8)"


def pairs(folder, *bundles, **options):
    folder.mkdir(exist_ok=True)
    made = rows(folder, "planner_dpo", numbered(bundles), **options)
    return [(row["task_id"], row["chosen"][0]["content"], row["rejected"][0]["content"]) for row in made]


def test_steps_that_one_plan_leaves_out_are_too_many_in_another(tmp_path):
    made = pairs(tmp_path, *planned(TASK, GOLD), *planned(OTHER, OTHER_GOLD, OTHER_SHORT), max_pairs=1)
    assert ("other", OTHER_GOLD, OTHER_SHORT) in made
    [(chosen, rejected)] = [(one[1], one[2]) for one in made if one[0] == TASK.task_id]
    assert chosen == GOLD and rejected.startswith(GOLD) and '"+1 555 0200"' in rejected.splitlines()[-1]
    assert not evaluate_plan(rejected, TASK).passed


def test_a_graft_names_the_episode_that_gave_its_steps(tmp_path):
    """One that refuses is there besides: it gave no step, and is behind no row of the other prompt."""
    made = numbered([*planned(TASK, GOLD), *planned(OTHER, OTHER_GOLD, OTHER_SHORT, REFUSAL)])
    [grafted] = [
        row
        for row in rows(tmp_path, "planner_dpo", made, max_pairs=1)
        if row["task_id"] == TASK.task_id and row["rejected_origin"] == "altered"
    ]
    assert '"+1 555 0200"' in grafted["rejected"][0]["content"]
    assert grafted["episode_ids"] == ["e0", "e1"]


def test_a_swap_keeps_the_length_and_fails(tmp_path):
    [(_, chosen, rejected)] = pairs(tmp_path, *planned(TASK, GOLD))
    assert chosen == GOLD and sorted(chosen) == sorted(rejected)
    assert not evaluate_plan(rejected, TASK).passed


def test_a_refusal_is_rejected_as_often_as_one_is_chosen(tmp_path):
    over = [*planned(TASK, GOLD, REFUSAL), *planned(OTHER, OTHER_GOLD, REFUSAL)]
    assert REFUSAL not in [one[2] for one in pairs(tmp_path / "a", *over)]
    made = pairs(tmp_path / "b", *over, *planned(LEFT, REFUSAL, ACTED))
    assert sum(one[1] == REFUSAL for one in made) == sum(one[2] == REFUSAL for one in made) == 1


def test_a_refusal_in_a_parsers_words_is_never_rejected(tmp_path):
    made = pairs(tmp_path, *planned(TASK, GOLD, PARSER), *planned(LEFT, REFUSAL, ACTED))
    assert PARSER not in [one[2] for one in made]


def test_unbalanced_pairs_are_to_be_had_by_name(tmp_path):
    made = pairs(tmp_path, *planned(TASK, GOLD, SHORT, PARSER), balance=False)
    assert [one[2] for one in made] == [SHORT, PARSER]


@pytest.mark.parametrize("negatives", ["own", "written"])
def test_only_any_negatives_may_be_altered(tmp_path, negatives):
    made = rows(tmp_path, "planner_dpo", numbered(planned(TASK, GOLD, SHORT)), negatives=negatives)
    assert [row["rejected_origin"] for row in made] == ["written"]


def solved(domain, steps):
    """Return a prompt of a domain with a right plan of so many steps."""
    result = PlanResult("h", "success", True, "")
    right = EvaluatedPlan("\n".join(f"{n}. a()" for n in range(1, steps + 1)), "written", (result,), ())
    return PlanPrompt([], {"h": replace(TASK, domain=domain)}, {}, (right,))


def test_steps_go_to_others_of_the_domain_that_have_room_the_least_paired_then_the_most_alike():
    prompts = [solved("csm", 2), solved("hr", 2), *(solved("csm", n) for n in (5, 3, 2, 2))]
    made, pair = BalancedPairs(prompts, PlanEvaluator(), 2, Counter()), PlanPair(*prompts[0].plans * 2)
    made._pairs |= {0: [], 1: [], 2: [], 3: [], 4: [pair], 5: [pair, pair]}
    assert made._hosts(0, 2) == [3, 2, 4]
