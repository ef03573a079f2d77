"""Rows that functions write: inserts, updates and deletions, and the JSON texts that columns keep."""

import json
from hashlib import blake2b
from typing import Any

from eops_traj.gym.tools.call import Call


def insert(call: Call, table: str, **columns: Any) -> None:
    """Insert a row."""
    names = ", ".join(f'"{name}"' for name in columns)
    values = ", ".join(f":{name}" for name in columns)
    call.rows(f'INSERT INTO "{table}" ({names}) VALUES ({values})', **columns)  # noqa: S608 - names of the schema


def update(call: Call, table: str, key: str, value: str, **columns: Any) -> None:
    """Update the row whose key has this value."""
    changes = ", ".join(f'"{name}" = :{name}' for name in columns)
    sql = f'UPDATE "{table}" SET {changes} WHERE "{key}" = :key_of_row'  # noqa: S608 - names of the schema
    call.rows(sql, **columns, key_of_row=value)


def delete(call: Call, table: str, key: str, value: str) -> None:
    """Delete the rows whose key has this value."""
    call.rows(f'DELETE FROM "{table}" WHERE "{key}" = :key_of_row', key_of_row=value)  # noqa: S608


def new_uuid(call: Call) -> str:
    """Return a new id."""
    row = call.row("SELECT new_uuid() AS id")
    assert row is not None
    return str(row["id"])


def json_text(value: Any) -> str | None:
    """Return the text that a JSON column keeps; None for an empty value."""
    return json.dumps(value) if value else None


def from_json(value: Any) -> Any:
    """Return the value of a JSON column; seeds also keep bare numbers there."""
    return json.loads(value) if isinstance(value, str) and value else value


def etag(*parts: Any) -> str:
    """Return the version tag of a resource that these parts make up."""
    return f'"{blake2b(repr(parts).encode(), digest_size=8).hexdigest()}"'


def without_nulls(**values: Any) -> dict[str, Any]:
    """Return a resource: the values that are not null."""
    return {name: value for name, value in values.items() if value is not None}
