import json
import re

import pytest

from tests.gym.servers.csm.test_contract import CASE


@pytest.mark.parametrize(
    ("name", "arguments", "text"),
    [
        ("find_user", {"name": "No One"}, "{}"),
        ("list_users", {"phone": "no phone"}, "[]"),
        ("check_user_membership", {"user_id": 1, "group_id": 1}, '{"exists": false, "member_id": null}'),
        ("delete_case_slas", {"case_id": 1, "start_time": "2001-01-01"}, '{"deleted": 0}'),
        ("count_notifications_by_case", {}, '{"count": 733}'),
        ("avg_notifications_by_case", {"case": 0}, '{"avg_count": 0.0}'),
        ("count_case_for_assignment_group", {"assignment_group_id": 99},
         '{"assignment_group_id": 99, "count": 0}'),
        ("get_average_case_reopen_count", {"state": "new"}, '{"avg_reopen_count": 0.0}'),
        ("total_sum_of_target_mins_per_priority", {"priority": "low"}, '{"priority": "low", "sum": 7680}'),
    ],
)  # fmt: skip
def test_answers_are_bare_json(ask, name, arguments, text):
    reply = ask(name, **arguments)
    assert (reply.text, reply.is_error) == (text, False)
    assert reply.envelope == {
        "meta": None, "content": [{"type": "text", "text": text, "annotations": None, "meta": None}],
        "structuredContent": None, "isError": False,
    }  # fmt: skip


NEW = {  # a call that makes a row of each table, and the first id that it gives
    "create_new_case": (1233, CASE),
    "link_new_case_sla": (2465, {"case_id": 1, "sla_def_id": 1, "stage": "in_progress"}),
    "send_notification": (734, {"case_id": 1, "email": "a@b", "type": "update"}),
    "register_new_interaction": (1233, {"channel": "web", "status": "open"}),
    "add_new_user": (
        803, {"first_name": "A", "last_name": "B", "email": "a@b", "role": "agent", "active": True}),
    "add_new_user_group": (81, {"name": "A", "type": "field", "active": True}),
    "add_new_group_member": (960, {"group_id": 1, "user_id": 1}),
    "create_new_account": (53, {"name": "A", "account_type": "partner", "active": True}),
    "create_contact": (125, {"account_id": 1, "portal_user_id": 40, "active": True, "is_primary": False}),
    "add_location": (907, {"name": "A", "active": True, "city": "tokyo", "country": "japan"}),
    "add_new_product": (241, {"name": "A", "category": "service", "lifecycle_state": "active"}),
    "register_new_installed_product": (
        301, {"account_id": 9, "product_id": 1, "serial_number": "A", "status": "in_use"}),
    "enlist_new_contract": (
        154, {"account_id": 9, "contract_type": "support", "status": "draft", "start_date": "2026-02-01",
              "end_date": "2027-01-31"}),
    "add_new_entitlement": (432, {"account_id": 9, "support_level": "premium", "active": True}),
    "add_new_sla_definition": (
        13, {"metric": "response", "target_mins": 5, "name": "A", "pause_on_pending": False, "active": True}),
    "create_knowledge": (
        370, {"title": "A", "state": "draft", "body": "B", "visibility": "internal", "owner_id": 6}),
    "link_case_knowledge": (528, {"case_id": 1, "knowledge_id": 369, "used_as": "applied"}),
}  # fmt: skip


@pytest.mark.parametrize("name", NEW)
def test_every_table_has_a_tool_that_makes_its_next_row(ask, csm, name):
    first, arguments = NEW[name]
    reply = ask(name, **arguments)
    (change,) = reply.changes
    assert (change.key, change.operation) == ((first,), "insert")
    columns = list(csm.schema.tables[change.table].columns)
    assert list(json.loads(reply.text)) == list(change.after) == columns


def test_every_table_is_filled_by_a_tool(csm):
    assert {csm.tools[name].table.name for name in NEW} == set(csm.schema.tables)


