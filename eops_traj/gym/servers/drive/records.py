"""Rows that functions write: columns from arguments, inserts, new ids, and the record of changes."""

import json
from collections.abc import Mapping
from typing import Any

from eops_traj.gym.api_styles.google import invalid
from eops_traj.gym.tools.call import Call, Row


def argument_columns(call: Call) -> dict[str, Any]:
    """Return the columns of the tool's own table that the arguments of the call set."""
    return {
        a.target: _column_value(call.arguments[a.name])
        for a in call.tool.arguments
        if a.column and "." not in a.target and a.name in call.arguments
    }


def insert(call: Call, table: str, row: Mapping[str, Any]) -> Row:
    """Insert a row and return it; a list or an object becomes JSON."""
    names, marks = ", ".join(f'"{name}"' for name in row), ", ".join(f":{name}" for name in row)
    sql = f'INSERT INTO "{table}" ({names}) VALUES ({marks}) RETURNING *'  # noqa: S608 - names of the schema
    inserted = call.row(sql, **{name: _column_value(value) for name, value in row.items()})
    assert inserted is not None
    return inserted


def new_id(call: Call) -> str:
    """Return an id that nothing has yet."""
    row = call.row("SELECT new_ulid() AS id")
    return str(row and row["id"])


def _column_value(value: Any) -> Any:
    """Return a value as a column takes it; refuse what is not JSON (NaN, half a character)."""
    if not isinstance(value, list | dict):
        return value
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        text.encode()
    except ValueError:
        raise invalid("", "The object holds a value that JSON has not.") from None
    return text


# the record that `list_changes` reads: one row a change, and the newest token of each scope


def record_change(
    call: Call, change: str, file: Row | None = None, removed: bool = False, **more: Any
) -> None:
    """Record a change of a file, whose row is given, or of the shared drive ``drive_id``."""
    drive_id = more.pop("drive_id", None) or (file and file["drive_id"])
    token = call.row(
        """INSERT INTO changes (token, change_time, file_id, drive_id, change_type, payload, removed)
        VALUES (new_ulid(), :now, :file, :drive, :change, :payload, :removed) RETURNING token""",
        file=file and file["id"], drive=drive_id, change=change, payload=json.dumps(more), removed=removed,
    )  # fmt: skip
    assert token is not None
    scopes = ["global", f"user:{call.caller.get('id')}", *([f"drive:{drive_id}"] if drive_id else [])]
    _tell_newest(call, token["token"], json.dumps(scopes))


def _tell_newest(call: Call, token: str, scopes: str) -> None:
    """Set the newest token of scopes; a seed may repeat one, so that they are no key."""
    update = """UPDATE change_tokens SET last_token = :token
        WHERE scope IN (SELECT value FROM json_each(:scopes))"""
    insert = """INSERT INTO change_tokens SELECT value, :token FROM json_each(:scopes)
        WHERE value NOT IN (SELECT scope FROM change_tokens)"""
    for sql in (update, insert):
        call.rows(sql, token=token, scopes=scopes)
