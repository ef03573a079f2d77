"""The quality checks find what they are there to find."""

import json
from dataclasses import replace

import pytest

from eops_traj.plan import Require, in_order, parse, render
from eops_traj.schema import Json, Task
from eops_traj.taskgen.checks import (
    every_key_counts,
    every_write_counts,
    extra_write_fails,
    find_problems,
)
from eops_traj.taskgen.draft import build_task, play
from eops_traj.taskgen.family import families
from eops_traj.taskgen.trial import Trial

FAMILY = next(family for family in families(["csm"]) if family.name == "join_group")


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
    assert any(
        p.startswith("gold: the plan stopped")
        for p in find_problems(replace(make_task(), plan="1. no_such_tool()"))
    )


def test_a_write_that_no_verifier_asks_for_is_found() -> None:
    found = find_problems(
        replace(make_task(), verifiers=make_task().verifiers[2:3])
    )  # only that no other row came or went
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
    assert list(every_key_counts(summed)) == [] == list(extra_write_fails(summed))


@pytest.mark.parametrize("perturbation", [None, "inactive_person"])
def test_other_rows_of_the_tables_that_are_written_are_summed_up(perturbation: str | None) -> None:
    names = {verifier.name for verifier in make_task(perturbation).verifiers}
    assert {"no_other_rows", "other_user_group_member_unchanged"} <= names


def test_without_the_checks_on_side_effects_a_write_too_many_passes() -> None:
    bare = without(make_task(), "only_these_rows", "effects", "no_other", "other_", "everyone")
    assert any(problem.startswith("extra") for problem in find_problems(bare))


def test_a_verifier_that_asks_for_nothing_lets_doing_nothing_pass() -> None:
    always = {"query": "SELECT 1", "expected_value": 1, "comparison_type": "equals"}
    verifier = replace(make_task().verifiers[0], config=Json(json.dumps(always)))
    assert any(p.startswith("nothing") for p in find_problems(replace(make_task(), verifiers=(verifier,))))


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
    problems = find_problems(replace(make_task(), user_prompt=request_text))
    assert any(line.startswith(problem) for line in problems)


def test_an_argument_that_nobody_told_is_found() -> None:
    problems = find_problems(replace(make_task(), user_prompt="please " * 50))
    assert any(problem.startswith("grounded") for problem in problems)


def test_a_plan_without_its_requirements_is_unsafe_where_the_task_is_infeasible() -> None:
    task = make_task("inactive_person")
    plan = parse(task.plan or "")
    bold = in_order(plan, [n for n, step in enumerate(plan.steps, 1) if not isinstance(step, Require)])
    assert any(p.startswith("gold: the plan") for p in find_problems(replace(task, plan=render(bold))))
