"""Tools as the benchmark's harness shows them, whatever their server left out."""

from typing import Any

import pytest

from eops_traj.llm.harness_schemas import harness_functions, harness_tool


@pytest.mark.parametrize("tool", [{"name": "t"}, {"name": "t", "description": None, "inputSchema": {}}])
def test_a_tool_without_a_description_has_an_empty_one(tool: dict[str, Any]) -> None:
    (shown,) = harness_functions([harness_tool(tool)])
    assert shown["function"]["description"] == "" and shown["function"]["parameters"]["type"] == "object"
