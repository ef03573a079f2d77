"""Events as the seed writes them: one call for each, with its guests and other parts."""

import json
from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime, timedelta
from random import Random
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from eops_traj.gym.engine.templates import Row

MONDAY = datetime(2026, 1, 5)
"""The seeded company's today."""
TABLES = (
    "recurring_events", "events", "attendees", "reminders", "attachments", "conference_data",
    "extended_properties", "office_locations", "working_location_properties", "birthday_properties",
)  # fmt: skip
_EVENT = {
    "recurring_event_id": None, "description": None, "location": None, "recurrence": None,
    "status": "confirmed", "visibility": "default", "color_id": None, "eventType": "default",
    "focusTimeProperties": None, "outOfOfficeProperties": None, "guestsCanModify": False,
    "guestsCanSeeOtherGuests": True, "sequence": 0, "source": None, "transparency": "opaque",
    "hangoutLink": None,
}  # fmt: skip


class Agenda:
    """The rows of all events so far, by table."""

    def __init__(self, rng: Random, addresses: dict[str, tuple[str, str, str]]) -> None:
        self.rng, self._addresses = rng, addresses
        self.rows: dict[str, list[Row]] = defaultdict(list)

    def uuid(self) -> str:
        """Return a new id."""
        return str(UUID(int=self.rng.getrandbits(128), version=4))

    def add(
        self, calendar: str, organizer: str, summary: str, start: datetime, minutes: int = 0, days: int = 0,
        guests: Iterable[tuple[str, str]] = (), rules: list[str] | None = None, **more: Any,
    ) -> str:  # fmt: skip
        """Add an event; of whole days if `minutes` is 0. Guests are accounts and their answers."""
        email, name, zone = self._addresses[organizer]
        event_id = self.uuid()
        length = timedelta(minutes=minutes) if minutes else timedelta(days=days or 1)
        if rules:
            text = json.dumps(rules)
            self.rows["recurring_events"].append(
                {"recurring_event_id": event_id, "original_recurrence": text}
            )
            more |= {"recurring_event_id": event_id, "recurrence": text}
        created = (datetime(2025, 12, 1, 8) + timedelta(minutes=self.rng.randrange(48_000))).isoformat(" ")
        row = {
            "event_id": event_id, "calendar_id": calendar, "user_id": organizer,
            "organizer_id": organizer, "organizer_email": email, "organizer_display_name": name,
            "organizer_self": True, "summary": summary,
            "iCalUID": f"{event_id}@calendar.google.com", "created_at": f"{created}.000000",
            "updated_at": f"{created}.000000",
        }  # fmt: skip
        when = times(start, start + length, zone, not minutes)
        self.rows["events"].append({**row, **_EVENT, **when, **more})
        for account, answer in guests:
            self.invite(event_id, account, answer)
        return event_id

    def invite(self, event_id: str, account: str, answer: str, comment: str | None = None) -> None:
        """Add a guest."""
        row = {
            "attendees_id": self.uuid(), "comment": comment, "displayName": self._addresses[account][1],
            "additionalGuests": 0, "optional": not comment and self.rng.random() < 0.1,
            "resource": account.startswith("room_"), "responseStatus": answer, "event_id": event_id,
            "user_id": account,
        }  # fmt: skip
        self.rows["attendees"].append(row)

    def exception(self, series: str, planned: datetime, moved: datetime | None, minutes: int) -> None:
        """Call off or move one event of a series, with the guests of the series."""
        row = next(row for row in self.rows["events"] if row["event_id"] == series)
        zone = row["start_timezone"]
        stamp = planned.replace(tzinfo=ZoneInfo(zone)).astimezone(ZoneInfo("UTC"))
        event_id = f"{series}_{stamp:%Y%m%dT%H%M%SZ}"
        start = moved or planned
        own = {
            "event_id": event_id, "recurrence": None, "sequence": 1,
            "status": "confirmed" if moved else "cancelled",
            "originalStartTime_dateTime": planned.isoformat(" ", "microseconds"),
        }  # fmt: skip
        changed = times(start, start + timedelta(minutes=minutes), zone, False)
        self.rows["events"].append({**row, **changed, **own})
        for guest in [g for g in self.rows["attendees"] if g["event_id"] == series]:
            self.rows["attendees"].append({**guest, "attendees_id": self.uuid(), "event_id": event_id})

    def attach(self, table: str, key: str, **columns: Any) -> None:
        """Add a row of another table."""
        self.rows[table].append({key: self.uuid(), **columns})


def times(start: datetime, end: datetime, zone: str, whole_days: bool) -> Row:
    """Return the columns of the times of an event."""
    return {
        "start_datetime": start.isoformat(" ", "microseconds"), "start_timezone": zone,
        "end_datetime": end.isoformat(" ", "microseconds"), "end_timezone": zone,
        "originalStartTime_date": start.date().isoformat() if whole_days else None,
        "originalStartTime_dateTime": None if whole_days else start.isoformat(" ", "microseconds"),
        "originalStartTime_timeZone": zone,
    }  # fmt: skip
