"""Seeds of real databases: loaded by our schema, or by one without the few rules that they do not keep.

Real data is not as tidy as a schema: a NULL where none should be, a row given twice, a value of no enum, a
column that we do not know. Such a seed gets a schema of its own (`loosening`), in which every row of it
stands and can be updated. What was loosened, and for how many rows, stays with its databases
(``schema.loosened``). A seed that keeps to the schema gives the same bytes as ever.
"""

import re
import threading
import time
from collections.abc import Iterator
from dataclasses import replace

import apsw

from eops_traj.errors import FormatError
from eops_traj.gym.engine.database import Database, Template
from eops_traj.gym.engine.loosening import is_numbering, loosen, table_checks
from eops_traj.gym.engine.schema import Loosening, Schema
from eops_traj.gym.engine.templates import SECONDS, SeedTooLarge, from_sql, statements

_FAILED = re.compile(r"(NOT NULL|UNIQUE) constraint failed: (.+)")
_UNKNOWN = re.compile(r"no such table: |table \S+ has no column named ")
_NAME = r"[\"`\[]?(\w+)[\"`\]]?"
_INSERT = re.compile(
    rf"\s*(?:INSERT|REPLACE)(?:\s+OR\s+\w+)?\s+INTO\s+{_NAME}\s*(?:\(([^()]*)\)\s*(?=VALUES|SELECT|WITH))?",
    re.IGNORECASE,
)
_SERVER = re.compile(r"^-- MCP Server: *(\S+)", re.MULTILINE)
_MISFITS = (apsw.ConstraintError, apsw.SQLError, apsw.MismatchError)
"""What rows raise that do not fit; what a seed may not do, or what does not end, raises others."""
MOST_BYTES = 32 * 2**20
"""The size of a seed; real ones have 1.3 MB."""
_NAMED = 5  # tables that a refusal names
_MOST_COLUMNS = 100  # that a table may get for a seed
Inserts = dict[str, tuple[str, ...]]


def load_seed(
    schema: Schema, sql: str, seconds: float = SECONDS, most_bytes: int | None = None,
    stop: threading.Event | None = None,
) -> Template:  # fmt: skip
    """Make a template of a seed; the rules that it does not keep are loosened in its own schema.

    Raises FormatError for what is no seed of this schema, as `templates.from_sql` does, or one that fails
    for another reason; nothing is left of it.
    """
    if len(sql) > MOST_BYTES:
        raise FormatError(f"seed: larger than {MOST_BYTES} bytes")
    until, found, named = time.thread_time() + seconds, list[Loosening](), dict[str, tuple[str, ...]]()
    while True:
        try:
            template = from_sql(loosen(schema, found), sql, seconds, most_bytes, stop)
        except SeedTooLarge:
            raise
        except FormatError as error:
            if not isinstance(error.__context__, _MISFITS):
                raise
            named = named or inserted(sql)
            _check_owner(schema, named, named_server(sql), str(error).partition(":")[0])
            found.append(_needed(schema, found, named, error))
        else:
            broken = list(_broken_checks(template))
            if not broken:
                return _counted(template) if found else template
            found += broken
        if time.thread_time() > until:
            raise FormatError(f"seed ran longer than {seconds:g} s")


def inserted(sql: str) -> Inserts:
    """Return the tables that a seed inserts into, in small letters, each with the columns that it names."""
    found: Inserts = {}
    for _, statement in statements(sql):
        if match := _INSERT.match(statement):
            table, columns = match[1].lower(), re.findall(r"\w+", match[2] or "")
            found[table] = tuple(dict.fromkeys([*found.get(table, ()), *columns]))
    return found


def named_server(sql: str) -> str | None:
    """Return the server that the head of a seed says it is of; None where it says nothing."""
    found = _SERVER.search(sql)
    return found[1] if found else None


def _needed(schema: Schema, found: list[Loosening], named: Inserts, error: FormatError) -> Loosening:
    """Return what has to be loosened for the statement that failed. Raises the error where nothing helps."""
    failure, needed = error.__context__, None
    if isinstance(failure, apsw.ConstraintError) and (said := _FAILED.search(str(failure))):
        needed = _rule(schema, said[1], said[2])
    elif isinstance(failure, apsw.SQLError) and _UNKNOWN.search(str(failure)):
        needed = next(_unknown(loosen(schema, found), named), None)
    if needed is None or needed in found:
        raise error
    return needed


