import json

import pytest

from eops_traj.errors import FormatError, UnknownName
from eops_traj.gym import registry
from eops_traj.gym.engine.schema import Schema
from eops_traj.gym.server import Server
from eops_traj.gym.tools.tool import load

SCHEMA = Schema.parse("CREATE TABLE t (\n    a INTEGER PRIMARY KEY,  -- A.\n    b TEXT  -- B.\n)")


def ask(server: Server, database, name, **arguments):
    return server.call(database, name, arguments)


def test_the_schema_of_a_tool_comes_from_its_columns():
    sql = """-- f(a!, part ~ b, bs[] = b, n?)
--   -> rows
-- What it does
-- and how.
--   n: Count. {type: integer}
SELECT :n FROM t WHERE {filters}"""
    tool = load(SCHEMA, sql, [])["f"]
    assert tool.description == "What it does and how."
    assert tool.input_schema == {
        "type": "object",
        "properties": {
            "a": {"type": "integer", "description": "A."},
            "part": {"type": "string", "description": "Part of this: b."},
            "bs": {"type": "array", "items": {"type": "string"}, "description": "Any of these: b."},
            "n": {"type": ["integer", "null"], "description": "Count."},
        },
        "required": ["a"],
    }


def test_an_argument_is_described_once_for_all_tools():
    sql = """--- Arguments of many tools
--   size: How many. {type: integer, default: 10}
--   b: Everywhere.

-- f(size) -> rows
--   size: {maximum: 5}
SELECT * FROM t LIMIT :size;
-- g(b) -> rows
SELECT * FROM t WHERE {filters}"""
    tools = load(SCHEMA, sql, [])
    shown = {"type": "integer", "description": "How many.", "default": 10, "maximum": 5}
    assert tools["f"].input_schema["properties"] == {"size": shown}
    assert tools["g"].input_schema["properties"] == {"b": {"type": "string", "description": "Everywhere."}}


@pytest.mark.parametrize(
    ("line", "told"), [("", None), ("-- @outward\n", ()), ("-- @outward a, b\n", ("a", "b"))]
)
def test_a_tool_may_say_that_what_it_adds_reaches_others_and_by_which_columns(line, told):
    tools = load(SCHEMA, f"-- f(a, b) -> row\n{line}INSERT INTO t {{values}} RETURNING *", [])
    assert tools["f"].outward == told


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("-- f(c) -> rows\nSELECT * FROM t WHERE {filters}", "'c' binds no column"),
        ("-- f(a) -> rows\nSELECT * FROM t", "unused arguments: a"),
        ("-- f() -> rows\nSELECT * FROM t WHERE a = :a", "no such argument: a"),
        ("-- f(a) -> rows\n-- @wrong x\nSELECT * FROM t WHERE {filters}", "unknown directive @wrong"),
        ("-- f(a) -> rows\n-- @outward z\nSELECT * FROM t WHERE {filters}", "@outward: t has no column z"),
        ("-- f(a) -> rows\n--   z: Text.\nSELECT * FROM t WHERE {filters}", "does not take: z"),
        ("-- f() -> rows\nSELECT 1 FROM t;\n-- f() -> rows\nSELECT 1 FROM t;", "declared twice: f"),
        ("-- f(a) -> thing\nSELECT * FROM t", "no signature"),
    ],
)
def test_a_declaration_that_does_not_hold_is_named(sql, said):
    with pytest.raises(FormatError, match=said):
        load(SCHEMA, sql, [])


def test_every_statement_is_prepared_against_the_schema(tiny, monkeypatch):
    monkeypatch.setattr(
        Server,
        "_file",
        lambda self, name, read=Server._file: read(self, name).replace("SELECT *", "SELECT nope"),
    )
    with pytest.raises(FormatError, match=r"get_user: no such column: nope"):
        _ = tiny.tools


