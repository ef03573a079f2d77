"""The default caller, for calls without an identity header."""

import re

from eops_traj.gym.engine.database import Database
from eops_traj.gym.server import Server

_IDENTITY = re.compile(
    r'\bFROM\s+"?(\w+)"?(?:(?!\bFROM\b).)*?\b(\w+)\s*=\s*:value\b', re.IGNORECASE | re.DOTALL
)
"""The table of callers, and the column that the header's value is looked up in."""
_BEST_FIRST = {"active": "active = 1 DESC", "role": "role = 'admin' DESC"}


def default_caller(server: Server, database: Database, user: str = "") -> str | None:
    """Return the value of the identity header for this user, or for the first active admin.

    A user is an e-mail address of the database, or a value of the header itself. Without one, a server that
    does not require the header is left to its own default.
    """
    match = _IDENTITY.search(server.identity.query) if server.identity else None
    if server.identity is None or match is None or not (user or server.identity.required):
        return None
    table, column = server.schema.tables[match[1]], match[2]
    if user and "email" not in table.columns:
        return user
    best = [order for name, order in _BEST_FIRST.items() if name in table.columns]
    where, order = ("email = ?", "1") if user else ("1", ", ".join([*best, *table.key]))
    sql = f'SELECT "{column}" FROM "{table.name}" WHERE {where} ORDER BY {order} LIMIT 1'  # noqa: S608
    value = database.connection.execute(sql, (user,) if user else ()).get
    return str(value) if value is not None else user or None
