import pytest


def test_people_are_shown_without_their_tokens(result_of):
    person = result_of("get_user", user_id="27")
    assert person == result_of("get_user_using_email", email=person["email"].upper())
    assert "static_token" not in person and person["active"] is True


def test_of_namesakes_a_name_finds_the_first_and_a_list_both(result_of, rows):
    ((first, last, ids),) = rows(
        """SELECT first_name, last_name, group_concat(user_id) FROM user
        GROUP BY 1, 2 HAVING count(*) > 1 LIMIT 1"""
    )
    user = result_of("get_user_using_name", first_name=first, last_name=last)
    both = result_of("list_users", first_name_like=first[1:].upper(), last_name_like=last, order_by="user_id")
    assert [p["user_id"] for p in both["users"]] == [int(n) for n in ids.split(",")]
    assert user == both["users"][0]


def test_a_page_of_people_says_how_many_there_are(result_of):
    page = result_of(
        "list_users", roles=["admin", "manager"], order_by="last_name", order_direction="desc", limit=3
    )
    rest = result_of(
        "list_users", roles=["admin", "manager"], order_by="last_name", order_direction="desc", offset=3
    )
    assert (page["returned_count"], page["limit"], page["offset"]) == (3, 3, 0)
    assert page["total_count"] == 3 + rest["returned_count"] == rest["total_count"]
    names = [p["last_name"] for p in page["users"] + rest["users"]]
    assert names == sorted(names, reverse=True)


def test_a_case_comes_with_what_it_refers_to(result_of, rows):
    number, service, person, group, criteria = rows(
        """SELECT number, hr_service, opened_for, assignment_group, approval_criteria FROM hr_case
        WHERE approval_criteria IS NOT NULL AND skills IS NULL LIMIT 1"""
    )[0]
    case = result_of("find_hr_case_by_number", number=number)
    assert case["hr_service"]["hr_service_id"] == service and case["opened_for"]["user_id"] == person
    assert case["assignment_group"]["group_id"] == group and case["skills"] is None
    assert case["approval_criteria"] == {"hr_criteria_id": criteria} | case["approval_criteria"]
    assert list(case)[:4] == ["hr_case_id", "number", "status", "hr_service"]


def test_a_service_comes_with_the_category_of_its_topic(result_of):
    service = result_of("get_hr_service_by_name", service_name="Sabbatical Request")
    assert service["topic_detail"]["topic_category"]["name"] == "Leave"
    assert (service["service_template"]["name"], service["hr_criteria"]["type"]) == (
        "Leave Request",
        "approval",
    )


@pytest.mark.parametrize(
    ("arguments", "condition"),
    [
        ({"hr_service": "Payslip Correction"}, "hr_service = 3"),
        ({"status": "suspended", "priority": "moderate"}, "status = 'suspended' AND priority = 'moderate'"),
        ({"assignment_group": "Benefits Desk", "short_description": "LEAVE"},
         "coe_type = 'Total Rewards' AND short_description LIKE '%leave%'"),
        ({"skills": [1, 17]}, "coe_type IN ('Payroll', 'HRIT')"),
        ({"approval_criteria": "Finance Approval", "request_status": "approved"},
         "approval_criteria = 5 AND request_status = 'approved'"),
        ({"created_after": "2025-12-01T00:00:00Z", "created_before": "2025-12-24"},
         "created_at > '2025-12-01 00:00:00' AND created_at < '2025-12-24 00:00:00'"),
        ({"assigned_to": "Nobody Here"}, "0"),
    ],
)  # fmt: skip
def test_cases_are_found_by_names_parts_and_times(result_of, rows, arguments, condition):
    expected = [n for (n,) in rows(f"SELECT hr_case_id FROM hr_case WHERE {condition} ORDER BY 1 LIMIT 100")]
    assert [c["hr_case_id"] for c in result_of("list_hr_cases", limit=100, **arguments)] == expected
    assert expected or condition == "0"


def test_who_approves_sees_what_waits_for_them(result_of, rows):
    token, approver = rows(
        """SELECT static_token, user_id FROM user JOIN hr_case ON approver = user_id
        WHERE request_status = 'requested' LIMIT 1"""
    )[0]
    waiting = result_of("find_my_cases_to_approve", token)
    assert {c["approver"]["user_id"] for c in waiting} == {approver}
    assert {c["request_status"] for c in waiting} == {"requested"}


