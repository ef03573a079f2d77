"""One call of a tool: its caller, arguments and database, and the execution of a declared tool."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NoReturn, Protocol

import apsw

from eops_traj.gym.engine.database import Database
from eops_traj.gym.engine.schema import Schema
from eops_traj.gym.tools.errors import Refusal
from eops_traj.gym.tools.responses import Responses
from eops_traj.gym.tools.statements import Statement
from eops_traj.gym.tools.tool import Tool

Row = dict[str, Any]
Converter = Callable[[Any], Any]


def _iso_time(value: Any) -> Any:
    """Return a time as ISO 8601 writes it, with a T between day and hour."""
    return value.replace(" ", "T", 1) if isinstance(value, str) else value


CONVERTERS: Mapping[str, Converter] = {"BOOLEAN": bool, "JSON": json.loads, "DATETIME": _iso_time}


class CallingServer(Protocol):
    """The part of a server that its calls and tools use."""

    @property
    def responses(self) -> Responses:
        """The wording of its results and refusals."""
        ...

    @property
    def schema(self) -> Schema:
        """The tables of its database."""
        ...

    @property
    def converters(self) -> tuple[tuple[str, Converter], ...]:
        """The declared types whose columns are converted in results, with their converters."""
        ...

    @property
    def time_format(self) -> str:
        """The format in which it writes times."""
        ...

    @property
    def scope(self) -> str:
        """The column, if any, by which tenants are kept apart."""
        ...

    @property
    def quirks(self) -> frozenset[str]:
        """The bugs of the real server that it repeats."""
        ...


@dataclass(frozen=True)
class Call:
    """The input of a tool: validated arguments, the caller's row if there is one, the time, the database."""

    server: CallingServer
    tool: Tool
    database: Database
    arguments: Mapping[str, Any]
    caller: Mapping[str, Any]
    now: str
    supplied: Mapping[str, Any]

    def rows(self, text: str, **values: Any) -> list[Row]:
        """Return the rows of a statement with slots, the tool's arguments, ``:now`` and ``:caller_x``."""
        statement = self.tool.statements.get(text)
        if statement is None:
            table = self.tool.table or next(iter(self.tool.tables.values()))
            statement = self.tool.statements[text] = Statement(text, table, self.tool.arguments)
        return self.run(statement, values)

    def row(self, text: str, **values: Any) -> Row | None:
        """Return the first row of a statement, or None."""
        return next(iter(self.rows(text, **values)), None)

    def refuse(self, message: str, code: str = "") -> NoReturn:
        """End the call: the agent sees this message, and no row is changed."""
        raise Refusal(message, code)

    def run(self, statement: Statement, values: Mapping[str, Any] | None = None) -> list[Row]:
        """Execute a statement with the call's arguments, its rows converted as the server converts them."""
        bound = statement.bindings(self.arguments, self.supplied) | dict(values or {})
        cursor = self.database.connection.execute(statement.sql(self.arguments), bound)
        try:
            columns = cursor.get_description()
        except apsw.ExecutionCompleteError:  # no row to describe
            return []
        names, converters = _column_converters(columns, self.server.converters)
        rows = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
        for row in rows:
            for name, convert in converters:
                row[name] = None if row[name] is None else convert(row[name])
        return rows


def run_tool(call: Call) -> Any:
    """Return the result of a call. Raises Refusal where the tool refuses it."""
    tool = call.tool
    if tool.any_of and not any(name in call.arguments for name in tool.any_of):
        raise call.server.responses.nothing_given(tool)
    if tool.statement and tool.statement.writes:
        _check_write(call, tool.statement)
    for wording, query in tool.refusals:
        if call.run(query):
            raise refusal(wording, call.arguments)
    result = tool.function(call) if tool.function else _execute(call, tool.statement)
    if result is None:
        return _no_row(call)
    if tool.formatter is None:
        return result
    return tool.formatter(call, result, tool.directives["as"][0].partition(" ")[2])


