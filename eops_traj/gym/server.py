"""A tool server: its tables, its tools, its settings, and the execution of calls."""

import importlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from importlib.resources import files
from random import Random
from typing import Any

import apsw

from eops_traj.errors import ToolError
from eops_traj.gym.engine import templates
from eops_traj.gym.engine.changesets import RowChange
from eops_traj.gym.engine.database import Database, Template
from eops_traj.gym.engine.schema import Schema
from eops_traj.gym.engine.seeds import load_seed
from eops_traj.gym.engine.template_cache import TemplateCache
from eops_traj.gym.own_servers import own_faults
from eops_traj.gym.tool_files import read_tools
from eops_traj.gym.tools.arguments import validate_arguments
from eops_traj.gym.tools.call import CONVERTERS, Call, Converter, run_tool
from eops_traj.gym.tools.datetimes import normalize_datetimes
from eops_traj.gym.tools.empty_values import split_empty
from eops_traj.gym.tools.errors import ErrorResult, Refusal
from eops_traj.gym.tools.responses import Responses
from eops_traj.gym.tools.tool import Tool


def _json_of_column(value: Any) -> Any:
    """Return what a JSON column holds; in real rows it may be no JSON, and is told as it is."""
    try:
        return json.loads(value)
    except (TypeError, ValueError):
        return value


_OF_COLUMNS: Mapping[str, Converter] = {**CONVERTERS, "JSON": _json_of_column}


@dataclass(frozen=True)
class Identity:
    """How a server identifies its caller: the header, and the query for the row of its value ``:value``.

    Where the header is not required, a call without it looks for NULL, and so may find a default caller.
    """

    header: str
    query: str
    required: bool = True


@dataclass(frozen=True)
class Reply:
    """The reply to a call: the text, whether it is an error, the MCP result, and the rows that changed."""

    text: str
    is_error: bool
    envelope: Mapping[str, Any]
    changes: tuple[RowChange, ...] = ()


