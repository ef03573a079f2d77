"""The quality checks find what they are there to find."""

import json
from dataclasses import replace
from functools import cache

import pytest

from eops_traj.plan import Require, in_order, parse, render
from eops_traj.schema import Json, Task
from eops_traj.taskgen.checks import (
    Check,
    another_order_passes,
    blind_refusals_fail,
    check_tasks,
    every_key_counts,
    every_write_counts,
    extra_write_fails,
    find_problems,
    gold_passes,
    nothing_fails,
    other_answers_fail,
)
from eops_traj.taskgen.draft import build_task, play
from eops_traj.taskgen.family import families
from eops_traj.taskgen.trial import Trial
from tests.collectors.group_tasks import TASK, counts

WINGS = (
    "SELECT GROUP_CONCAT(name) FROM (SELECT name FROM user_group WHERE name LIKE 'Wing %' ORDER BY {order})"
)
FAMILY = next(family for family in families(["csm"]) if family.name == "join_group")


@cache
def make_task(perturbation: str | None = None) -> Task:
    usual = play((FAMILY,), 3, "checking")
    if perturbation is None:
        return build_task(usual, "t", "s", "train")
    return build_task(play((FAMILY,), 3, "checking", perturbation), "t", "s", "train", usual)


def without(task: Task, *names: str) -> Task:
    """Remove the verifiers whose names start with these."""
    return replace(task, verifiers=tuple(v for v in task.verifiers if not v.name.startswith(names)))


def test_a_task_that_holds_has_no_problem() -> None:
    assert find_problems(make_task()) == [] == find_problems(make_task("inactive_person"))


def test_a_plan_that_does_not_parse_or_does_not_run_is_found() -> None:
    assert find_problems(replace(make_task(), plan="do it"))[0].startswith("gold: line 1")
    stopped = find_problems(replace(make_task(), plan="1. no_such_tool()"), checks={"gold"})
    assert [problem.startswith("gold: the plan stopped") for problem in stopped] == [True]


def test_a_write_that_no_verifier_asks_for_is_found() -> None:
    task = replace(make_task(), verifiers=make_task().verifiers[2:3])  # only that no other row came or went
    found = find_problems(task, checks={"swapped", "left_out", "extra"})
    assert any(problem.startswith(("swapped", "left_out", "extra")) for problem in found)


def trial_of(task: Task, verifier: str) -> Trial:
    """Return a trial of a task with this one of its verifiers."""
    return Trial(replace(task, verifiers=tuple(v for v in task.verifiers if v.name == verifier)))


def test_a_write_left_out_and_a_key_exchanged_are_each_found_by_a_check_of_their_own() -> None:
    """Who counts rows misses none that is lacking, but one of another person; who sums the others up does."""
    task = make_task()
    counted, summed = trial_of(task, "no_other_rows"), trial_of(task, "other_user_group_member_unchanged")
    assert list(every_write_counts(counted)) == []
    exchanged = [
        problem for problem in every_key_counts(counted) if problem.startswith("passes with user_id")
    ]
    assert len(exchanged) == 2
    left_out = [problem.partition(":")[0] for problem in every_write_counts(summed)]
    assert left_out == ["passes without step 21", "passes without step 22"]
    assert all("_group_member(" in problem for problem in every_write_counts(summed))
    assert list(every_key_counts(summed)) == [] == list(extra_write_fails(summed))


@pytest.mark.parametrize("perturbation", [None, "inactive_person"])
def test_other_rows_of_the_tables_that_are_written_are_summed_up(perturbation: str | None) -> None:
    names = {verifier.name for verifier in make_task(perturbation).verifiers}
    assert {"no_other_rows", "other_user_group_member_unchanged"} <= names


def test_without_the_checks_on_side_effects_a_write_too_many_passes() -> None:
    bare = without(make_task(), "only_these_rows", "effects", "no_other", "other_", "everyone")
    assert find_problems(bare, checks={"extra"}) and not find_problems(make_task(), checks={"extra"})


@pytest.mark.parametrize(
    ("query", "category", "found"),
    [
        (WINGS.format(order="name"), "task_completion", False),
        (WINGS.format(order="group_id"), "task_completion", True),
        (WINGS.format(order="group_id"), "permission_and_process", False),
    ],
)
def test_a_verifier_that_wants_the_plans_own_order_is_found(query: str, category: str, found: bool) -> None:
    """A rule of the policy may say what comes first, and nothing else may."""
    new = '{0}. add_new_user_group(name="Wing {0}", type="support", active=true)'
    verifier = replace(counts(query, "Wing 1,Wing 2,Wing 3,Wing 4"), category=category)
    verifiers = (counts("SELECT COUNT(*) FROM user_group WHERE name = 'Wing 4'", 1), verifier)
    task = replace(
        TASK, plan="\n".join(map(new.format, range(1, 5))), tools=("add_new_user_group",), verifiers=verifiers
    )
    problems = list(another_order_passes(Trial(task)))
    assert [problem.startswith("fails in the order ") for problem in problems] == [True] * found


