"""Check that a seed gives the same database on every container of an image.

A fingerprint is taken by queries, right after seeding: the schema, and of each table the number of rows
and of characters in each column. Times that a seed fills in with the clock's have the same length whenever
they are written, and so has a random id; a row or a value that is missing shows.
"""

import threading
from collections.abc import Callable, Sequence

from eops_traj.errors import SandboxError
from eops_traj.gym.engine.database import QueryResult
from eops_traj.hashing import digest

Query = Callable[[str], QueryResult]
"""Runs one SELECT on a server's database."""
_TABLES = "SELECT name, sql FROM sqlite_master WHERE type = 'table' ORDER BY name LIMIT 1000"


class SeedFingerprints:
    """The fingerprints of one server's image, by seed."""

    def __init__(self) -> None:
        self.by_seed: dict[str, str] = {}
        self._query = ""
        self._lock = threading.Lock()

    def check(self, server: str, seed: str, query: Query) -> None:
        """Compare a database just seeded with the first one of that seed.

        Raises SandboxError where they differ.
        """
        tables = query(_TABLES).rows
        with self._lock:  # the columns are asked for once
            self._query = self._query or fingerprint_query([str(name) for name, _ in tables], query)
        fingerprint = digest([list(row) for row in tables], [list(row) for row in query(self._query).rows])
        with self._lock:
            known = self.by_seed.setdefault(seed, fingerprint)
        if fingerprint != known:
            raise SandboxError(
                f"{server}: a seed gave another database than before: {fingerprint}, not {known}"
            )


def fingerprint_query(tables: Sequence[str], query: Query) -> str:
    """Return one SELECT that gives a row for each table: its name, its rows, its characters by column."""
    parts = [_table_query(name, _columns(name, query)) for name in tables if not name.startswith("sqlite_")]
    return " UNION ALL ".join(parts) + " LIMIT 1000"


def _columns(table: str, query: Query) -> tuple[str, ...]:
    """Return a table's columns; the join gives a row, and with it their names, where the table has none."""
    sql = f"SELECT t.* FROM (SELECT 1) LEFT JOIN {_quoted(table)} AS t LIMIT 1"  # noqa: S608 - quoted
    return query(sql).columns


def _table_query(table: str, columns: Sequence[str]) -> str:
    sizes = " || ',' || ".join(f"COALESCE(SUM(LENGTH({_quoted(column)})), 0)" for column in columns)
    named = "'" + table.replace("'", "''") + "'"
    return f"SELECT {named} AS name, COUNT(*) AS n, {sizes} AS sizes FROM {_quoted(table)}"  # noqa: S608


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
