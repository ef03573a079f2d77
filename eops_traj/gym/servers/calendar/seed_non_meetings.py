"""Events other than meetings: leave, focus time, places of work, holidays, releases, birthdays."""

import json
from datetime import datetime, timedelta
from typing import Any

from eops_traj.gym.company.company import Company, Person
from eops_traj.gym.servers.calendar.seed_directory import main_calendar, user_id
from eops_traj.gym.servers.calendar.seed_events import MONDAY, Agenda

_HOLIDAYS = (("New Year's Day", -4), ("Founders' Day", 32), ("Spring closing", 74))  # days from today
_GATHERINGS = (  # title, days from today, hour
    ("All hands", 10, 15), ("All hands: questions and answers", 11, 15), ("Product showcase", 24, 14),
    ("New joiners' lunch", 9, 12),
)  # fmt: skip
_ON_LEAVE = {"autoDeclineMode": "declineAllConflictingInvitations", "declineMessage": "I am on leave."}
_FOCUSED = {"autoDeclineMode": "declineOnlyNewConflictingInvitations", "chatStatus": "doNotDisturb"}


def add_non_meetings(agenda: Agenda, corvane: Company) -> None:
    """Add all of these events."""
    active = [p for p in corvane.people if p.active]
    for person in agenda.rng.sample(active, 12):
        _add_leave(agenda, person)
    for person in agenda.rng.sample([p for p in active if p.role == "employee"], 9):
        _add_focus_time(agenda, person)
    for number, person in enumerate(agenda.rng.sample(active, 14)):
        _add_working_location(agenda, person, number)
    for person in agenda.rng.sample(active, 8):
        _add_birthday(agenda, person)
    _add_company_events(agenda, corvane, active)
    _add_board_events(agenda, corvane)


def _add_leave(agenda: Agenda, person: Person) -> None:
    account, start = user_id(person), MONDAY + timedelta(days=agenda.rng.randrange(-10, 30))
    own: dict[str, Any] = {"eventType": "outOfOffice", "outOfOfficeProperties": json.dumps(_ON_LEAVE)}
    agenda.add(main_calendar(account), account, "Out of office", start, days=agenda.rng.randint(1, 6), **own)


def _add_focus_time(agenda: Agenda, person: Person) -> None:
    account, days = user_id(person), timedelta(days=agenda.rng.randrange(5) - 21)
    start = MONDAY + days + timedelta(hours=agenda.rng.choice((9, 13)))
    own: dict[str, Any] = {"eventType": "focusTime", "focusTimeProperties": json.dumps(_FOCUSED)}
    agenda.add(
        main_calendar(account), account, "Focus time", start, 120, rules=["RRULE:FREQ=WEEKLY;COUNT=12"], **own
    )


def _add_working_location(agenda: Agenda, person: Person, number: int) -> None:
    account, at_home = user_id(person), number % 2 == 0
    own: dict[str, Any] = {
        "eventType": "workingLocation",
        "transparency": "transparent",
        "visibility": "public",
    }
    title, day = "Home" if at_home else person.site.name, MONDAY + timedelta(days=number % 5)
    event_id = agenda.add(main_calendar(account), account, title, day, **own)
    desk = None if at_home else agenda.uuid()
    if desk:
        office = {"id": desk, "buildingId": person.site.name, "deskId": f"D-{100 + number}"}
        office |= {"floorId": str(1 + number % 4), "floorSectionId": "north", "label": person.site.name}
        agenda.rows["office_locations"].append(office)
    kind = "homeOffice" if at_home else "officeLocation"
    columns = {"event_id": event_id, "type": kind, "officeLocationId": desk}
    agenda.attach("working_location_properties", "working_location_id", **columns)


def _add_birthday(agenda: Agenda, person: Person) -> None:
    account, born = user_id(person), datetime(2025, agenda.rng.randint(1, 12), agenda.rng.randint(1, 28))
    own: dict[str, Any] = {"eventType": "birthday", "transparency": "transparent", "visibility": "private"}
    title = f"{person.first_name}'s birthday"
    event_id = agenda.add(main_calendar(account), account, title, born, rules=["RRULE:FREQ=YEARLY"], **own)
    agenda.attach("birthday_properties", "id", event_id=event_id, type="birthday")


def _add_company_events(agenda: Agenda, corvane: Company, active: list[Person]) -> None:
    """Add holidays, what the whole company is invited to, and the dates of releases."""
    hr, marketing = (user_id(corvane.of(name)[0]) for name in ("Human Resources", "Marketing"))
    open_to_all: dict[str, Any] = {"visibility": "public"}
    for title, days in _HOLIDAYS:
        day = MONDAY + timedelta(days=days)
        agenda.add("company-holidays", hr, title, day, transparency="transparent", **open_to_all)
    for title, days, hour in _GATHERINGS:
        guests = [
            (user_id(p), agenda.rng.choice(("accepted", "needsAction")))
            for p in agenda.rng.sample(active, 14)
        ]
        start = MONDAY + timedelta(days=days, hours=hour)
        agenda.add("company-events", marketing, title, start, 60, guests=guests, **open_to_all)
    board = next(group for group in corvane.groups if group.name == "Release Board")
    release = user_id(corvane.person(board.manager))
    for number in range(6):
        title = f"Release 26.{1 + number // 2}{' hotfix' * (number % 2)}"
        agenda.add("release-calendar", release, title, MONDAY + timedelta(days=7 + 9 * number))
    agenda.add("release-calendar-2025", release, "Release 25.9", datetime(2025, 12, 11))


def _add_board_events(agenda: Agenda, corvane: Company) -> None:
    """Add what the chief executive plans with those who report to them."""
    chief = user_id(corvane.person(1))
    heads = [user_id(p) for p in corvane.people if p.manager == 1]
    guests = [(who, agenda.rng.choice(("accepted", "accepted", "needsAction", "declined"))) for who in heads]
    meeting, dinner = MONDAY + timedelta(days=8, hours=10), MONDAY + timedelta(days=8, hours=19)
    rules = ["RRULE:FREQ=MONTHLY;BYDAY=2TU"]
    agenda.add("board-calendar", chief, "Board meeting", meeting, 120, guests=guests, rules=rules)
    own: dict[str, Any] = {"guestsCanSeeOtherGuests": False, "location": "The Old Customs House"}
    agenda.add(main_calendar(chief), chief, "Board dinner", dinner, 150, guests=guests[:6], **own)
    tomorrow = meeting + timedelta(days=1)
    agenda.add("board-calendar", chief, "Succession", tomorrow, 60, visibility="confidential")
