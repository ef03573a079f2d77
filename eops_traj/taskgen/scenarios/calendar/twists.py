"""What makes a request about calendars infeasible: one fact of the start state, changed."""

from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.scenarios.calendar.lookups import (
    Slot,
)
from eops_traj.taskgen.scene import Row, Scene


def deactivate(s: Scene, person: Row) -> None:
    """Deactivate a person."""
    s.perturb("inactive_person", "UPDATE users SET is_active = 0 WHERE email = :email", email=person["email"])


def call_off(s: Scene, event: Row) -> None:
    """Call a meeting off, so that the calendar does not show it; what else it shows that day proves it."""
    day = event["start_datetime"][:10]
    (row,) = s.rows("SELECT start_datetime FROM events WHERE event_id = :id", id=event["event_id"])
    listed = s.peek("list_events", calendarId="primary", timeMin=f"{day}T00:00:00",
                    timeMax=f"{day}T23:59:00", singleEvents=True)["items"]  # fmt: skip
    alone = len(listed) < 2 or row["start_datetime"][:10] != day
    if s.perturbation == "missing_entity" and alone:
        raise NoMatch("nothing else is planned that day, or it is another day where it was planned")
    s.perturb(
        "missing_entity", "UPDATE events SET status = 'cancelled' WHERE event_id = :id", id=event["event_id"]
    )


def lock(s: Scene, event: Row) -> None:
    """Lock a meeting."""
    s.perturb("policy_forbids", "UPDATE events SET locked = 1 WHERE event_id = :id", id=event["event_id"])


def give_to_another(s: Scene, event: Row, other: Row) -> None:
    """Let another person organize a meeting, on their own calendar."""
    s.perturb(
        "no_right", """UPDATE events SET calendar_id = :who || '-primary', user_id = :who, organizer_id =
            :who, organizer_email = :email, organizer_display_name = :name WHERE event_id = :id""",
        who=other["user_id"], email=other["email"], name=other["name"], id=event["event_id"],
    )  # fmt: skip


def add_namesake(s: Scene, event: Row, *others: Row) -> None:
    """Give another meeting the same title, day and organizer: no "my" or "I organize" tells them apart."""
    s.perturb(
        "two_namesakes",
        """UPDATE events SET summary = :title, start_datetime = :day || substr(start_datetime, 11),
        end_datetime = :day || substr(end_datetime, 11),
        "originalStartTime_dateTime" = :day || substr(start_datetime, 11), (calendar_id, user_id,
        organizer_id, organizer_email, organizer_display_name, organizer_self) = (SELECT calendar_id, user_id,
        organizer_id, organizer_email, organizer_display_name, organizer_self FROM events WHERE event_id =
        :event) WHERE event_id = :other""",
        title=event["summary"], day=event["start_datetime"][:10], event=event["event_id"],
        other=_pick_other_meeting(s, event, *others)["event_id"],
    )  # fmt: skip


def _pick_other_meeting(s: Scene, *these: Row) -> Row:
    """Pick a coming meeting other than these, which shows on the calendar of the first of them."""
    apart = ", ".join(f"'{event['event_id']}'" for event in these)
    return s.pick(
        f"""SELECT e.* FROM events e WHERE e.start_datetime BETWEEN '2026-01-06' AND '2026-01-30' AND
        e.recurrence IS NULL AND e.recurring_event_id IS NULL AND e.status = 'confirmed' AND e."eventType" =
        'default' AND e.visibility = 'default' AND e.start_timezone = :zone AND (e.calendar_id = :calendar OR
        EXISTS (SELECT 1 FROM attendees a WHERE a.event_id = e.event_id AND a.user_id = :me AND
        a."responseStatus" <> 'declined')) AND e.event_id NOT IN ({apart})""",
        calendar=these[0]["calendar_id"], me=these[0]["user_id"], zone=these[0]["start_timezone"],
    )  # fmt: skip


