"""The commits of a table, as each entry of its log tells of itself: any program may have written one."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from eops_traj.store.integrity import LOG, entry_actions, log_versions

_LAST = 200_000_000_000_000
"""Milliseconds since 1970 up to a year that `datetime` has on every system."""


def commit_infos(folder: Path) -> list[dict[str, Any]]:
    """Return what each entry of the log says of itself, the newest first, each with its version.

    deltalake's own ``history`` finds no entry in a folder whose name holds ``#`` or ``?``, and none that says
    nothing, which is left to its writer.
    """
    infos = []
    for version in reversed(log_versions(folder)[0]):
        actions = entry_actions(folder / LOG / f"{version:020}.json")
        told = next((action["commitInfo"] for action in actions if "commitInfo" in action), None)
        infos.append({**(told if isinstance(told, dict) else {"rows_added": None}), "version": version})
    return infos


def commit_row(info: dict[str, Any]) -> dict[str, Any]:
    """Return its version, time (ISO 8601, UTC), operation and rows added; None where it does not tell."""
    operation, rows = info.get("operation"), str(info.get("rows_added", 0))
    return {
        "version": info["version"],
        "time": _time(info.get("timestamp")),
        "operation": operation if isinstance(operation, str) else None,
        "rows_added": int(rows) if rows.isdecimal() and len(rows) <= len(str(2**63)) else None,
    }


def _time(milliseconds: Any) -> str | None:
    """Render a time; None where it is no number, or one beyond every calendar."""
    if not isinstance(milliseconds, int) or abs(milliseconds) > _LAST:
        return None
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="seconds")
