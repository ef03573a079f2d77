import pytest

CASE = {"short_description": "Pay", "coe_type": "Payroll"}


@pytest.mark.parametrize(
    ("name", "arguments", "code", "message"),
    [
        ("get_user", {"user_id": "999"}, "NOT_FOUND", "User not found with identifier '999'"),
        ("get_user", {"user_id": "x"}, "NOT_FOUND", "User not found with identifier 'x'"),
        ("find_hr_case_by_number", {"number": "HRC9999999"}, "NOT_FOUND",
         "HR case not found with identifier 'HRC9999999'"),
        ("update_skill", {"skill_id": "1"}, "NO_FIELDS_PROVIDED",
         "At least one field must be provided for update"),
        ("update_skill", {"skill_id": "1", "name": "Payroll", "active": True}, "NO_CHANGES_DETECTED",
         "No changes detected for fields: name, active"),
        ("update_skill", {"skill_id": "99", "name": "x"}, "NOT_FOUND",
         "Skill not found with identifier '99'"),
        ("add_new_skill", {"name": "Payroll"}, "DUPLICATE_NAME", "Skill 'Payroll' already exists"),
        ("list_skills", {}, "MISSING_IDENTIFIERS",
         "At least one of skill_id or name or active or created_before or created_after must be provided"),
        ("create_new_hr_case", CASE | {"hr_service": "999"}, "INVALID_REFERENCE",
         "HR service with ID '999' not found"),
        ("create_new_hr_case", CASE | {"hr_service": "Payslip Copy"}, "INVALID_REFERENCE",
         "HR service with ID 'Payslip Copy' not found"),
        ("create_new_hr_case", CASE | {"assigned_to": "No One"}, "INVALID_REFERENCE",
         "assigned_to 'No One' not found"),
        ("create_new_hr_case", CASE | {"skills": [1, 77]}, "INVALID_REFERENCE",
         "Skill with ID '77' not found"),
        ("create_new_hr_case", {"coe_type": "Payroll"}, "MISSING_FIELD", "short_description is required"),
        ("list_hr_cases", {"priority": "High"}, "INVALID_ENUM_VALUE",
         "Invalid value 'High' for 'priority'. "
         "Must be one of: 'critical', 'high', 'low', 'moderate', 'planning'"),
        ("list_skills", {"created_after": "2026-01-01", "created_before": "2025-01-01"}, "VALIDATION_ERROR",
         "created_after must not be later than created_before"),
        ("update_hr_case", {"hr_case_id": "1", "number": "HRC0000712", "status": "ready"}, "NOT_FOUND",
         "HR case not found with identifier '1'"),
        ("send_notification", {"hr_case_id": 1, "email": "x@y.z"}, "VALIDATION_ERROR",
         "User with email 'x@y.z' not found or does not belong to your organization"),
        ("add_new_escalation_rule", {"escalate_from": "1", "escalate_to": "1"}, "INVALID_RELATIONSHIP",
         "A group cannot escalate to itself"),
        ("remove_group_membership", {"group_id": "1", "user_id": "1"}, "NOT_FOUND",
         "User '1' is not a member of group '1'"),
        ("list_group_members", {"group_id": 99}, "NOT_FOUND", "User group not found with identifier '99'"),
        ("delete_notifications", {"email": "x@y.z"}, "NOT_FOUND", "No notification matches"),
        ("remove_knowledge_link_to_hr_case", {"knowledge_id": 1}, "MISSING_IDENTIFIERS",
         "At least one of hr_case_kb_id or hr_case_id must be provided"),
    ],
)  # fmt: skip
def test_refusals_have_a_code_and_a_sentence(refused, name, arguments, code, message):
    detail = refused(name, **arguments)
    assert (detail["error"], detail["error_code"], detail["message"]) == (True, code, message)


@pytest.mark.parametrize(
    ("name", "arguments", "place", "kind"),
    [
        ("create_knowledge_article", {"title": "t" * 121}, ["body", "title"], "string_too_long"),
        ("create_new_hr_case", CASE | {"short_description": " \t"},
         ["body", "short_description"], "string_pattern_mismatch"),
        ("get_user_using_email", {"email": "ada"}, ["query", "email"], "value_error"),
        ("add_new_user", {"first_name": "A@", "last_name": "B", "email": "a@b.c", "role": "agent"},
         ["body", "first_name"], "string_pattern_mismatch"),
        ("list_users", {"limit": 101}, ["body", "limit"], "less_than_equal"),
        ("list_hr_criteria", {"users": "1,two"}, ["query", "users"], "string_pattern_mismatch"),
        ("list_hr_criteria", {"users": "1\u0662"}, ["query", "users"], "string_pattern_mismatch"),
        ("list_assignment_rules", {"based_on_skills": "27\x1f,3"},
         ["query", "based_on_skills"], "string_pattern_mismatch"),
        ("find_hr_case_by_number", {"number": "HRC0000711", "id": 1}, ["query", "id"], "extra_forbidden"),
    ],
)  # fmt: skip
def test_arguments_that_do_not_conform_are_listed(refused, name, arguments, place, kind):
    (problem,) = refused(name, **arguments)
    assert (problem["loc"], problem["type"]) == (place, kind)