def test_ids_numbers_and_times_are_filled_in(tiny):
    database = tiny.template().open()
    row = json.loads(
        ask(tiny, database, "add_user", email="a@b.org", role=None, note="", extra={"k": 1}).text
    )
    assert (row["user_id"], row["number"], row["role"]) == ("USER_008", "U-000008", "agent")
    assert (row["note"], row["active"], row["extra"]) == (None, True, {"k": 1})
    assert row["created_at"] == row["updated_at"] == "2026-01-05 09:00:01" and row["tag"].startswith("tag_")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"user_id": "USER_009", "note": "x"}, "NOT_FOUND|User not found with identifier 'USER_009'"),
        ({"user_id": "USER_001"}, "|No fields to update"),
        (
            {"user_id": "USER_001", "role": "agent"},
            "NO_CHANGES_DETECTED|No changes detected for fields: role (role='agent')",
        ),
        ({"user_id": "USER_001", "note": "bad"}, "FORBIDDEN_WORD|'bad' is not allowed"),
        (
            {"user_id": "USER_001", "email": "nobody"},
            "CONSTRAINT_VIOLATION|CHECK constraint failed: email LIKE '%@%'",
        ),
        (
            {"user_id": "USER_001", "role": "Agent"},
            "VALIDATION_ERROR|Validation errors: role: Input should be 'admin' or 'agent'",
        ),
    ],
)
def test_updates_are_refused_for_a_reason(tiny, arguments, text):
    database = tiny.template().open()
    reply = ask(tiny, database, "edit_user", **arguments)
    assert (reply.is_error, reply.text, reply.changes) == (True, text, ())


def test_a_blank_clears_where_it_says_so(tiny):
    database = tiny.template().open()
    ask(tiny, database, "edit_user", user_id="USER_001", note="x")
    row = json.loads(ask(tiny, database, "edit_user", user_id="USER_001", note=" ").text)
    assert row["note"] is None


def test_filters_hold_together(tiny):
    database = tiny.template().open()
    found = ask(
        tiny, database, "find_users", email="U7@", roles=["agent"], since="2024-12-31T10:00:00", role=None
    )
    assert json.loads(found.text) == [
        {"user_id": "USER_007", "active": True, "extra": {"n": 1}, "several": False}
    ]
    assert "extra_forbidden" in str([p.type for p in [*_problems(tiny, database)]])


def _problems(tiny, database):
    from eops_traj.gym.tools.errors import Refusal

    with pytest.raises(Refusal) as caught:
        tiny._arguments(tiny.tools["find_users"], {"nope": 1})
    return caught.value.problems


def test_a_lookup_may_refuse_what_it_does_not_find(tiny):
    assert ask(tiny, tiny.template().open(), "get_user", user_id="X").text == "NOT_FOUND|user_id not found"


def test_a_delete_needs_a_filter(tiny):
    database = tiny.template().open()
    assert ask(tiny, database, "drop_users").text == "|At least one filter must be provided"
    assert ask(tiny, database, "drop_users", user_id="USER_001").text == '{"deleted": 1}'
    assert tiny.tools["drop_users"].input_schema["anyOf"] == [
        {"required": ["user_id"]},
        {"required": ["email"]},
    ]


def test_a_tool_may_have_no_result_and_an_argument_a_default(tiny):
    database = tiny.template().open()
    reply = ask(tiny, database, "annotate", userId="USER_001")
    assert (reply.text, reply.changes[0].after["note"]) == ("Operation completed successfully", "seen")
    assert ask(tiny, database, "annotate", userId="X").text == "NOT_FOUND|userId not found"


def test_without_a_caller_its_columns_are_null(tiny):
    reply = ask(tiny, tiny.template().open(), "write_post", author="USER_001")
    assert reply.text == "CONSTRAINT_VIOLATION|NOT NULL constraint failed: post.post_id"


def test_the_caller_is_at_hand_and_its_role_counts_when_strict(tiny):
    database = tiny.template().open()
    reply = tiny.call(database, "write_post", {"author": "USER_001"}, "USER_007")
    assert json.loads(reply.text) == {"post_id": "P_USER_007", "author": "USER_001"}
    refused = tiny.call(database, "drop_users", {"user_id": "USER_001"}, "USER_007", strict_permissions=True)
    assert refused.text == "FORBIDDEN|role 'agent' may not use drop_users"


def test_only_refusals_reach_the_agent_and_nothing_stays_behind(tiny):
    database = tiny.template().open()
    before = database.image()
    assert ask(tiny, database, "rename_then_fail", user_id="USER_001", how="refuse").text == "NO|no"
    with pytest.raises(RuntimeError, match="a bug"):
        ask(tiny, database, "rename_then_fail", user_id="USER_001", how="bug")
    assert database.image() == before and database.changeset() == b""


def test_servers_are_found_by_either_name():
    assert registry.server("csm") is registry.server("sn-csm-server")
    with pytest.raises(UnknownName, match="csm"):
        registry.server("nope")
