"""The meetings of the seeded company around its today: of teams, of two, of several people."""

import json
from datetime import datetime, timedelta
from random import Random
from typing import Any

from eops_traj.gym.company.company import Company, Group, Person
from eops_traj.gym.servers.calendar import seed_non_meetings
from eops_traj.gym.servers.calendar.seed_directory import (
    ROOMS,
    accounts,
    main_calendar,
    room_id,
    team_calendar,
    user_id,
)
from eops_traj.gym.servers.calendar.seed_events import MONDAY, Agenda

_ANSWERS = ("accepted",) * 6 + ("needsAction",) * 3 + ("tentative", "declined")
_DECLINED = ("I have a clash, sorry.", "On leave that day.", "Please go on without me.", None, None)
_TITLES = (  # several are easily taken for one another
    "Budget review", "Budget review Q1", "Budget preview", "Roadmap review", "Roadmap workshop",
    "Vendor call", "Vendor call: contract terms", "Contract renewal", "Contract renewal prep",
    "Incident review", "Hiring sync", "Candidate debrief", "Customer escalation",
    "Customer escalation follow-up", "Security briefing", "Security training", "Quarterly planning",
    "Quarterly planning prep", "Release readiness", "Release go/no-go", "Design critique",
    "Onboarding check-in", "Office move", "Tooling demo", "Support handover", "Data migration",
)  # fmt: skip
_RHYTHMS = (
    "FREQ=WEEKLY;BYDAY=TU", "FREQ=WEEKLY;BYDAY=TH", "FREQ=WEEKLY;INTERVAL=2;BYDAY=WE",
    "FREQ=WEEKLY;BYDAY=MO;UNTIL=20260630T235959Z", "FREQ=WEEKLY;BYDAY=WE;COUNT=26",
)  # fmt: skip
_HOURS = (9, 10, 10, 10, 11, 13, 14, 14, 14, 15, 16)  # when everyone wants to meet
_DAYS = ("MO", "TU", "WE", "TH", "FR")
_NEAR = {  # how the rooms of a city begin
    "New York": ("Hudson", "Battery"), "London": ("Thames", "Riverside"), "Mumbai": ("Ganges",),
    "Tokyo": ("Sumida",), "Sydney": ("Harbour",),
}  # fmt: skip


def build_agenda(rng: Random, corvane: Company) -> Agenda:
    """Return everything on the company's calendars."""
    people = {user_id(p): (p.email, p.name, p.site.timezone) for p in corvane.people}
    emails = dict(accounts(corvane))
    rooms = {room_id(n): (emails[room_id(n)], f"Room {n}", corvane.sites[s].timezone) for n, s, _ in ROOMS}
    agenda = Agenda(rng, people | rooms)
    for group in corvane.groups:
        _add_team_meetings(agenda, corvane, group)
    _add_one_to_ones(agenda, corvane)
    _add_single_meetings(agenda, corvane)
    seed_non_meetings.add_non_meetings(agenda, corvane)
    return agenda


