"""The real server's own tools/list and tables, compared in this process."""

import json
import re

import pytest


@pytest.fixture(scope="session")
def real(shared):
    return {t["name"]: t for t in json.loads((shared / "eog/tools/drive.json").read_text())["tools"]}


def bare(schema):
    """What has to agree, however deep: names, types, enums, items, required."""
    facts = {"type": schema.get("type"), "enum": sorted(schema.get("enum") or ())}
    facts["required"] = sorted(schema.get("required") or ())
    if "properties" in schema:
        facts["properties"] = {name: bare(inner) for name, inner in schema["properties"].items()}
    if "items" in schema:
        facts["items"] = bare(schema["items"])
    return facts


def test_the_tools_are_the_real_ones(drive, real):
    assert sorted(drive.tools) == sorted(real) and len(real) == 55
    for name, tool in drive.tools.items():
        assert bare(tool.input_schema) == bare(real[name]["inputSchema"]), name
        closed = real[name]["inputSchema"].get("additionalProperties")
        assert tool.input_schema.get("additionalProperties") == closed, name


def test_the_limits_are_the_real_ones(drive, real):
    for name, tool in drive.tools.items():
        for argument, schema in real[name]["inputSchema"]["properties"].items():
            ours = tool.input_schema["properties"][argument]
            for limit in ("maxLength", "minimum", "maximum", "pattern"):
                assert ours.get(limit) == schema.get(limit), (name, argument)


def sentences(text):
    return {s.strip().lower() for s in re.split(r"(?<=[.;])\s+", text) if len(s.split()) > 4}


def test_no_description_is_copied(drive, real):
    ours, original = set(), set()
    for listed, tools in ((ours, [t.listing() for t in drive.tools.values()]), (original, real.values())):
        for tool in tools:
            listed |= sentences(tool["description"])
            for schema in tool["inputSchema"]["properties"].values():
                listed |= sentences(schema.get("description", ""))
    assert not ours & original


def test_the_tables_and_columns_are_the_real_ones(drive, shared):
    real = json.loads((shared / "eog/schema/drive.json").read_text())
    assert drive.schema.tables.keys() == real.keys() and len(real) == 28
    for name, table in real.items():
        assert set(table["columns"]) <= drive.schema.tables[name].columns.keys(), name
        for column, values in table["enums_seen"].items():
            allowed = drive.schema.tables[name].columns[column].enum
            assert not allowed or set(values) - {None} <= set(allowed), (name, column)


def literal(value):
    if value is None or isinstance(value, bool):
        return {None: "NULL", True: "TRUE", False: "FALSE"}[value]
    return str(value) if isinstance(value, int) else "'" + value.replace("'", "''") + "'"


def test_rows_of_the_real_seed_are_rows_here(drive, shared):
    for name, table in json.loads((shared / "eog/schema/drive.json").read_text()).items():
        columns = ", ".join(f'"{column}"' for column in table["columns"])
        rows = ", ".join(f"({', '.join(map(literal, row))})" for row in table["sample"])
        database = drive.template(f"INSERT INTO {name} ({columns}) VALUES {rows};").open()
        assert database.connection.execute(f"SELECT count(*) FROM {name}").get == len(table["sample"])


def test_a_real_file_is_shown_as_the_api_shows_files(drive, shared):
    """Its own row, and those that the real seed has around it."""
    real, text = json.loads((shared / "eog/schema/drive.json").read_text()), []
    for name in ("users", "drives", "drive_memberships", "files", "revisions", "permissions"):
        columns = ", ".join(f'"{column}"' for column in real[name]["columns"])
        text.append(
            f"INSERT INTO {name} ({columns}) VALUES ({', '.join(map(literal, real[name]['sample'][0]))});"
        )
    database = drive.template("UPDATE users SET me = 1;".join(["", *text[:1]]) + "".join(text[1:])).open()
    database.connection.execute("UPDATE users SET me = 1")
    [file] = database.connection.execute("SELECT id FROM files")
    result = json.loads(drive.call(database, "get_files", {"fileId": file[0]}).text)
    assert (result["size"], result["version"], result["kind"]) == ("1024000", "2", "drive#file")
    assert result["createdTime"] == "2024-01-15T15:15:00.000Z" and result["properties"] == {"version": "1.2"}
