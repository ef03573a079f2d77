"""What goes wrong in the scenarios of calendars: the facts by which a request cannot be carried out."""

from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.scenarios.calendar.lookups import Slot
from eops_traj.taskgen.scene import Row, Scene


def leave(s: Scene, person: Row) -> None:
    """The twist by which a person has left."""
    s.twist("inactive_person", "UPDATE users SET is_active = 0 WHERE email = :email", email=person["email"])


def double(s: Scene, event: Row, *others: Row) -> None:
    """The twist by which another meeting goes by the same name, on the same day."""
    s.twist(
        "two_namesakes",
        """UPDATE events SET summary = :title, start_datetime = :day || substr(start_datetime, 11),
        end_datetime = :day || substr(end_datetime, 11),
        "originalStartTime_dateTime" = :day || substr(start_datetime, 11) WHERE event_id = :other""",
        title=event["summary"], day=event["start_datetime"][:10],
        other=another(s, event, *others)["event_id"],
    )  # fmt: skip


def close(s: Scene, day: str) -> None:
    """The twist by which the offices are closed on a day."""
    s.twist(
        "impossible_date",
        """UPDATE events SET start_datetime = :day || ' 00:00:00.000000', "originalStartTime_date" = :day,
        end_datetime = date(:day, '+1 day') || ' 00:00:00.000000'
        WHERE calendar_id = 'company-holidays' AND summary = 'Founders'' Day'""",
        day=day,
    )  # fmt: skip


def occupy(s: Scene, person: Row, slot: Slot, zone: str, kind: str = "policy_forbids") -> None:
    """The twist by which a person has something else at a time."""
    s.twist(
        kind,
        """INSERT INTO events (event_id, calendar_id, user_id, organizer_id, organizer_email,
        organizer_display_name, organizer_self, summary, start_datetime, end_datetime, start_timezone,
        end_timezone, status, visibility, "eventType", transparency, "originalStartTime_dateTime",
        "originalStartTime_timeZone", sequence, created_at, updated_at) SELECT
        '5b0c1d52-6f0e-4d0a-9a51-2f6c0e8a7d11', calendar_id, user_id, user_id, :email, :name, 1, 'Dentist',
        :start, :end, :zone, :zone, 'confirmed', 'private', 'default', 'opaque', :start, :zone, 0,
        '2025-12-30 10:00:00.000000', '2025-12-30 10:00:00.000000' FROM calendars WHERE is_primary AND user_id
        = (SELECT user_id FROM users WHERE email = :email)""",
        email=person["email"], name=person["name"], zone=zone,
        start=slot.start.replace("T", " ") + ".000000", end=slot.end.replace("T", " ") + ".000000",
    )  # fmt: skip


def another(s: Scene, *these: Row) -> Row:
    """A coming meeting other than these, which shows on the calendar of the first of them."""
    found = s.rows(
        """SELECT e.* FROM events e WHERE e.start_datetime BETWEEN '2026-01-06' AND '2026-01-30' AND
        e.recurrence IS NULL AND e.recurring_event_id IS NULL AND e.status = 'confirmed' AND e."eventType" =
        'default' AND e.visibility = 'default' AND e.start_timezone = :zone AND (e.calendar_id = :calendar OR
        EXISTS (SELECT 1 FROM attendees a WHERE a.event_id = e.event_id AND a.user_id = :me AND
        a."responseStatus" <> 'declined'))""",
        calendar=these[0]["calendar_id"], me=these[0]["user_id"], zone=these[0]["start_timezone"],
    )  # fmt: skip
    found = [e for e in found if e["event_id"] not in {t["event_id"] for t in these}]
    if not found:
        raise NoMatch("nothing else is planned")
    return s.rng.choice(found)
