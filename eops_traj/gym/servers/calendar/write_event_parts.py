"""Writing what hangs on an event: each part replaces the one that the event had."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from eops_traj.gym.api_styles.google import error
from eops_traj.gym.servers.calendar import read_event_parts
from eops_traj.gym.servers.calendar.records import change, drop, insert, text, uuid
from eops_traj.gym.tools.call import Call, Row

TABLES = {
    "attendees": "attendees",
    "attachments": "attachments",
    "conferenceData": "conference_data",
    "extendedProperties": "extended_properties",
    "reminders": "reminders",
    "workingLocationProperties": "working_location_properties",
    "birthdayProperties": "birthday_properties",
}
"""The parts of an event, and where they are kept."""

_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_MOST_REMINDERS = 5
_CONFERENCES = ("hangoutsMeet", "addOn")


def write(call: Call, event_id: str, name: str, value: Any) -> None:
    """Put a part in the place of the one that the event has; nothing clears it."""
    if name != "attendees":
        drop(call, TABLES[name], "event_id", event_id)
    if value or name == "attendees":
        _WRITERS[name](call, event_id, value or [])


def copy(call: Call, source: str, target: str) -> None:
    """Give an event the parts of another."""
    for name, table in TABLES.items():
        if name == "workingLocationProperties":  # its place belongs to one event alone
            write(call, target, name, read_event_parts.read(call, [source])[source].get(name))
            continue
        key, *columns = call.server.schema.tables[table].columns
        others = ", ".join(f'"{column}"' for column in columns if column != "event_id")
        call.rows(
            f'INSERT INTO "{table}" ("{key}", event_id, {others})'  # noqa: S608 - names of the schema
            f' SELECT new_uuid(), :target, {others} FROM "{table}" WHERE event_id = :source ORDER BY rowid',
            source=source, target=target,
        )  # fmt: skip


def _guests(call: Call, event_id: str, guests: Sequence[Mapping[str, Any]]) -> None:
    """Make the guest list this one. Who stays on it keeps the answer given, unless there is a new one."""
    kept = {
        row["user_id"]: row for row in call.rows("SELECT * FROM attendees WHERE event_id = :e", e=event_id)
    }
    wanted = {_person(call, guest["email"]): guest for guest in guests}
    for user_id in kept.keys() - wanted.keys():
        drop(call, "attendees", "attendees_id", kept[user_id]["attendees_id"])
    for user_id, guest in wanted.items():
        columns = {name: guest[name] for name in read_event_parts.GUEST if guest.get(name) is not None}
        if user_id in kept:
            answer(call, kept[user_id], columns)
        else:
            insert(call, "attendees", attendees_id=uuid(call), event_id=event_id, user_id=user_id, **columns)


def answer(call: Call, invitation: Row, columns: Mapping[str, Any]) -> None:
    """Change what is different in an invitation."""
    different = {name: value for name, value in columns.items() if invitation[name] != value}
    if different:
        change(call, "attendees", "attendees_id", invitation["attendees_id"], **different)


def _person(call: Call, email: str) -> str:
    """Who has this address; a guest from outside gets an account, as the only place to keep the address."""
    known = call.row("SELECT user_id FROM users WHERE lower(email) = lower(:email)", email=email)
    if known:
        return str(known["user_id"])
    if not _EMAIL.fullmatch(email):
        raise error("INVALID_ARGUMENT", f"Invalid email format: {email}")
    user_id = uuid(call)
    insert(
        call, "users", user_id=user_id, email=email, name=email.split("@")[0], static_token=uuid(call),
        created_at=call.now, updated_at=call.now,
    )  # fmt: skip
    return user_id


def _files(call: Call, event_id: str, files: Sequence[Mapping[str, Any]]) -> None:
    for file in files:
        url = file.get("fileUrl") or ""
        if not url.startswith("https://"):
            raise error("INVALID_ARGUMENT", f"Invalid 'fileUrl': must be an https URL {url}".rstrip())
        insert(call, "attachments", attachment_id=uuid(call), event_id=event_id, file_url=url)


def _reminders(call: Call, event_id: str, value: Mapping[str, Any]) -> None:
    overrides = value.get("overrides") or []
    if len(overrides) > _MOST_REMINDERS:
        raise error("INVALID_ARGUMENT", f"The maximum number of override reminders is {_MOST_REMINDERS}")
    if value.get("useDefault"):
        if overrides:
            raise error("INVALID_ARGUMENT", "Reminders are either the default ones or overrides, not both")
        row = {"method": "popup", "minutes": 10, "use_default": True}
        insert(call, "reminders", id=uuid(call), event_id=event_id, **row)
    for override in overrides:
        row = {"method": override["method"], "minutes": override["minutes"], "use_default": False}
        insert(call, "reminders", id=uuid(call), event_id=event_id, **row)


def _properties(call: Call, event_id: str, value: Mapping[str, Any]) -> None:
    for scope in ("private", "shared"):
        if value.get(scope):
            properties = text(value[scope])
            row = {"event_id": event_id, "scope": scope, "properties": properties}
            insert(call, "extended_properties", id=uuid(call), **row)


def _working_place(call: Call, event_id: str, value: Mapping[str, Any]) -> None:
    office = value.get("officeLocation")
    office_id = uuid(call) if office else None
    if office:
        place = {name: office.get(name) for name in read_event_parts.OFFICE} | {
            "label": office.get("label") or ""
        }
        insert(call, "office_locations", id=office_id, **place)
    insert(
        call, "working_location_properties", working_location_id=uuid(call), event_id=event_id,
        type=value["type"], homeOffice=text(value.get("homeOffice")), officeLocationId=office_id,
        customLocationLabel=(value.get("customLocation") or {}).get("label"),
    )  # fmt: skip


def _birthday(call: Call, event_id: str, value: Mapping[str, Any]) -> None:
    insert(call, "birthday_properties", id=uuid(call), event_id=event_id, type=value["type"])


def _conference(call: Call, event_id: str, value: Mapping[str, Any]) -> None:
    request, solution = value.get("createRequest"), value.get("conferenceSolution") or {}
    if bool(request) == bool(solution and value.get("entryPoints")):
        raise error(
            "INVALID_ARGUMENT", "conferenceData needs createRequest, or conferenceSolution and entryPoints"
        )
    columns = _requested(call, event_id, request) if request else _described(call, value, solution)
    words = {name: value.get(name) for name in ("notes", "signature")}
    insert(call, "conference_data", event_id=event_id, **words, **columns)


def _requested(call: Call, event_id: str, request: Mapping[str, Any]) -> dict[str, Any]:
    """A new conference, with a link to join; a request that was made before fails."""
    kind = (request.get("conferenceSolutionKey") or {}).get("type") or "hangoutsMeet"
    _known(kind)
    asked = {"create_solution_type": kind, "request_id": request.get("requestId")}
    made = "SELECT 1 FROM conference_data WHERE request_id = :made"
    if call.row(made, made=request.get("requestId")):
        return {"id": uuid(call), "status_code": "failure"}
    code = _code(call)
    link = f"https://meet.google.com/{code}"
    change(call, "events", "event_id", event_id, hangoutLink=link)
    entry = {
        "entryPointType": "video",
        "uri": link,
        "label": link.removeprefix("https://"),
        "meetingCode": code,
    }
    return asked | {
        "id": code, "status_code": "success", "solution_type": kind, "entry_points": text([entry]),
        "meeting_uri": link,
    }  # fmt: skip


def _described(call: Call, value: Mapping[str, Any], solution: Mapping[str, Any]) -> dict[str, Any]:
    """A conference that exists already."""
    kind = (solution.get("key") or {}).get("type") or "addOn"
    _known(kind)
    entries = value["entryPoints"]
    video = next((e.get("uri") for e in entries if e.get("entryPointType") == "video"), None)
    return {
        "id": _own_code(call, kind, value.get("conferenceId")), "solution_type": kind,
        "solution_name": solution.get("name"), "solution_icon_uri": solution.get("iconUri"),
        "label": solution.get("name"), "entry_points": text(entries), "meeting_uri": video,
    }  # fmt: skip


def _own_code(call: Call, kind: str, code: str | None) -> str:
    if kind == "hangoutsMeet":
        if code:
            raise error("INVALID_ARGUMENT", "ConferenceId will be set internally. Please remove this field")
        return _code(call)
    if not code:
        raise error("INVALID_ARGUMENT", "conferenceData needs a conferenceId")
    if call.row("SELECT 1 FROM conference_data WHERE id = :code", code=code):
        raise error(
            "INVALID_ARGUMENT", f"Conference Id '{code}' already exists. Please use different ConferenceId"
        )
    return code


def _known(kind: str) -> None:
    if kind not in _CONFERENCES:
        choices = " or ".join(f"'{name}'" for name in _CONFERENCES)
        raise error("INVALID_ARGUMENT", f"Invalid conference type '{kind}'. Please provide either {choices}")


def _code(call: Call) -> str:
    """A code to join by, such as ``abc-defg-hij``."""
    letters = "".join(chr(ord("a") + int(digit, 16)) for digit in uuid(call).replace("-", "")[:10])
    return f"{letters[:3]}-{letters[3:7]}-{letters[7:]}"


_WRITERS: Mapping[str, Callable[[Call, str, Any], None]] = {
    "attendees": _guests,
    "attachments": _files,
    "conferenceData": _conference,
    "extendedProperties": _properties,
    "reminders": _reminders,
    "workingLocationProperties": _working_place,
    "birthdayProperties": _birthday,
}
