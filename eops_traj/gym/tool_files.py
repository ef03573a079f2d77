"""The tools of a server, out of the files of its package: ``tools.sql``, ``tools.py`` and its modules."""

import importlib
from collections.abc import Mapping
from types import ModuleType
from typing import Any

import apsw

from eops_traj.errors import FormatError
from eops_traj.gym.engine.schema import Schema
from eops_traj.gym.engine.templates import from_rows
from eops_traj.gym.own_servers import own_faults
from eops_traj.gym.tools.statements import Statement
from eops_traj.gym.tools.tool import ResultFormatter, Tool, ToolFunction, load


def read_tools(server: str, package: str, schema: Schema, sql: str) -> dict[str, Tool]:
    """Read the tools of a server by name, and check them. Raises FormatError for what is wrong with them."""
    with own_faults(server, "tools.py"):
        functions, formatters = _tool_functions(package)
    with own_faults(server, "tools"):
        tools = load(schema, sql, functions, formatters)
    _check_statements(schema, tools)
    return tools


def _tool_functions(package: str) -> tuple[list[ToolFunction], dict[str, ResultFormatter]]:
    """Return the tools and result formatters of ``tools.py`` and of the modules in its ``MODULES``."""
    main = importlib.import_module(f"{package}.tools")
    members = list(vars(main).items())
    for name in getattr(main, "MODULES", ()):
        module = importlib.import_module(f"{package}.{name}")
        members += sorted((n, f) for n, f in vars(module).items() if _defined_in(module, f))
    functions = [f for _, f in members if getattr(f, "is_tool", False)]
    return functions, {name: f for name, f in members if hasattr(f, "formats_arguments")}


def _defined_in(module: ModuleType, member: Any) -> bool:
    return callable(member) and getattr(member, "__module__", None) == module.__name__


def _check_statements(schema: Schema, tools: Mapping[str, Tool]) -> None:
    """Let SQLite compile every statement, with all of its slot's arguments and with none."""
    database = from_rows(schema, ()).open()
    try:
        for tool in tools.values():
            if tool.statement:
                every = {a.name: None for a in tool.arguments}
                some = every if tool.statement.slot == "changes" else {}
                for values in (every, some):
                    _compile(database.connection, tool.name, tool.statement, values)
            for _, query in tool.refusals:
                _compile(database.connection, tool.name, query, {a.name: None for a in tool.arguments})
    finally:
        database.close()


def _compile(connection: apsw.Connection, tool: str, statement: Statement, values: Mapping[str, Any]) -> None:
    sql = statement.sql(values)
    try:
        connection.execute(f"EXPLAIN {sql}", {"now": None} | dict.fromkeys(statement.named) | dict(values))
    except apsw.Error as error:
        raise FormatError(f"tools.sql: {tool}: {error}: {sql}") from None
