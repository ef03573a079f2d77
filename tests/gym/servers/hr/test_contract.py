"""The real server's own tools/list and tables, compared in this process."""

import json
import re

import pytest


@pytest.fixture(scope="session")
def real(shared):
    return {t["name"]: t for t in json.loads((shared / "eog/tools/hr.json").read_text())["tools"]}


def kinds(schema):
    kind = schema.get("type")
    return set(kind) - {"null"} if isinstance(kind, list) else {kind}


def bare(schema):
    """What has to agree: names, types, required."""
    properties = {n: (kinds(p), kinds(p.get("items", {}))) for n, p in schema["properties"].items()}
    return properties, set(schema.get("required", []))


def test_the_tools_are_the_real_ones(hr, real):
    assert sorted(hr.tools) == sorted(real) and len(real) == 89
    for name, tool in hr.tools.items():
        assert bare(tool.input_schema) == bare(real[name]["inputSchema"]), name


def test_the_enums_are_the_real_ones(hr, real):
    for name, tool in hr.tools.items():
        for argument, schema in real[name]["inputSchema"]["properties"].items():
            argument_schema = tool.input_schema["properties"][argument]
            for expected, own in (
                (schema, argument_schema),
                (schema.get("items", {}), argument_schema.get("items", {})),
            ):
                if "enum" in expected:
                    assert set(expected["enum"]) == set(own["enum"]), (name, argument)


def test_no_description_is_copied(hr, real):
    for name, tool in hr.tools.items():
        sentences = re.split(r"(?<=\.)\s+", real[name]["description"])
        assert not set(re.split(r"(?<=\.)\s+", tool.description)) & set(sentences), name


def test_the_tables_and_columns_are_the_real_ones(hr, shared):
    real = json.loads((shared / "eog/schema/hr.json").read_text())
    assert hr.schema.tables.keys() == real.keys() and len(real) == 26
    for name, table in real.items():
        assert set(table["columns"]) <= hr.schema.tables[name].columns.keys(), name
        for column, values in table["enums_seen"].items():
            allowed = hr.schema.tables[name].columns[column].enum
            assert not allowed or set(values) - {None} <= set(allowed), (name, column)


def literal(value):
    if value is None or value in ("TRUE", "FALSE", "CURRENT_TIMESTAMP"):
        return value or "NULL"
    return str(value) if isinstance(value, int) else "'" + value.replace("'", "''") + "'"


def test_rows_of_the_real_seed_are_rows_here(hr, shared):
    for name, table in json.loads((shared / "eog/schema/hr.json").read_text()).items():
        columns = ", ".join(table["columns"])
        rows = ", ".join(f"({', '.join(map(literal, row))})" for row in table["sample"])
        database = hr.template(f"INSERT INTO {name} ({columns}) VALUES {rows};").open()
        assert database.connection.execute(f"SELECT count(*) FROM {name}").get == len(table["sample"])
