"""Labels of human resources: what is refused cannot be done, and namesakes are not told apart."""

import pytest

from eops_traj.taskgen.draft import Draft, Stage, play
from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.family import families
from eops_traj.taskgen.start_state import StartState
from tests.taskgen.scenarios.played import drafts, replies, texts, with_twins

_CONTRACTS = """SELECT COUNT(*) FROM user JOIN hr_profile USING (user_id) WHERE active AND first_name = ? AND
    last_name = ? AND type = 'contractor' AND employment_end_date > '2026-01-05'"""
_RECEIVED = """SELECT COUNT(DISTINCT user_id) FROM user JOIN hr_profile USING (user_id) JOIN notification n ON
    n.email = personal_email JOIN hr_case c USING (hr_case_id) WHERE first_name = ? AND last_name = ? AND
    c.opened_for <> user_id AND instr(?, c.number)"""
_HAS_OPEN = """SELECT COUNT(DISTINCT u.user_id) FROM user u JOIN user_group_member USING (user_id) JOIN
    user_group g USING (group_id) JOIN (SELECT assigned_to, assignment_group, status FROM hr_case UNION SELECT
    assigned_to, assignment_group, status FROM hr_case_task) w ON w.assigned_to = u.user_id AND
    w.assignment_group = g.group_id WHERE u.active AND first_name = ? AND last_name = ? AND role IN ('agent',
    'manager') AND instr(?, g.name) AND w.status NOT LIKE 'closed%' AND w.status <> 'cancelled'"""
_ROLES = "SELECT role FROM user WHERE active AND first_name = ? AND last_name = ?"
_OPENED = """UPDATE hr_case SET created_at = datetime('2026-01-05 07:00:00', CASE priority WHEN 'critical'
    THEN '-2 days' WHEN 'high' THEN '-5 days' WHEN 'moderate' THEN '-15 days' ELSE '-30 days' END);"""
_CHANGED = "UPDATE hr_case SET updated_at = '{} 07:00:00';"


@pytest.mark.parametrize("kind", ["policy_forbids", "inactive_person"])
def test_who_has_fewer_cases_is_who_may_not_have_another(kind: str) -> None:
    branches = set()
    for usual, twin in with_twins("hr", "lighter_desk", kind, 16):
        (case,) = replies(usual, "update_hr_case")
        ((_, change),) = twin.scene.perturbed_rows
        assert (change.before or {}).get("user_id", change.key[0]) == case["assigned_to"]["user_id"]
        branches.add(tuple(map(bool, texts(usual, "update_hr_case"))))
    assert branches == {(True, False), (False, True)}


def test_a_service_that_is_no_longer_offered_matters_where_a_case_is_opened() -> None:
    twins = drafts("hr", "open_or_note", "policy_forbids", 16)
    opened = [replies(_usual(twin), "create_new_hr_case") for twin in twins]
    assert len(twins) > 3 and all(opened)


def _usual(twin: Draft) -> Draft:
    return play(twin.families, twin.scene.start_state().company, twin.draw)


@pytest.mark.parametrize(
    ("family", "sql"),
    [("extend_contract", _CONTRACTS), ("wrong_recipient", _RECEIVED), ("leave_group", _HAS_OPEN)],
)
def test_what_the_request_says_of_somebody_holds_for_the_namesake_too(family: str, sql: str) -> None:
    twins = drafts("hr", family, "two_namesakes")
    for twin in twins:
        name = next(change.after for _, change in twin.scene.perturbed_rows if change.table == "user")
        with twin.scene.start_state().open() as session:
            connection, asked = session.database("hr").connection, (twin.request,) * (sql.count("?") - 2)
            assert name is not None
            found = connection.execute(sql, (name["first_name"], name["last_name"], *asked)).get
        assert found == 2
    assert len(twins) > 3


@pytest.mark.parametrize("family", ["onboard_employee", "hand_over_team"])
def test_both_of_two_who_might_lead_people_are_managers(family: str) -> None:
    twins = drafts("hr", family, "two_namesakes", 4)
    for twin in twins:
        ((_, change),) = twin.scene.perturbed_rows
        assert change.after is not None
        with twin.scene.start_state().open() as session:
            found = session.database("hr").connection.execute(_ROLES, tuple(change.after.values()))
            assert found.fetchall() == [("manager",), ("manager",)]
    assert len(twins) > 1


def test_a_role_that_only_an_admin_gives_refuses_the_seat_only_where_both_are_asked_for_as_one() -> None:
    twins = drafts("hr", "make_agent", "out_of_scope", 4)
    assert len(twins) > 1 and all(twin.scene.whole for twin in twins)


def test_a_case_that_cannot_be_completed_is_one_that_nothing_leads_out_of() -> None:
    """A suspended one could be taken up again, and closed then."""
    twins = drafts("hr", "complete_case", "policy_forbids", 4)
    changed = [change.after for twin in twins for _, change in twin.scene.perturbed_rows]
    assert len(twins) > 1 and all(after == {"status": "cancelled"} for after in changed)


def test_no_page_forbids_criteria_with_an_inactive_group() -> None:
    known = {family.name: family for family in families(["hr"])}
    assert "inactive_person" not in known["tighten_criteria"].perturbations


@pytest.mark.parametrize(
    ("name", "sql"),
    [
        ("remind_waiters", _CHANGED.format("2025-12-31")),
        ("lapse_acceptance", _CHANGED.format("2025-12-26")),
        ("escalate_case", _OPENED),
        ("flag_overdue", _OPENED),
    ],
)
def test_what_is_late_by_some_hours_alone_is_not_drawn(name: str, sql: str) -> None:
    """By the calendar it is not, or not more than the days that the page tells."""
    (family,) = (family for family in families(["hr"]) if family.name == name)
    with pytest.raises(NoMatch):
        play((family,), 5000, f"{name}:0", stage=Stage(lambda company, _: StartState(company, {"hr": sql})))
