"""The contents of ``schema.sql``: tables, columns, their types, enums, references and descriptions.

SQLite itself reads the definitions; only facts that it does not keep are taken from the text. So a column
stands on a line of its own and ends in its description::

    state TEXT NOT NULL CHECK (state IN ('new', 'closed')),  -- Where the case stands.

A tag in brackets at the end of the description names the value of the column where a tool gives none:

``[created]``             the clock, when a row is inserted
``[updated]``             the clock, when a row is inserted or updated
``[INC_%03d]``            the highest number in this column, and one more
``[CS-%07d of case_id]``  the same, counted over another column of the table
``[msg_{hex}]``           32 random hex digits; ``{uuid}`` is a UUID, ``{ulid}`` a ULID
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import apsw

from eops_traj.errors import FormatError

_COMPLETION = "\n--- When a seed has run\n"
_TABLE = re.compile(r'^CREATE TABLE "?(\w+)"? \(\n(.*?)^\)', re.MULTILINE | re.DOTALL)
_LINE = re.compile(r'^[ \t]+"?(\w+)"? [^-\n]*(?:-[^-\n]+)*-- *(.+?) *(?:\[([^\]]+)\])?$', re.MULTILINE)
_ENUM = re.compile(r"CHECK \(\"?(\w+)\"? IN \(('[^']*'(?:, *'[^']*')*)\)\)")
_LENGTH = re.compile(r"CHECK \(length\((\w+)\) (>=|<=) (\d+)\)")
_KINDS = {
    **dict.fromkeys(("INTEGER", "INT", "SMALLINT", "BIGINT"), "integer"),
    **dict.fromkeys(("REAL", "FLOAT", "DOUBLE", "NUMERIC", "DECIMAL"), "number"),
    **dict.fromkeys(("TEXT", "VARCHAR", "CHAR", "BLOB", "DATETIME", "DATE", "TIME", "TIMESTAMP"), "string"),
    "BOOLEAN": "boolean",
    "JSON": "object",
}
"""The types that a column may have, without a size in parentheses, and the JSON types of their values."""
_TIMES = ("DATETIME", "TIMESTAMP")


@dataclass(frozen=True)
class Column:
    """A column, with the facts that tools and their schemas need."""

    table: str
    name: str
    declared: str
    description: str
    required: bool
    key: bool
    enum: tuple[str, ...] = ()
    limits: Mapping[str, int] = field(default_factory=dict)
    references: tuple[str, str] | None = None
    tag: str = ""

    @property
    def kind(self) -> str:
        """The JSON type of its values."""
        return _KINDS.get(_base(self.declared), "string")  # one that only a seed has is declared with none

    @property
    def is_time(self) -> bool:
        """Whether its values are times, which tools take in many forms and keep in one."""
        return _base(self.declared) in _TIMES

    def schema(self, limits: bool) -> dict[str, Any]:
        """Return the JSON Schema of its values; filters omit the limits on length, as the real tools do."""
        schema: dict[str, Any] = {"type": self.kind, "description": self.description}
        if self.enum:
            schema["enum"] = list(self.enum)
        return schema | dict(self.limits) if limits else schema


@dataclass(frozen=True)
class Table:
    """A table and its columns, in order."""

    name: str
    columns: Mapping[str, Column]

    @cached_property
    def key(self) -> tuple[str, ...]:
        """The names of its primary key."""
        return tuple(c.name for c in self.columns.values() if c.key)


@dataclass(frozen=True)
class Loosening:
    """A rule of the schema that a seed does not keep, and that its own database goes without.

    ``kind`` is null, duplicate, check, column or table; ``rule`` is the text of a CHECK.
    """

    kind: str
    table: str
    columns: tuple[str, ...] = ()
    rule: str = ""
    count: int = 0
    """The rows of the seed that do not keep it, or that are in an unknown column or table."""

    def __str__(self) -> str:
        """Return it as a line for people."""
        table, columns = self.table, ", ".join(self.columns)
        said = {
            "null": f"{table}.{columns} may be NULL",
            "duplicate": f"{table} ({columns}) may be there twice",
            "check": f"{table} may have others than {self.rule}",
            "column": f"{table} has the unknown {columns}",
            "table": f"the unknown table {table} ({columns})",
        }[self.kind]
        return f"{said}: {self.count} row{'s' * (self.count != 1)}"


@dataclass(frozen=True)
class Schema:
    """The tables of one server, and the SQL text that makes them."""

    sql: str
    tables: Mapping[str, Table]
    completion: str = ""
    loosened: tuple[Loosening, ...] = ()
    """The rules that a seed does not keep: its database goes without them (`loosening`)."""

    @cached_property
    def keyless(self) -> bool:
        """Whether a table has lost its key: its rows are told apart by SQLite's own numbers."""
        return not all(table.key for table in self.tables.values())

    @classmethod
    def parse(cls, sql: str) -> "Schema":
        """Read a ``schema.sql``. Raises FormatError, also for a column without a description."""
        sql, _, completion = sql.partition(_COMPLETION)
        connection = apsw.Connection(":memory:")
        try:
            connection.execute(sql + completion)
        except apsw.Error as error:
            raise FormatError(f"schema.sql: {error}") from None
        tables = {name: _table(connection, name, body) for name, body in _TABLE.findall(sql)}
        created = {
            row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
        }
        if created != set(tables):
            names = ", ".join(sorted(created ^ set(tables)))
            layout = "CREATE TABLE NAME ( on a line, each column on one of its own, ); on the last"
            raise FormatError(f"schema.sql: {names}: a table is laid out as {layout}")
        return cls(sql, tables, completion)


def _base(declared: str) -> str:
    return declared.partition("(")[0].strip().upper()


def _check_type(where: str, declared: str) -> None:
    """Check that tools know how to take and compare values of this type. Raises FormatError."""
    if _base(declared) not in _KINDS:
        choices = ", ".join(sorted(_KINDS))
        raise FormatError(f"schema.sql: {where}: unknown type {declared!r}; choose from {choices}")


def _key_column(connection: apsw.Connection, table: str, place: int) -> str:
    """Return the column of a table's key that a reference to the table alone means. Raises FormatError."""
    columns = connection.execute(f'PRAGMA table_info("{table}")')
    key = sorted((number, name) for _, name, _, _, _, number in columns if number)
    if place >= len(key):
        raise FormatError(f"schema.sql: REFERENCES {table}: there is no such table, or it has no such key")
    return str(key[place][1])


def _table(connection: apsw.Connection, name: str, body: str) -> Table:
    comments = {column: (text, tag) for column, text, tag in _LINE.findall(body)}
    enums = {column: tuple(re.findall(r"'([^']*)'", values)) for column, values in _ENUM.findall(body)}
    limits: dict[str, dict[str, int]] = {}
    for column, operator, size in _LENGTH.findall(body):
        limits.setdefault(column, {})["minLength" if operator == ">=" else "maxLength"] = int(size)
    references = {
        column: (table, target or _key_column(connection, table, place))
        for _, place, table, column, target, *_ in connection.execute(f'PRAGMA foreign_key_list("{name}")')
    }
    columns = {}
    for _, column, declared, required, _, key in connection.execute(f'PRAGMA table_info("{name}")'):
        if column not in comments:
            raise FormatError(f"schema.sql: {name}.{column} has no description")
        _check_type(f"{name}.{column}", declared)
        text, tag = comments[column]
        columns[column] = Column(
            name, column, declared.upper(), text, bool(required), bool(key),
            enums.get(column, ()), limits.get(column, {}), references.get(column), tag,
        )  # fmt: skip
    return Table(name, columns)
