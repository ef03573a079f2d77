"""What the scenarios of calendars share: who asks, which times are free, look-ups that most make."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from eops_traj.taskgen import dates
from eops_traj.taskgen.dates import Day
from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.result_ref import Found, count
from eops_traj.taskgen.scene import Row, Scene

PEOPLE = """SELECT u.* FROM users u WHERE u.is_active AND u.provider = 'corvane-sso'
    AND (SELECT COUNT(*) FROM users v WHERE v.name = u.name) = 1"""
"""Who works here, and goes by a name of their own."""

OWN_MEETINGS = """
    SELECT e.*, u.email, u.name, u.timezone FROM events e JOIN users u ON e.calendar_id = u.user_id ||
    '-primary' WHERE e.organizer_id = u.user_id AND e.recurrence IS NULL AND e.recurring_event_id IS NULL
    AND e."eventType" = 'default' AND e.status = 'confirmed' AND e.locked IS NOT 1 AND e.start_datetime
    BETWEEN '2026-01-06' AND '2026-01-30' AND u.is_active AND (SELECT COUNT(*) FROM events o LEFT JOIN
    attendees g ON g.event_id = o.event_id AND g.user_id = u.user_id WHERE o.summary = e.summary AND
    (o.calendar_id = e.calendar_id OR g.user_id IS NOT NULL) AND o.start_datetime >= '2026-01-05') = 1 AND
    NOT EXISTS (SELECT 1 FROM attendees g JOIN users k ON k.user_id = g.user_id WHERE g.event_id =
    e.event_id AND NOT k.is_active)"""
"""Meetings of the next weeks that somebody organizes, under a title that their calendar has once."""

ROOMS = {  # as the policy has them: zone, seats and address, those of a zone from small to large
    "America/New_York": (("Hudson East", 4, "hudson-east"), ("Battery", 8, "battery"),
                         ("Hudson", 12, "hudson")),
    "Europe/London": (("Thames Small", 3, "thames-small"), ("Riverside Lab", 6, "riverside-lab"),
                      ("Thames", 10, "thames")),
    "Asia/Kolkata": (("Ganges", 12, "ganges"),),
    "Asia/Tokyo": (("Sumida", 6, "sumida"),),
    "Australia/Sydney": (("Harbour", 8, "harbour"),),
}  # fmt: skip


@dataclass(frozen=True)
class Slot:
    """A span of time on a day, by the clocks of a zone."""

    day: date
    minute: int
    length: int

    @property
    def words(self) -> str:
        """``9:30``."""
        return f"{self.minute // 60}:{self.minute % 60:02d}"

    @property
    def start(self) -> str:
        """``2026-01-07T09:30:00``."""
        return self._at(self.minute)

    @property
    def end(self) -> str:
        """``2026-01-07T10:15:00``."""
        return self._at(self.minute + self.length)

    def _at(self, minute: int) -> str:
        return f"{self.day.isoformat()}T{minute // 60:02d}:{minute % 60:02d}:00"

    def given(self, zone: Found) -> dict[str, Any]:
        """The arguments that say when an event is."""
        return {
            "start": {"dateTime": self.start, "timeZone": zone},
            "end": {"dateTime": self.end, "timeZone": zone},
        }


def room_address(slug: str) -> str:
    """The address of a room."""
    return f"room-{slug}@rooms.corvane.example"


# What fits


def colleagues(s: Scene, number: int, zone: str | None = None, *not_these: str) -> list[Row]:
    """Some people other than the one who asks; of a time zone, if one is given."""
    found = [p for p in s.rows(PEOPLE) if p["email"] not in (s.speaker["email"], *not_these)]
    found = [p for p in found if zone in (None, p["timezone"])]
    if len(found) < number:
        raise NoMatch(f"fewer than {number} colleagues")
    return s.rng.sample(found, number)


def free_slots(s: Scene, who: list[str], day: date, zone: str, length: int) -> list[Slot]:
    """The times on a day, from 9:00 to 18:00 and on full or half hours, at which all of these are free."""
    asked = {"timeMin": f"{day}T00:00:00", "timeMax": f"{day}T23:59:00", "timeZone": zone}
    told = s.peek("query_freebusy", items=[{"id": one} for one in who], **asked)
    taken = [busy for one in told["calendars"].values() for busy in one["busy"]]
    spans = [tuple(_minute(busy[end], day, zone) for end in ("start", "end")) for busy in taken]
    return [
        Slot(day, start, length)
        for start in range(9 * 60, 18 * 60 - length + 1, 30)
        if all(start + length <= begins or ends <= start for begins, ends in spans)
    ]


def _minute(text: str, day: date, zone: str) -> int:
    """The minute of a day at which it is this time, negative the day before."""
    local = (
        datetime.fromisoformat(text.replace("Z", "+00:00")).astimezone(ZoneInfo(zone)).replace(tzinfo=None)
    )
    return int((local - datetime.combine(day, datetime.min.time())).total_seconds() // 60)


def a_slot(s: Scene, who: list[str], day: date, zone: str, length: int) -> Slot:
    """One of those times."""
    found = free_slots(s, who, day, zone, length)
    if not found:
        raise NoMatch("nobody has time that day")
    return s.rng.choice(found)


def open_day(s: Scene, soonest: int, latest: int) -> Day:
    """A working day on which the offices are open."""
    day = s.day(soonest, latest)
    if day.iso in ("2026-02-06", "2026-03-20"):
        raise NoMatch("a closed day")
    return day


def guests_of(s: Scene, event: str) -> list[Row]:
    """The guests of an event, rooms among them."""
    return s.rows(
        """SELECT a.*, u.email, u.name, u.timezone FROM attendees a JOIN users u ON u.user_id = a.user_id
        WHERE a.event_id = :event ORDER BY a.rowid""",
        event=event,
    )  # fmt: skip


# What the work begins with


def my_zone(s: Scene) -> Found:
    """The time zone of the caller's main calendar, in which times without a zone are meant."""
    return s.do("get_calendar", "in which zone your times are meant", calendarId="primary")["timeZone"]