def test_a_new_case_has_the_real_defaults(result_of):
    row = result_of("create_new_case", **CASE)
    assert (row["number"], row["escalation"], row["reopen_count"], row["closed_on"]) == (
        "CS-0001233",
        0,
        0,
        None,
    )
    assert row["sys_created_on"] == "2026-01-05 09:00:01" and row["assigned_to"] is None


def test_an_entitlement_has_the_real_defaults(result_of):
    row = result_of("add_new_entitlement", account_id=1, support_level="premium", active=True)
    assert (row["coverage_hours"], row["max_cases_per_month"], row["product_id"]) == ("h8x5", 0, None)
    given = {"coverage_hours": "h24x7", "max_cases_per_month": 4}
    row = result_of("add_new_entitlement", account_id=1, support_level="premium", active=True, **given)
    assert given.items() <= row.items()


def test_an_article_without_a_text_is_ranked_by_its_title(csm):
    loose = csm.template("INSERT INTO user VALUES (1, 'A', 'B', 'a@x.org', NULL, 'admin', NULL, 1, '', '');"
                         "INSERT INTO knowledge (knowledge_id, kb_number, title, state, visibility, owner_id,"
                         " sys_created_on, sys_updated_on) VALUES (1, 'KB-1', 'None', 'draft', 'internal', 1,"
                         " '', '')")  # fmt: skip
    asked = {"search_text": "none"}
    (article,) = json.loads(csm.call(loose.open(), "retrieve_knowledge", asked, "a@x.org").text)
    assert (article["body"], article["score"]) == (None, 5.5)


def test_of_articles_with_the_same_words_one_without_a_time_comes_last(csm):
    article = "INSERT INTO knowledge VALUES ({}, 'KB-{}', 'Same', 'b', 'draft', 'internal', NULL, 1, {}, '');"
    people = "INSERT INTO user VALUES (1, 'A', 'B', 'a@x.org', NULL, 'admin', NULL, 1, '', '');"
    loose = csm.template(people + article.format(1, 1, "NULL") + article.format(2, 2, "'2025-01-01'"))
    reply = csm.call(loose.open(), "retrieve_knowledge", {"search_text": "same"}, "a@x.org")
    assert [row["knowledge_id"] for row in json.loads(reply.text)] == [2, 1]


def test_an_update_writes_the_fields_given_and_the_time(ask):
    (change,) = ask("update_case", case_id=1, reopen_count=5).changes
    assert change.after == {"reopen_count": 5, "sys_updated_on": "2026-01-05 09:00:01"}


def test_closing_and_reopening_derive_nothing(result_of):
    result_of("update_case", case_id=1, state="closed", closed_on="2026-01-04 12:00:00")
    row = result_of("update_case", case_id=1, state="in_progress")
    assert (row["closed_on"], row["reopen_count"]) == ("2026-01-04 12:00:00", 0)


def test_an_sla_starts_now_its_breach_is_not_computed_and_it_can_be_twice(result_of):
    rows = [result_of("link_new_case_sla", case_id=1, sla_def_id=1, stage="in_progress") for _ in range(2)]
    assert [r["start_time"] for r in rows] == ["2026-01-05 09:00:01", "2026-01-05 09:00:02"]
    assert [(r["breach_time"], r["has_breached"]) for r in rows] == [(None, 0)] * 2


def test_an_article_gets_the_other_kind_of_number(result_of):
    result_of("create_knowledge", title="A", state="draft", body="B", visibility="internal", owner_id=6)
    (article,) = result_of("retrieve_knowledge", kb_number="KB000370")
    assert article["knowledge_id"] == 370
    assert result_of("retrieve_knowledge", kb_number="KB-0000369")[0]["knowledge_id"] == 369


