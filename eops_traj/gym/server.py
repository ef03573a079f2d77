"""A tool server: its tables, its tools, its manners, and how a call goes through it."""

import importlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from importlib.resources import files
from random import Random
from types import ModuleType
from typing import Any

import apsw

from eops_traj.errors import FormatError, ToolError
from eops_traj.gym.engine import templates
from eops_traj.gym.engine.changes import Change
from eops_traj.gym.engine.database import Database, Template
from eops_traj.gym.engine.schema import Schema
from eops_traj.gym.tools import datetimes, empty_values
from eops_traj.gym.tools.arguments import conform
from eops_traj.gym.tools.call import READERS, Call, Reader, perform
from eops_traj.gym.tools.errors import Failed, Refusal
from eops_traj.gym.tools.responses import Envelope
from eops_traj.gym.tools.statements import Statement
from eops_traj.gym.tools.tool import Answer, Effect, Tool, load


@dataclass(frozen=True)
class Identity:
    """How a server knows its caller: the header, and the query that finds the row of its value ``:value``.

    Where the header is not required, a call without it looks for NULL, and so may find whom it stands for.
    """

    header: str
    query: str
    required: bool = True


@dataclass(frozen=True)
class Reply:
    """What a call gives back: the text, whether it refused, the MCP result, and the rows that changed."""

    text: str
    is_error: bool
    envelope: Mapping[str, Any]
    changes: tuple[Change, ...] = ()


@dataclass(frozen=True)
class Server:
    """One tool server. Its package holds schema.sql, tools.sql, tools.py, policy.md and seed.py."""

    name: str
    gym_name: str
    port: int
    package: str
    envelope: Envelope
    identity: Identity | None = None
    time_format: str = "%Y-%m-%d %H:%M:%S"
    blank: str = "keep"
    reads: frozenset[str] = field(default_factory=frozenset)
    """The declared types whose columns are converted in results: BOOLEAN where true is not 1, JSON."""
    moments: bool = False
    """Whether what is given for DATETIME columns is read as a time and written in `time_format`."""
    quirks: frozenset[str] = frozenset()
    """Plain bugs of the real server that this one repeats; none unless asked for (`with_quirks`)."""
    known_quirks: tuple[str, ...] = ()
    """Those that it can repeat."""
    scope: str = ""
    """The column, if any, by which tenants are kept apart: what arguments refer to must share it."""

    def with_quirks(self, names: Iterable[str]) -> "Server":
        """The same server with those of the quirks that it knows; one without any is itself."""
        wanted = frozenset(names) & frozenset(self.known_quirks)
        return replace(self, quirks=wanted) if wanted else self

    @cached_property
    def schema(self) -> Schema:
        """Its tables."""
        return Schema.parse(self._file("schema.sql"))

    @cached_property
    def tools(self) -> dict[str, Tool]:
        """Its tools by name, read and checked at the first use."""
        functions, answers = _functions(self.package)
        tools = load(self.schema, self._file("tools.sql"), functions, answers)
        _prepare(self, tools)
        return tools

    @cached_property
    def policy(self) -> str:
        """What an agent has to know and keep to."""
        return self._file("policy.md")

    @cached_property
    def readers(self) -> tuple[tuple[str, Reader], ...]:
        """How columns of a declared type are converted in results."""
        return tuple((kind, read) for kind, read in READERS.items() if kind in self.reads)

    def template(self, seed: int | str = 0, patch: str = "") -> Template:
        """The seeded database: a company made from a number, or the rows of a SQL text; kept once made.

        ``patch`` is SQL that is run on it afterwards: what a task changes in its company beforehand.
        """
        return _patched(self, seed, patch) if patch else _template(self, seed)

    def call(
        self, database: Database, name: str, given: Mapping[str, Any],
        identity: str | None = None, strict_permissions: bool = False,
    ) -> Reply:  # fmt: skip
        """Call a tool. What is wrong with the call is in the reply; what is wrong with the gym raises."""
        database.begin()
        tool = self.tools.get(name)
        if tool is None:
            return self._reply(self.envelope.unknown_tool(name), True)
        try:
            caller = self._caller(database, identity)
            if strict_permissions and tool.roles and caller.get("role") not in tool.roles:
                raise self.envelope.forbidden(tool, str(caller.get("role", "")))
            call = self._call(tool, database, self._arguments(tool, given), caller)
            result, changes = self._perform(call)
        except Refusal as refusal:
            return self._reply(self.envelope.refusal(name, refusal), True)
        except ToolError as error:
            return self._reply(self.envelope.refusal(name, Refusal(str(error))), True)
        if isinstance(result, Failed):
            return self._reply(result.text, True, changes)
        return self._reply(self.envelope.success(tool, result), False, changes)

    def _file(self, name: str) -> str:
        return (files(self.package) / name).read_text(encoding="utf-8")

    def _reply(self, text: str, is_error: bool, changes: tuple[Change, ...] = ()) -> Reply:
        return Reply(text, is_error, self.envelope.reply(text, is_error), changes)

    def _caller(self, database: Database, value: str | None) -> dict[str, Any]:
        if self.identity is None:
            return {}
        if value is None and self.identity.required:
            raise self.envelope.anonymous(self.identity.header)
        cursor = database.connection.execute(self.identity.query, {"value": value})
        for row in cursor:
            names = [name for name, _ in cursor.get_description()]
            return dict(zip(names, row, strict=True))
        if value is None:
            return {}
        raise self.envelope.unknown_caller(self.identity.header)

    def _arguments(self, tool: Tool, given: Mapping[str, Any]) -> dict[str, Any]:
        kept, cleared = empty_values.settle(tool, given, tool.directive("blank") or self.blank)
        values, problems = conform(tool.arguments, kept, "closed" in tool.directives)
        if self.moments and not problems:
            values, problems = datetimes.settle(tool.arguments, values, self.time_format)
        if problems:
            raise self.envelope.invalid(tool, problems)
        return tool.defaults | values | cleared

    def _call(
        self, tool: Tool, database: Database, arguments: dict[str, Any], caller: dict[str, Any]
    ) -> Call:
        now = database.now().strftime(self.time_format)
        supplied = {"now": now} | {f"caller_{name}": value for name, value in caller.items()}
        return Call(self, tool, database, arguments, caller, now, supplied)

    def _perform(self, call: Call) -> tuple[Any, tuple[Change, ...]]:
        if call.tool.statement and not call.tool.statement.writes:
            return perform(call), ()
        try:
            return call.database.record(lambda: perform(call))
        except apsw.ConstraintError as error:
            raise self.envelope.constraint(call.tool, str(error), call.arguments) from None


