"""A tool as a method takes any arguments under their own names."""

from typing import Any

from eops_traj.train.tool_methods import tool_method


def test_arguments_go_through_under_their_own_names() -> None:
    calls: list[Any] = []

    def call(_: Any, name: str, arguments: dict[str, Any]) -> str:
        calls.append((name, arguments))
        return "done"

    function = {"name": "find", "description": "Find.", "parameters": {"type": "object"}}
    cls = type("Noting", (), {"find": tool_method({"function": function}), "_call": call})
    arguments = {"from": "me", "most": 3, "self": "they", "nested": {"a": [1]}}
    assert cls().find(**arguments) == "done"  # type: ignore[attr-defined]
    assert calls == [("find", arguments)]
