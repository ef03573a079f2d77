"""Templates from seeds: a server's own generated company, or the SQL text of a real one.

A seed is trusted with its own tables only: it may insert, change and delete rows, and nothing else. Foreign
keys are not enforced while it loads, as in the real servers, whose seeds break some.
"""

import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import count, groupby
from random import Random
from typing import Any

import apsw

from eops_traj.errors import FormatError
from eops_traj.gym.engine import clock, heap
from eops_traj.gym.engine.connection import MAX_PAGES, connect
from eops_traj.gym.engine.database import Template
from eops_traj.gym.engine.foreign_sql import SEED, Watch, bounded
from eops_traj.gym.engine.schema import Schema

Row = Mapping[str, Any]
SeedFunction = Callable[[Random], Iterable[tuple[str, Iterable[Row]]]]
"""Makes a company: tables by name with their rows, in the order to load. Pure: same seed, same rows."""

SECONDS = 10.0  # of a seed; real ones take 0.1
PATCH_SECONDS = 2.0


class SeedTooLarge(FormatError):
    """The rows of a seed take more memory than a database may have."""


# what is opened and never closed reaches to the end: looked for once, not at each of its characters
_TOKEN = re.compile(r"'[^']*(?:'|\Z)|\"[^\"]*(?:\"|\Z)|--[^\n]*|/\*.*?(?:\*/|\Z)|;|[^'\";/-]+|.", re.DOTALL)


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


def from_sql(
    schema: Schema, sql: str, seconds: float = SECONDS, most_bytes: int | None = None,
    stop: threading.Event | None = None,
) -> Template:  # fmt: skip
    """Make a template with the rows that this SQL text inserts; an error names the statement and its line.

    ``stop``, once set, ends it. Raises SeedTooLarge where the rows would take more than ``most_bytes``.
    """
    connection = _empty(schema)
    if most_bytes is not None:
        connection.pragma("max_page_count", most_bytes // int(connection.pragma("page_size")))
    connection.execute("PRAGMA ignore_check_constraints = ON")  # real seeds hold values that no tool takes
    with bounded(connection, SEED, seconds, stop) as watch:
        _run_script(connection, sql, watch, "seed")
    connection.pragma("max_page_count", MAX_PAGES)  # statistics take a page more
    return _template(schema, connection)


def patched(template: Template, sql: str) -> Template:
    """Return a template after these statements, which may do what a seed may. Raises FormatError."""
    size = len(template.image)
    heap.expect(size)
    connection = connect(lambda: clock.START, lambda *_: "0" * 32)
    try:
        connection.deserialize("main", template.image)
        connection.pragma("max_page_count", MAX_PAGES)  # forgotten by deserialize
        with bounded(connection, SEED, PATCH_SECONDS) as watch:
            _run_script(connection, sql, watch, "seed patch")
        _check_keys(template.schema, connection, "seed patch")
        return Template(template.schema, connection.serialize("main"))
    finally:
        connection.close()
        heap.expect(-size)


def _run_script(connection: apsw.Connection, sql: str, watch: Watch, what: str) -> None:
    """Run the statements of a foreign text. Raises FormatError with the statement and the line that fails."""
    line, number = 1, 0
    for text, statement in statements(sql):
        number += bool(statement)
        try:
            watch.begin()
            connection.execute(statement)
        except apsw.FullError:
            raise SeedTooLarge(f"{what} statement {number}: the database becomes too large") from None
        except (apsw.Error, ValueError) as error:  # ValueError: a null character, a lone surrogate
            line += text[: text.index(statement)].count("\n")
            excerpt = " ".join(statement[:1000].split())[:120]
            reason = watch.explain(error)
            raise FormatError(f"{what} statement {number}, line {line}: {reason}: {excerpt}") from None
        line += text.count("\n")
    if connection.in_transaction:
        raise FormatError(f"{what}: a transaction is left open at the end")


def to_sql(template: Template) -> str:
    """Return the rows of a template as INSERT statements, one a row, as in real seeds."""
    database, lines = template.open(), []
    for name, table in database.schema.tables.items():
        columns = ", ".join(f'"{column}"' for column in table.columns)
        for row in database.connection.execute(f'SELECT * FROM "{name}"'):  # noqa: S608 - names of the schema
            values = ", ".join(map(_literal, row))
            lines.append(f'INSERT INTO "{name}" ({columns}) VALUES ({values});')  # noqa: S608
    database.close()
    return "\n".join(lines)


def _literal(value: Any) -> str:
    """Return a value as SQL that reading and writing as text leaves as it is.

    Text mode turns carriage returns into line feeds, so they are put in by the statement itself.
    """
    literal = apsw.format_sql_value(value)
    if not isinstance(value, str) or "\r" not in value:
        return literal
    mark = next(mark for mark in map("\N{SYMBOL FOR CARRIAGE RETURN}{}".format, count()) if mark not in value)
    marked = literal.replace("\r", mark)
    return f"replace({marked}, '{mark}', char(13))"


def statements(sql: str) -> Iterator[tuple[str, str]]:
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


def _check_keys(schema: Schema, connection: apsw.Connection, what: str) -> None:
    """Check that no row has a NULL in its key, since no changeset would tell of it. Raises FormatError."""
    for table in schema.tables.values():
        for name in table.key:
            sql = f'SELECT 1 FROM "{table.name}" WHERE "{name}" IS NULL LIMIT 1'  # noqa: S608 - of the schema
            if not table.columns[name].required and connection.execute(sql).get is not None:
                raise FormatError(f"{what}: a row of {table.name} has no {name}, which is its key")


def _template(schema: Schema, connection: apsw.Connection) -> Template:
    _check_keys(schema, connection, "seed")
    connection.execute(schema.completion)
    # the samples of sqlite_stat4 are read at every open, and take longer than all the rest of it
    connection.execute("ANALYZE; DROP TABLE IF EXISTS sqlite_stat4; VACUUM")
    image = connection.serialize("main")
    connection.close()
    return Template(schema, image)