def test_a_search_ranks_and_a_filter_does_not(result_of):
    (article,) = result_of("retrieve_knowledge", knowledge_id=7)
    assert "score" not in article
    articles = result_of("retrieve_knowledge", search_text=article["title"], limit=3)
    assert len(articles) == 3 and articles[0]["knowledge_id"] == 7
    assert articles[0]["score"] > articles[1]["score"] >= articles[2]["score"] >= 0.5
    assert len(result_of("retrieve_knowledge", search_text="nowhere")) == 10


def test_texts_of_lists_match_in_part_and_names_of_look_ups_do_not(result_of):
    assert len(result_of("find_products", name="bramble edge")) == 6
    assert result_of("find_product", name="bramble edge router 100") == {}
    assert result_of("find_product", name="Bramble Edge Router 100")["category"] == "hardware"
    assert result_of("find_locations", plot_no="plot", city="tok")[0]["city"] == "tokyo"


def test_arrays_are_any_of(result_of):
    accounts = result_of("get_accounts", account_types=["partner", "internal"])
    assert {a["account_type"] for a in accounts} == {"partner", "internal"} and len(accounts) == 10


def test_filters_bound_from_both_sides(result_of):
    prices = [c["contract_price"] for c in result_of(
        "find_contracts", contract_price_range_start=20_000, contract_price_range_end=40_000)]  # fmt: skip
    assert prices and all(20_000 <= p <= 40_000 for p in prices)
    (talk,) = result_of("find_interactions", interaction_id=1)
    around = result_of("find_interactions", interaction_id=1, started_at_after="2023-01-01T00:00:00",
                  started_at_before="2026-02-01", started_at=talk["started_at"])  # fmt: skip
    assert around == [talk]


@pytest.mark.parametrize(
    ("name", "arguments", "query"),
    [
        ("get_channel_wise_case_count", {"channel": "social"},
         "SELECT json_object('social', count(*)) FROM customer_case WHERE channel = 'social'"),
        ("find_stage_wise_breached_case_sla_counts", {},
         """SELECT json_object('in_progress', sum(stage = 'in_progress'), 'paused', sum(stage = 'paused'),
            'completed', sum(stage = 'completed'), 'canceled', sum(stage = 'canceled'))
            FROM case_sla WHERE has_breached"""),
        ("installed_product_warranties_ended_count", {"on_date": "2025-12-31"},
         """SELECT json_object('ended_count', count(*)) FROM installed_product
            WHERE warranty_end <= '2025-12-31'"""),
        ("count_notifications_by_type", {"type": ["alert"]},
         """SELECT json_array(json_object('type', 'alert', 'count', count(*)))
            FROM notification WHERE type = 'alert'"""),
        ("average_target_mins_per_priority", {"priority_list": ["low"]},
         "SELECT json_array(json_object('priority', 'low', 'avg_target_mins', 3840.0))"),
    ],
)  # fmt: skip
def test_counts_are_right(result_of, rows, name, arguments, query):
    assert result_of(name, **arguments) == json.loads(rows(query)[0][0])


def test_a_membership_is_removed_by_itself_or_by_its_pair(result_of, ask, rows):
    ((first, group, user), (second, *_)) = rows(
        "SELECT member_id, group_id, user_id FROM user_group_member LIMIT 2"
    )
    assert result_of("remove_group_membership", group_id=group, user_id=user) == {"deleted": 1}
    assert result_of("remove_group_membership", member_id=first) == {"deleted": 0}
    assert result_of("remove_group_membership", member_id=second) == {"deleted": 1}
    assert "member_id, or both" in ask("remove_group_membership", group_id=group).text


def test_every_argument_is_described(csm):
    for tool in csm.tools.values():
        for name, schema in tool.input_schema["properties"].items():
            assert re.match(r"[A-Z].*\w", schema["description"]), (tool.name, name)


def test_the_same_calls_give_the_same_bytes(csm, admin):
    def play():
        database = csm.template().open()
        texts = [csm.call(database, "create_new_case", CASE, admin).text for _ in range(3)]
        return texts, database.image(), database.changeset()

    assert play() == play()
