"""The tools as a whole."""

import calendar
import json

import pytest

from eops_traj.gym.registry import server


def test_the_schemas_are_the_real_ones(gym, shared):
    real = json.loads((shared / "eog/tools/calendar.json").read_text())["tools"]
    assert gym.tools.keys() == {tool["name"] for tool in real}
    for tool in real:
        assert _bare(gym.tools[tool["name"]].input_schema) == _bare(tool["inputSchema"]), tool["name"]


def _bare(schema):
    """What has to agree: names, types, required arguments; enums where the real tool has one."""
    kinds = {name: {*_kinds(p)} - {"null"} for name, p in schema.get("properties", {}).items()}
    return kinds, set(schema.get("required", []))


def _kinds(schema):
    kind = schema.get("type")
    return kind if isinstance(kind, list) else [kind]


def test_the_enums_are_the_real_ones(gym, shared):
    for tool in json.loads((shared / "eog/tools/calendar.json").read_text())["tools"]:
        ours = gym.tools[tool["name"]].input_schema["properties"]
        for name, schema in tool["inputSchema"].get("properties", {}).items():
            if "enum" in schema:
                assert set(ours[name]["enum"]) == set(schema["enum"]), f"{tool['name']}.{name}"


def test_the_tables_are_the_real_ones(gym, shared):
    real = json.loads((shared / "eog/schema/calendar.json").read_text())
    assert {n: list(t.columns) for n, t in gym.schema.tables.items()} == {
        name: list(table["ddl_columns"]) for name, table in real.items()
    }
    for name, table in real.items():
        for column, target in table["fk"].items():
            assert gym.schema.tables[name].columns[column].references == tuple(target.split("."))


@pytest.mark.parametrize("tool", server("calendar").tools)
def test_nested_arguments_are_described_as_far_as_the_real_ones(gym, shared, tool):
    real = {t["name"]: t for t in json.loads((shared / "eog/tools/calendar.json").read_text())["tools"]}
    for name, schema in real[tool]["inputSchema"].get("properties", {}).items():
        assert _paths(schema) <= _paths(gym.tools[tool].input_schema["properties"][name]), name


def _paths(schema, path=""):
    paths = {path}
    for name, inner in schema.get("properties", {}).items():
        paths |= _paths(inner, f"{path}.{name}")
    return paths | (_paths(schema["items"], f"{path}[]") if "items" in schema else set())


def test_the_calendar_of_the_standard_library_stays_in_reach():
    assert calendar.monthrange(2026, 2) == (calendar.SUNDAY, 28)
