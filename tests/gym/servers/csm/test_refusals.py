import pytest

KNOWLEDGE = {"title": "t", "state": "draft", "visibility": "internal", "owner_id": 6}


@pytest.mark.parametrize(
    ("name", "arguments", "text"),
    [
        ("update_case", {"case_id": 1}, "No fields to update"),
        ("update_case", {"case_id": 9999, "state": "new"}, "case_id not found"),
        ("update_case", {"case_id": 1, "assignment_group_id": 229}, "assignment_group_id not found"),
        ("set_case_assignment_group", {"case_id": 1, "assignment_group_id": 229},
         "assignment_group_id not found"),
        ("update_knowledge", {"knowledge_id": 1, "body": "no such argument"}, "No fields to update"),
        ("delete_products", {}, "At least one filter must be provided"),
        ("delete_products", {"product_id": 1}, "other records still refer to it"),
        ("add_new_user_group", {"name": "Payroll", "type": "field", "active": True}, "name already exists"),
        ("add_new_sla_definition", {"metric": "response", "target_mins": 1, "name": "Solution - Low",
                                    "pause_on_pending": True, "active": True}, "name already exists"),
        ("update_product", {"product_id": 0, "name": "Ledgerline 5.1"}, "name already exists"),
        ("create_knowledge", KNOWLEDGE | {"body": "b" * 121},
         "[{'type': 'string_too_long', 'loc': ['body', 'body'], "
         "'msg': 'String should have at most 120 characters', "
         f"'input': '{'b' * 121}', 'ctx': {{'max_length': 120}}}}]"),
        ("find_sla_definitions", {"metric": "speed"},
         "[{'type': 'enum', 'loc': ['query', 'metric'], "
         "'msg': \"Input should be 'response' or 'resolution'\", "
         "'input': 'speed', 'ctx': {'expected': \"'response' or 'resolution'\"}}]"),
    ],
)  # fmt: skip
def test_refusals_are_worded_as_the_real_server_words_them(ask, name, arguments, text):
    reply = ask(name, **arguments)
    assert (reply.text, reply.is_error, reply.changes) == (f"API Error [{name}]: {text}", True, ())


def test_what_is_there_already_is_named(ask, result_of, rows):
    email, group, user = rows(
        "SELECT email, group_id, user_id FROM user JOIN user_group_member USING (user_id)"
    )[0]
    person = {"first_name": "A", "last_name": "B", "email": email, "role": "agent", "active": True}
    assert ask("add_new_user", **person).text.endswith(": email already exists")
    assert ask("add_new_group_member", group_id=group, user_id=user).text.endswith(
        ": group_id, user_id already exists"
    )


def test_an_article_is_linked_to_a_case_once(ask, rows):
    one, two = rows("SELECT case_kb_id, case_id, knowledge_id FROM case_knowledge LIMIT 2")
    again = {"case_id": one[1], "knowledge_id": one[2]}
    for reply in (
        ask("link_case_knowledge", used_as="applied", **again),
        ask("updated_linked_case_knowledge", case_kb_id=two[0], **again),
    ):
        assert reply.text.endswith(": case_id, knowledge_id already exists") and not reply.changes
    assert not ask("updated_linked_case_knowledge", case_kb_id=one[0], used_as="applied", **again).is_error


def test_who_calls_matters(csm, database):
    assert (
        csm.call(database, "list_users", {}).text
        == "Error: x-user-email header is required for user identification"
    )
    assert csm.call(database, "list_users", {}, "no@one").text == "Error: User not found for given email"