def _execute(call: Call, statement: Statement | None) -> Any:
    assert statement is not None
    if unchanged := call.tool.directive("unchanged"):
        _refuse_unchanged(call, statement, unchanged)
    rows = call.run(statement)
    if call.tool.shape == "rows":
        return rows
    if call.tool.shape == "deleted":
        deleted = call.database.connection.changes()
        return {"deleted": deleted} if deleted or "else" not in call.tool.directives else None
    if call.tool.shape == "done":
        # a statement that reads leaves the count of changes as an earlier one made it
        return True if rows or (statement.writes and call.database.connection.changes()) else None
    return rows[0] if rows else None


def _check_write(call: Call, statement: Statement) -> None:
    """Check that there is something to write or to choose rows by, and that referenced rows exist."""
    responses, slotted = call.server.responses, statement.given(call.arguments)
    if statement.slot in ("filters", "changes") and not slotted:
        raise responses.nothing_given(call.tool)
    for argument in () if statement.slot == "filters" else call.tool.arguments:
        if argument.column and argument.column.references and call.arguments.get(argument.name) is not None:
            _check_reference(call, argument.name, argument.column.references)


def _check_reference(call: Call, name: str, reference: tuple[str, str]) -> None:
    table, column = reference
    scope = call.server.scope
    sql = f'SELECT 1 FROM "{table}" WHERE "{column}" = :value'  # noqa: S608 - names of the schema
    if scope in call.server.schema.tables[table].columns:
        sql += f' AND "{scope}" = :scope'
    values = call.arguments[name]
    for value in values if isinstance(values, list) else [values]:
        bound = {"value": value, "scope": call.caller.get(scope)}
        if call.database.connection.execute(sql, bound).get is None:
            raise call.server.responses.reference(call.tool, name, value, table)


def _refuse_unchanged(call: Call, statement: Statement, wording: str) -> None:
    given = statement.given(call.arguments)
    condition = statement.text.split("WHERE", 1)[1].rsplit("RETURNING", 1)[0]
    same = " AND ".join(f'"{a.target}" IS :{a.name}' for a in given)
    sql = f'SELECT 1 FROM "{statement.table.name}" WHERE {condition} AND {same}'  # noqa: S608
    if call.rows(sql):
        fields = ", ".join(a.name for a in given)
        values = ", ".join(f"{a.name}={call.arguments[a.name]!r}" for a in given)
        already = ", ".join(f"{a.name} (already {call.arguments[a.name]!r})" for a in given)
        details = {"fields": fields, "values": values, "already": already}
        raise refusal(wording, {**call.arguments, **details})


def _no_row(call: Call) -> Any:
    """Return the result where no row was found. Raises Refusal where that is refused."""
    tool, responses = call.tool, call.server.responses
    if (wording := tool.directive("else")) is not None:
        raise refusal(wording, call.arguments)
    writes = tool.statement.writes if tool.statement else True
    if writes or responses.absent_row is None:
        required = [a.name for a in tool.arguments if a.required]
        named = [n for n in (tool.statement.named if tool.statement else ()) if n in call.arguments]
        name = next(iter(required + named), "row")
        raise responses.missing(tool, name, call.arguments.get(name))
    return dict(responses.absent_row)


def refusal(wording: str, values: Mapping[str, Any]) -> Refusal:
    """Return the refusal that a directive words as ``CODE: message``, its ``{names}`` filled in."""
    match = re.fullmatch(r"(?:([A-Z][A-Z_]+): )?(.*)", wording, re.DOTALL)
    assert match is not None
    message = re.sub(r"\{(\w+)\}", lambda m: str(values.get(m[1], m[0])), match[2])
    return Refusal(message, match[1] or "")


@lru_cache(maxsize=4096)
def _column_converters(
    columns: tuple[tuple[str, str | None], ...], by_type: tuple[tuple[str, Converter], ...]
) -> tuple[tuple[str, ...], tuple[tuple[str, Converter], ...]]:
    """Return the names of a result's columns, and the converters of those that SQLite holds otherwise.

    A column of a table is read by its declared type, as the server does; one named ``"x BOOLEAN"`` always is.
    """
    names, converters = [], []
    for label, declared in columns:
        name, _, suffix = label.partition(" ")
        names.append(name if suffix in CONVERTERS else label)
        if convert := CONVERTERS.get(suffix) or dict(by_type).get(declared or ""):
            converters.append((names[-1], convert))
    return tuple(names), tuple(dict(converters).items())  # a name that comes twice is converted once
