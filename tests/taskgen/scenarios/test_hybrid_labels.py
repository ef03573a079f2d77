"""Labels of families over several servers: what is asked may be done, what is refused is on a page."""

import json
import re
from datetime import date
from random import Random

import pytest

from eops_traj.plan import Require
from eops_traj.taskgen.family import families
from eops_traj.taskgen.scenarios.besides import Sentence
from eops_traj.taskgen.scenarios.hybrid import desk_figures
from eops_traj.taskgen.scene import Scene
from eops_traj.taskgen.start_state import StartState
from tests.taskgen.scenarios.played import drafts, replies, with_twins

_NO_RIGHT = [family.name for family in families(["hybrid"]) if "no_right" in family.perturbations]
_OF_A_GROUP = ["post_the_oldest", "chat_with_workers", "letters_to_callers", "seat_the_group",
               "tell_the_managers"]  # fmt: skip


def test_the_day_on_which_a_clock_runs_out_lies_ahead_and_is_one_of_its_own_everywhere() -> None:
    days = set()
    for draft in drafts("hybrid", "deadline_in_calendar"):
        (day,) = draft.scene.traits["hidden"]
        marked = [event["start"]["date"] for event in replies(draft, "create_event")]
        assert day in marked and min(marked) > "2026-01-05"
        with draft.scene.start_state().open() as session:
            sql = (
                "SELECT case_id, time(MIN(breach_time)) FROM case_sla WHERE date(breach_time) = ? GROUP BY 1"
            )
            ((_, hour),) = session.database("csm").connection.execute(sql, (day,))
        assert "06" <= hour < "12"
        days.add(day)
    assert len(days) > 3


def test_a_case_on_which_nothing_is_timed_has_no_day_to_mark() -> None:
    for _, twin in with_twins("hybrid", "deadline_in_calendar", "missing_entity", 4):
        assert {change.after and change.after["stage"] for _, change in twin.scene.perturbed_rows} == {
            "completed"
        }
        assert twin.declined and "nothing is timed" in twin.declined.reason


def test_a_file_is_not_shared_with_somebody_who_has_left() -> None:
    for usual, twin in with_twins("hybrid", "share_with_worker", "inactive_person", 4):
        ((_, change),) = twin.scene.perturbed_rows
        (case,) = replies(usual, "search_cases")
        assert change.table == "user" and change.key == (case[0]["assigned_to"],)


def test_contracts_that_are_counted_besides_are_asked_for_by_their_state() -> None:
    scene, said = Scene(StartState(5000, {"csm": ""}), Random(0)), set[str]()
    for _ in range(20):
        for extra in desk_figures.CSM:
            sentence = next(extra(scene))
            assert isinstance(sentence, Sentence)
            said |= {words for words in sentence.wordings if "contracts" in words}
    scene.close()
    assert len(said) > 30 and all(" have the state " in words for words in said)


@pytest.mark.parametrize("family", _OF_A_GROUP)
def test_an_inactive_group_matters_where_the_request_says_so(family: str) -> None:
    twins = drafts("hybrid", family, "inactive_person", 16)
    assert len(twins) > 2
    assert all(re.search(r"inactive|still (an )?active|an active group", twin.request) for twin in twins)


@pytest.mark.parametrize("family", ["chat_with_workers", "letters_to_callers", "letters_by_workplace"])
def test_who_reads_and_writes_messages_needs_no_role(family: str) -> None:
    for draft in drafts("hybrid", family, None, 4):
        required = [step.condition for step in draft.scene.steps if isinstance(step, Require)]
        assert not [condition for condition in required if ".role" in str(condition.left)]


def test_who_is_inactive_in_hr_sends_no_letters_by_workplace() -> None:
    for twin in drafts("hybrid", "letters_by_workplace", "inactive_person", 4):
        ((server, change),) = twin.scene.perturbed_rows
        assert (server, change.key) == ("hr", (twin.scene.caller["user_id"],))


@pytest.mark.parametrize("family", _NO_RIGHT)
def test_where_a_page_has_the_rest_done_a_missing_role_refuses_only_what_is_asked_as_one(family: str) -> None:
    twin = drafts("hybrid", family, "no_right", 6)[0]
    assert twin.scene.whole or {server for server, _ in twin.scene.perturbed_rows}.isdisjoint({"hr", "itsm"})


