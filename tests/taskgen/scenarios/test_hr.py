"""Human resources: sets, choices and conditions mean exactly the rows that the request means."""

from collections.abc import Iterator

import pytest

from eops_traj.plan import parse, run
from eops_traj.taskgen.draft import build_task, play
from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.family import families
from eops_traj.taskgen.plan_calls import tool_calls
from eops_traj.taskgen.trial import Trial
from tests.taskgen.scenarios.played import drafts

OTHER_ROWS = [
    ("oldest_waiting", "[min(created_at)]", "[max(created_at)]"),
    ("lapse_acceptance", "2025-12-26", "2025-01-01"),
    ("remind_waiters", "2025-12-31", "2026-01-05"),
    ("flag_overdue", "created_before=", "created_after="),
    ("merge_skills", "user not in ", "user in "),
    ("give_up_category", 'topic_detail.topic_category.name="', 'topic_detail.topic_category.name != "'),
    ("tighten_criteria", "active=true)", "active=false)"),
    ("hand_over_team", ', employment_end_date="null"', ""),
    ("lighter_desk", "]) <= count(", "]) > count("),
    ("split_category", "]) == 0: ", "]) > 0: "),
    ("reword_survey", ") == 0: ", ") > 0: "),
    ("compare_messages", ".count > ", ".count < "),
    ("extend_contract", " weeks", " days"),
    ("note_the_load", '"ready", "work_in_progress"]', '"ready"]'),
    ("correct_notices", "status != ", "status="),
    ("open_for_team", "user_id not in ", "user_id in "),
    ("open_or_note", "]) == 0: create_new_hr_case", "]) > 0: create_new_hr_case"),
]
"""A family, a passage of its plans, and one that works on other rows."""


def _trials(name: str) -> Iterator[Trial]:
    (family,) = (family for family in families(["hr"]) if family.name == name)
    for company in range(1, 9):
        try:
            yield Trial(build_task(play((family,), company, f"other:{company}"), "other", "other", None))
        except NoMatch:
            continue


def _passes(trial: Trial, plan: str) -> bool:
    with trial.open() as session:
        outcome = run(parse(plan), session)
        return trial.passes(session, tool_calls(outcome.calls), trial.answer(trial.gold[1]))


@pytest.mark.parametrize(("family", "passage", "other"), OTHER_ROWS, ids=[case[0] for case in OTHER_ROWS])
def test_a_plan_that_works_on_other_rows_fails(family: str, passage: str, other: str) -> None:
    """Of some companies both passages find the same rows; one that tells them apart is enough."""
    for trial in _trials(family):
        plan = trial.task.plan or ""
        assert passage in plan and _passes(trial, plan)
        if not _passes(trial, plan.replace(passage, other)):
            return
    pytest.fail("it passes in every company")


def test_what_is_named_indirectly_is_neither_in_the_request_nor_in_the_plan() -> None:
    for family in families(["hr"]):
        for company in (1, 2, 5):
            try:
                draft = play((family,), company, "hidden")
            except NoMatch:
                continue
            told = f"{draft.request}\n{draft.scene.plan()}"
            assert not [value for value in draft.scene.traits.get("hidden", ()) if value in told], family.name
            break


@pytest.mark.parametrize(("domain", "name"), [("hr", "offboard_employee"), ("hybrid", "leave_for_good")])
def test_a_plan_hands_on_who_still_reports_to_a_leaver_and_does_not_stop(domain: str, name: str) -> None:
    """Of the world where it was drafted nobody does; what a policy does not refuse no plan refuses."""
    (draft, *_) = drafts(domain, name)
    trial = Trial(build_task(draft, "leaver", "suite", None))
    (ended,) = (call for call, _ in trial.gold[1].calls if call.tool == "offboard_hr_profile")
    leaver = ended.arguments["hr_profile_id"]
    manager = f"SELECT manager FROM hr_profile WHERE hr_profile_id = {leaver}"
    with trial.open() as session:
        session.database("hr").connection.execute(f"""UPDATE hr_profile SET manager = {leaver} WHERE
            employment_end_date IS NULL AND hr_profile_id NOT IN ({leaver}, ({manager}))""")
        handed_on = f"SELECT COUNT(*) FROM hr_profile WHERE manager = ({manager})"
        ((before,),) = session.run_sql("hr", handed_on).rows
        outcome = run(parse(trial.task.plan or ""), session)
        ((after,),) = session.run_sql("hr", handed_on).rows
    assert "offboard_hr_profile" in {call.tool for call, _ in outcome.calls} and after > before
