import json

import pytest

NEW_CHANGE = {"short_description": "x", "status": "new", "impact": "low", "risk": "low", "priority": "low"}
NEW_USER = {
    "first_name": "Ada", "last_name": "Ng", "email": "ada.ng@corvane.example", "phone": "+1-212-555-0199",
    "role": "agent", "active": True,
}  # fmt: skip
NO = "At least one field must be provided for update"


@pytest.mark.parametrize(
    ("name", "arguments", "code", "message"),
    [
        ("get_user", {"user_id": "USER_999"}, "NOT_FOUND", "User not found with identifier 'USER_999'"),
        ("update_change", {"change_id": "CHG_999", "risk": "low"}, "NOT_FOUND",
         "Change not found with identifier 'CHG_999'"),
        ("get_location_by_id", {"location_id": "LOC_999"}, "RESOURCE_NOT_FOUND",
         "Location not found with identifier 'LOC_999'"),
        ("create_problem", {"problem_statement": "x", "status": "new", "impact": "low", "urgency": "low",
                            "priority": "low", "service": "SVC_999"},
         "INVALID_REFERENCE", "Service with ID 'SVC_999' not found"),
        ("create_incident", {"caller_id": "USER_001", "short_description": "x", "impact": "High"},
         "INVALID_ENUM_VALUE", "Invalid value 'High' for 'impact'. Must be one of: 'high', 'low', 'medium'"),
        ("create_change", NEW_CHANGE | {"risk": "LOW"}, "INVALID_ENUM_VALUE",
         "Invalid value 'LOW' for 'risk'. Must be one of: 'high', 'low', 'medium'"),
        ("list_users", {"role": "boss"}, "INVALID_ENUM_VALUE",
         "Invalid value 'boss' for 'role'. Must be one of: 'admin', 'agent', 'manager', 'reporter'"),
        ("create_incident", {"caller_id": " ", "short_description": "x"}, "MISSING_FIELD",
         "caller_id is required"),
        ("update_incident", {"incident_id": "INC_001", "short_description": ""}, "MISSING_REQUIRED_VALUE",
         "short_description cannot be empty"),
        ("update_incident", {"incident_id": "INC_001"}, "NO_FIELDS_PROVIDED", NO),
        ("update_problem", {"problem_id": "PRB_001", "worknotes": ""}, "NO_FIELDS_PROVIDED", NO),
        ("update_problem", {"worknotes": "x"}, "MISSING_IDENTIFIERS",
         "Either 'problem_id' or 'number' must be provided to identify the problem"),
        ("delete_incident_slas", {}, "VALIDATION_ERROR", "At least one filter must be provided"),
        ("remove_affected_ci_from_incident", {"incident_id": ""}, "VALIDATION_ERROR",
         "At least one filter must be provided"),
        ("delete_change_request_mappings", {}, "VALIDATION_ERROR", "At least one filter must be provided"),
        ("find_locations", {"city": ""}, "EMPTY_FILTER_VALUE", "Filter parameter 'city' cannot be empty. "
         "Please provide a valid value or omit the parameter."),
        ("list_incidents", {"created_after": "soon"}, "INVALID_DATE_FORMAT",
         "Invalid date format for 'created_after': 'soon'. Use ISO 8601"),
        ("list_incidents", {"created_after": "2026-01-02", "created_before": "2026-01-01"},
         "VALIDATION_ERROR", "created_after must not be later than created_before"),
        ("find_incident_knowledge_links", {"used_as": "applied,Used"}, "INVALID_ENUM_VALUE",
         "Invalid value(s) for 'used_as': Used. Must be one or more of: suggested, applied, resolution"),
        ("add_child_incident", {"parent_incident": "INC_001", "child_incident": "INC_001"},
         "INVALID_RELATIONSHIP", "An incident cannot be its own child"),
        ("update_incident_sla_details", {"incident_sla_id": "TSLA_001", "breach_time": "2001-01-01"},
         "CONSTRAINT_VIOLATION", "CHECK constraint failed: ck_sla_breach_time"),
        ("add_new_user", NEW_USER | {"location_id": "LOC_011"}, "CROSS_ORGANIZATION_ACCESS",
         "Location 'LOC_011' does not belong to your organization"),
    ],
)  # fmt: skip
def test_refusals_have_the_real_codes(refused, name, arguments, code, message):
    assert refused(name, **arguments) == (code, message)