@pytest.mark.parametrize("family", ["transfer", "case_and_talk", "own_leave"])
def test_a_case_that_somebody_has_to_approve_is_not_opened_as_ready(family: str) -> None:
    sql = """SELECT COUNT(*) FROM hr_service JOIN hr_criteria k ON k.hr_criteria_id = hr_criteria WHERE
        service_name = ? AND k.type = 'approval' AND k.active"""
    played = drafts("hybrid", family, None, 6)
    for draft in played:
        (case,) = replies(draft, "create_new_hr_case")
        with draft.scene.start_state().open() as session:
            name = case["hr_service"]["service_name"]
            assert not session.database("hr").connection.execute(sql, (name,)).get
    assert len(played) > 1


@pytest.mark.parametrize("family", ["gather_reports", "open_calendar_to_reports", "letters_by_workplace"])
def test_nobody_whose_contract_has_a_last_day_makes_it_doubtful_who_is_employed(family: str) -> None:
    played = drafts("hybrid", family, None, 12, 5001)
    for draft in played:
        (profiles,) = replies(draft, "fetch_hr_profiles")
        ending = [one["user_id"] for one in profiles if one["employment_end_date"]]
        with draft.scene.start_state().open() as session:
            sql = "SELECT COUNT(*) FROM user WHERE active AND user_id IN (SELECT value FROM json_each(?))"
            assert not session.database("hr").connection.execute(sql, (json.dumps(ending),)).get
    assert len(played) > 4


def test_the_day_on_which_a_contract_ends_is_a_working_day() -> None:
    played = drafts("hybrid", "remind_of_renewal", None, 16)
    days = [event["start"]["date"] for draft in played for event in replies(draft, "create_event")]
    assert len(days) > 16 and all(date.fromisoformat(day).weekday() < 5 for day in days)


def test_who_cannot_read_a_file_is_in_no_group_that_can() -> None:
    sql = """SELECT COUNT(*) FROM group_memberships g JOIN users u ON u.id = g.user_id
        JOIN drive_memberships m USING (group_id) JOIN files f ON f.drive_id = m.drive_id
        WHERE f.id = ? AND u.email = ?"""
    for usual, twin in with_twins("hybrid", "access_by_ticket", "two_namesakes", 24):
        (files,), (found,) = replies(usual, "list_files"), replies(twin, "list_users")
        assert len(found["users"]) == 2
        with usual.scene.start_state().open() as session:
            drive = session.database("drive").connection
            for user in found["users"]:
                assert not drive.execute(sql, (files["files"][0]["id"], user["email"])).get


def test_what_is_said_of_who_leaves_holds_for_both_of_one_name() -> None:
    groups = "SELECT group_id FROM user_group_member JOIN user USING (user_id) WHERE email = ? ORDER BY 1"
    for usual, twin in with_twins("hybrid", "leave_for_good", "two_namesakes"):
        ((_, change),) = twin.scene.perturbed_rows
        (found,), (inside,) = replies(usual, "list_users"), replies(usual, "list_permission")
        with usual.scene.start_state().open() as session:
            hr, one = session.database("hr").connection, found["users"][0]["email"]
            other = hr.execute("SELECT email FROM user WHERE user_id = ?", change.key).get
            assert {one, other} <= {place.get("emailAddress") for place in inside["permissions"]}
            assert hr.execute(groups, (one,)).fetchall() == hr.execute(groups, (other,)).fetchall()


@pytest.mark.parametrize("family", ["write_about_escalation", "agree_on_call"])
def test_a_contact_that_is_inactive_matters_where_the_request_says_so(family: str) -> None:
    twins = drafts("hybrid", family, "inactive_person", 8)
    assert len(twins) > 2 and all("active contact" in twin.request for twin in twins)


@pytest.mark.parametrize("family", ["open_calendar_to_reports", "gather_reports"])
def test_reports_of_reports_are_not_meant_by_those_under_somebody(family: str) -> None:
    requests = [draft.request for draft in drafts("hybrid", family, None, 12)]
    said = [found for text in requests for found in re.findall(r"(\w+) (?:below|under) me", text)]
    assert said and set(said) == {"directly"}