_COPY = "6f1c2a90-3b7d-4e58-9c41-0a7e5d2b8f36"


def add_second_calendar(s: Scene, calendar: Row) -> None:
    """Add another calendar of the same title, with the same people in it."""
    s.perturb(
        "two_namesakes",
        """INSERT INTO calendars (calendar_id, user_id, summary, time_zone, deleted, created_at, updated_at)
        SELECT :copy, user_id, summary, time_zone, deleted, created_at, updated_at FROM calendars WHERE
        calendar_id = :id""", copy=_COPY, id=calendar["calendar_id"],
    )  # fmt: skip
    s.perturb(
        "two_namesakes",
        """INSERT INTO acls (id, calendar_id, user_id, scope_id, role, etag, created_at, updated_at) SELECT
        id || '-2', :copy, user_id, scope_id, role, etag, created_at, updated_at FROM acls WHERE calendar_id =
        :id""", copy=_COPY, id=calendar["calendar_id"],
    )  # fmt: skip


def close_offices(s: Scene, day: str) -> None:
    """Close the offices on a day."""
    s.perturb(
        "impossible_date",
        """UPDATE events SET start_datetime = :day || ' 00:00:00.000000', "originalStartTime_date" = :day,
        end_datetime = date(:day, '+1 day') || ' 00:00:00.000000'
        WHERE calendar_id = 'company-holidays' AND summary = 'Founders'' Day'""",
        day=day,
    )  # fmt: skip


_APPOINTMENT = """INSERT INTO events (event_id, calendar_id, user_id, organizer_id, organizer_email,
    organizer_display_name, organizer_self, summary, start_datetime, end_datetime, start_timezone,
    end_timezone, status, visibility, "eventType", transparency, "originalStartTime_dateTime",
    "originalStartTime_timeZone", "iCalUID", sequence, created_at, updated_at) SELECT
    :id, c.calendar_id, c.user_id, c.user_id, u.email, u.name, 1, :title,
    :start, :end, :zone, :zone, 'confirmed', 'private', 'default', 'opaque', :start, :zone,
    :id || '@calendar.google.com', 0, '2025-12-30 10:00:00.000000', '2025-12-30 10:00:00.000000'
    FROM calendars c JOIN users u USING (user_id) WHERE c.is_primary AND u.email = :email"""


def _column(moment: str) -> str:
    return moment.replace("T", " ") + ".000000"


def make_busy(s: Scene, person: Row, slot: Slot, zone: str, kind: str = "policy_forbids") -> None:
    """Give a person another appointment at a time."""
    make_away(s, person, slot.start, slot.end, zone, kind)


def make_away(
    s: Scene, person: Row, start: str, end: str, zone: str, kind: str = "policy_forbids"
) -> None:  # fmt: skip
    """Give a person an appointment between two times, which may be days apart."""
    s.perturb(kind, _APPOINTMENT, id="5b0c1d52-6f0e-4d0a-9a51-2f6c0e8a7d11", email=person["email"],
              title="Dentist", zone=zone, start=_column(start), end=_column(end))  # fmt: skip


def occupy(s: Scene, email: str, title: str, slot: Slot, zone: str) -> None:
    """Give a person or a room an appointment at a time, in the company as it is."""
    s.arrange(_APPOINTMENT, id="0d4cbe91-7a58-4c3e-8f0b-93d1a6f2c7e4", email=email, title=title, zone=zone,
              start=_column(slot.start), end=_column(slot.end))  # fmt: skip


def demote(s: Scene, calendar: str, role: str = "reader") -> None:
    """Take the caller's right on a calendar down to this role."""
    s.perturb("no_right", """UPDATE acls SET role = :role WHERE calendar_id = :calendar AND scope_id =
        (SELECT id FROM scopes WHERE type = 'user' AND value = :me)""",
              calendar=calendar, role=role, me=s.caller["email"])  # fmt: skip
