"""A schema without the rules that one seed does not keep, for the database of that seed alone.

The text of ``schema.sql`` is edited where a rule stands, so that everything else in it (types, defaults,
indexes, the other rules) stays. A rule that is a line of its own becomes ``CHECK (1)``, which holds.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from eops_traj.gym.engine.schema import Column, Loosening, Schema, Table

_LINE = re.compile(r"(?P<code>(?:[^'\"\n-]|'[^'\n]*'|\"[^\"\n]*\"|-(?!-))*)(?P<rest>[^\n]*)")
_TOKEN = re.compile(r"'[^']*'|\"[^\"]*\"|[()]")
_CHECK = re.compile(r"\bCHECK (?=\()")
_ACTIONS = r"(?: ON (?:DELETE|UPDATE) (?:CASCADE|RESTRICT|SET NULL|SET DEFAULT|NO ACTION))*"
_HOLDS = "CHECK (1)"
_FOREIGN = "Only the seed has it."


def loosen(schema: Schema, loosenings: Iterable[Loosening]) -> Schema:
    """Return the schema without these rules."""
    for loosening in loosenings:
        schema = _EDITS[loosening.kind](schema, loosening)
        schema = replace(schema, loosened=(*schema.loosened, loosening))
    return schema


def table_checks(schema: Schema, table: str) -> Iterator[str]:
    """Yield the expression of each CHECK of a table."""
    code = "\n".join(match["code"] for match in _LINE.finditer(_body(schema.sql, table)))
    for match in _CHECK.finditer(code):
        if (rule := _parenthesized(code, match.end())) != "1":
            yield rule


def is_numbering(schema: Schema, table: str, columns: tuple[str, ...]) -> bool:
    """Check whether this column is the key by which SQLite itself numbers the rows of a table."""
    known = schema.tables[table]
    return columns == known.key and len(columns) == 1 and known.columns[columns[0]].declared == "INTEGER"


def _without_not_null(schema: Schema, loosening: Loosening) -> Schema:
    (name,) = loosening.columns
    edit = _in_column(name, lambda code: code.replace(" NOT NULL", "", 1))
    loose = replace(schema, sql=_edited(schema.sql, loosening.table, edit))
    return _with_column(loose, loosening.table, name, lambda column: replace(column, required=False))


def _without_uniqueness(schema: Schema, loosening: Loosening) -> Schema:
    """Take a key or UNIQUE away, with the references to it, which SQLite takes to a unique key only."""
    table, columns = loosening.table, loosening.columns
    listed = r"\(" + ", ".join(f'"?{re.escape(name)}"?' for name in columns) + r"\)"
    whole = re.compile(rf"(?:CONSTRAINT \w+ )?(?:UNIQUE|PRIMARY KEY) {listed}")
    sql = _edited(schema.sql, table, lambda body: whole.sub(_HOLDS, body))
    if len(columns) == 1:
        plain = re.compile(r" (?:UNIQUE|PRIMARY KEY)\b")
        sql = _edited(sql, table, _in_column(columns[0], lambda code: plain.sub("", code)))
    sql = re.sub(rf'CREATE UNIQUE (INDEX \w+ ON "?{table}"? {listed})', r"CREATE \1", sql)
    of_key = r"|(?! ?\()" if columns == schema.tables[table].key else ""
    there = rf'REFERENCES "?{table}"?(?![\w"])(?: {listed}{of_key}){_ACTIONS}'
    sql = re.sub(rf"FOREIGN KEY \([^)]*\) {there}", _HOLDS, sql)
    loose = replace(schema, sql=re.sub(f" {there}", "", sql))
    if columns == schema.tables[table].key:
        for name in columns:
            loose = _with_column(loose, table, name, lambda column: replace(column, key=False))
    return loose


def _without_check(schema: Schema, loosening: Loosening) -> Schema:
    said = f"CHECK ({loosening.rule})"
    sql = _edited(schema.sql, loosening.table, lambda body: body.replace(said, _HOLDS, 1))
    return replace(schema, sql=sql)


def _with_columns(schema: Schema, loosening: Loosening) -> Schema:
    table, sql = schema.tables[loosening.table], schema.sql
    for name in loosening.columns:
        sql += f'\nALTER TABLE "{table.name}" ADD COLUMN "{name}";'
    columns = {**table.columns, **_foreign_columns(loosening)}
    return replace(schema, sql=sql, tables={**schema.tables, table.name: Table(table.name, columns)})


def _with_table(schema: Schema, loosening: Loosening) -> Schema:
    columns = _foreign_columns(loosening)
    named = ", ".join(f'"{name}"' for name in columns)
    sql = f'\nCREATE TABLE "{loosening.table}" ({named});'
    tables = {**schema.tables, loosening.table: Table(loosening.table, columns)}
    return replace(schema, sql=schema.sql + sql, tables=tables)


_EDITS: dict[str, Callable[[Schema, Loosening], Schema]] = {
    "null": _without_not_null, "duplicate": _without_uniqueness, "check": _without_check,
    "column": _with_columns, "table": _with_table,
}  # fmt: skip


def _foreign_columns(loosening: Loosening) -> dict[str, Column]:
    return {name: Column(loosening.table, name, "", _FOREIGN, False, False) for name in loosening.columns}


def _with_column(schema: Schema, table: str, name: str, change: Callable[[Column], Column]) -> Schema:
    known = schema.tables[table]
    changed = Table(table, {**known.columns, name: change(known.columns[name])})
    return replace(schema, tables={**schema.tables, table: changed})


def _in_column(name: str, edit: Callable[[str], str]) -> Callable[[str], str]:
    """Return an edit of a table's body that changes the line of one column, up to its comment."""
    start = re.compile(rf'\s*"?{re.escape(name)}"? ')

    def changed(match: re.Match[str]) -> str:
        return (edit(match["code"]) if start.match(match["code"]) else match["code"]) + match["rest"]

    return lambda body: _LINE.sub(changed, body)


def _edited(sql: str, table: str, edit: Callable[[str], str]) -> str:
    start, end = _span(sql, table)
    return sql[:start] + edit(sql[start:end]) + sql[end:]


def _body(sql: str, table: str) -> str:
    start, end = _span(sql, table)
    return sql[start:end]


def _span(sql: str, table: str) -> tuple[int, int]:
    found = re.search(rf'^CREATE TABLE "?{re.escape(table)}"? \(\n(.*?)^\)', sql, re.MULTILINE | re.DOTALL)
    return found.span(1) if found else (0, 0)


def _parenthesized(text: str, start: int) -> str:
    """Return what stands in the parenthesis that opens at ``start``."""
    depth = 0
    for token in _TOKEN.finditer(text, start):
        depth += {"(": 1, ")": -1}.get(token.group(), 0)
        if depth == 0:
            return text[start + 1 : token.start()]
    return text[start + 1 :]
