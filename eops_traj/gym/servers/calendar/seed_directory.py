"""The directory of the seeded company: people and rooms, their calendars, access rules and settings."""

from collections.abc import Iterator
from random import Random

from eops_traj.gym.company.company import Company, Group, Person
from eops_traj.gym.engine.templates import Row

ROOMS = (  # name, site, seats; two pairs are easily confused
    ("Hudson", 0, 12), ("Hudson East", 0, 4), ("Battery", 0, 8), ("Thames", 1, 10), ("Thames Small", 1, 3),
    ("Ganges", 2, 12), ("Sumida", 3, 6), ("Harbour", 4, 8), ("Depot Office", 5, 4), ("Riverside Lab", 6, 6),
)  # fmt: skip
CALENDAR_COLORS = (
    "#ac725e", "#d06b64", "#f83a22", "#fa573c", "#ff7537", "#ffad46", "#42d692", "#16a765", "#7bd148",
    "#b3dc6c", "#fbe983", "#fad165", "#92e1c0", "#9fe1e7", "#9fc6e7", "#4986e7", "#9a9cff", "#b99aff",
    "#c2c2c2", "#cabdbf", "#cca6ac", "#f691b2", "#cd74e6", "#a47ae2",
)  # fmt: skip
EVENT_COLORS = (
    "#a4bdfc", "#7ae7bf", "#dbadff", "#ff887c", "#fbd75b", "#ffb878", "#46d6db", "#e1e1e1", "#5484ed",
    "#51b749", "#dc2127",
)  # fmt: skip
CREATED = "2025-08-18 07:30:00.000000"
_STAMPS = {"created_at": CREATED, "updated_at": CREATED}
_RESERVED = ("Executive", "Human Resources", "Finance", "Legal")  # who show their colleagues busy times only
_ADMINISTERED = ("company-", "release-", "team-", "room_")
_EXTRA_RULES = (
    ("company-holidays", "domain", "reader"), ("company-events", "domain", "reader"),
    ("company-events", "everybody", "freeBusyReader"), ("release-calendar", "domain", "freeBusyReader"),
    ("board-calendar", "team-finance-approvals", "reader"),
)  # fmt: skip
_PERSONAL = (("Interviews", "Candidates I talk to."), ("Travel", "Where I am when I am not here."),
             ("Interview Panel", "Panels, by quarter."))  # fmt: skip


def user_id(person: Person) -> str:
    """Return the id of a person's account."""
    return person.user_name.replace(".", "_")


def room_id(name: str) -> str:
    """Return the id of a room's account."""
    return f"room_{name.lower().replace(' ', '_')}"


def main_calendar(account: str) -> str:
    """Return the id of the main calendar of an account."""
    return f"{account}-primary"


def team_calendar(group: Group) -> str:
    """Return the id of a group's calendar."""
    return f"team-{group.name.lower().replace(' ', '-')}"


def administrator(corvane: Company) -> Person:
    """Return who manages rooms and shared calendars, and is the caller where a call names none."""
    return next(p for p in corvane.people if p.active and p.role == "admin")


def colors() -> Iterator[Row]:
    """Yield the palette: calendar colours first, so that event colours find the row of their number."""
    palette = [("CALENDAR", n, c) for n, c in enumerate(CALENDAR_COLORS, 1)]
    palette += [("EVENT", n, c) for n, c in enumerate(EVENT_COLORS, 1)]
    for row, (kind, number, color) in enumerate(palette, 1):
        yield {"id": row, "color_id": str(number), "color_type": kind, "background": color,
               "foreground": "#1d1d1d"} | _STAMPS  # fmt: skip


def users(rng: Random, corvane: Company) -> Iterator[Row]:
    """Yield an account for every person, those who left included, and every room; the administrator first."""
    for person in sorted(corvane.people, key=lambda p: p != administrator(corvane)):
        login = None if person.left else f"2026-01-0{rng.randint(1, 4)} {rng.randint(7, 18):02}:15:00.000000"
        yield _account(
            rng, user_id(person), person.email, person.name, person.first_name, person.last_name,
            person.site.timezone, person.active, login,
        )  # fmt: skip
    for name, site, seats in ROOMS:
        zone = corvane.sites[site].timezone
        email = f"{room_id(name).replace('_', '-')}@rooms.{corvane.domain}"
        title = f"{name} ({corvane.sites[site].city}, {seats} seats)"
        yield _account(rng, room_id(name), email, title, None, None, zone, name != "Depot Office", None)