@pytest.mark.parametrize(
    ("name", "arguments", "kind", "argument", "code"),
    [
        ("add_new_user", NEW_USER | {"phone": "0123"}, "value_error", "phone", "INVALID_PHONE_FORMAT"),
        ("add_new_user", NEW_USER | {"email": "ada"}, "value_error", "email", "INVALID_EMAIL_FORMAT"),
        ("update_configuration_item", {"configuration_item_id": "CI_001", "serial_number": ""},
         "string_too_short", "serial_number", None),
        ("update_notification", {"notification_id": "NOTIF_001", "subject": ""},
         "string_too_short", "subject", None),
        ("update_knowledge_article", {"knowledge_id": "KB_001", "title": ""}, "string_too_short", "title",
         None),
        ("update_user_group", {"group_id": "GROUP_001", "colour": "red"}, "extra_forbidden", "colour", None),
        ("add_new_sla_definition", {"name": "x", "metric": "response", "target_mins": 0, "active": True,
                                    "pause_on_pending": False}, "greater_than_equal", "target_mins", None),
    ],
)  # fmt: skip
def test_what_does_not_conform_is_listed(refused, name, arguments, kind, argument, code):
    assert refused(name, **arguments) == [(kind, ["body", argument], code)]


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("add_new_user", NEW_USER | {"email": "{email}"}, "DUPLICATE_EMAIL"),
        ("add_new_user", NEW_USER | {"phone": "{phone}"}, "DUPLICATE_PHONE"),
        ("update_user_details", {"user_id": "USER_002", "phone": "{phone}"}, "DUPLICATE_PHONE"),
        ("add_new_group_member", {"group_id": "GROUP_001", "user_id": "USER_005"}, "DUPLICATE_MEMBERSHIP"),
        ("add_location", {"name": "London Office", "city": "x", "country": "y"}, "DUPLICATE_LOCATION_NAME"),
        ("add_new_service", {"name": "Printing", "owned_by": "USER_001"}, "DUPLICATE_SERVICE_NAME"),
        ("register_new_service_offering", {"name": "Mailbox", "owned_by": "USER_001", "parent": "SVC_001",
                                           "short_description": "x"}, "DUPLICATE_SERVICE_OFFERING_NAME"),
        ("update_change", {"change_id": "CHG_002", "number": "CHG0000001"}, "DUPLICATE_NUMBER"),
        ("update_incident_template", {"incident_template_id": "TMPL_001", "name": "Leaver"},
         "DUPLICATE_TEMPLATE_NAME"),
        ("update_sla_definition", {"sla_def_id": "SLA_001", "name": "High Response"}, "DUPLICATE_NAME"),
        ("map_change_request", {"change_id": "CHG_001", "problem_id": "PRB_001"}, "DUPLICATE_MAPPING"),
    ],
)  # fmt: skip
def test_nothing_is_made_twice(refused, database, name, arguments, code):
    email, phone = database.run_sql("SELECT email, phone FROM users WHERE user_id = 'USER_001'").rows[0]
    known = {k: v.format(email=email, phone=phone) if k != "active" else v for k, v in arguments.items()}
    assert refused(name, **known)[0] == code


def test_links_are_made_once(result_of, refused):
    result_of("link_new_incident_sla", incident_id="INC_003", sla_def_id="SLA_009", start_time="2026-01-01")
    again = refused(
        "link_new_incident_sla", incident_id="INC_003", sla_def_id="SLA_009", start_time="2026-01-01"
    )
    assert again == ("DUPLICATE_LINK", "SLA 'SLA_009' is already linked to incident 'INC_003'")
    result_of("link_knowledge_to_incident", incident_id="INC_003", knowledge_id="KB_028")
    code, message = refused("link_knowledge_to_incident", incident_id="INC_003", knowledge_id="KB_028")
    assert code == "CONSTRAINT_VIOLATION" and message.startswith("UNIQUE constraint failed")


def test_an_update_that_changes_nothing_is_refused(result_of, refused):
    for name, key, value, fields in (
        ("update_incident", "incident_id", "INC_005", {"worknotes": "seen", "urgency": "high"}),
        ("update_problem", "number", "PRB0000002", {"workaround": "wait"}),
        ("update_notification", "notification_id", "NOTIF_001", {"subject": "s"}),
        ("update_incident_sla_details", "incident_sla_id", "TSLA_002", {"has_breached": True}),
        ("update_child_incident", "child_incident_mapping_id", "CINC_001",
         {"parent_incident": "INC_001", "child_incident": "INC_100"}),
    ):  # fmt: skip
        result_of(name, **{key: value}, **fields)
        already = ", ".join(f"{field} (already {kept!r})" for field, kept in fields.items())
        code, message = refused(name, **{key: value}, **fields)
        assert code == "NO_CHANGES_DETECTED" and sorted(already) == sorted(message.partition(": ")[2]), name


def test_groups_and_services_say_it_in_their_own_words(refused):
    code, message = refused("update_service", service_id="SVC_001", name="Corporate Email")
    assert (code, message) == (
        "NO_CHANGES_DETECTED",
        "No changes detected. All provided fields already have the same values: name='Corporate Email'. "
        "Please provide different values or omit unchanged fields.",
    )


def test_a_notification_goes_to_a_user_other_than_the_sender(ask, token, one):
    mine = one(f"SELECT email FROM users WHERE static_token = '{token('admin')}'")
    for email, code in ((mine, "CANNOT_SEND_TO_SELF"), ("x@y.org", "USER_EMAIL_NOT_FOUND")):
        detail = json.loads(ask("send_notification", incident_id="INC_001", email=email).text)["detail"]
        assert (detail["error_code"], detail["details"][0]["code"]) == ("VALIDATION_ERROR", code)


def test_who_calls_matters(itsm, database, token):
    assert json.loads(itsm.call(database, "get_user", {"user_id": "USER_001"}, "wrong").text)["detail"] == {
        "error": True, "error_code": "UNAUTHORIZED", "message": "Invalid authentication token",
    }  # fmt: skip
    created = json.loads(itsm.call(database, "create_change", NEW_CHANGE).text)  # nobody in particular
    own = json.loads(itsm.call(database, "create_change", NEW_CHANGE, token("manager")).text)
    assert created["requested_by"] == "USER_004" and own["requested_by"] == "USER_001"
