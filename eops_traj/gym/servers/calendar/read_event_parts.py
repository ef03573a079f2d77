"""The parts of an event in tables of their own: guests, reminders, files, conference, properties, places.

Here they are read, for many events at once; `eops_traj.gym.servers.calendar.write_event_parts` writes them.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from eops_traj.gym.servers.calendar.records import from_json, without_nulls
from eops_traj.gym.tools.call import Call, Row

Parts = dict[str, Any]
OFFICE = ("buildingId", "deskId", "floorId", "floorSectionId", "label")
GUEST = ("displayName", "responseStatus", "optional", "resource", "comment", "additionalGuests")
_QUERIES = {
    "attendees": """SELECT a.*, u.email, u.name FROM attendees a LEFT JOIN users u ON u.user_id = a.user_id
        WHERE a.event_id IN (SELECT value FROM json_each(:ids)) ORDER BY a.rowid""",
    "attachments": """SELECT * FROM attachments
        WHERE event_id IN (SELECT value FROM json_each(:ids)) ORDER BY rowid""",
    "conferenceData": """SELECT * FROM conference_data
        WHERE event_id IN (SELECT value FROM json_each(:ids))""",
    "extendedProperties": """SELECT * FROM extended_properties
        WHERE event_id IN (SELECT value FROM json_each(:ids)) ORDER BY rowid""",
    "reminders": """SELECT * FROM reminders
        WHERE event_id IN (SELECT value FROM json_each(:ids)) ORDER BY rowid""",
    "workingLocationProperties": """SELECT w.*, o.* FROM working_location_properties w
        LEFT JOIN office_locations o ON o.id = w."officeLocationId"
        WHERE w.event_id IN (SELECT value FROM json_each(:ids))""",
    "birthdayProperties": """SELECT * FROM birthday_properties
        WHERE event_id IN (SELECT value FROM json_each(:ids))""",
}


def read(call: Call, event_ids: Iterable[str]) -> dict[str, Parts]:
    """Read the parts of each event, as the API returns them; guests still carry their ``user_id``."""
    parts: dict[str, Parts] = {event_id: {} for event_id in event_ids}
    ids = json.dumps(list(parts))
    for name, sql in _QUERIES.items():
        rows: dict[str, list[Row]] = {}
        for row in call.rows(sql, ids=ids):
            rows.setdefault(row["event_id"], []).append(row)
        for event_id, own in rows.items():
            parts[event_id][name] = _READERS[name](own)
    return parts


def _guests(rows: Sequence[Row]) -> list[Parts]:
    return [
        without_nulls(id=row["attendees_id"], user_id=row["user_id"], email=row["email"])
        | without_nulls(
            **{name: row[name] for name in GUEST} | {"displayName": row["displayName"] or row["name"]}
        )
        for row in rows
    ]


def _conference(rows: Sequence[Row]) -> Parts:
    row = rows[0]
    kind, requested, status = row["solution_type"], row["create_solution_type"], row["status_code"]
    request = without_nulls(
        requestId=row["request_id"],
        conferenceSolutionKey={"type": requested} if requested else None,
        status={"statusCode": status} if status else None,
    )
    solution = without_nulls(
        iconUri=row["solution_icon_uri"], key={"type": kind} if kind else None, name=row["solution_name"]
    )
    return without_nulls(
        conferenceId=row["id"], conferenceSolution=solution or None, createRequest=request or None,
        entryPoints=_entry_points(row), notes=row["notes"], signature=row["signature"],
    )  # fmt: skip


def _entry_points(row: Row) -> Any:
    if entries := from_json(row["entry_points"]):
        return entries
    return [{"entryPointType": "video", "uri": row["meeting_uri"]}] if row["meeting_uri"] else None


def _properties(rows: Sequence[Row]) -> Parts:
    properties: Parts = {}
    for row in rows:
        properties.setdefault(row["scope"], {}).update(from_json(row["properties"]) or {})
    return properties


def _reminders(rows: Sequence[Row]) -> Parts:
    overrides = [{"method": r["method"], "minutes": r["minutes"]} for r in rows if not r["use_default"]]
    return {"useDefault": len(overrides) < len(rows), "overrides": overrides}


def _working_location(rows: Sequence[Row]) -> Parts:
    row = rows[0]
    label = row["customLocationLabel"]
    office = (
        without_nulls(**{name: row[name] or None for name in OFFICE}) if row["officeLocationId"] else None
    )
    return without_nulls(
        type=row["type"], homeOffice=from_json(row["homeOffice"]) or None,
        customLocation={"label": label} if label else None, officeLocation=office,
    )  # fmt: skip


_READERS: Mapping[str, Callable[[Sequence[Row]], Any]] = {
    "attendees": _guests,
    "attachments": lambda rows: [
        {"fileUrl": row["file_url"], "title": row["file_url"].rsplit("/", 1)[-1]} for row in rows
    ],
    "conferenceData": _conference,
    "extendedProperties": _properties,
    "reminders": _reminders,
    "workingLocationProperties": _working_location,
    "birthdayProperties": lambda rows: {"type": rows[0]["type"]},
}
