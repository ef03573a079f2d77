import pytest


def test_a_new_case_is_the_callers_and_takes_nothing_for_granted(result_of, rows):
    token, user = rows("SELECT static_token, user_id FROM user WHERE role = 'agent' AND active LIMIT 1")[0]
    case = result_of("create_new_hr_case", token, short_description="Pay", coe_type="Payroll", hr_service="3")
    assert (case["hr_case_id"], case["number"], case["opened_by"]["user_id"]) == (101, "HRC0000811", user)
    assert (case["status"], case["priority"], case["opened_for"]) == ("draft", "planning", None)
    assert case["hr_service"]["service_name"] == "Payslip Correction"
    assert case["created_at"] == case["updated_at"] == "2026-01-05 09:00:01"


def test_people_and_groups_are_given_by_name(result_of, rows):
    first, last, user, group = rows(
        """SELECT first_name, last_name, user_id, name FROM user u JOIN user_group_member USING (user_id)
        JOIN user_group USING (group_id) WHERE u.role = 'manager' LIMIT 1"""
    )[0]
    task = result_of(
        "create_hr_case_task", status="ready", short_description="Do it", parent_case="7",
        task_type="hr service", hr_service="Payslip Copy", assignment_group=group,
        assigned_to=f"{first} {last}",
    )  # fmt: skip
    assert (task["assigned_to"]["user_id"], task["assignment_group"]["name"]) == (user, group)
    assert (task["parent_case"]["hr_case_id"], task["active"]) == (7, True)
    assert task["number"] == f"HRT{999 + task['hr_case_task_id']:07d}"


def test_an_update_writes_what_is_given_and_says_what_it_changed(ask, result_of):
    before = result_of("list_hr_cases", hr_case_id="5")[0]
    (change,) = ask(
        "update_hr_case", hr_case_id="5", worknotes="Called back", status=before["status"]
    ).changes
    assert change.after == {"worknotes": "Called back", "updated_at": "2026-01-05 09:00:02"}
    case = result_of("update_hr_case", hr_case_id="5", worknotes="Once more", status=before["status"])
    assert case.pop("changes_made") == ["worknotes"]
    assert case | {"worknotes": None, "updated_at": None} == before | {"worknotes": None, "updated_at": None}


def test_lists_take_the_place_of_the_old_ones(result_of):
    rule = result_of("update_assignment_rules", assignment_rule_id=1, based_on_skills=[3], users=[27, 30])
    assert (rule["based_on_skills"], rule["users"]) == ([3], [27, 30])
    assert rule["changes_made"] == ["based_on_skills", "users"]
    criteria = result_of("update_hr_criteria", hr_criteria_id="1", users="30,27")
    assert criteria["users"] == [30, 27]


def test_a_service_is_made_of_names_and_given_up_not_removed(ask, result_of, refused):
    created = result_of(
        "create_new_hr_service", service_name="Desk Move", fulfillment_type="manual", active=True,
        topic_detail="Remote Work", hr_criteria="All of HR",
    )  # fmt: skip
    assert (created["topic_detail"]["name"], created["service_template"]) == ("Remote Work", None)
    both = {"hr_service_id": str(created["hr_service_id"]), "service_name": "Desk Move"}
    assert refused("delete_hr_service", **both | {"hr_service_id": "1"})["error_code"] == "NOT_FOUND"
    assert result_of("delete_hr_service", **both)["active"] is False
    assert refused("delete_hr_service", **both)["error_code"] == "ALREADY_INACTIVE"


def test_a_role_stands_in_both_places(result_of, rows):
    person = {"first_name": "Ada", "last_name": "O'Neil-Łuk", "email": "ada@corvane.example", "role": "agent"}
    user = result_of("add_new_user", **person)["user_id"]
    result_of("update_user_details", user_id=str(user), role="manager")
    assert rows(f"SELECT name FROM user_role JOIN role USING (role_id) WHERE user_id = {user}") == (
        ("manager",),
    )


def test_memberships_skills_links_and_rules_come_and_go(result_of, rows):
    member = result_of("add_new_group_member", group_id="16", user_id="40")
    assert result_of("remove_group_membership", group_id="16", user_id="40") == member
    held = result_of("add_new_skill_to_user", skill="1", user="40")
    assert held["skill_name"] == "Payroll" and held["user_first_name"]
    assert result_of("remove_user_skills", user_skill_id=str(held["user_skill_id"])) == held
    rule = result_of("add_new_escalation_rule", escalate_from="1", escalate_to="2")
    assert result_of("list_escalation_rules", escalate_from="1") == [rule]
    assert result_of("remove_escalation_rule", escalation_rule_id=str(rule["escalation_rule_id"])) == rule


@pytest.mark.parametrize(("chosen", "left"), [("link", 1), ("pair", 1), ("case", 0)])
def test_a_link_is_removed_by_id_or_pair_or_all_of_a_case(result_of, rows, chosen, left):
    ((case,),) = rows(
        "SELECT hr_case_id FROM hr_case EXCEPT SELECT hr_case_id FROM hr_case_knowledge LIMIT 1"
    )
    link, _ = (result_of("link_knowledge_to_hr_case", hr_case_id=case, knowledge_id=n) for n in (1, 2))
    result_of(
        "remove_knowledge_link_to_hr_case",
        **{"link": {"hr_case_kb_id": link["hr_case_kb_id"], "hr_case_id": case},
           "pair": {"hr_case_id": case, "knowledge_id": 2}, "case": {"hr_case_id": case}}[chosen],
    )  # fmt: skip
    assert len(result_of("find_hr_case_knowledge_links", hr_case_id=case)) == left


def test_a_notification_tells_the_status_of_its_case(result_of, rows):
    email, status = rows(
        """SELECT personal_email, status FROM hr_profile p JOIN hr_case ON opened_for = p.user_id
        WHERE hr_case_id = 5"""
    )[0]
    sent = result_of("send_notification", hr_case_id=5, email=email, type=None)
    assert (sent["type"], sent["status"]) == ("other", status)
    assert result_of("send_notification", hr_case_id=5, email=email, status="ready")["status"] == "ready"


def test_notifications_are_removed_by_every_filter_given(result_of, rows):
    ((count,),) = rows("SELECT count(*) FROM notification WHERE type = 'alert' AND created_at < '2025-11-01'")
    gone = result_of("delete_notifications", type="alert", created_before="2025-11-01")
    assert gone == {"deleted": count} and count


def test_an_article_is_found_by_either_of_its_names(result_of):
    article = result_of("create_knowledge_article", title="Parking", body=None)
    assert (article["kb_number"], article["state"], article["visibility"]) == (
        "KB0040018",
        "published",
        "internal",
    )
    changed = result_of("update_knowledge_article", kb_number="KB0040018", state="retired", title="Parking")
    assert changed["changes_made"] == ["state"]
