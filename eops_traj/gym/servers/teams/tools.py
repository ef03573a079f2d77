"""The modules of tools that take more than one statement, and the writing of rows that they share.

Lists and objects become JSON.
"""

import json
from typing import Any

from eops_traj.gym.tools.call import Call

MODULES = (
    "calls",
    "channels",
    "chats",
    "events",
    "graph",
    "groups",
    "memberships",
    "messages",
    "team_provisioning",
    "people",
    "reactions",
)
"""The modules of this package with tools and answers, in the order in which ``tools/list`` shows them."""


def insert(call: Call, table: str, **columns: Any) -> None:
    """Insert a row."""
    names = ", ".join(f'"{name}"' for name in columns)
    values = ", ".join(f":{name}" for name in columns)
    call.rows(f'INSERT INTO "{table}" ({names}) VALUES ({values})', **_as_stored(columns))  # noqa: S608


def update(call: Call, table: str, key: str, value: str, **columns: Any) -> None:
    """Update the row of this key."""
    changes = ", ".join(f'"{name}" = :{name}' for name in columns)
    call.rows(f'UPDATE "{table}" SET {changes} WHERE "{key}" = :{key}', **_as_stored(columns), **{key: value})  # noqa: S608


def new_hex(call: Call) -> str:
    """Return 32 random hex digits."""
    return str((call.row("SELECT new_hex() AS id") or {})["id"])


def new_uuid(call: Call) -> str:
    """Return a random UUID."""
    return str((call.row("SELECT new_uuid() AS id") or {})["id"])


def _as_stored(columns: dict[str, Any]) -> dict[str, Any]:
    return {n: json.dumps(v) if isinstance(v, list | dict) else v for n, v in columns.items()}