def test_work_is_found_by_group_and_person(result_of, rows):
    of_group = result_of("get_cases_assigned_to", assignment_group="Payroll")
    name = next(c["assigned_to"] for c in of_group if c["assigned_to"])
    both = result_of("get_cases_assigned_to", assignment_group="Payroll", assigned_to=name["email"])
    assert 0 < len(both) < len(of_group) and all(c["assigned_to"] == name for c in both)


def test_criteria_and_rules_are_found_by_those_they_list(result_of):
    (criteria,) = result_of("list_hr_criteria", users="27, 99999", name="benefits")
    assert 27 in criteria["users"] and criteria["user_group"] is not None
    rules = result_of("list_assignment_rules", based_on_skills="1")
    assert [r["name"] for r in rules] == ["Pay in the USA", "Pay in the United Kingdom"]
    assert rules[0]["based_on_skills"] == [1, 2]


def test_rules_that_list_skills_by_name_are_found_too(result_of, database):
    database.connection.execute('UPDATE assignment_rules SET based_on_skills = \'["Payroll", "401k"]\'')
    assert len(result_of("list_assignment_rules", based_on_skills="1,2", limit=5)) == 5


def test_a_list_that_is_no_json_is_shown_as_it_is_and_names_nobody(result_of, database):
    database.connection.execute(
        """UPDATE assignment_rules SET based_on_skills = 'Benefits, 401k', users = 7
        WHERE assignment_rule_id = 1;
        UPDATE assignment_rules SET based_on_skills = '[1]', users = '[7]' WHERE assignment_rule_id = 2;
        UPDATE hr_criteria SET users = 'all' WHERE hr_criteria_id = 1;
        UPDATE hr_case SET skills = 'Payroll' WHERE hr_case_id = 1"""
    )
    (rule,) = result_of("list_assignment_rules", assignment_rule_id=1)
    assert (rule["based_on_skills"], rule["users"]) == ("Benefits, 401k", 7)
    assert 1 not in {r["assignment_rule_id"] for r in result_of("list_assignment_rules", based_on_skills="1")}
    assert {r["assignment_rule_id"] for r in result_of("list_assignment_rules", users="7")} >= {2}
    assert 1 not in {c["hr_criteria_id"] for c in result_of("list_hr_criteria", users="27")}
    (case,) = result_of("list_hr_cases", hr_case_id="1")
    assert case["skills"] == "Payroll" and result_of("list_hr_cases", hr_case_id="1", skills=[1]) == []


def test_profiles_are_found_by_days_and_by_having_no_end(result_of, rows):
    ((day,),) = rows("SELECT date(dob) FROM hr_profile LIMIT 1")
    assert {p["dob"][:10] for p in result_of("fetch_hr_profiles", dob=day)} == {day}
    staying = result_of("fetch_hr_profiles", employment_end_date="null", type="full-time")
    assert staying and all(p["employment_end_date"] is None for p in staying)
    assert result_of("fetch_hr_profiles", employment_end_date="2024-08-01")


def test_counts_have_a_nought_for_what_was_asked_and_is_not_there(result_of, rows):
    counts = dict(rows("SELECT type, count(*) FROM notification GROUP BY type"))
    assert result_of("count_notifications_by_type") == counts and "other" not in counts
    assert result_of("count_notifications_by_type", type=["other", "alert"]) == {
        "other": 0,
        "alert": counts["alert"],
    }
    assert set(result_of("get_count_of_case_priority_wise", priority_list=["low"])) == {"low"}


def test_counts_of_groups_and_averages(result_of, rows):
    ((group, count),) = rows(
        "SELECT assignment_group, count(*) FROM hr_case GROUP BY 1 ORDER BY 2 DESC LIMIT 1"
    )
    answer = result_of("count_case_for_assignment_group", assignment_group_id=group)
    assert answer == {"assignment_group_id": group, "count": count}
    ((average,),) = rows("SELECT count(*) / 2.0 FROM notification WHERE hr_case_id IN (1, 3)")
    assert result_of("avg_notifications_by_case", case_ids=[1, 3]) == {"average": average}
    assert result_of("avg_notifications_by_case", case_ids=[0]) == {"average": 0.0}
    assert result_of("count_notifications_by_case") == {
        "count": rows("SELECT count(*) FROM notification")[0][0]
    }


def test_topics_of_a_category_are_counted(result_of, rows):
    (payroll,) = result_of("get_topic_categories", name="payroll")
    assert (
        payroll["topic_details_count"] == len(result_of("get_topic_details", topic_category="payroll")) == 4
    )