def _account(
    rng: Random, account: str, email: str, name: str, given_name: str | None,
    family_name: str | None, zone: str, active: bool, login: str | None,
) -> Row:  # fmt: skip
    return {
        "user_id": account, "email": email, "name": name, "given_name": given_name,
        "family_name": family_name, "locale": "en", "timezone": zone, "is_active": active,
        "is_verified": given_name is not None,
        "provider": "corvane-sso" if given_name else "resource",
        "static_token": f"ya29.{rng.getrandbits(160):040x}", "last_login_at": login,
    } | _STAMPS  # fmt: skip


def scopes(corvane: Company) -> Iterator[Row]:
    """Yield scopes for everyone, the domain, and each group and account."""
    yield {"id": "scope-everybody", "type": "default", "value": "public"}
    yield {"id": "scope-domain", "type": "domain", "value": corvane.domain}
    for group in corvane.groups:
        yield {"id": f"scope-{team_calendar(group)}", "type": "group", "value": group.email}
    for account, email in accounts(corvane):
        yield {"id": f"scope-{account}", "type": "user", "value": email}


def accounts(corvane: Company) -> Iterator[tuple[str, str]]:
    """Yield every account with its address."""
    for person in corvane.people:
        yield user_id(person), person.email
    for name, _, _ in ROOMS:
        yield room_id(name), f"{room_id(name).replace('_', '-')}@rooms.{corvane.domain}"


def calendars(rng: Random, corvane: Company) -> Iterator[Row]:
    """Yield calendars of the company, of each team and of each account, and some personal ones."""
    for calendar, head, summary, words in _shared_calendars(corvane):
        yield _calendar(calendar, user_id(head), summary, words, head.site.timezone, color=16)
    for group in corvane.groups:
        head = corvane.person(group.manager)
        columns = (
            team_calendar(group),
            user_id(head),
            f"{group.name} Team",
            group.description,
            head.site.timezone,
        )
        yield _calendar(*columns, color=1 + rng.randrange(24))
    for name, site, seats in ROOMS:
        room, words = room_id(name), f"Bookings of a room with {seats} seats"
        zone = corvane.sites[site].timezone
        yield _calendar(main_calendar(room), room, f"Room {name}", words, zone, main=True, color=19)
    for person in corvane.people:
        account, words = user_id(person), f"Main calendar of {person.name}, {person.title}"
        zone, color = person.site.timezone, 1 + person.number % 24
        yield _calendar(main_calendar(account), account, person.name, words, zone, main=True, color=color)
    yield from _personal_calendars(corvane)


def _shared_calendars(corvane: Company) -> list[tuple[str, Person, str, str]]:
    hr, marketing = corvane.of("Human Resources")[0], corvane.of("Marketing")[0]
    release = corvane.person(next(g.manager for g in corvane.groups if g.name == "Release Board"))
    return [
        ("board-calendar", corvane.person(1), "Board", "When the board meets, and over what."),
        ("company-holidays", hr, "Company Holidays", "Days on which offices are closed."),
        ("company-events", marketing, "Company Events", "What everyone may join."),
        ("release-calendar", release, "Release Calendar", "When what goes out."),
        ("release-calendar-2025", release, "Release Calendar 2025", "Kept for the record."),
    ]


