"""Plans of neighbours: wrong here because of the few words in which the requests differ."""

from collections import Counter
from dataclasses import replace

import pytest

from eops_traj.planner.plan_dataset import Planned, Prover
from eops_traj.planner.prompt import Shown
from eops_traj.planner.twin_negatives import with_borrowed
from tests.collectors.asked import TASK, TWIN
from tests.exporters.attempts import GOLD, REFUSAL, numbered, planned, rows, samples

CLOSE = TASK.user_prompt.replace("his new number", "the secret number of his card")
FAR = "Cancel whatever stands in the calendar of Odile on Monday."


def asked(request):
    """The task with a plan, and one that is declined, asked for in these words."""
    declined = replace(TWIN, user_prompt=request)
    found = Planned(Shown(), prover := Prover(), Counter())
    for sample in samples(numbered([*planned(TASK, GOLD), *planned(declined, REFUSAL)])):
        prover.meet(sample)
        found.add(sample)
    return [[(p.text, p.origin) for p in a.failed()] for a in with_borrowed(list(found.asked()), prover)]


def test_a_refusal_and_its_neighbour_lend_each_other_what_is_wrong_there():
    assert asked(CLOSE) == [[(REFUSAL, "borrowed")], []]  # the gold plan declines by itself where it has to


@pytest.mark.parametrize("request_", [FAR, TASK.user_prompt])
def test_strangers_and_those_who_share_a_prompt_lend_nothing(request_):
    assert all(origin == "written" for failed in asked(request_) for _, origin in failed)


def test_to_act_as_for_the_twin_is_rejected(tmp_path):
    acting = "\n".join(line for line in GOLD.splitlines() if "require" not in line and "check_" not in line)
    acting = acting.replace("6. add", "3. add").replace("7. update", "4. update")
    made = numbered([*planned(TASK, acting), *planned(replace(TWIN, user_prompt=CLOSE), REFUSAL)])
    found = {row["chosen"][0]["content"]: row for row in rows(tmp_path, "planner_dpo", made)}
    assert found[REFUSAL]["rejected"][0]["content"] == acting
    assert found[REFUSAL]["rejected_outcome"] == "unsafe_action"
    assert found[acting]["rejected"][0]["content"] == REFUSAL
    assert found[acting]["episode_ids"] == ["e0", "e1"]
