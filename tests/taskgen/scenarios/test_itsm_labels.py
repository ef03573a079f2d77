"""Labels of IT service management: what is refused stands on the page, and namesakes are not told apart."""

import pytest

from eops_traj.gym import registry
from eops_traj.taskgen.draft import Draft
from eops_traj.taskgen.family import families
from tests.taskgen.scenarios.played import drafts, replies, texts, with_twins

_BEARERS = "SELECT user_id FROM users WHERE active AND first_name = ? AND last_name = ?"
_DEVICES = """SELECT substr(serial_number, -4), COUNT(DISTINCT owner_id) FROM configuration_item WHERE
    owner_id IN ({bearers}) AND status IN ('in_use', 'maintenance') GROUP BY 1 ORDER BY 2 DESC LIMIT 1"""
_REPORTED = """SELECT short_description, COUNT(DISTINCT caller_id) FROM incident WHERE caller_id IN
    ({bearers}) AND status = 'new' GROUP BY 1 HAVING COUNT(*) > 3 ORDER BY 2 DESC LIMIT 1"""
_WORKED_ON = """SELECT assignment_group, COUNT(DISTINCT assigned_to) FROM incident WHERE assigned_to IN
    ({bearers}) AND status IN ('in_progress', 'on_hold') GROUP BY 1 ORDER BY 2 DESC LIMIT 1"""
_MEANS = "average_target_mins_per_priority"
_SEATS = "SELECT 1, COUNT(DISTINCT user_id) FROM user_group_member WHERE user_id IN ({bearers})"


def test_the_group_with_less_in_progress_is_the_one_that_takes_no_work() -> None:
    branches = set()
    for usual, twin in with_twins("itsm", "to_the_quieter_group", "policy_forbids", 16):
        (ticket,) = replies(usual, "update_incident")[:1]
        ((_, change),) = twin.scene.perturbed_rows
        assert change.key == (ticket["assignment_group"],)
        branches.add(tuple(map(bool, texts(usual, "update_incident")[:2])))
    assert branches == {(True, False), (False, True)}


@pytest.mark.parametrize(
    ("family", "sql"),
    [
        ("return_device", _DEVICES),
        ("cancel_doubles", _REPORTED),
        ("hand_over_queue", _WORKED_ON),
        ("leaver", _SEATS),
    ],
)
def test_what_the_request_says_of_somebody_holds_for_the_namesake_too(family: str, sql: str) -> None:
    twins = drafts("itsm", family, "two_namesakes")
    assert len(twins) > 3 and {_bearers(twin, sql) for twin in twins} == {2}


def _bearers(twin: Draft, sql: str) -> int:
    """Count the bearers of the name that the twin has twice of whom the query finds the same."""
    name = next(change.after or {} for _, change in twin.scene.perturbed_rows if change.table == "users")
    with twin.scene.start_state().open() as session:
        connection = session.database("itsm").connection
        rows = connection.execute(
            sql.format(bearers=_BEARERS), (name["first_name"], name["last_name"])
        ).fetchall()
    return int(rows[0][1]) if rows else 0


def test_a_notification_to_whoever_reported_the_ticket_is_not_taken_back() -> None:
    twins = drafts("itsm", "misdirected_notice", "policy_forbids")
    for twin in twins:
        with twin.scene.start_state().open() as session:
            found = session.database("itsm").connection.execute(
                """SELECT COUNT(*) FROM notification n JOIN incident USING (incident_id) JOIN users u ON
                u.user_id = caller_id WHERE notification_id = 'NOTIF_901' AND u.email = n.email"""
            )
            assert found.get == 1
    assert "inactive_person" not in twins[0].families[0].perturbations


@pytest.mark.parametrize(
    "sentence",
    ["Only the schedule of an active one is changed in place.", "Nobody inactive becomes the owner."],
)
def test_what_forbids_a_twin_stands_on_the_page(sentence: str) -> None:
    assert sentence in registry.server("itsm").policy


def test_no_ticket_is_open_where_none_can_be_kept_of_those_reported_twice() -> None:
    sql = """SELECT COUNT(*) FROM incident i JOIN incident k USING (caller_id, short_description) WHERE
        k.incident_id = ? AND i.status IN ('new', 'in_progress', 'on_hold')"""
    for twin in drafts("itsm", "cancel_doubles", "missing_entity", 4):
        _, change = twin.scene.perturbed_rows[0]
        with twin.scene.start_state().open() as session:
            assert session.database("itsm").connection.execute(sql, change.key).get == 0


def test_who_joins_groups_has_left_and_not_whoever_is_in_them() -> None:
    for usual, twin in with_twins("itsm", "same_groups", "inactive_person", 4):
        ((_, change),) = twin.scene.perturbed_rows
        (seats,) = texts(usual, "add_new_group_member")
        assert f'"{change.key[0]}"' in seats


def test_another_priority_than_that_of_the_table_is_asked_for_and_not_only_believed() -> None:
    twins = drafts("itsm", "change_priority", "conflicting_demands")
    assert len(twins) > 3 and all(
        "to be entered is" in twin.request or "has to read" in twin.request for twin in twins
    )


def test_callers_of_tenants_are_not_shown_an_internal_article() -> None:
    sql = """SELECT COUNT(*) FROM incident_knowledge l JOIN incident i USING (incident_id), knowledge n WHERE
        l.knowledge_id = ? AND l.used_as = 'suggested' AND i.status IN ('new', 'in_progress', 'on_hold') AND
        i.org_id <> 'ORG_001' AND n.knowledge_id <> l.knowledge_id AND instr(?, '"' || n.title || '"') AND
        n.visibility = 'internal'"""
    for draft in drafts("itsm", "withdraw_article"):
        (old,) = replies(draft, "update_knowledge_article")
        with draft.scene.start_state().open() as session:
            connection = session.database("itsm").connection
            assert connection.execute(sql, (old["knowledge_id"], draft.request)).get == 0


def test_notifications_that_went_on_after_they_were_sent_are_not_asked_for() -> None:
    requests = [draft.request for draft in drafts("itsm", "figures_as_article", None, 12)]
    assert any("have the status sent" in request for request in requests)
    assert not any(
        "notifications were sent" in request or "that were sent" in request for request in requests
    )


@pytest.mark.parametrize("family", ["exchange_child", "graded_like_parent"])
def test_a_ticket_that_goes_by_another_number_is_asked_the_same_about(family: str) -> None:
    for usual, twin in with_twins("itsm", family, "missing_entity", 14):
        assert usual.request == twin.request


def test_promises_are_compared_where_all_that_the_tool_counts_are_in_force() -> None:
    played = drafts("itsm", "compare_promises", None, 8)
    compared = {name for draft in played for name in replies(draft, _MEANS)[0]["metrics"]}
    assert compared == {"high", "moderate", "low"}


def test_how_many_changes_were_closed_is_all_of_them_in_every_wording() -> None:
    said = {draft.request for draft in drafts("itsm", "close_reviewed_changes", None, 12)}
    assert len(said) > 6 and not [words for words in said if "hear how many that was" in words]


def test_templates_of_a_retired_service_may_be_graded() -> None:
    """What is retired is not used again, and to grade it is no use of it."""
    known = {family.name: family for family in families(["itsm"])}
    assert "policy_forbids" not in known["more_urgent_templates"].perturbations
