"""Writing rows from Python: lists and objects become JSON."""

import json
from typing import Any

from eops_traj.gym.tools.call import Call


def insert(call: Call, table: str, **columns: Any) -> None:
    """A new row."""
    names = ", ".join(f'"{name}"' for name in columns)
    values = ", ".join(f":{name}" for name in columns)
    call.rows(f'INSERT INTO "{table}" ({names}) VALUES ({values})', **_stored(columns))  # noqa: S608


def update(call: Call, table: str, key: str, value: str, **columns: Any) -> None:
    """Other values for the row of this key."""
    changes = ", ".join(f'"{name}" = :{name}' for name in columns)
    call.rows(f'UPDATE "{table}" SET {changes} WHERE "{key}" = :{key}', **_stored(columns), **{key: value})  # noqa: S608


def new_hex(call: Call) -> str:
    """32 random hex digits."""
    return str((call.row("SELECT new_hex() AS id") or {})["id"])


def new_uuid(call: Call) -> str:
    """A random UUID."""
    return str((call.row("SELECT new_uuid() AS id") or {})["id"])


def _stored(columns: dict[str, Any]) -> dict[str, Any]:
    return {n: json.dumps(v) if isinstance(v, list | dict) else v for n, v in columns.items()}
