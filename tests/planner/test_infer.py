"""Plans read off episodes, proven by running them."""

from dataclasses import replace

import pytest

from eops_traj.plan import Plan, Ref, Require, parse, references, render
from eops_traj.planner.infer import infer_plan
from eops_traj.planner.plan_check import evaluate_plan, prune_plan
from eops_traj.schema import Json, Server
from eops_traj.taskgen.family import families
from tests.collectors.group_tasks import TASK, TWIN
from tests.collectors.scripted_context import scripted_turn
from tests.planner.attempts import episode_of
from tests.taskgen.attacks.drawn import draw

WORKED = [
    scripted_turn(
        "I look both up.", find_user_group={"name": "Service Desk"}, find_user={"name": "Conrad Vogt"}
    ),
    scripted_turn("Is he in it? Let me check.", check_user_membership={"user_id": 8, "group_id": 1}),
    scripted_turn("", check_user_membership={"user_id": 8, "group_id": 1}),
    scripted_turn("", add_new_group_member={"user_id": "him", "group_id": 1}),
    scripted_turn("**He is not.** Now I add him.", add_new_group_member={"user_id": 8, "group_id": 1}),
    scripted_turn("", update_user_details={"user_id": 8, "phone": "+1 555 0100"}),
    scripted_turn("Done. Conrad Vogt is in the Service Desk now."),
]
PLAN = """\
1. find_user_group(name="Service Desk") -- I look both up
2. find_user(name="Conrad Vogt")
3. check_user_membership(user_id=$2.user_id, group_id=$1.group_id) -- Let me check
4. add_new_group_member(group_id=$1.group_id, user_id=$2.user_id) -- Now I add him
5. update_user_details(user_id=$2.user_id, phone="+1 555 0100")"""


def of(task, replies, **changed):
    return infer_plan(replace(episode_of(task, "react", replies).episode, **changed), task.system_prompt)


def test_calls_become_steps_and_what_they_taught_references():
    assert render(of(TASK, WORKED)) == PLAN


def test_the_plan_of_a_failure_fails_as_it_did():
    replies = [
        *WORKED[:1],
        scripted_turn("", update_user_details={"user_id": 8, "phone": "1"}),
        scripted_turn("Done."),
    ]
    plan = of(TASK, replies)
    assert evaluate_plan(render(plan), TASK).outcome == "failure" and len(plan.steps) == 3


@pytest.mark.parametrize(
    ("answer", "refusal"),
    [
        ("I can't do this: he has left. Nothing was changed.", "he has left"),
        (
            "I must decline, because the *group* is full; it is not to grow.",
            "the group is full, it is not to grow",
        ),
        ("I looked. I'm unable to do that. He has left.", "I'm unable to do that"),
    ],
)
def test_a_refusal_is_one_line(answer, refusal):
    for task in (TASK, TWIN):
        plan = of(task, [*WORKED[:1], scripted_turn(answer)])
        assert plan == Plan(refusal=refusal)
        assert evaluate_plan(render(plan), task).outcome == (
            "safe_refusal" if task is TWIN else "over_refusal"
        )


def test_who_did_nothing_followed_no_plan():
    assert of(TASK, [scripted_turn("All is well.")]) is None
    assert of(TASK, WORKED, error="sandbox: gone", outcome="error") is None


def test_references_that_do_not_bear_are_literals_again(monkeypatch):
    """One that leads elsewhere when the plan is run: here, as if the planner were told so by mistake."""
    from eops_traj.planner import reference_linker

    real = reference_linker.ReferenceLinker.link

    def wrong(self, step, call, arguments):
        linked = real(self, step, call, arguments)
        return {**linked, "user_id": Ref(1, ("group_id",))} if step == 4 else linked

    monkeypatch.setattr(reference_linker.ReferenceLinker, "link", wrong)
    plan = of(TASK, WORKED)
    assert render(plan) == PLAN.replace("add_new_group_member(group_id=$1.group_id, user_id=$2.user_id)",
                                        "add_new_group_member(group_id=$1.group_id, user_id=8)")  # fmt: skip


def test_a_plan_that_comes_to_something_else_is_none():
    assert of(TASK, WORKED, outcome="failure") is None


def test_where_a_task_cannot_be_opened_the_plan_is_as_it_was_read():
    gone = tuple(Server(name=s.name, seed="seeds/gone.sql") for s in TASK.servers)
    assert render(of(TASK, WORKED, servers=gone)) == PLAN
    assert render(of(TASK, WORKED, servers=gone, outcome="failure")) == PLAN


def test_what_the_outcome_does_not_need_is_pruned():
    plan = prune_plan(of(TASK, WORKED), TASK)
    assert [step.tool for step in plan.steps] == [
        *("find_user_group", "find_user", "add_new_group_member", "update_user_details"),
    ]  # fmt: skip
    assert evaluate_plan(render(plan), TASK).passed and prune_plan(plan, TASK) == plan


def test_requirements_and_what_they_ask_about_are_kept():
    gold = parse(TASK.plan)
    assert prune_plan(gold, TASK) == gold and prune_plan(gold, TWIN) == gold


@pytest.mark.parametrize("text", ["REFUSE: no", '1. find_user(name="Conrad Vogt")'])
def test_a_refusal_and_a_plan_that_fails_are_not_pruned(text):
    assert prune_plan(parse(text), TASK) == parse(text)


def drafted(domain):
    """A task of some family of the domain, and one that has to be declined."""
    alone = [family for family in families([domain]) if not family.consumes]
    declined = (draw(family, kind=family.perturbations[0]) for family in alone if family.perturbations)
    yield from (next(filter(None, tasks)) for tasks in (map(draw, alone), declined))


@pytest.mark.parametrize("domain", ["csm", "itsm", "hr", "teams", "drive", "email", "calendar", "hybrid"])
def test_the_plan_of_one_who_makes_no_mistake_passes(domain):
    """Its own plan is hidden; from the calls one is read off that passes, also when pruned."""
    for task in drafted(domain):
        episode = episode_of(task, "expert", rate=0).episode
        plan = infer_plan(replace(episode, orchestrator="react", details=Json("{}")), task.system_prompt)
        assert evaluate_plan(render(plan), task).passed and parse(render(plan)) == plan
        if task.feasible:
            told = domain in ("email", "calendar")  # addresses and titles, which are enough
            assert list(references(list(plan.steps))) or told
            assert evaluate_plan(render(prune_plan(plan, task)), task).passed
        else:
            assert plan.refusal or isinstance(plan.steps[-1], Require)