def guest(s: Scene, person: Row) -> Found:
    """The account of somebody who is invited or let in, who has to be here still."""
    found = s.do("get_user_by_email", f"the account of {person['name']}", email=person["email"])
    s.require(found["is_active"], "==", True, f"{person['name']} has left the company")
    return found


def room(s: Scene, name: str, slug: str) -> Found:
    """The account of a room, which has to be open."""
    found = s.do("get_user_by_email", f"the room {name}", email=room_address(slug))
    s.require(found["is_active"], "==", True, f"the room {name} is closed")
    return found


def need_open(s: Scene, first: date, last: date | None = None) -> Found:
    """The closed days of a span; a single day must not be one."""
    last = last or first
    found = s.do("list_events", "whether the offices are closed", calendarId="company-holidays",
                 timeMin=f"{first}T00:00:00", timeMax=f"{last}T23:59:00")  # fmt: skip
    if first == last:
        s.require(count(found["items"]), "==", 0, f"the offices are closed on {first}")
    return found


def need_free(s: Scene, who: list[tuple[str, Any]], slot: Slot, zone: Found) -> None:
    """Everyone of these, given by name and address, has to be free at a time."""
    told = s.do("query_freebusy", f"who is free at {slot.words}", timeMin=slot.start, timeMax=slot.end,
                timeZone=zone,
                items=[{"id": address} for _, address in who])  # fmt: skip
    for name, address in who:
        key = address.value if isinstance(address, Found) else address
        taken = "you have something else" if name == "you" else f"{name} is taken"
        s.require(count(told["calendars"][key]["busy"]), "==", 0, f"{taken} at that time")


def meeting(s: Scene, title: str, on: Day, why: str, calendar: str = "primary") -> Found:
    """The event of a title on a day of a calendar, of which there has to be one alone."""
    found = s.do("list_events", why, calendarId=calendar, timeMin=f"{on.iso}T00:00:00",
                 timeMax=f"{on.iso}T23:59:00",
                 singleEvents=True)  # fmt: skip
    s.require(count(found["items"].every(summary=title)), "==", 1, f"there is not exactly one {title} {on}")
    return found["items"].where(summary=title)


def day_of(s: Scene, event: Row) -> Day:
    """The day on which an event begins, and words for it."""
    return named(s, date.fromisoformat(event["start_datetime"][:10]))


def named(s: Scene, day: date) -> Day:
    """A day, and words for it."""
    away = (day - dates.TODAY).days
    return s.day(away, away, weekday=False)


def local(event: Row, zone: str) -> Row:
    """An event with its times by the clocks of another zone."""
    told = {}
    for name in ("start_datetime", "end_datetime"):
        moment = datetime.fromisoformat(event[name]).replace(tzinfo=ZoneInfo(event["start_timezone"]))
        told[name] = moment.astimezone(ZoneInfo(zone)).replace(tzinfo=None).isoformat(" ", "microseconds")
    return event | told


def later(day: date, days: int) -> date:
    """Some days after a day."""
    return day + timedelta(days=days)


def listed(people: list[Row]) -> str:
    """People with their addresses, as one names them."""
    said = [f"{person['name']} ({person['email']})" for person in people]
    return " and ".join(filter(None, (", ".join(said[:-1]), said[-1])))
