import json

import pytest

from eops_traj.gym.servers.email import SERVER
from tests.gym.servers.email.conftest import Mail

RENAMED = {
    "send_as": "send_as_aliases",
    "filters.criteria": "criteria_json",
    "filters.action": "action_json",
}
"""The guessed names that real verifiers show to be others."""


def kinds(schema):
    types = schema.get("type", [])
    return set([types] if isinstance(types, str) else types) - {"null"}


def test_every_tool_takes_what_the_real_one_takes(shared):
    real = {
        t["name"]: t["inputSchema"]
        for t in json.loads((shared / "eog/tools/email.json").read_text())["tools"]
    }
    assert real.keys() == SERVER.tools.keys()
    for name, original in real.items():
        ours = SERVER.tools[name].input_schema
        assert ours["properties"].keys() == original["properties"].keys(), name
        assert set(ours.get("required", ())) == set(original.get("required", ())), name
        for argument, schema in original["properties"].items():
            own = ours["properties"][argument]
            assert (kinds(own), own.get("enum")) == (kinds(schema), schema.get("enum")), f"{name}.{argument}"


def test_patterns_and_limits_are_the_real_ones(shared):
    for tool in json.loads((shared / "eog/tools/email.json").read_text())["tools"]:
        own = SERVER.tools[tool["name"]].input_schema["properties"]
        for argument, schema in tool["inputSchema"]["properties"].items():
            for key in ("pattern", "minimum", "maximum", "minLength", "maxItems", "format"):
                if key in schema:
                    assert own[argument].get(key) == schema[key], f"{tool['name']}.{argument}.{key}"


def test_everything_is_described():
    for tool in SERVER.tools.values():
        assert tool.description.endswith("."), tool.name
        assert all(a.schema["description"] for a in tool.arguments), tool.name


def test_reference_tables_are_there(shared):
    """The file is a guess but for what real verifiers name, which is in `RENAMED`."""
    tables = json.loads((shared / "eog/schema/email.json").read_text())
    tables = {RENAMED.get(name, name): table for name, table in tables.items()}
    assert tables.keys() == SERVER.schema.tables.keys()
    for name, table in tables.items():
        guessed = {RENAMED.get(f"{name}.{column}", column) for column in table["columns"]}
        guessed -= {"label_id"} if name == "history" else set()  # ours holds several
        assert not guessed - SERVER.schema.tables[name].columns.keys(), name


def test_one_number_gives_one_mail():
    from random import Random

    from eops_traj.gym.servers.email.seed import seed

    one, other = ([(name, list(rows)) for name, rows in seed(Random(n))] for n in (3, 3))
    assert one == other


def test_the_seed_keeps_its_references(mail: Mail):
    assert mail.sql("PRAGMA foreign_key_check") == []
    defaults = "SELECT count(*) FROM send_as_aliases WHERE is_default GROUP BY user_id HAVING count(*) <> 1"
    assert mail.sql(defaults) == []
    assert mail.sql("SELECT count(*) > 500 FROM messages") == [(True,)]
    assert (
        mail.sql(
            "SELECT 1 FROM users u WHERE history_id <> (SELECT coalesce(max(id), 1) FROM history"
            " WHERE user_id = u.id)"
        )
        == []
    )


def test_an_empty_seed_gets_what_every_mailbox_has():
    sql = "INSERT INTO users (id, email, name) VALUES ('user_001', 'alice@example.com', 'Alice')"
    database = SERVER.template(sql).open()
    labels = json.loads(SERVER.call(database, "list_labels", {"userId": "alice@example.com"}).text)["labels"]
    assert {label["type"] for label in labels} == {"system"} and len(labels) == 14
    reply = SERVER.call(database, "create_label", {"userId": "me", "name": "Projects"})
    assert json.loads(reply.text)["id"] == "Label_1"
    assert database.run_sql(
        'SELECT COUNT(*) FROM labels WHERE name = "Projects" AND user_id = "user_001"'
    ).rows == ((1,),)


# whose mailbox


def test_without_a_token_the_call_says_whose_mailbox(mail: Mail):
    assert mail("get_user_profile", userId="me")["emailAddress"] == mail.people[0]
    assert mail("get_user_profile", userId=mail.people[7].upper())["emailAddress"] == mail.people[7]
    assert mail.refused("get_user_profile", userId="nobody@corvane.example")["code"] == 404
    assert mail.refused("list_labels", userId="user_001")["status"] == "INVALID_ARGUMENT"


def test_a_token_opens_the_own_mailbox_and_delegated_mail(mail: Mail):
    owner, delegate = mail.sql(
        "SELECT u.email, delegate_email FROM delegates d JOIN users u ON u.id = d.user_id"
        " WHERE u.id = 'user_001'"
    )[0]
    token = mail.token(delegate)
    assert mail("get_user_profile", token, userId="me")["emailAddress"] == delegate
    assert mail("list_messages", token, userId=owner)["messages"]
    assert mail.refused("get_vacation_settings", token, userId=owner)["code"] == 403
    other = next(p for p in mail.people[3:] if p != delegate)
    assert (
        mail.refused("list_messages", token, userId=other)["message"] == f"Delegation denied for {delegate}"
    )


def test_a_pending_delegate_and_a_wrong_token_open_nothing(mail: Mail):
    owner, delegate = mail.sql(
        "SELECT u.email, delegate_email FROM delegates d JOIN users u ON u.id = d.user_id"
        " WHERE verification_status = 'pending'"
    )[0]
    assert mail.refused("list_messages", mail.token(delegate), userId=owner)["code"] == 403
    assert mail.refused("list_messages", "nonsense", userId="me")["code"] == 401


def test_the_mailbox_of_someone_who_left_is_closed(mail: Mail):
    gone = mail.sql("SELECT email FROM users WHERE NOT active")[0][0]
    assert mail.refused("list_messages", userId=gone)["message"] == "Mail service not enabled"


@pytest.mark.parametrize("tool", ["email_create_delegate", "delete_send_as_alias", "update_auto_forwarding"])
def test_some_tools_are_for_admins_when_permissions_are_strict(mail: Mail, tool: str):
    assert SERVER.tools[tool].roles == {"admin"}
    someone = mail.sql("SELECT static_token FROM users WHERE role = 'employee' AND active")[0][0]
    reply = mail.reply(tool, someone, strict=True, userId="me")
    assert json.loads(reply.text)["error"]["status"] == "PERMISSION_DENIED"


def test_labels_that_people_make_have_ids_of_their_own_over_all_mailboxes(mail: Mail):
    """Real verifiers join labels by their id alone."""
    mine, other = (mail("create_label", userId=who, name="Twin")["id"] for who in ("me", _other(mail)))
    assert mine != other
    twice = "SELECT id FROM labels WHERE type = 'user' GROUP BY id HAVING count(*) > 1"
    assert mail.sql(twice) == []


def _other(mail: Mail) -> str:
    return str(mail.sql("SELECT email FROM users WHERE active ORDER BY id DESC LIMIT 1")[0][0])
