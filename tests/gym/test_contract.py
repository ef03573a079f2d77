"""What holds for every tool of every server."""

import re
from random import Random

import pytest
from jsonschema import Draft202012Validator

from eops_traj.gym import registry
from eops_traj.gym.company.company import company
from eops_traj.gym.identity import default_caller
from eops_traj.tool_effects import is_read
from tests.gym.plausible import attempts, reads
from tests.gym.random_calls import assert_replays


@pytest.fixture(scope="module", params=registry.SERVERS)
def server(request):
    return registry.server(request.param)


def test_every_tool_is_documented(server):
    for tool in server.tools.values():
        assert re.search(r"\w{2}.*\.$", tool.description), tool.name
        for name, schema in tool.input_schema["properties"].items():
            assert len(schema.get("description", "")) > 3, f"{tool.name}.{name}"


def test_every_schema_is_one(server):
    for tool in server.tools.values():
        Draft202012Validator.check_schema(tool.input_schema)
        assert set(tool.input_schema.get("required", ())) <= set(tool.input_schema["properties"]), tool.name


def test_every_statement_compiles(server):
    database = server.template().open()
    supplied = {"now": ""} | {
        f"caller_{column}": None for t in server.schema.tables.values() for column in t.columns
    }
    for tool in server.tools.values():
        if tool.statement:
            given = {a.name: None for a in tool.arguments}
            database.connection.execute(
                f"EXPLAIN {tool.statement.sql(given)}", tool.statement.bindings(given, supplied)
            )


def test_every_statement_does_what_the_name_says(server):
    stated = [t for t in server.tools.values() if t.statement]
    assert not [t.name for t in stated if t.statement.writes == reads(t)]
    assert not [t.name for t in stated if t.statement.writes and is_read(t.name)]


def test_a_read_shows_no_change_and_a_write_shows_its_own(server):
    """Every tool is seen to work: a read once, a write until it changes something."""
    idle = []
    for tool in server.tools.values():
        database = server.template().open()
        caller = default_caller(server, database)
        before, calls = database.image(), database.calls
        for arguments in attempts(server, tool, database):
            if database.calls > calls:  # those that an example has come first
                before = database.image()
            reply, calls = server.call(database, tool.name, arguments, caller), database.calls
            assert bool(reply.changes) == (database.image()[100:] != before[100:]), tool.name
            assert not (reply.is_error and reply.changes), tool.name
            for change in reply.changes:
                assert stands(database, change), f"{tool.name}: {change}"
            assert not (reply.changes and is_read(tool.name)), f"{tool.name} may be called twice, and writes"
            if not reply.is_error and (reads(tool) or reply.changes):
                assert not (reads(tool) and reply.changes), f"{tool.name} reads, and changed {reply.changes}"
                if reply.changes:
                    assert_replays(database, server.template())
                break
        else:
            idle.append(tool.name)
        database.close()
    assert not idle, f"no call found that works; write one down in examples/{server.name}.yaml"


def stands(database, change):
    """Whether the database holds what the change says."""
    table = database.schema.tables[change.table]
    where = " AND ".join(f'"{name}" IS ?' for name in table.key)
    rows = list(database.connection.execute(f'SELECT * FROM "{change.table}" WHERE {where}', change.key))
    if change.operation == "delete":
        return rows == []
    row = dict(zip(table.columns, *rows, strict=True))
    return change.after.items() <= row.items()


def test_anyone_of_the_company_can_be_the_caller(server):
    database = server.template().open()
    person = next(p for p in company(Random(0)).people if p.active and p.role == "admin")
    value = default_caller(server, database, person.email)
    row = server._caller(database, value)
    assert person.email in row.values(), row
