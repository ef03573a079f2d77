"""Calling one tool by hand: found by name, given arguments as texts, on a database of its own."""

import json
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from eops_traj.errors import InputError
from eops_traj.gym.engine.changes import Change
from eops_traj.gym.identity import default_caller
from eops_traj.gym.server import Reply, Server
from eops_traj.gym.tools.tool import Tool


def find(name: str, servers: Sequence[Server]) -> tuple[Server, Tool]:
    """The tool of this name, on the first server that has it; an unknown name lists near ones."""
    for server in servers:
        if name in server.tools:
            return server, server.tools[name]
    names = {tool for server in servers for tool in server.tools}
    near = get_close_matches(name, names, 5) or sorted(n for n in names if name.lower() in n)[:5]
    raise InputError(f"unknown tool {name!r}" + (f"; did you mean {', '.join(near)}?" if near else ""))


def read_arguments(tool: Tool, pairs: Sequence[str]) -> dict[str, Any]:
    """``key=value`` texts as the arguments of a tool, each read as its schema says."""
    properties: Mapping[str, Any] = tool.input_schema["properties"]
    given: dict[str, Any] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals:
            raise InputError(f"{pair!r} is not of the form key=value")
        if name not in properties:
            known = ", ".join(properties) or "none"
            raise InputError(f"{tool.name} has no argument {name!r}; its arguments: {known}")
        given[name] = _read(name, text, properties[name])
    return given


def _read(name: str, text: str, schema: Mapping[str, Any]) -> Any:
    kinds = _kinds(schema)
    if "string" in kinds and not (text == "null" and "null" in kinds):
        return text
    try:
        return json.loads(text)
    except ValueError:
        if not kinds:
            return text
        expected = " or ".join(sorted(kinds))
        raise InputError(f"{name}: {text!r} is not JSON; expected {expected}") from None


def _kinds(schema: Mapping[str, Any]) -> set[str]:
    kind = schema.get("type", [])
    found = {kind} if isinstance(kind, str) else set(kind)
    return found.union(*(_kinds(option) for option in schema.get("anyOf", ())))


def call_once(
    server: Server,
    tool: Tool,
    arguments: Mapping[str, Any],
    *,
    seed: int = 0,
    user: str = "",
    strict: bool = False,
) -> Reply:
    """Call a tool on a database of its own, which is gone afterwards."""
    database = server.template(seed).open()
    try:
        caller = default_caller(server, database, user) if user or not strict else None
        return server.call(database, tool.name, arguments, caller, strict)
    finally:
        database.close()


def by_column(changes: Sequence[Change]) -> list[dict[str, Any]]:
    """Changes as lines of a table: what each changed column held before and after."""
    return [
        {
            "table": change.table,
            "key": ", ".join(map(str, change.key)),
            "operation": change.operation,
            "column": column,
            "before": (change.before or {}).get(column),
            "after": (change.after or {}).get(column),
        }
        for change in changes
        for column in (change.after or change.before or {})
    ]
