"""What a session did, as the store keeps it."""

from collections.abc import Mapping
from typing import Any

from eops_traj import schema
from eops_traj.gym.engine.changes import Change
from eops_traj.gym.server import Server
from eops_traj.hashing import canonical_json


def stored_change(server: Server, change: Change) -> schema.Change:
    """A changed row as a record of the store: its server named, its columns as JSON objects."""
    keys = [column.name for column in server.schema.tables[change.table].columns.values() if column.key]
    return schema.Change(
        server=server.gym_name,
        table=change.table,
        operation=change.operation,
        key=schema.Json(_json(dict(zip(keys, change.key, strict=True)))),
        before=None if change.before is None else schema.Json(_json(change.before)),
        after=None if change.after is None else schema.Json(_json(change.after)),
    )


def _json(row: Mapping[str, Any]) -> str:
    """A row as canonical JSON; a blob, which JSON has no word for, is written in hex."""
    return canonical_json({k: v.hex() if isinstance(v, bytes) else v for k, v in row.items()})
