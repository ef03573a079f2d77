"""One call of a tool: who calls, with what, on which database; and how a declared tool acts on it."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NoReturn

import apsw

from eops_traj.gym.engine.database import Database
from eops_traj.gym.tools.errors import Refusal
from eops_traj.gym.tools.statements import Statement
from eops_traj.gym.tools.tool import Tool

if TYPE_CHECKING:
    from eops_traj.gym.server import Server

Row = dict[str, Any]
Reader = Callable[[Any], Any]
READERS: Mapping[str, Reader] = {"BOOLEAN": bool, "JSON": json.loads}


@dataclass(frozen=True)
class Call:
    """What a tool gets: validated arguments, the caller's row if there is one, the time, and the database."""

    server: "Server"
    tool: Tool
    database: Database
    arguments: Mapping[str, Any]
    caller: Mapping[str, Any]
    now: str
    supplied: Mapping[str, Any]

    def rows(self, text: str, **values: Any) -> list[Row]:
        """The rows of a statement, which may use slots, the tool's arguments, ``:now`` and ``:caller_x``."""
        statement = self.tool.statements.get(text)
        if statement is None:
            table = self.tool.table or next(iter(self.tool.tables.values()))
            statement = self.tool.statements[text] = Statement(text, table, self.tool.arguments)
        return self.run(statement, values)

    def row(self, text: str, **values: Any) -> Row | None:
        """The first row of a statement, or None."""
        return next(iter(self.rows(text, **values)), None)

    def refuse(self, message: str, code: str = "") -> NoReturn:
        """End the call: the agent sees this message, and no row is changed."""
        raise Refusal(message, code)

    def run(self, statement: Statement, values: Mapping[str, Any] | None = None) -> list[Row]:
        """Execute a statement with the call's arguments, its rows converted as the server converts them."""
        bound = statement.bindings(self.arguments, self.supplied) | dict(values or {})
        cursor = self.database.connection.execute(statement.sql(self.arguments), bound)
        try:
            shown = cursor.get_description()
        except apsw.ExecutionCompleteError:  # no row to describe
            return []
        names, readers = _reading(shown, self.server.readers)
        found = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
        for row in found:
            for name, read in readers:
                row[name] = None if row[name] is None else read(row[name])
        return found


def perform(call: Call) -> Any:
    """The result of a call, or a `Refusal`."""
    tool = call.tool
    if tool.any_of and not any(name in call.arguments for name in tool.any_of):
        raise call.server.envelope.nothing_given(tool)
    if tool.statement and tool.statement.writes:
        _check_write(call, tool.statement)
    for wording, query in tool.refusals:
        if call.run(query):
            raise refusal(wording, call.arguments)
    result = tool.function(call) if tool.function else _execute(call, tool.statement)
    if result is None:
        return _nothing(call)
    return tool.answer(call, result, tool.directives["as"][0].partition(" ")[2]) if tool.answer else result


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
        return True if rows or call.database.connection.changes() else None
    return rows[0] if rows else None


def _check_write(call: Call, statement: Statement) -> None:
    """There is something to write or to choose rows by, and what the arguments refer to exists."""
    envelope, given = call.server.envelope, statement.given(call.arguments)
    if statement.slot in ("filters", "changes") and not given:
        raise envelope.nothing_given(call.tool)
    for argument in () if statement.slot == "filters" else call.tool.arguments:
        if argument.column and argument.column.references and call.arguments.get(argument.name) is not None:
            _look_up(call, argument.name, argument.column.references)


def _look_up(call: Call, name: str, referred: tuple[str, str]) -> None:
    table, column = referred
    scope = call.server.scope
    sql = f'SELECT 1 FROM "{table}" WHERE "{column}" = :value'  # noqa: S608 - names of the schema
    if scope in call.server.schema.tables[table].columns:
        sql += f' AND "{scope}" = :scope'
    values = call.arguments[name]
    for value in values if isinstance(values, list) else [values]:
        bound = {"value": value, "scope": call.caller.get(scope)}
        if call.database.connection.execute(sql, bound).get is None:
            raise call.server.envelope.reference(call.tool, name, value, table)


def _refuse_unchanged(call: Call, statement: Statement, wording: str) -> None:
    given = statement.given(call.arguments)
    condition = statement.text.split("WHERE", 1)[1].rsplit("RETURNING", 1)[0]
    same = " AND ".join(f'"{a.target}" IS :{a.name}' for a in given)
    sql = f'SELECT 1 FROM "{statement.table.name}" WHERE {condition} AND {same}'  # noqa: S608
    if call.rows(sql):
        fields = ", ".join(a.name for a in given)
        values = ", ".join(f"{a.name}={call.arguments[a.name]!r}" for a in given)
        already = ", ".join(f"{a.name} (already {call.arguments[a.name]!r})" for a in given)
        told = {"fields": fields, "values": values, "already": already}
        raise refusal(wording, {**call.arguments, **told})


def _nothing(call: Call) -> Any:
    """The answer where no row was found, or the refusal."""
    tool, envelope = call.tool, call.server.envelope
    if (wording := tool.directive("else")) is not None:
        raise refusal(wording, call.arguments)
    writes = tool.statement.writes if tool.statement else True
    if writes or envelope.absent_row is None:
        required = [a.name for a in tool.arguments if a.required]
        named = [n for n in (tool.statement.named if tool.statement else ()) if n in call.arguments]
        name = next(iter(required + named), "row")
        raise envelope.missing(tool, name, call.arguments.get(name))
    return dict(envelope.absent_row)


def refusal(wording: str, values: Mapping[str, Any]) -> Refusal:
    """The refusal that a directive words as ``CODE: message``, its ``{names}`` filled in."""
    found = re.fullmatch(r"(?:([A-Z][A-Z_]+): )?(.*)", wording, re.DOTALL)
    assert found is not None
    message = re.sub(r"\{(\w+)\}", lambda m: str(values.get(m[1], m[0])), found[2])
    return Refusal(message, found[1] or "")


@lru_cache(maxsize=4096)
def _reading(
    shown: tuple[tuple[str, str | None], ...], readers: tuple[tuple[str, Reader], ...]
) -> tuple[tuple[str, ...], tuple[tuple[str, Reader], ...]]:
    """The names of a result's columns, and how to read those that SQLite holds as something else.

    A column of a table is read by its declared type, as the server does; one named ``"x BOOLEAN"`` always is.
    """
    names, found = [], []
    for label, declared in shown:
        name, _, said = label.partition(" ")
        names.append(name if said in READERS else label)
        if read := READERS.get(said) or dict(readers).get(declared or ""):
            found.append((names[-1], read))
    return tuple(names), tuple(dict(found).items())  # a name that comes twice is read once
