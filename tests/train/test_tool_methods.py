"""A tool as a method gives transformers its JSON schema again."""

import inspect
from typing import Any

import pytest

from eops_traj.gym import registry
from eops_traj.messages import function_tools
from eops_traj.sandbox.embedded import open_session
from eops_traj.schema import ToolSet
from eops_traj.train.tool_methods import argument_name, tool_method


def method_of(tool: dict[str, Any]) -> Any:
    """Make the method on an instance that notes its calls; return both."""
    calls: list[Any] = []

    def call(self: Any, name: str, arguments: dict[str, Any]) -> str:
        calls.append((name, arguments))
        return "done"

    cls = type("Noting", (), {"m": tool_method(tool), "_call": call})
    method = cls().m  # type: ignore[attr-defined]
    assert inspect.ismethod(method)
    return method, calls


def test_arguments_go_through_under_their_own_names() -> None:
    properties = {"from": {"type": "string", "description": "Who: the sender."}, "most": {"type": "integer"}}
    parameters = {"type": "object", "properties": properties, "required": ["from"]}
    method, calls = method_of(
        {"function": {"name": "find", "description": "Find.", "parameters": parameters}}
    )
    assert method(from_="me", most=3) == "done"
    assert calls == [("find", {"from": "me", "most": 3})]


@pytest.mark.parametrize("server", ["csm", "itsm", "hr", "teams", "drive", "email", "calendar"])
def test_every_tool_of_the_gym_says_the_same(server: str) -> None:
    from transformers.utils import get_json_schema

    with open_session({registry.server(server).name: 0}) as session:
        tools = function_tools(ToolSet.of(session.list_tools()))
    for tool in tools:
        declared, seen = tool["function"], get_json_schema(method_of(tool)[0])["function"]
        properties = declared["parameters"].get("properties", {})
        assert seen["name"] == declared["name"] and seen["description"] == " ".join(
            declared["description"].split()
        )
        assert list(seen["parameters"]["properties"]) == [argument_name(name) for name in properties]
        required = {argument_name(name) for name in declared["parameters"].get("required", ())}
        assert set(seen["parameters"].get("required", ())) == required
        for name, schema in properties.items():
            seen_schema = seen["parameters"]["properties"][argument_name(name)]
            choices = {choice for choice in schema.get("enum", ()) if choice is not None}
            assert set(seen_schema.get("enum", ())) == choices  # typing keeps one order of equal choices
            assert seen_schema["description"] == " ".join((schema.get("description") or name).split())
