"""Tool schemas come out as a provider takes them, and still say what they said."""

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from eops_traj.gym import registry
from eops_traj.llm.tool_schemas import DIALECTS, GEMINI_KEYS, UNIONS, ToolCleaner, dialect_of
from eops_traj.messages import function_tools
from eops_traj.schema import ToolSet

OPENAI, GEMINI = DIALECTS["openai"], DIALECTS["gemini"]


def every_schema() -> list[dict[str, Any]]:
    """The input schema of each tool of the gym."""
    servers = [registry.server(name) for name in registry.SERVERS]
    return [tool.listing()["inputSchema"] for server in servers for tool in server.tools.values()]


def inner(schema: Any) -> list[dict[str, Any]]:
    """A schema and every schema in it, as the Gemini API knows them."""
    held = [*schema.get("properties", {}).values(), *schema.get("anyOf", ())]
    held += [schema["items"]] if "items" in schema else []
    return [schema, *(found for part in held for found in inner(part))]


def test_a_choice_of_requirements_keeps_its_tool_and_is_said_in_words() -> None:
    schema = {
        "type": "object",
        "properties": {"id": {"type": "string"}, "name": {"type": "string"}, "org": {"type": "string"}},
        "anyOf": [{"required": ["id"]}, {"required": ["name", "org"]}],
    }
    tool = {"type": "function", "function": {"name": "t", "description": "Find it.", "parameters": schema}}
    (made,) = ToolCleaner("openai")([tool])
    assert made["function"]["description"] == "Find it. Give at least one of: id; or name and org."
    assert made["function"]["parameters"] == {"type": "object", "properties": schema["properties"]}


def test_a_union_of_objects_is_one_object() -> None:
    by_id = {"type": "object", "properties": {"id": {"type": "string"}, "v": {}}, "required": ["id", "v"]}
    by_name = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name", "v"]}
    made = OPENAI({"oneOf": [by_id, by_name]})
    assert (made["type"], sorted(made["properties"]), made["required"]) == (
        "object",
        ["id", "name", "v"],
        ["v"],
    )
    assert sorted(OPENAI({"allOf": [by_id, by_name]})["required"]) == ["id", "name", "v"]


def test_definitions_stand_where_they_are_used() -> None:
    schema = {
        "type": "object",
        "properties": {
            "who": {"$ref": "#/$defs/P", "description": "Who."},
            "definitions": {"type": "string"},
        },
        "$defs": {"P": {"type": "object", "properties": {"boss": {"$ref": "#/$defs/P"}}}},
    }
    who = {"type": "object", "properties": {"boss": {"type": "object"}}, "description": "Who."}
    assert OPENAI(schema)["properties"] == {"who": who, "definitions": {"type": "string"}}


@pytest.mark.parametrize(
    ("given", "made"),
    [
        ({"type": ["string", "null"]}, {"type": "string", "nullable": True}),
        ({"type": ["string", "integer"]}, {"anyOf": [{"type": "string"}, {"type": "integer"}]}),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, {"type": "integer", "nullable": True}),
        ({"oneOf": [{"type": "string"}, {"enum": ["a"]}]},
         {"anyOf": [{"type": "string"}, {"enum": ["a"], "type": "string"}]}),
        ({"type": "integer", "enum": [1, 2]}, {"type": "integer", "description": "One of: 1, 2."}),
        ({"enum": ["a", None]}, {"enum": ["a"], "type": "string"}),
        ({"const": "a"}, {"enum": ["a"], "type": "string"}),
        ({"type": "string", "format": "email", "additionalProperties": False}, {"type": "string"}),
        ({"type": "string", "format": "date-time"}, {"type": "string", "format": "date-time"}),
        ({"type": "array"}, {"type": "array", "items": {"type": "string"}}),
        (True, {"type": "string"}),
        ({"allOf": [{"type": "string"}], "description": "d"}, {"type": "string", "description": "d"}),
    ],
)  # fmt: skip
def test_gemini_takes_a_subset_of_openapi(given: Any, made: dict[str, Any]) -> None:
    found = GEMINI({"type": "object", "properties": {"p": given}})["properties"]["p"]
    assert {key: value for key, value in found.items() if key != "properties" or value} == made


def test_gemini_has_no_parameters_rather_than_none_of_them() -> None:
    tool = {
        "type": "function",
        "function": {"name": "now", "parameters": {"type": "object", "properties": {}}},
    }
    assert ToolCleaner("gemini")([tool]) == [{"type": "function", "function": {"name": "now"}}]
    assert ToolCleaner("openai")([tool]) == [tool]


def test_every_tool_of_the_gym_suits_every_dialect() -> None:
    for schema in every_schema():
        before = deepcopy(schema)
        made = OPENAI(schema)
        Draft202012Validator.check_schema(made)
        assert made["type"] == "object" and not set(made) & set(UNIONS)
        assert made["properties"] == schema.get("properties", {})
        for part in inner(GEMINI(schema)):
            assert set(part) <= GEMINI_KEYS and isinstance(part.get("type", ""), str)
            assert set(part.get("required", ())) <= set(part.get("properties", ()))
        assert schema == before


def test_every_tool_of_the_real_servers_too(shared: Path) -> None:
    for path in (shared / "eog" / "tools").glob("*.json"):
        for tool in json.loads(path.read_text())["tools"]:
            schema = tool["inputSchema"]
            assert OPENAI(schema)["properties"] == schema["properties"], tool["name"]
            assert all(set(part) <= GEMINI_KEYS for part in inner(GEMINI(schema))), tool["name"]


def test_the_tools_of_an_episode_are_done_once() -> None:
    tools = function_tools(ToolSet.of([registry.server("csm").tools["find_user"].listing()]))
    cleaner = ToolCleaner("openai")
    assert cleaner(tools) is cleaner(tools)
    assert cleaner(list(tools)) == cleaner(tools)


def test_a_dialect_is_told_by_the_address() -> None:
    assert dialect_of("https://generativelanguage.googleapis.com/v1beta/openai") == "gemini"
    assert dialect_of("vertex_ai") == "gemini"
    assert dialect_of("http://127.0.0.1:8000/v1") == dialect_of("anthropic") == "openai"