def _add_team_meetings(agenda: Agenda, corvane: Company, group: Group) -> None:
    """Add a weekly meeting with exceptions, a monthly review, and stand-ups where software is built."""
    head = corvane.person(group.manager)
    calendar, leader = team_calendar(group), user_id(head)
    members = [user_id(corvane.person(n)) for n in group.members if n != group.manager]
    guests = [(who, agenda.rng.choice(_ANSWERS)) for who in members]
    rhythm = agenda.rng.choice(_RHYTHMS)
    start = _first_day(rhythm) + timedelta(
        hours=agenda.rng.randint(9, 16), minutes=agenda.rng.choice((0, 30))
    )
    weekly = agenda.add(
        calendar, leader, f"{group.name} weekly", start, 45, guests=guests, rules=[f"RRULE:{rhythm}"],
        description=f"What the {group.name} team did, does and needs.", color_id="9",
    )  # fmt: skip
    _book_room(agenda, weekly, head)
    step = timedelta(weeks=2 if "INTERVAL=2" in rhythm else 1)
    agenda.exception(weekly, start + 4 * step, None, 45)  # between the years
    agenda.exception(weekly, start + 6 * step, start + 6 * step + timedelta(hours=26), 45)
    review = datetime(2025, 12, 4, agenda.rng.randint(13, 16))
    monthly: dict[str, Any] = {
        "rules": ["RRULE:FREQ=MONTHLY;BYDAY=1TH"],
        "guestsCanModify": agenda.rng.random() < 0.3,
    }
    agenda.add(calendar, leader, f"{group.name} monthly review", review, 60, guests=guests, **monthly)
    if group.department in ("Engineering", "Security"):
        rules = ["RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "EXDATE;VALUE=DATE:20251225,20251226,20260101"]
        morning = datetime(2025, 12, 1, 9, 15)
        agenda.add(calendar, leader, f"{group.name} stand-up", morning, 15, guests=guests, rules=rules)


def _first_day(rhythm: str) -> datetime:
    """Return the first day of a rhythm, five weeks before today's."""
    day = next(number for number, name in enumerate(_DAYS) if f"BYDAY={name}" in rhythm)
    return MONDAY - timedelta(weeks=5) + timedelta(days=day)


def _book_room(agenda: Agenda, event_id: str, person: Person) -> None:
    """Book a room of the organizer's city, whether it is free or not."""
    near = [name for name, _, _ in ROOMS if name.startswith(_NEAR[person.site.city])]
    agenda.invite(
        event_id, room_id(agenda.rng.choice(near)), agenda.rng.choice(("accepted",) * 5 + ("declined",))
    )


def _add_one_to_ones(agenda: Agenda, corvane: Company) -> None:
    """Add talks of managers with their people, some of whom have left."""
    rng = agenda.rng
    for person in corvane.people:
        if not person.manager or rng.random() < 0.45:
            continue
        head = corvane.person(person.manager)
        start = MONDAY - timedelta(days=28 - rng.randrange(5)) + timedelta(hours=rng.randint(9, 16))
        rules = [f"RRULE:FREQ=WEEKLY;INTERVAL={rng.choice((1, 2))}"]
        title = f"1:1 {head.first_name} / {person.first_name}"
        agenda.add(
            main_calendar(user_id(head)), user_id(head), title, start, 30,
            guests=[(user_id(person), "accepted")], rules=rules,
            visibility=rng.choice(("default", "default", "private")),
        )  # fmt: skip


def _add_single_meetings(agenda: Agenda, corvane: Company) -> None:
    """Add meetings of the weeks around today, many of them on top of one another."""
    rng = agenda.rng
    active, gone = ([p for p in corvane.people if p.active is here] for here in (True, False))
    for number in range(190):
        organizer = rng.choice(active if number % 17 else gone)
        week = timedelta(weeks=rng.choice((-2, -1, 0, 0, 0, 1, 1, 2, 3)), days=rng.randrange(5))
        start = MONDAY + week + timedelta(hours=rng.choice(_HOURS), minutes=rng.choice((0, 0, 30)))
        others = rng.sample([p for p in active if p != organizer], rng.randint(1, 5))
        title = rng.choice(_TITLES)
        event_id = agenda.add(
            main_calendar(user_id(organizer)), user_id(organizer), title, start,
            rng.choice((30, 30, 45, 60, 90)), guests=[(user_id(organizer), "accepted")],
            color_id=rng.choice((None, None, "5", "7", "11")),
            description=f"{title}, asked for by {rng.choice(others).name}.",
            status=rng.choice(("confirmed",) * 9 + ("tentative", "cancelled")),
            visibility=rng.choice(("default",) * 8 + ("private", "confidential")),
            transparency="transparent" if rng.random() < 0.06 else "opaque",
        )  # fmt: skip
        for person in others:
            answer = rng.choice(_ANSWERS)
            words = rng.choice(_DECLINED) if answer == "declined" else None
            agenda.invite(event_id, user_id(person), answer, words)
        _add_parts(agenda, event_id, organizer, title, number)


def _add_parts(agenda: Agenda, event_id: str, organizer: Person, title: str, number: int) -> None:
    """Add rooms, reminders, files, calls and properties, each to some events."""
    rng, key = agenda.rng, {"event_id": event_id}
    if number % 3 == 0:
        _book_room(agenda, event_id, organizer)
    if number % 4 == 0:
        minutes = rng.choice((5, 10, 15))
        agenda.attach("reminders", "id", **key, method="popup", minutes=minutes, use_default=False)
    if number % 7 == 0:
        slug = "-".join(title.lower().replace(":", "").replace("/", " ").split())
        url = f"https://drive.corvane.example/files/{slug}-{number}"
        agenda.attach("attachments", "attachment_id", **key, file_url=url)
    if number % 5 == 0:
        _add_call(agenda, event_id)
    if number % 11 == 0:
        properties = json.dumps({"costCentre": f"CC-{rng.randint(100, 140)}"})
        agenda.attach("extended_properties", "id", **key, scope="shared", properties=properties)


def _add_call(agenda: Agenda, event_id: str) -> None:
    """Add a video call to the event that was added last."""
    letters = "".join(agenda.rng.choice("abcdefghijkmnopqrstuvwxyz") for _ in range(10))
    code = f"{letters[:3]}-{letters[3:7]}-{letters[7:]}"
    link = f"https://meet.google.com/{code}"
    entry = {"entryPointType": "video", "uri": link, "meetingCode": code}
    row = {
        "id": code, "event_id": event_id, "solution_type": "hangoutsMeet", "request_id": f"req-{code}",
        "create_solution_type": "hangoutsMeet", "status_code": "success", "entry_points": json.dumps([entry]),
        "meeting_uri": link,
    }  # fmt: skip
    agenda.rows["conference_data"].append(row)
    agenda.rows["events"][-1] = {**agenda.rows["events"][-1], "hangoutLink": link}