def _personal_calendars(corvane: Company) -> Iterator[Row]:
    for index, person in enumerate(p for p in corvane.people if p.role == "manager" and p.active):
        if index % 3 == 0:
            summary, words = _PERSONAL[index // 3 % 3]
            calendar = f"{user_id(person)}-{summary.lower().replace(' ', '-')}"
            row = _calendar(calendar, user_id(person), summary, words, person.site.timezone, color=7)
            yield {**row, "hidden": index % 6 == 3, "selected": index % 6 != 3, "deleted": index % 12 == 6}


def _calendar(
    calendar: str, owner: str, summary: str, words: str, zone: str, main: bool = False, color: int = 1
) -> Row:
    reminders = '[{"method": "popup", "minutes": 10}]' if main and not owner.startswith("room_") else None
    return {
        "calendar_id": calendar, "user_id": owner, "summary": summary, "description": words,
        "time_zone": zone, "conference_properties": '{"allowedConferenceSolutionTypes": ["hangoutsMeet"]}',
        "is_primary": main, "color_id": str(color), "background_color": CALENDAR_COLORS[color - 1],
        "foreground_color": "#1d1d1d", "default_reminders": reminders,
        "hidden": False, "selected": True, "deleted": calendar == "release-calendar-2025",
    } | _STAMPS  # fmt: skip


def rules(corvane: Company, rows: list[Row]) -> Iterator[Row]:
    """Yield rules: owners own; the administrator has what is shared; others have what they need."""
    owners = {row["calendar_id"]: row["user_id"] for row in rows}
    reserved = {user_id(p) for p in corvane.people if p.department in _RESERVED}
    for calendar, owner in owners.items():
        yield _rule(calendar, owner, owner, "owner")
        if calendar == main_calendar(owner):
            yield _rule(calendar, owner, "domain", "freeBusyReader" if owner in reserved else "reader")
        if calendar.startswith(_ADMINISTERED) and owner != user_id(administrator(corvane)):
            yield _rule(calendar, owner, user_id(administrator(corvane)), "owner")
    yield from _rules_of_people(corvane)
    yield from _rules_of_teams(corvane)
    for calendar, account, role in _EXTRA_RULES:
        yield _rule(calendar, owners[calendar], account, role)
    yield _rule("board-calendar", owners["board-calendar"], user_id(corvane.person(2)), "writer")


def _rules_of_people(corvane: Company) -> Iterator[Row]:
    """Yield rules: managers read the calendars of their people; assistants write for whom they assist."""
    for person in corvane.people:
        if not person.manager:
            continue
        boss, own = user_id(corvane.person(person.manager)), user_id(person)
        if "Assistant" in person.title:
            yield _rule(main_calendar(boss), boss, own, "writer")
        else:
            yield _rule(main_calendar(own), own, boss, "reader")


def _rules_of_teams(corvane: Company) -> Iterator[Row]:
    """Yield rules: a team reads its calendar, and one member beside the manager writes there."""
    admin = user_id(administrator(corvane))
    for group in corvane.groups:
        owner = user_id(corvane.person(group.manager))
        yield _rule(team_calendar(group), owner, team_calendar(group), "reader")
        members = [user_id(corvane.person(n)) for n in group.members if n != group.manager]
        for index, member in enumerate(m for m in members if m != admin):
            yield _rule(team_calendar(group), owner, member, "reader" if index else "writer")


def _rule(calendar: str, setter: str, account: str, role: str) -> Row:
    rule = f"acl-{calendar}" if account == setter else f"acl-{calendar}-{account}"
    return {"id": rule, "calendar_id": calendar, "user_id": setter, "scope_id": f"scope-{account}",
            "role": role, "etag": f'"{rule}"'} | _STAMPS  # fmt: skip


def settings(rng: Random, corvane: Company) -> Iterator[Row]:
    """Yield a handful of settings for each person who is active."""
    for person in (p for p in corvane.people if p.active):
        american = person.site.country == "USA"
        values = {
            "timezone": person.site.timezone, "locale": "en", "weekStart": "0" if american else "1",
            "format24HourTime": "false" if american else "true",
            "defaultEventLength": rng.choice(("30", "30", "60")),
        }  # fmt: skip
        for name, value in values.items():
            setting = f"{user_id(person)}_{name}"
            yield {"id": setting, "value": value, "etag": f'"{setting}"', "user_id": user_id(person)}


def channels(corvane: Company) -> Iterator[Row]:
    """Yield channels that notify of changes: some are open, one has run out, one was closed."""
    for number, group in enumerate(corvane.groups[:4]):
        owner = user_id(corvane.person(group.manager))
        calendar = team_calendar(group)
        yield {
            "id": f"channel-{calendar}", "resource_id": f"acl-{calendar}-{number:08x}",
            "resource_uri": f"/calendars/{calendar}/acl", "resource_type": "acl",
            "calendar_id": calendar, "user_id": owner,
            "webhook_address": f"https://hooks.{corvane.domain}/calendar/{calendar}",
            "webhook_token": f"hook-{number}", "webhook_type": "web_hook",
            "created_at": "2026-01-04 09:00:00.000000",
            "expires_at": f"2026-01-{5 if number == 2 else 9:02} 08:00:00.000000",
            "is_active": "false" if number == 3 else "true", "notification_count": number,
        }  # fmt: skip
