"""What hangs on an event, in tables of its own: guests, reminders, files, the conference, properties, places.

Here it is read, for many events at once; `eops_traj.gym.servers.calendar.write_event_parts` writes it.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from eops_traj.gym.servers.calendar.records import decoded, shown
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
    """The parts of each event, as the API shows them; guests still carry their ``user_id``."""
    found: dict[str, Parts] = {event_id: {} for event_id in event_ids}
    ids = json.dumps(list(found))
    for name, sql in _QUERIES.items():
        rows: dict[str, list[Row]] = {}
        for row in call.rows(sql, ids=ids):
            rows.setdefault(row["event_id"], []).append(row)
        for event_id, own in rows.items():
            found[event_id][name] = _READERS[name](own)
    return found


def _guests(rows: Sequence[Row]) -> list[Parts]:
    return [
        shown(id=row["attendees_id"], user_id=row["user_id"], email=row["email"])
        | shown(**{name: row[name] for name in GUEST} | {"displayName": row["displayName"] or row["name"]})
        for row in rows
    ]


def _files(rows: Sequence[Row]) -> list[Parts]:
    return [{"fileUrl": row["file_url"], "title": row["file_url"].rsplit("/", 1)[-1]} for row in rows]


def _conference(rows: Sequence[Row]) -> Parts:
    row = rows[0]
    kind, asked, status = row["solution_type"], row["create_solution_type"], row["status_code"]
    request = shown(
        requestId=row["request_id"],
        conferenceSolutionKey={"type": asked} if asked else None,
        status={"statusCode": status} if status else None,
    )
    solution = shown(
        iconUri=row["solution_icon_uri"], key={"type": kind} if kind else None, name=row["solution_name"]
    )
    return shown(
        conferenceId=row["id"], conferenceSolution=solution or None, createRequest=request or None,
        entryPoints=_entries(row), notes=row["notes"], signature=row["signature"],
    )  # fmt: skip


def _entries(row: Row) -> Any:
    if entries := decoded(row["entry_points"]):
        return entries
    return [{"entryPointType": "video", "uri": row["meeting_uri"]}] if row["meeting_uri"] else None


def _properties(rows: Sequence[Row]) -> Parts:
    found: Parts = {}
    for row in rows:
        found.setdefault(row["scope"], {}).update(decoded(row["properties"]) or {})
    return found


def _reminders(rows: Sequence[Row]) -> Parts:
    overrides = [{"method": r["method"], "minutes": r["minutes"]} for r in rows if not r["use_default"]]
    return {"useDefault": len(overrides) < len(rows), "overrides": overrides}


def _working_place(rows: Sequence[Row]) -> Parts:
    row = rows[0]
    label = row["customLocationLabel"]
    office = shown(**{name: row[name] or None for name in OFFICE}) if row["officeLocationId"] else None
    return shown(
        type=row["type"], homeOffice=decoded(row["homeOffice"]) or None,
        customLocation={"label": label} if label else None, officeLocation=office,
    )  # fmt: skip


_READERS: Mapping[str, Callable[[Sequence[Row]], Any]] = {
    "attendees": _guests,
    "attachments": _files,
    "conferenceData": _conference,
    "extendedProperties": _properties,
    "reminders": _reminders,
    "workingLocationProperties": _working_place,
    "birthdayProperties": lambda rows: {"type": rows[0]["type"]},
}
