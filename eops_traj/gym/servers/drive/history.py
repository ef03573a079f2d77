"""The record of what changed, which `list_changes` reads: one row a change, and where each scope stands."""

import json
from typing import Any

from eops_traj.gym.tools.call import Call, Row


def record(call: Call, change: str, file: Row | None = None, removed: bool = False, **more: Any) -> None:
    """Note a change of a file, a row of which is given, or of the shared drive ``drive_id``."""
    drive_id = more.pop("drive_id", None) or (file and file["drive_id"])
    token = call.row(
        """INSERT INTO changes (token, change_time, file_id, drive_id, change_type, payload, removed)
        VALUES (new_ulid(), :now, :file, :drive, :change, :payload, :removed) RETURNING token""",
        file=file and file["id"], drive=drive_id, change=change, payload=json.dumps(more), removed=removed,
    )  # fmt: skip
    assert token is not None
    scopes = ["global", f"user:{call.caller.get('id')}", *([f"drive:{drive_id}"] if drive_id else [])]
    call.rows(
        """INSERT INTO change_tokens SELECT value, :token FROM json_each(:scopes) WHERE true
        ON CONFLICT (scope) DO UPDATE SET last_token = excluded.last_token""",
        token=token["token"],
        scopes=json.dumps(scopes),
    )
