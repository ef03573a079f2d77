"""What is no meeting: leave, focus time, places of work, holidays, releases, birthdays."""

import json
from datetime import datetime, timedelta
from typing import Any

from eops_traj.gym.company.company import Company, Person
from eops_traj.gym.servers.calendar.seed_directory import primary, user_id
from eops_traj.gym.servers.calendar.seed_events import MONDAY, Agenda

_HOLIDAYS = (("New Year's Day", -4), ("Founders' Day", 32), ("Spring closing", 74))  # days from today
_GATHERINGS = (  # title, days from today, hour
    ("All hands", 10, 15), ("All hands: questions and answers", 11, 15), ("Product showcase", 24, 14),
    ("New joiners' lunch", 9, 12),
)  # fmt: skip
_ON_LEAVE = {"autoDeclineMode": "declineAllConflictingInvitations", "declineMessage": "I am on leave."}
_FOCUSED = {"autoDeclineMode": "declineOnlyNewConflictingInvitations", "chatStatus": "doNotDisturb"}


def add(found: Agenda, corvane: Company) -> None:
    """All of it."""
    here = [p for p in corvane.people if p.active]
    for person in found.rng.sample(here, 12):
        _leave(found, person)
    for person in found.rng.sample([p for p in here if p.role == "employee"], 9):
        _focus(found, person)
    for number, person in enumerate(found.rng.sample(here, 14)):
        _working_place(found, person, number)
    for person in found.rng.sample(here, 8):
        _birthday(found, person)
    _for_everyone(found, corvane, here)
    _of_the_board(found, corvane)


def _leave(found: Agenda, person: Person) -> None:
    mine, start = user_id(person), MONDAY + timedelta(days=found.rng.randrange(-10, 30))
    own: dict[str, Any] = {"eventType": "outOfOffice", "outOfOfficeProperties": json.dumps(_ON_LEAVE)}
    found.add(primary(mine), mine, "Out of office", start, days=found.rng.randint(1, 6), **own)


def _focus(found: Agenda, person: Person) -> None:
    mine, days = user_id(person), timedelta(days=found.rng.randrange(5) - 21)
    start = MONDAY + days + timedelta(hours=found.rng.choice((9, 13)))
    own: dict[str, Any] = {"eventType": "focusTime", "focusTimeProperties": json.dumps(_FOCUSED)}
    found.add(primary(mine), mine, "Focus time", start, 120, rules=["RRULE:FREQ=WEEKLY;COUNT=12"], **own)


def _working_place(found: Agenda, person: Person, number: int) -> None:
    mine, at_home = user_id(person), number % 2 == 0
    own: dict[str, Any] = {
        "eventType": "workingLocation",
        "transparency": "transparent",
        "visibility": "public",
    }
    title, day = "Home" if at_home else person.site.name, MONDAY + timedelta(days=number % 5)
    event_id = found.add(primary(mine), mine, title, day, **own)
    desk = None if at_home else found.uuid()
    if desk:
        place = {"id": desk, "buildingId": person.site.name, "deskId": f"D-{100 + number}"}
        place |= {"floorId": str(1 + number % 4), "floorSectionId": "north", "label": person.site.name}
        found.rows["office_locations"].append(place)
    kind = "homeOffice" if at_home else "officeLocation"
    columns = {"event_id": event_id, "type": kind, "officeLocationId": desk}
    found.attach("working_location_properties", "working_location_id", **columns)


def _birthday(found: Agenda, person: Person) -> None:
    mine, born = user_id(person), datetime(2025, found.rng.randint(1, 12), found.rng.randint(1, 28))
    own: dict[str, Any] = {"eventType": "birthday", "transparency": "transparent", "visibility": "private"}
    title = f"{person.first_name}'s birthday"
    event_id = found.add(primary(mine), mine, title, born, rules=["RRULE:FREQ=YEARLY"], **own)
    found.attach("birthday_properties", "id", event_id=event_id, type="birthday")


def _for_everyone(found: Agenda, corvane: Company, here: list[Person]) -> None:
    """Holidays, what the whole company is invited to, and the dates of releases."""
    hr, marketing = (user_id(corvane.of(name)[0]) for name in ("Human Resources", "Marketing"))
    open_to_all: dict[str, Any] = {"visibility": "public"}
    for title, days in _HOLIDAYS:
        day = MONDAY + timedelta(days=days)
        found.add("company-holidays", hr, title, day, transparency="transparent", **open_to_all)
    for title, days, hour in _GATHERINGS:
        guests = [
            (user_id(p), found.rng.choice(("accepted", "needsAction"))) for p in found.rng.sample(here, 14)
        ]
        start = MONDAY + timedelta(days=days, hours=hour)
        found.add("company-events", marketing, title, start, 60, guests=guests, **open_to_all)
    board = next(group for group in corvane.groups if group.name == "Release Board")
    release = user_id(corvane.person(board.manager))
    for number in range(6):
        title = f"Release 26.{1 + number // 2}{' hotfix' * (number % 2)}"
        found.add("release-calendar", release, title, MONDAY + timedelta(days=7 + 9 * number))
    found.add("release-calendar-2025", release, "Release 25.9", datetime(2025, 12, 11))


def _of_the_board(found: Agenda, corvane: Company) -> None:
    """What the chief executive plans with those who report to them."""
    chief = user_id(corvane.person(1))
    heads = [user_id(p) for p in corvane.people if p.manager == 1]
    guests = [(who, found.rng.choice(("accepted", "accepted", "needsAction", "declined"))) for who in heads]
    meeting, dinner = MONDAY + timedelta(days=8, hours=10), MONDAY + timedelta(days=8, hours=19)
    rules = ["RRULE:FREQ=MONTHLY;BYDAY=2TU"]
    found.add("board-calendar", chief, "Board meeting", meeting, 120, guests=guests, rules=rules)
    own: dict[str, Any] = {"guestsCanSeeOtherGuests": False, "location": "The Old Customs House"}
    found.add(primary(chief), chief, "Board dinner", dinner, 150, guests=guests[:6], **own)
    tomorrow = meeting + timedelta(days=1)
    found.add("board-calendar", chief, "Succession", tomorrow, 60, visibility="confidential")
