"""The size of the gym: tables, tools, foreign keys and rows, by server and in all."""

from collections.abc import Sequence
from typing import Any

from eops_traj.gym.server import Server

COUNTS = ("tables", "tools", "foreign_keys", "rows")


def stats(servers: Sequence[Server]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the totals, and the same for each server. Rows are those of the server's own company."""
    each = [_count(server) for server in servers]
    totals = {name: sum(row[name] for row in each) for name in COUNTS}
    return {"servers": len(each)} | _with_ratio(totals), each


def _count(server: Server) -> dict[str, Any]:
    tables = server.schema.tables
    foreign = sum(column.references is not None for t in tables.values() for column in t.columns.values())
    counts = {
        "tables": len(tables),
        "tools": len(server.tools),
        "foreign_keys": foreign,
        "rows": _rows(server),
    }
    return {"server": server.name} | _with_ratio(counts)


def _with_ratio(counts: dict[str, Any]) -> dict[str, Any]:
    return counts | {"foreign_keys_per_table": round(counts["foreign_keys"] / max(1, counts["tables"]), 2)}


def _rows(server: Server) -> int:
    database = server.template().open()
    try:
        counts = (f'SELECT count(*) FROM "{table}"' for table in server.schema.tables)  # noqa: S608
        return sum(database.connection.execute(count).get for count in counts)
    finally:
        database.close()
