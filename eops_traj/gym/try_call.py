"""Call one tool by hand: found by name, with arguments as texts, on a database of its own."""

import json
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from eops_traj.errors import InputError
from eops_traj.gym.engine.changesets import RowChange
from eops_traj.gym.identity import default_caller
from eops_traj.gym.own_servers import own_faults
from eops_traj.gym.server import Reply, Server
from eops_traj.gym.tools.tool import Tool


def find_tool(name: str, servers: Sequence[Server]) -> tuple[Server, Tool]:
    """Find the tool of this name, on the first server that has it; an unknown name lists near ones."""
    for server in servers:
        if name in server.tools:
            return server, server.tools[name]
    names = {tool for server in servers for tool in server.tools}
    near = get_close_matches(name, names, 5) or sorted(n for n in names if name.lower() in n)[:5]
    raise InputError(f"unknown tool {name!r}" + (f"; did you mean {', '.join(near)}?" if near else ""))


def parse_arguments(tool: Tool, pairs: Sequence[str]) -> dict[str, Any]:
    """Parse ``key=value`` texts into the arguments of a tool, each as its schema says."""
    properties: Mapping[str, Any] = tool.input_schema["properties"]
    arguments: dict[str, Any] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals:
            raise InputError(f"{pair!r} is not of the form key=value")
        if name not in properties:
            known = ", ".join(properties) or "none"
            raise InputError(f"{tool.name} has no argument {name!r}; its arguments: {known}")
        arguments[name] = _parse(name, text, properties[name])
    return arguments


def _parse(name: str, text: str, schema: Mapping[str, Any]) -> Any:
    kinds = _types(schema)
    if "string" in kinds and not (text == "null" and "null" in kinds):
        return text
    try:
        return json.loads(text)
    except ValueError:
        if not kinds:
            return text
        expected = " or ".join(sorted(kinds))
        raise InputError(f"{name}: {text!r} is not JSON; expected {expected}") from None


def _types(schema: Mapping[str, Any]) -> set[str]:
    kind = schema.get("type", [])
    kinds = {kind} if isinstance(kind, str) else set(kind)
    return kinds.union(*(_types(option) for option in schema.get("anyOf", ())))


def call_once(
    server: Server,
    tool: Tool,
    arguments: Mapping[str, Any],
    *,
    seed: int = 0,
    user: str = "",
    strict: bool = False,
) -> Reply:
    """Call a tool on a database of its own, which is dropped afterwards.

    Raises FormatError for a fault of a server of one's own.
    """
    database = server.template(seed).open()
    try:
        caller = default_caller(server, database, user) if user or not strict else None
        with own_faults(server.name, tool.name):
            return server.call(database, tool.name, arguments, caller, strict)
    finally:
        database.close()


def caller_hint(server: Server, seed: int, user: str, strict: bool) -> str:
    """Return the option that a call without a caller lacked, as `call_once` made it; nothing for others.

    Of a server that requires one, a strict session refuses every such call, whatever its words for that.
    """
    if user or not strict or server.identity is None or not server.identity.required:
        return ""
    database = server.template(seed).open()
    try:
        return f"; --user says who calls, such as --user {default_caller(server, database)}"
    finally:
        database.close()


def column_changes(changes: Sequence[RowChange]) -> list[dict[str, Any]]:
    """Return one row of a table for each changed column: its value before and after."""
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
