"""The real server's own tools/list and tables, compared in this process."""

import importlib.util
import json
from collections import Counter

import pytest


@pytest.fixture
def real(shared):
    return {t["name"]: t for t in json.loads((shared / "eog/tools/itsm.json").read_text())["tools"]}


def test_the_tools_are_the_real_ones(itsm, real, shared, monkeypatch):
    monkeypatch.syspath_prepend(str(shared / "conformance"))
    spec = importlib.util.spec_from_file_location("check_tools", shared / "conformance/check_tools.py")
    check = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(check)
    assert sorted(itsm.tools) == sorted(real) and len(real) == 93
    for name, tool in itsm.tools.items():
        assert not [*check.compare(name, tool.input_schema, real[name]["inputSchema"])]


def test_types_lengths_and_formats_are_the_real_ones(itsm, real):
    stricter = {"subject", "message", "child_incidents"}  # the server refuses what its schema does not say
    for name, tool in itsm.tools.items():
        ours, expected = tool.input_schema, real[name]["inputSchema"]
        for key in ("additionalProperties", "anyOf"):
            assert ours.get(key) == expected.get(key), name
        for argument, schema in expected["properties"].items():
            if argument not in stricter and (name, argument) != ("find_configuration_items", "cost"):
                assert bare(ours["properties"][argument]) == bare(schema), f"{name}.{argument}"


def bare(schema):
    kept = {k: v for k, v in schema.items() if k not in ("title", "description", "default") and v != 0}
    if isinstance(kept.get("type"), list):
        kept["type"] = sorted(kept["type"])
    if "enum" in kept:
        kept["enum"] = sorted(kept["enum"])
    if "properties" in kept:
        kept["properties"] = {name: bare(inner) for name, inner in kept["properties"].items()}
    return kept | ({"items": bare(kept["items"])} if "items" in kept else {})


def test_no_description_is_copied(itsm, real):
    for name, tool in itsm.tools.items():
        real_tool = real[name]
        assert tool.description and tool.description not in real_tool["description"], name
        for argument, schema in real_tool["inputSchema"]["properties"].items():
            ours = tool.input_schema["properties"][argument]["description"]
            assert ours not in (schema.get("description"), f"{schema.get('description')}."), argument


def test_tables_columns_and_keys_are_the_real_ones(itsm, shared):
    real = json.loads((shared / "eog/schema/itsm.json").read_text())
    counts = Counter()
    assert set(itsm.schema.tables) == set(real) and len(real) == 24
    for name, table in itsm.schema.tables.items():
        assert list(table.columns) == real[name]["ddl_order"]
        assert list(table.key) == real[name]["primary_key"]
        for column in table.columns.values():
            declared = column.declared + (" NOT NULL" if column.required else "")
            assert declared == real[name]["ddl_columns"][column.name], (name, column.name)
            referred = ".".join(column.references) if column.references else None
            assert referred == real[name]["fk"].get(column.name), (name, column.name)
            counts["columns"] += 1
            counts["references"] += referred is not None
    assert counts == {"columns": 259, "references": 73}
