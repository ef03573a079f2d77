"""Meetings on the caller's calendar: a free time, the invitation, and the rule about it."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from eops_traj.gym.company.names import CITIES
from eops_traj.taskgen.dates import Day
from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.expressions import Holds
from eops_traj.taskgen.result_ref import ResultRef, count
from eops_traj.taskgen.scenarios.hybrid.lookups import caller_email
from eops_traj.taskgen.scenarios.reasons import LEFT, TAKEN, known_as
from eops_traj.taskgen.scene import Scene

_LENGTHS = {
    30: ("half an hour", "thirty minutes", "30 minutes"), 45: ("45 minutes", "forty-five minutes"),
    60: ("an hour", "one hour", "sixty minutes"),
}  # fmt: skip
_ZONES = ("UTC", *dict.fromkeys(zone for _, _, zone, _ in CITIES.values()))


@dataclass(frozen=True)
class Slot:
    """A time when all guests are free, in the time zone of the caller; ``length`` in minutes."""

    day: Day
    start: datetime
    length: int
    long: str

    @property
    def words(self) -> str:
        """The words of a request for it."""
        return f"{self.day.on} at {self.start:%H:%M} for {self.long}"

    @property
    def end(self) -> datetime:
        """Its end."""
        return self.start + timedelta(minutes=self.length)

    def spellings(self, end: bool = False) -> str:
        """Render the start (or the end) as a database may hold it, in each of the company's zones."""
        moment = self.end if end else self.start
        there = [(moment.astimezone(ZoneInfo(zone)), zone) for zone in _ZONES]
        return json.dumps([f"{at:%Y-%m-%d %H:%M:%S}.000000 {zone}" for at, zone in there])


def zone_of(s: Scene, email: str) -> str:
    """Return a person's time zone."""
    return str(
        s.rows("SELECT timezone FROM users WHERE email = :email", "calendar", email=email)[0]["timezone"]
    )


def pick_slot(s: Scene, *guests: str) -> Slot:
    """Pick a time within the next two weeks when the caller and these guests are free."""
    zone, length = ZoneInfo(zone_of(s, caller_email(s))), s.rng.choice(list(_LENGTHS))
    with s.start_state().open() as session:
        for _ in range(12):
            day = s.day(1, 14)
            hour, minute = s.rng.randrange(9, 17), s.rng.choice((0, 30))
            slot = Slot(
                day, datetime(day.date.year, day.date.month, day.date.day, hour, minute, tzinfo=zone), length,
                s.rng.choice(_LENGTHS[length]),
            )  # fmt: skip
            query = freebusy_query([caller_email(s), *guests], slot, str(zone))
            reply = session.call_tool("query_freebusy", query)
            if not any(c.get("busy") for c in json.loads(reply.text)["calendars"].values()):
                return slot
    raise NoMatch("no time is free for everybody")


def freebusy_query(people: Iterable[Any], when: Slot, zone: Any) -> dict[str, Any]:
    """Return the arguments that ask whether people are free at a time, which is meant in that zone."""
    start, end = (f"{moment:%Y-%m-%dT%H:%M:%S}" for moment in (when.start, when.end))
    items = [{"id": person} for person in people]
    return {"items": items, "timeMin": start, "timeMax": end, "timeZone": zone}


_BUSY = """INSERT INTO events (event_id, calendar_id, user_id, organizer_id, organizer_email,
    organizer_display_name, organizer_self, summary, start_datetime, end_datetime, start_timezone,
    end_timezone, "iCalUID", sequence, created_at, updated_at) SELECT
    '6f1d6a0e-52c7-4f0b-9c58-1f1c1b6b2d11', user_id || '-primary', user_id, user_id, email, name, 1,
    'Site visit', :start, :end, 'UTC', 'UTC',
    '6f1d6a0e-52c7-4f0b-9c58-1f1c1b6b2d11@calendar.google.com', 0, '2026-01-02 10:00:00.000000',
    '2026-01-02 10:00:00.000000' FROM users WHERE email = :guest"""
"""The change by which somebody has another event at a time."""


def make_busy(s: Scene, guest: str, when: Slot) -> None:
    """Perturb: a guest has another event at that time."""
    s.perturb("policy_forbids", _BUSY, "calendar", guest=guest, start=_utc_text(when.start),
              end=_utc_text(when.end))  # fmt: skip


def _utc_text(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.000000")


def check_free(s: Scene, address: ResultRef, who: str, when: Slot) -> ResultRef:
    """Check that a guest can be invited, and is free as the caller is; return the caller's calendar.

    Nothing but a result tells the guest's ``address``, and so no plan can name their calendar by it.
    """
    account = s.do("get_user_by_email", f"whether {who} can be invited", email=address)
    s.require(account["is_active"], "==", True, f"{who} has left and cannot be invited",
              names=(known_as(who), LEFT))  # fmt: skip
    calendar = s.do("get_calendar", "the zone that the time is meant in", calendarId="primary")
    for guest, name, verb in ((address, who, "is"), (caller_email(s), "you", "are")):
        busy = s.do("query_freebusy", f"whether {name} {verb} free",
                    **freebusy_query([guest], when, calendar["timeZone"]))  # fmt: skip
        s.require(count(busy["calendars"].every()["busy"].every()), "==", 0,
                  f"{name} {verb} taken at that time", names=(known_as(name), TAKEN))  # fmt: skip
    return calendar


def create_meeting(
    s: Scene, calendar: ResultRef, title: str, guests: Sequence[ResultRef], when: Slot,
    here: Holds | None = None,
) -> ResultRef:  # fmt: skip
    """Create the meeting on the caller's main calendar, and notify the guests; perhaps only where so."""
    arguments: dict[str, Any] = {
        "calendarId": calendar["id"], "summary": title, "sendUpdates": "all",
        "start": {"dateTime": f"{when.start:%Y-%m-%dT%H:%M:%S}", "timeZone": calendar["timeZone"]},
        "end": {"dateTime": f"{when.end:%Y-%m-%dT%H:%M:%S}", "timeZone": calendar["timeZone"]},
        "attendees": [{"email": guest} for guest in guests],
    }  # fmt: skip
    if here is None:
        return s.do("create_event", f"the meeting {title}", **arguments)
    return s.do_when(here, "create_event", f"the meeting {title}", **arguments)


def add_meeting_rule(s: Scene, title: str, when: Slot, *guests: str) -> None:
    """Add the rule that the meeting is at that time, with these guests and no others."""
    s.rule(
        "The meeting stands at the time agreed, with everybody invited and nobody else",
        """SELECT COUNT(*) FROM events e JOIN users o USING (user_id) WHERE e.summary = :title AND o.email =
        :me AND e.start_datetime || ' ' || e.start_timezone IN (SELECT value FROM json_each(:starts)) AND
        e.end_datetime || ' ' || e.end_timezone IN (SELECT value FROM json_each(:ends)) AND :guests =
        (SELECT json_group_array(email) FROM (SELECT u.email FROM attendees a JOIN users u ON u.user_id =
        a.user_id WHERE a.event_id = e.event_id ORDER BY u.email))""",
        server="calendar", title=title, me=caller_email(s), starts=when.spellings(),
        ends=when.spellings(end=True),
        guests=json.dumps(sorted(guests), separators=(",", ":")),
    )  # fmt: skip
