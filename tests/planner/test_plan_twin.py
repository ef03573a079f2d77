"""Plans read off episodes have to hold where every value that was not told is another."""

import json
from collections import Counter
from dataclasses import replace

from eops_traj.plan import render
from eops_traj.planner.plan_dataset import PlanDataset
from eops_traj.planner.plan_evaluator import PlanEvaluator
from eops_traj.planner.plan_origin import is_reactive, made_of_episode
from eops_traj.planner.plan_twin import TwinJudge
from eops_traj.planner.prompt import PlannerView
from eops_traj.schema import Json
from eops_traj.taskgen.draft import build_task, play
from eops_traj.taskgen.family import families
from eops_traj.taskgen.trial import Trial
from tests.collectors.group_tasks import TASK
from tests.collectors.scripted_context import scripted_turn
from tests.planner.attempts import episode_of

FAMILY = next(family for family in families(["csm"]) if family.name == "cover_absence")
WHOLE = build_task(play((FAMILY,), 3, "t0:0"), "t", "s", "train")
MADE = replace(WHOLE, verifiers=tuple(v for v in WHOLE.verifiers if v.kind != "answer"))
"""A task whose plan loops; what its answer has to tell is no matter here."""


def looked_up():
    """Return an episode that looked the person up, and then knew the id."""
    acts = [
        scripted_turn(find_user={"name": "Conrad Vogt"}),
        scripted_turn(add_new_group_member={"group_id": 1, "user_id": 8}),
        scripted_turn(update_user_details={"user_id": 8, "phone": "+1 555 0100"}),
        scripted_turn("Done."),
    ]
    return episode_of(TASK, "react", acts)


def test_a_value_that_only_a_look_up_showed_has_to_be_referred_to() -> None:
    copied = '1. find_user(name="Conrad Vogt")\n2. add_new_group_member(group_id=1, user_id=8)'
    referred = '1. find_user(name="Conrad Vogt")\n2. add_new_group_member(group_id=1, user_id=$1.user_id)'
    assert TwinJudge().fault(looked_up(), copied) == "step 2: only results say 8"
    assert TwinJudge().fault(looked_up(), referred) == ""


def test_an_episode_keeps_what_its_task_comes_from() -> None:
    bundle = episode_of(MADE, "plan", [scripted_turn(MADE.plan)])
    assert made_of_episode(bundle.episode) == {"families": ["cover_absence"], "draw": "t0:0"}
    assert not is_reactive(bundle.episode) and made_of_episode(looked_up().episode) == {}


def test_as_many_steps_as_there_were_rows_fail_elsewhere() -> None:
    bundle, trial = episode_of(MADE, "plan", [scripted_turn(MADE.plan)]), Trial(MADE)
    taken_apart = render(trial.plan)
    assert taken_apart != MADE.plan
    judge = TwinJudge()
    assert judge.fault(bundle, MADE.plan) == ""
    assert "where other values hold" in judge.fault(bundle, taken_apart)
    trial.gold[0].close()


def test_the_plan_of_such_an_episode_is_not_exported() -> None:
    trial = Trial(MADE)
    acts = [scripted_turn(**{call.tool: call.arguments}) for call, _ in trial.gold[1].calls]
    bundle = episode_of(MADE, "react", [*acts, scripted_turn("Done.")])
    dataset = PlanDataset(PlannerView(), PlanEvaluator(), Counter())
    dataset.evaluator.add_task(bundle)
    dataset.add(bundle)
    assert dataset.counts == {"episodes whose plan only the database decides": 1}
    trial.gold[0].close()


def test_an_old_episode_without_a_draw_is_judged_by_its_literals() -> None:
    bundle = episode_of(MADE, "plan", [scripted_turn(MADE.plan)])
    old = replace(bundle, episode=replace(bundle.episode, details=Json(json.dumps({"plan": MADE.plan}))))
    assert TwinJudge().fault(old, render(Trial(MADE).plan)) == ""