def _check_owner(schema: Schema, named: Inserts, server: str | None, where: str) -> None:
    """Check that a seed is of this server. Raises FormatError where most of its tables are of another."""
    known = {name.lower() for name in schema.tables}
    foreign = [name for name in named if name not in known]
    if 2 * len(foreign) > len(named):
        says = f" (it says {server})" if server else ""
        some = ", ".join(foreign[:_NAMED]) + " ..." * (len(foreign) > _NAMED)
        count = f"{len(foreign)} of its {len(named)} tables are not known here"
        raise FormatError(f"{where}: the seed is of another server{says}: {count}: {some}")


def _rule(schema: Schema, kind: str, where: str) -> Loosening | None:
    """Return the rule that a failure names (``table.column, ...``); None for one that has to stay.

    New rows are numbered by an INTEGER PRIMARY KEY, and rows with a NULL in their key are in no changeset.
    """
    table = where.partition(".")[0]
    columns = tuple(name.rpartition(".")[2] for name in where.split(", "))
    if table not in schema.tables or not set(columns) <= set(schema.tables[table].columns):
        return None
    if kind == "UNIQUE":
        return None if is_numbering(schema, table, columns) else Loosening("duplicate", table, columns)
    return None if columns[0] in schema.tables[table].key else Loosening("null", table, columns)


def _unknown(schema: Schema, named: Inserts) -> Iterator[Loosening]:
    """Yield the tables and columns that a seed names and the schema lacks; of no name, no table is made."""
    known = {name.lower(): table for name, table in schema.tables.items()}
    for name, columns in named.items():
        if name not in known:
            if 0 < len(columns) <= _MOST_COLUMNS:
                yield Loosening("table", name, columns)
            continue
        there = {column.lower() for column in known[name].columns}
        more = tuple(column for column in columns if column.lower() not in there)
        if 0 < len(more) <= _MOST_COLUMNS:
            yield Loosening("column", known[name].name, more)


def _broken_checks(template: Template) -> Iterator[Loosening]:
    """Yield each CHECK that rows of the seed do not keep; seeds load without any."""
    database = template.open()
    try:
        for name in template.schema.tables:
            rules = list(dict.fromkeys(table_checks(template.schema, name)))
            counts = _count(database, name, [f"NOT ({rule})" for rule in rules])
            for rule, count in zip(rules, counts, strict=True):
                if count:
                    yield Loosening("check", name, rule=rule)
    finally:
        database.close()


def _counted(template: Template) -> Template:
    """Return the template with the number of rows of each rule that was loosened."""
    database = template.open()
    try:
        loosened = tuple(replace(one, count=_rows(database, one)) for one in template.schema.loosened)
    finally:
        database.close()
    return replace(template, schema=replace(template.schema, loosened=loosened))


def _rows(database: Database, loosening: Loosening) -> int:
    """Count the rows that do not keep a rule, or that are in an unknown column or table."""
    columns = [f'"{name}"' for name in loosening.columns]
    conditions = {
        "null": f"{' OR '.join(columns)} IS NULL",
        "check": f"NOT ({loosening.rule})",
        "column": " OR ".join(f"{name} IS NOT NULL" for name in columns),
        "table": "1",
    }
    if loosening.kind != "duplicate":
        return _count(database, loosening.table, [conditions[loosening.kind]])[0]
    listed = ", ".join(columns)
    kept = " AND ".join(f"{name} IS NOT NULL" for name in columns)
    sql = (
        f'SELECT coalesce(sum(n - 1), 0) FROM (SELECT count(*) AS n FROM "{loosening.table}" '  # noqa: S608
        f"WHERE {kept} GROUP BY {listed})"
    )
    return int(database.connection.execute(sql).get)


def _count(database: Database, table: str, conditions: list[str]) -> list[int]:
    """Count the rows of a table for which each condition holds."""
    if not conditions:
        return []
    counts = ", ".join(f"count(CASE WHEN {condition} THEN 1 END)" for condition in conditions)
    rows = database.connection.execute(f'SELECT {counts} FROM "{table}"')  # noqa: S608 - text of the schema
    return [int(str(count)) for count in next(iter(rows))]
