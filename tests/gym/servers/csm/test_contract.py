"""The real server's own tools/list, compared in this process."""

import json

import pytest

CASE = {
    "account_id": 5, "contact_id": 9, "channel": "web",
    "priority": "low", "state": "new", "short_description": "x",
}  # fmt: skip


@pytest.fixture(scope="session")
def real(shared):
    return {t["name"]: t for t in json.loads((shared / "eog/tools/csm.json").read_text())["tools"]}


def bare(schema):
    """What has to agree: names, types, enums, required."""
    properties = {
        name: (p.get("type"), p.get("enum"), p.get("items", {}).get("type"), p.get("items", {}).get("enum"))
        for name, p in schema["properties"].items()
    }
    return properties, set(schema.get("required", []))


def test_the_tools_are_the_real_ones(csm, real):
    assert sorted(csm.tools) == sorted(real) and len(real) == 89
    for name, tool in csm.tools.items():
        assert bare(tool.input_schema) == bare(real[name]["inputSchema"]), name


def test_no_description_is_copied(csm, real):
    for name, tool in csm.tools.items():
        assert tool.description and tool.description != real[name]["description"]


def test_lists_and_objects_are_the_real_ones(csm, real):
    for name, tool in csm.tools.items():
        shape = real[name]["outputSchema"]["type"]
        assert (tool.shape == "rows") == (shape == "array"), name


def test_reads_answer_with_the_real_keys(csm, real, result_of):
    required = {
        "name": "x", "email": "x", "serial_number": "x", "on_date": "2025-01-01", "assignment_group_id": 3,
        "portal_user_id": 1, "product_id": 1, "user_id": 1, "group_id": 1,
    }  # fmt: skip
    compared = 0
    for name, tool in csm.tools.items():
        if name.startswith(("find_", "list_", "get_", "count_", "avg_", "average_", "total_", "search_")):
            arguments = {a.name: required[a.name] for a in tool.arguments if a.required}
            answer = result_of(name, **arguments)
            row = answer[0] if isinstance(answer, list) else answer
            shape = real[name]["outputSchema"]
            assert not row or set(row) == set((shape.get("items") or shape)["properties"]), name
            compared += bool(row)
    assert compared >= 33


def test_writes_answer_with_the_real_keys(real, result_of):
    assert list(result_of("create_new_case", **CASE)) == list(
        real["create_new_case"]["outputSchema"]["properties"]
    )
    assert set(result_of("assign_case_to_user", case_id=1, assigned_to_user_id=6)) == {
        "assignment_status", "assigned_to", "assigned_at",
    }  # fmt: skip