@dataclass(frozen=True)
class Server:
    """One tool server. Its package holds schema.sql, tools.sql, tools.py, policy.md and seed.py."""

    name: str
    gym_name: str
    port: int
    package: str
    responses: Responses
    identity: Identity | None = None
    time_format: str = "%Y-%m-%d %H:%M:%S"
    empty_text: str = "keep"
    converted_types: frozenset[str] = field(default_factory=frozenset)
    """The declared types whose columns are converted in results: BOOLEAN where true is not 1, JSON, and
    DATETIME where times are stored with a blank and told with a T."""
    parse_datetimes: bool = False
    """Whether values for DATETIME columns are read as times and written in `time_format`."""
    quirks: frozenset[str] = frozenset()
    """Plain bugs of the real server that this one repeats; none by default (`with_quirks`)."""
    known_quirks: tuple[str, ...] = ()
    """The quirks that it can repeat."""
    scope: str = ""
    """The column, if any, by which tenants are kept apart: rows that arguments refer to must share it."""

    def with_quirks(self, names: Iterable[str]) -> "Server":
        """Return the server with those of the quirks that it knows; itself where it knows none."""
        known = frozenset(names) & frozenset(self.known_quirks)
        return replace(self, quirks=known) if known else self

    @cached_property
    def schema(self) -> Schema:
        """Its tables."""
        return Schema.parse(self._file("schema.sql"))

    @cached_property
    def tools(self) -> dict[str, Tool]:
        """Its tools by name, read and checked at the first use."""
        return read_tools(self.name, self.package, self.schema, self._file("tools.sql"))

    @cached_property
    def policy(self) -> str:
        """The rules that an agent has to know and keep to."""
        return self._file("policy.md")

    @cached_property
    def converters(self) -> tuple[tuple[str, Converter], ...]:
        """The declared types whose columns are converted in results, with their converters."""
        return tuple((kind, convert) for kind, convert in _OF_COLUMNS.items() if kind in self.converted_types)

    def template(self, seed: int | str = 0, patch: str = "") -> Template:
        """Return the seeded database, cached: a company made from a number, or the rows of a SQL text.

        ``patch`` is SQL that is run on it afterwards: a task's changes to its company.
        """
        return _patched(self, seed, patch) if patch else _seeded(self, seed)

    def call(
        self, database: Database, name: str, supplied: Mapping[str, Any],
        identity: str | None = None, strict_permissions: bool = False,
    ) -> Reply:  # fmt: skip
        """Call a tool. An error of the call is in the reply; an error of the gym raises."""
        database.begin()
        tool = self.tools.get(name)
        if tool is None:
            return self._reply(self.responses.unknown_tool(name), True)
        try:
            caller = self._caller(database, identity)
            if strict_permissions and tool.roles and caller.get("role") not in tool.roles:
                raise self.responses.forbidden(tool, str(caller.get("role", "")))
            call = self._call(tool, database, self._arguments(tool, supplied), caller)
            result, changes = self._run(call)
        except Refusal as refusal:
            return self._reply(self.responses.refusal(name, refusal), True)
        except ToolError as error:
            return self._reply(self.responses.refusal(name, Refusal(str(error))), True)
        if isinstance(result, ErrorResult):
            return self._reply(result.text, True, changes)
        return self._reply(self.responses.success(tool, result), False, changes)

    def find_caller(self, database: Database, value: str | None) -> dict[str, Any] | None:
        """Return the row of the caller whom a value of the identity header names; None where it is nobody."""
        try:
            return self._caller(database, value)
        except Refusal:
            return None

    def _file(self, name: str) -> str:
        with own_faults(self.name, name):
            return (files(self.package) / name).read_text(encoding="utf-8")

    def _reply(self, text: str, is_error: bool, changes: tuple[RowChange, ...] = ()) -> Reply:
        return Reply(text, is_error, self.responses.reply(text, is_error), changes)

    def _caller(self, database: Database, value: str | None) -> dict[str, Any]:
        if self.identity is None:
            return {}
        if value is None and self.identity.required:
            raise self.responses.anonymous(self.identity.header)
        cursor = database.connection.execute(self.identity.query, {"value": value})
        for row in cursor:
            names = [name for name, _ in cursor.get_description()]
            return dict(zip(names, row, strict=True))
        if value is None:
            return {}
        raise self.responses.unknown_caller(self.identity.header)

    def _arguments(self, tool: Tool, supplied: Mapping[str, Any]) -> dict[str, Any]:
        kept, cleared = split_empty(tool, supplied, tool.directive("blank") or self.empty_text)
        values, problems = validate_arguments(tool.arguments, kept, "closed" in tool.directives)
        if self.parse_datetimes and not problems:
            values, problems = normalize_datetimes(tool.arguments, values, self.time_format)
        if problems:
            raise self.responses.invalid(tool, problems)
        return tool.defaults | values | cleared

    def _call(
        self, tool: Tool, database: Database, arguments: dict[str, Any], caller: dict[str, Any]
    ) -> Call:
        now = database.now().strftime(self.time_format)
        supplied = {"now": now} | {f"caller_{name}": value for name, value in caller.items()}
        return Call(self, tool, database, arguments, caller, now, supplied)

    def _run(self, call: Call) -> tuple[Any, tuple[RowChange, ...]]:
        if call.tool.statement and not call.tool.statement.writes:
            return run_tool(call), ()
        try:
            return call.database.record(lambda: run_tool(call))
        except apsw.ConstraintError as error:
            raise self.responses.constraint(call.tool, str(error), call.arguments) from None


_COMPANIES = TemplateCache()


def _seeded(server: Server, seed: int | str) -> Template:
    if isinstance(seed, str):
        return _load(server, seed)
    return _COMPANIES.get((server, seed), lambda: _make_company(server, seed))


@lru_cache(maxsize=64)
def _load(server: Server, text: str) -> Template:
    """Load a SQL text. It is the key, and may have megabytes, so that few are kept."""
    return load_seed(server.schema, text)


def _make_company(server: Server, seed: int) -> Template:
    with own_faults(server.name, "seed.py"):
        make: templates.SeedFunction = importlib.import_module(f"{server.package}.seed").seed
        return templates.from_rows(server.schema, make(Random(seed)))


@lru_cache(maxsize=32)
def _patched(server: Server, seed: int | str, patch: str) -> Template:
    return templates.patched(_seeded(server, seed), patch)
