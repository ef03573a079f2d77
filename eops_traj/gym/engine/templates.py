"""Templates from seeds: a server's own generated company, or the SQL text of a real one.

A seed is trusted with its own tables only: it may insert, change and delete rows, and nothing else. Foreign
keys are not enforced while it loads, as in the real servers, whose seeds break some.
"""

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby
from random import Random
from typing import Any

import apsw

from eops_traj.errors import FormatError
from eops_traj.gym.engine import clock
from eops_traj.gym.engine.database import Template, connect
from eops_traj.gym.engine.schema import Schema

Row = Mapping[str, Any]
SeedFunction = Callable[[Random], Iterable[tuple[str, Iterable[Row]]]]
"""Makes a company: tables by name with their rows, in the order to load. Pure: same seed, same rows."""

SECONDS = 60.0
_TOKEN = re.compile(r"'[^']*'|\"[^\"]*\"|--[^\n]*|/\*.*?\*/|;|[^'\";/-]+|.", re.DOTALL)
_ALLOWED = {
    apsw.SQLITE_INSERT, apsw.SQLITE_UPDATE, apsw.SQLITE_DELETE, apsw.SQLITE_SELECT, apsw.SQLITE_READ,
    apsw.SQLITE_FUNCTION, apsw.SQLITE_RECURSIVE, apsw.SQLITE_TRANSACTION, apsw.SQLITE_SAVEPOINT,
}  # fmt: skip


def from_rows(schema: Schema, tables: Iterable[tuple[str, Iterable[Row]]]) -> Template:
    """Make a template with these rows."""
    connection = _empty(schema)
    with connection:
        for table, rows in tables:
            for columns, group in groupby(rows, key=tuple):
                names = ", ".join(f'"{name}"' for name in columns)
                marks = ", ".join("?" * len(columns))
                sql = f'INSERT INTO "{table}" ({names}) VALUES ({marks})'  # noqa: S608 - names of the schema
                connection.executemany(sql, (tuple(row.values()) for row in group))
    return _template(schema, connection)


def from_sql(schema: Schema, sql: str, seconds: float = SECONDS) -> Template:
    """Make a template with the rows that this SQL text inserts; an error names the statement and its line."""
    connection = _empty(schema)
    until = time.monotonic() + seconds
    connection.set_progress_handler(lambda: time.monotonic() > until, 10_000)
    connection.config(apsw.SQLITE_DBCONFIG_DQS_DML, 1)
    connection.execute("PRAGMA ignore_check_constraints = ON")  # real seeds hold values that no tool takes
    connection.authorizer = _authorize_rows
    line, number = 1, 0
    for text, statement in _statements(sql):
        number += bool(statement)
        try:
            connection.execute(statement)
        except (apsw.Error, ValueError) as error:  # ValueError: a null character, a lone surrogate
            line += text[: text.index(statement)].count("\n")
            excerpt = " ".join(statement.split())[:120]
            raise FormatError(f"seed statement {number}, line {line}: {error}: {excerpt}") from None
        line += text.count("\n")
    connection.authorizer = None
    connection.set_progress_handler(None)
    if connection.in_transaction:
        raise FormatError("seed: a transaction is left open at the end")
    return _template(schema, connection)


def patched(template: Template, sql: str) -> Template:
    """Return a template after these statements, which may do what a seed may."""
    connection = connect(lambda: clock.START, lambda *_: "0" * 32)
    connection.deserialize("main", template.image)
    connection.authorizer = _authorize_rows
    try:
        connection.execute(sql)
    except apsw.Error as error:
        raise FormatError(f"seed patch: {error}: {sql[:200]}") from None
    connection.authorizer = None
    image = connection.serialize("main")
    connection.close()
    return Template(template.schema, image)


def to_sql(template: Template) -> str:
    """Return the rows of a template as INSERT statements, one a row, as in real seeds."""
    database, lines = template.open(), []
    for name, table in database.schema.tables.items():
        columns = ", ".join(f'"{column}"' for column in table.columns)
        for row in database.connection.execute(f'SELECT * FROM "{name}"'):  # noqa: S608 - names of the schema
            values = ", ".join(map(apsw.format_sql_value, row))
            lines.append(f'INSERT INTO "{name}" ({columns}) VALUES ({values});')  # noqa: S608
    database.close()
    return "\n".join(lines)


def _statements(sql: str) -> Iterator[tuple[str, str]]:
    """Yield each statement: its whole text, and the same from its first word on."""
    start, first = 0, None
    for token in _TOKEN.finditer(sql):
        text = token.group()
        if text == ";":
            yield sql[start : token.end()], sql[token.start() if first is None else first : token.end()]
            start, first = token.end(), None
        elif first is None and not text.startswith(("--", "/*")) and (word := text.lstrip()):
            first = token.end() - len(word)
    yield sql[start:], "" if first is None else sql[first:]


def _empty(schema: Schema) -> apsw.Connection:
    connection = connect(lambda: clock.START, lambda *_: "0" * 32)
    connection.execute(schema.sql)
    return connection


def _template(schema: Schema, connection: apsw.Connection) -> Template:
    connection.execute(schema.completion)
    # the samples of sqlite_stat4 are read at every open, and take longer than all the rest of it
    connection.execute("ANALYZE; DROP TABLE IF EXISTS sqlite_stat4; VACUUM")
    image = connection.serialize("main")
    connection.close()
    return Template(schema, image)


def _authorize_rows(action: int, first: str | None, second: str | None, *_: Any) -> int:
    if action in _ALLOWED:
        return apsw.SQLITE_OK
    if action == apsw.SQLITE_PRAGMA and first == "foreign_keys":  # seeds switch off what is off already
        return apsw.SQLITE_IGNORE
    return apsw.SQLITE_DENY