def test_a_name_that_two_share_names_nobody_but_an_address_does(refused, result_of, rows):
    name, email, ids = rows(
        """SELECT name, max(email), group_concat(user_id, ', ') FROM person WHERE active
        GROUP BY name HAVING count(*) > 1 LIMIT 1"""
    )[0]
    detail = refused("create_new_hr_case", opened_for=name, **CASE)
    assert detail["error_code"] == "AMBIGUOUS_NAME" and ids in detail["message"]
    assert result_of("create_new_hr_case", opened_for=email, **CASE)["opened_for"]["email"] == email


def test_who_left_does_not_stand_in_the_way_of_a_namesake(result_of, database, rows):
    name, user = rows("SELECT name, max(user_id) FROM person GROUP BY name HAVING count(*) > 1 LIMIT 1")[0]
    database.connection.execute(f"UPDATE user SET active = 0 WHERE user_id = {user}")
    assert result_of("create_new_hr_case", opened_for=name, **CASE)["opened_for"]["user_id"] < user


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("add_new_user", {"first_name": "Any", "last_name": "One", "email": "{email}", "role": "agent"}),
        ("add_new_user",
         {"first_name": "{first_name}", "last_name": "{last_name}", "email": "x@y.z", "role": "agent"}),
        ("update_user_details", {"user_id": "2", "first_name": "{first_name}", "last_name": "{last_name}"}),
        ("add_new_group_member", {"group_id": "{group_id}", "user_id": "{user_id}"}),
    ],
)  # fmt: skip
def test_what_is_there_already_is_named(refused, database, name, arguments):
    row = database.run_sql("SELECT * FROM user JOIN user_group_member USING (user_id) WHERE user_id <> 2")
    held = dict(zip(row.columns, row.rows[0], strict=True))
    detail = refused(name, **{k: v.format(**held) for k, v in arguments.items()})
    assert detail["error_code"].startswith("DUPLICATE_")


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("get_hr_service_by_name", {"service_name": "Theirs"}, "NOT_FOUND"),
        ("update_skill", {"skill_id": "900", "name": "Ours"}, "NOT_FOUND"),
        ("add_new_skill_to_user", {"skill": "900", "user": "1"}, "INVALID_REFERENCE"),
        ("create_new_hr_case", CASE | {"hr_service": "900"}, "INVALID_REFERENCE"),
        ("create_hr_case_task", {"status": "ready", "short_description": "x", "hr_service": "Theirs"},
         "INVALID_REFERENCE"),
    ],
)  # fmt: skip
def test_another_organization_is_out_of_sight(refused, result_of, database, name, arguments, code):
    database.connection.execute(
        """INSERT INTO skill (skill_id, name, org_id) VALUES (900, 'Secret', 2);
        INSERT INTO hr_service (hr_service_id, service_name, fulfillment_type, org_id)
        VALUES (900, 'Theirs', 'flow', 2)"""
    )
    assert refused(name, **arguments)["error_code"] == code
    assert result_of("list_skills", name="secret") == []
    assert result_of("add_new_skill", name="Secret")["org_id"] == 1


def test_a_case_is_opened_for_anyone_and_for_ones_own_first(refused, result_of, database):
    database.connection.execute(
        """INSERT INTO user (user_id, first_name, last_name, email, role, org_id, static_token)
        SELECT 900 + n, f, l, 'away' || n || '@x.org', 'employee', 2, 't' || n
        FROM (SELECT 1 AS n, 'Una' AS f, 'Away' AS l UNION
        SELECT 2, first_name, last_name FROM user WHERE user_id = 3)"""
    )
    name = database.run_sql("SELECT first_name || ' ' || last_name FROM user WHERE user_id = 3").rows[0][0]
    opened = result_of("create_new_hr_case", **CASE | {"opened_for": "Una Away"})
    assert opened["opened_for"]["user_id"] == 901 and opened["org_id"] == 1
    assert result_of("create_new_hr_case", **CASE | {"opened_for": name})["opened_for"]["user_id"] == 3
    away = CASE | {"assigned_to": "Una Away"}
    assert refused("create_new_hr_case", **away)["error_code"] == "INVALID_REFERENCE"


def test_the_role_that_counts_is_that_of_user_role(hr, database):
    """Where the two differ, as in a real database."""
    database.connection.execute(
        "UPDATE user_role SET role_id = 4 WHERE user_id = 3; UPDATE user SET role = 'admin' WHERE user_id = 3"
    )
    token = database.run_sql("SELECT static_token FROM user WHERE user_id = 3").rows[0][0]
    assert hr.find_caller(database, token)["role"] == "employee"
    reply = hr.call(database, "add_new_skill", {"name": "Gliding"}, token, strict_permissions=True)
    assert reply.is_error and "FORBIDDEN" in reply.text


def test_a_token_says_who_calls(ask, refused, rows):
    assert refused("list_user_groups", "no such token") == {
        "error": True, "error_code": "UNAUTHORIZED", "message": "Invalid authentication token",
    }  # fmt: skip
    (token, admin), *_ = rows(
        "SELECT static_token, user_id FROM user WHERE role = 'admin' AND active ORDER BY 2"
    )
    created = [ask("create_new_hr_case", who, **CASE).changes[0].after["opened_by"] for who in (token, None)]
    assert created == [admin, admin]
