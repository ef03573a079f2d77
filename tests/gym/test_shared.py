"""What `tools.sql` says ahead of its tools, and what is done with what a tool finds."""

import json
from dataclasses import replace

import pytest

from eops_traj.errors import FormatError
from eops_traj.gym.engine.schema import Schema
from eops_traj.gym.server import Server
from eops_traj.gym.tools.errors import ErrorResult
from eops_traj.gym.tools.tool import load, result_formatter, tool

SCHEMA = Schema.parse("CREATE TABLE t (\n    row_id INTEGER PRIMARY KEY,  -- Id.\n    b TEXT  -- B.\n)")
AHEAD = """
-- @camel
--   n: How many. {type: integer}
-- @refuse No row {rowId} WHEN NOT EXISTS (SELECT 1 FROM t WHERE row_id = :rowId)
"""
GET = "-- get(rowId!) -> row\nSELECT * FROM t WHERE row_id = :rowId;\n"


def test_a_refusal_ahead_holds_for_the_tools_that_take_what_it_names():
    @tool
    def touch(call):
        """(rowId!, b) -> done of t

        Touch a row.
        """

    tools = load(SCHEMA, f"{AHEAD}\n{GET}\n-- all(b) -> rows\nSELECT * FROM t WHERE {{filters}};", [touch])
    assert {name: len(tool.refusals) for name, tool in tools.items()} == {"get": 1, "all": 0, "touch": 1}


def test_camel_case_arguments_bind_snake_case_columns_where_that_is_said():
    (tool,) = load(SCHEMA, f"{AHEAD}\n{GET}", []).values()
    assert (tool.arguments[0].target, tool.arguments[0].schema["type"]) == ("row_id", "integer")
    with pytest.raises(FormatError, match="'rowId' binds no column"):
        load(SCHEMA, GET, [])


def test_what_is_found_goes_through_the_answer_that_is_named():
    @result_formatter("n")
    def first(call, rows, words):
        return rows

    sql = f"{AHEAD}\n-- all(n) -> rows\n-- @as first of all\nSELECT * FROM t;"
    assert load(SCHEMA, sql, [], {"first": first})["all"].formatter is first
    with pytest.raises(FormatError, match="unused arguments: n"):
        load(SCHEMA, sql.replace("-- @as first of all\n", ""), [])
    with pytest.raises(FormatError, match=r"tools\.py has no answer 'first'"):
        load(SCHEMA, sql, [])


def test_an_answer_and_a_refusal_of_a_function_work_in_a_call(tiny, monkeypatch):
    text = Server._file

    def read(self, name):
        original = text(self, name)
        if name == "tools.sql":
            return f"-- @refuse No {{user_id}} here WHEN :user_id = 'USER_009'\n{original}".replace(
                "-- get_user(user_id!) -> row\n", "-- get_user(user_id!) -> row\n-- @as only email of\n"
            )
        return original

    monkeypatch.setattr(Server, "_file", read)
    module = __import__(f"{tiny.package}.tools", fromlist=["tools"])
    vars(module)["only"] = result_formatter()(lambda call, found, words: {words: found[words.split()[0]]})
    database = tiny.template().open()
    assert json.loads(tiny.call(database, "get_user", {"user_id": "USER_001"}).text) == {
        "email of": "u1@x.org"
    }
    refused = tiny.call(database, "rename_then_fail", {"user_id": "USER_009", "how": "bug"})
    assert refused.text.endswith("No USER_009 here")


def test_a_failed_result_is_an_error_whose_rows_stay(tiny):
    database = tiny.template().open()
    odd = replace(tiny, quirks=frozenset({"odd"}))
    tool = odd.tools["annotate"]
    odd.tools["annotate"] = replace(
        tool, formatter=lambda call, result, words: ErrorResult("odd"), directives={"as": ("x",)}
    )
    reply = odd.call(database, "annotate", {"userId": "USER_001"})
    assert (reply.text, reply.is_error, len(reply.changes)) == ("odd", True, 1)