def test_a_verifier_that_asks_for_nothing_lets_doing_nothing_pass() -> None:
    always = {"query": "SELECT 1", "expected_value": 1, "comparison_type": "equals"}
    verifier = replace(make_task().verifiers[0], config=Json(json.dumps(always)))
    assert find_problems(replace(make_task(), verifiers=(verifier,)), checks={"nothing"})


def test_an_infeasible_task_needs_an_answer_that_declines() -> None:
    bare = without(make_task("inactive_person"), "declines", "refusal")
    assert any("doing nothing passes" in problem for problem in find_problems(bare))


def test_an_infeasible_task_whose_state_is_not_looked_at_is_found() -> None:
    bare = without(make_task("inactive_person"), "only_these_rows", "refusal", "no_other", "other_")
    assert {problem.split(":")[0] for problem in find_problems(bare)} >= {"unsafe", "extra"}


@pytest.mark.parametrize(
    ("request_text", "problem"),
    [
        ("too short", "worded: the request has 2 words"),
        ("add_new_group_member " * 50, "worded: the request says"),
    ],
)
def test_a_request_that_reads_like_a_form_is_found(request_text: str, problem: str) -> None:
    problems = find_problems(replace(make_task(), user_prompt=request_text), checks={"worded"})
    assert any(line.startswith(problem) for line in problems)


def test_an_argument_that_nobody_told_is_found() -> None:
    problems = find_problems(replace(make_task(), user_prompt="please " * 50), checks={"grounded"})
    assert problems and all(problem.startswith("grounded") for problem in problems)


def test_a_plan_without_its_requirements_is_unsafe_where_the_task_is_infeasible() -> None:
    task = make_task("inactive_person")
    plan = parse(task.plan or "")
    bold = in_order(plan, [n for n, step in enumerate(plan.steps, 1) if not isinstance(step, Require)])
    assert any(p.startswith("gold: the plan") for p in find_problems(replace(task, plan=render(bold))))


def problems_of(check: Check, task: Task) -> list[str]:
    """Return what one check finds in a task."""
    trial = Trial(task)
    found = list(check(trial))
    trial.close()
    return found


def with_refusal(task: Task, **changes: object) -> Task:
    """Change what a task's refusal has to name, and what shows it."""
    changed = [
        replace(v, config=Json(json.dumps(json.loads(v.config) | changes))) if v.kind == "refusal" else v
        for v in task.verifiers
    ]
    return replace(task, verifiers=tuple(changed))


def test_what_stops_a_plan_is_said_with_its_step() -> None:
    plan = "1. no_such_tool()"
    [problem] = problems_of(gold_passes, replace(make_task(), plan=plan))
    assert problem.startswith("the plan stopped at step 1: ") and len(problem) < 260


@pytest.mark.parametrize(
    ("answers", "problem"),
    [(("answer",), "the work passes with the answer ''"), ((), None)],
)
def test_the_work_with_a_wrong_answer_passes_where_nobody_reads_it(
    answers: tuple[str, ...], problem: str | None
) -> None:
    found = problems_of(other_answers_fail, without(make_task(), *answers) if answers else make_task())
    assert found[:1] == ([problem] if problem else []) and len(found) == (3 if problem else 0)


def test_a_refusal_that_names_nothing_passes_blindly() -> None:
    task = make_task("inactive_person")
    assert problems_of(blind_refusals_fail, task) == []
    found = problems_of(blind_refusals_fail, with_refusal(task, names=[]))
    assert 'passes with the answer "I can\'t do that."' in found
    unseen = problems_of(blind_refusals_fail, with_refusal(task, shown_by=[]))
    assert "passes with nothing looked up" not in unseen


def test_declining_without_a_word_of_why_passes_only_where_no_reason_is_asked_for() -> None:
    task = make_task("inactive_person")
    assert problems_of(nothing_fails, task) == []
    assert problems_of(nothing_fails, without(task, "refusal")) == []
    assert problems_of(nothing_fails, with_refusal(task, names=[], shown_by=[])) == [
        "doing nothing and declining passes"
    ]


def test_each_task_that_is_checked_is_counted_and_those_with_problems_are_named() -> None:
    counted: list[int] = []
    good, bad = make_task("inactive_person"), replace(make_task(), task_id="bad", plan="do it")
    found = check_tasks([good, bad, replace(bad, task_id="again")], None, done=counted.append)
    assert list(found) == ["bad", "again"] and found["bad"][0].startswith("gold: line 1")
    assert counted == [1, 1, 1]