def _functions(package: str) -> tuple[list[Effect], dict[str, Answer]]:
    """The tools and answers of ``tools.py``, and of the modules that it lists in ``MODULES``, each by name."""
    page = importlib.import_module(f"{package}.tools")
    listed = [importlib.import_module(f"{package}.{name}") for name in getattr(page, "MODULES", ())]
    members = list(vars(page).items())
    for module in listed:
        members += sorted((name, f) for name, f in vars(module).items() if _defined_in(module, f))
    functions = [f for _, f in members if getattr(f, "is_tool", False)]
    return functions, {name: f for name, f in members if hasattr(f, "answers_with")}


def _defined_in(module: ModuleType, member: Any) -> bool:
    return callable(member) and getattr(member, "__module__", None) == module.__name__


@lru_cache(maxsize=64)
def _template(server: Server, seed: int | str) -> Template:
    if isinstance(seed, str):
        return templates.from_sql(server.schema, seed)
    make: templates.Seed = importlib.import_module(f"{server.package}.seed").seed
    return templates.from_rows(server.schema, make(Random(seed)))


@lru_cache(maxsize=32)
def _patched(server: Server, seed: int | str, patch: str) -> Template:
    return templates.patched(_template(server, seed), patch)


def _prepare(server: Server, tools: Mapping[str, Tool]) -> None:
    """Have SQLite compile every statement, with all of its slot's arguments and with none."""
    database = templates.from_rows(server.schema, ()).open()
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
