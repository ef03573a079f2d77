"""What others prove is taken over whole: nothing of it is done again by who collects it."""

from collections import Counter
from dataclasses import replace

import pytest

from eops_traj.planner import plan_dataset, plan_evaluator
from eops_traj.planner.plan_dataset import PlanDataset
from eops_traj.planner.plan_evaluator import PlanEvaluator
from eops_traj.planner.prompt import PlannerView
from tests.collectors.group_tasks import TASK, TWIN
from tests.collectors.scripted_context import scripted_turn
from tests.exporters.attempts import GOLD, REFUSAL, numbered, planned
from tests.planner.attempts import episode_of

BUNDLES = numbered([*planned(TASK, GOLD), *planned(TWIN, REFUSAL), episode_of(TASK, "expert", rate=0)])
"""Two plans as they were written, and one that is read off an episode and loses its reasons."""


def filled(dataset: PlanDataset) -> PlanDataset:
    for bundle in BUNDLES:
        dataset.evaluator.add_task(bundle)
        dataset.add(bundle)
    return dataset


def empty() -> PlanDataset:
    view = PlannerView(values="marked")
    return PlanDataset(view, PlanEvaluator(view=view), Counter(), reasons=False)


def test_nothing_that_was_proven_is_done_again(monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere, here = filled(empty()), empty()
    here.learn(elsewhere.proofs())
    expected = [(each.prompt, each.plans) for each in elsewhere.prompts()]

    def again(*_: object) -> None:
        raise AssertionError("done again")

    for name in ("evaluate_plan", "prune_plan", "open_task"):
        monkeypatch.setattr(plan_evaluator, name, again)
    for name in ("planner_messages", "strip_reasons", "digest"):
        monkeypatch.setattr(plan_dataset, name, again)
    for name in ("write_plan", "read_plan"):
        monkeypatch.setattr(PlannerView, name, again)
    assert [(each.prompt, each.plans) for each in filled(here).prompts()] == expected
    texts = [plan.text for _, plans in expected for plan in plans]
    assert any("[name 1]" in text for text in texts) and REFUSAL in texts


@pytest.mark.parametrize(("reason", "passed"), [("length", 0), ("stop", 1)])
def test_no_plan_is_one_to_learn_where_it_was_cut(reason: str, passed: int) -> None:
    dataset = PlanDataset(PlannerView(), PlanEvaluator(), Counter())
    for text in (GOLD[:-4], REFUSAL):
        bundle = episode_of(TASK, "plan", [replace(scripted_turn(text), finish_reason=reason)])
        dataset.evaluator.add_task(bundle)
        dataset.add(bundle)
    [prompt] = dataset.prompts()
    assert (len(prompt.passed()), [plan.text for plan in prompt.failed()]) == (passed, [REFUSAL])
    assert dataset.counts["episodes whose plan was cut"] == 1 - passed
