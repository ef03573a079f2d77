"""Scenarios about meetings that are planned already: another time, other guests, another room."""

from typing import Any

from eops_traj.taskgen.dates import Day
from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import Found
from eops_traj.taskgen.scenarios.calendar.lookups import (
    OWN_MEETINGS,
    PEOPLE,
    ROOMS,
    Slot,
    a_slot,
    colleagues,
    day_of,
    guest,
    guests_of,
    listed,
    meeting,
    my_zone,
    need_free,
    need_open,
    open_day,
    room,
    room_address,
)
from eops_traj.taskgen.scenarios.calendar.mishaps import close, double, leave, occupy
from eops_traj.taskgen.scene import Row, Scene

_MINE = (
    f"SELECT u.* FROM ({PEOPLE}) u WHERE EXISTS (SELECT 1 FROM ({OWN_MEETINGS}) k WHERE k.email = u.email)"
)
_REASONS = (
    "something came up with a customer", "the numbers will not be ready before then",
    "I have to be elsewhere that day",
    "half of us would come straight from another meeting", "the auditors want the room and me",
    "it clashes with what the board has planned",
)  # fmt: skip
_AGENDAS = (
    "First the open points, then the plan for February.", "Please bring your list of open questions.",
    "We go through the figures line by line.", "Half of the time is for questions.",
    "We decide at the end, so read the paper before.",
)  # fmt: skip


def _event(s: Scene, chained: bool = False) -> tuple[Row, list[Row]]:
    """A meeting of the caller's, or the one that was handed on; and its guests."""
    given = s.handed.get("event") if chained else None
    if given:
        wanted = given.record["id"].value
        found = s.rows(
            "SELECT e.*, u.timezone FROM events e JOIN users u USING (user_id) WHERE event_id = :id",
            id=wanted,
        )
        event = found[0]
    else:
        event = s.pick(f"SELECT * FROM ({OWN_MEETINGS}) WHERE email = :me", me=s.speaker["email"])
    return event, guests_of(s, event["event_id"])


def _length(event: Row) -> int:
    start, end = (int(event[f"{which}_datetime"][11:13]) * 60 + int(event[f"{which}_datetime"][14:16])
                  for which in ("start", "end"))  # fmt: skip
    return end - start


@family("calendar", twists=("policy_forbids", "two_namesakes", "impossible_date", "no_right"), takes="event")
def move_meeting(s: Scene) -> None:
    """Meetings get another time, at which all who have to come are free."""
    me = s.caller(_MINE)
    event, guests = _event(s, chained=True)
    given = s.given("event")
    on, day = day_of(s, event), open_day(s, 2, 18)
    slot = a_slot(s, [me["email"], *_needed(s, guests)], day.date, me["timezone"], _length(event))
    second = _second(s, event, slot) if s.chance(0.8) else None
    reason, agenda = s.rng.choice(_REASONS), s.rng.choice(_AGENDAS)
    noted, renamed, watched = s.chance(0.6), s.chance(0.4), s.chance(0.5)
    title = f"{event['summary']} (new date)"
    s.twist("policy_forbids", "UPDATE events SET locked = 1 WHERE event_id = :id", id=event["event_id"])
    if not given:
        double(s, event, *([second[0]] if second else []))
    other = s.pick(f"""{PEOPLE} AND u.email <> :me AND u.user_id NOT IN (SELECT user_id FROM attendees WHERE
        event_id = :id)""", me=me["email"], id=event["event_id"])  # fmt: skip
    s.twist(
        "no_right", """UPDATE events SET calendar_id = :who || '-primary', user_id = :who, organizer_id =
            :who, organizer_email = :email, organizer_display_name = :name WHERE event_id = :id""",
        who=other["user_id"], email=other["email"], name=other["name"], id=event["event_id"],
    )  # fmt: skip
    close(s, day.iso)
    s.ask(
        """{what} cannot stay where it is, because {reason}. Move it to {day}, {time} my time, as long as
        before. {noted} {renamed} {watched} {also}""",
        """please put {what} off to {day} at {time} on my clock; it takes as long as planned. Everybody who
        has to be there should be free then, so do look. {watched} {noted} {renamed} By the way, {reason}.
        {also}""",
        """{reason}. That hits {what}, which should be {day} from {time} my time instead, for the same length.
        {renamed} {noted} {watched} Tell the guests, of course. {also}""",
        """new time for {what}: {day}, {time} as my clock has it. The length does not change, nor do the
        guests. {noted} {watched} {renamed} The reason is that {reason}. {also}""",
        """could you move something for me? It is {what}. {day} at {time} my time would be right, if those who
        must come are free, for as long as it was going to be. {renamed} {watched} {noted} {also}""",
        """I am sorry to do this to everyone, but {reason}, and so {what} has to go to {day}, {time} where I
        am. It lasts as long as before. {watched} {renamed} {noted} {also}""",
        what=given.words if given else f'my meeting "{event["summary"]}" {on}', day=day, time=slot.words,
        reason=reason,
        noted=f'As its description put "{agenda}"' if noted else "",
        renamed=f'Call it "{title}" from now on.' if renamed else "",
        watched="The only reminder should be one by e-mail, an hour ahead." if watched else "",
        also=f'And my "{second[0]["summary"]}" {second[1]} goes to {second[2]}, {second[3].words}.'
        if second else "",
    )  # fmt: skip
    found = given.record if given else _mine(s, event, on)
    zone = my_zone(s)
    next_one = _mine(s, second[0], second[1]) if second else None
    _free_for(s, found, guests, slot, zone)
    if second and next_one:
        _free_for(s, next_one, guests_of(s, second[0]["event_id"]), second[3], zone)
    more: dict[str, Any] = {"description": agenda} if noted else {}
    more |= {"summary": title} if renamed else {}
    if watched:
        more["reminders"] = {"useDefault": False, "overrides": [{"method": "email", "minutes": 60}]}
    s.do("patch_event", f"move {event['summary']}", calendarId="primary", eventId=found["id"],
         **slot.given(zone), sendUpdates="all", **more)  # fmt: skip
    if second and next_one:
        s.do("patch_event", f"move {second[0]['summary']}", calendarId="primary", eventId=next_one["id"],
             **second[3].given(zone), sendUpdates="all")  # fmt: skip
    s.rule(
        "All the guests are still invited to what was moved",
        """SELECT COUNT(*) FROM events e JOIN attendees a ON a.event_id = e.event_id WHERE e.summary = :title
        AND e.organizer_email = :me AND e.start_datetime = :start AND e.status = 'confirmed'""",
        expected=len(guests), title=title if renamed else event["summary"], me=me["email"],
        start=slot.start.replace("T", " ") + ".000000",
    )  # fmt: skip


def _needed(s: Scene, guests: list[Row]) -> list[str]:
    """The addresses of the guests without whom it does not go on."""
    return [g["email"] for g in guests if not g["optional"] and g["email"] != s.speaker["email"]]


def _second(s: Scene, first: Row, taken: Slot) -> tuple[Row, Day, Day, Slot] | None:
    """Another meeting of the caller's with its day, and another day and time for it."""
    found = s.rows(f"SELECT * FROM ({OWN_MEETINGS}) WHERE email = :me", me=s.speaker["email"])
    found = [e for e in found if e["event_id"] != first["event_id"]]
    if not found:
        return None
    event, day = s.rng.choice(found), open_day(s, 2, 18)
    if day.date == taken.day:
        return None
    who = [s.speaker["email"], *_needed(s, guests_of(s, event["event_id"]))]
    return event, day_of(s, event), day, a_slot(s, who, day.date, s.speaker["timezone"], _length(event))


def _mine(s: Scene, event: Row, on: Day) -> Found:
    """A meeting that the caller organizes and may move."""
    found = meeting(s, event["summary"], on, f"{event['summary']}, which moves")
    shown = s.do("get_event", "whether it may be moved", calendarId="primary", eventId=found["id"])
    s.require(
        shown["organizer"]["email"], "==", s.speaker["email"], f"somebody else organizes {event['summary']}"
    )
    s.require(shown["locked"], "==", False, f"{event['summary']} is locked")
    return shown


def _free_for(s: Scene, found: Found, guests: list[Row], slot: Slot, zone: Found) -> None:
    """The new time of a meeting has to be on an open day, and free for those who have to come."""
    need_open(s, slot.day)
    asked: list[tuple[str, Any]] = [("you", s.speaker["email"])]
    needed = _needed(s, guests)
    asked += [
        (g["name"], found["attendees"].where(email=g["email"])["email"])
        for g in guests
        if g["email"] in needed
    ]
    need_free(s, asked, slot, zone)


@family("calendar", twists=("inactive_person", "two_namesakes", "policy_forbids"), takes="event")
def refit_meeting(s: Scene) -> None:
    """A meeting gets more guests, and a room that is large enough."""
    me = s.caller(_MINE)
    event, guests = _event(s, chained=True)
    given = s.given("event")
    on, zone = day_of(s, event), me["timezone"]
    slot = Slot(
        on.date,
        int(event["start_datetime"][11:13]) * 60 + int(event["start_datetime"][14:16]),
        _length(event),
    )
    known = [g["email"] for g in guests]
    free = [p for p in colleagues(s, 12, None, *known) if _is_free(s, p["email"], slot, zone)]
    if not free:
        raise NoMatch("nobody else is free")
    people = free[: s.rng.choice((1, 2, 2, 3))]
    rooms = [(name, slug) for name, _, slug in ROOMS[zone] if room_address(slug) not in known]
    rooms = [r for r in rooms if _is_free(s, room_address(r[1]), slot, zone)]
    place = s.rng.choice(rooms) if rooms else None
    agenda, noted, optional = s.rng.choice(_AGENDAS), s.chance(0.6), s.chance(0.4)
    old = [g for g in guests if g["resource"]]
    leave(s, people[-1])
    if not given:
        double(s, event)
    occupy(s, people[0], slot, zone)
    s.ask(
        """more people want to come to {what}: {people}. {optional} Put them on the list with the others, and
        {room} {noted}""",
        """please extend {what}. I would like to add {people}, if they are free. {noted} And {room}
        {optional}""",
        """{what} has turned out to be more important than I thought. {people} should be there as well, next
        to everybody who is invited already. {optional} For the place: {room} {noted}""",
        """two changes to {what}. One, the guests: add {people}. Two, the place: {room} {noted} {optional} The
        time stays, so they have to be free then.""",
        """could you invite {people} to {what}, too? Those who are on it stay on it. {optional} {noted} While
        you are there, {room}""",
        """I forgot somebody when I planned {what}, namely {people}. Please see that they get the invitation,
        provided that they have nothing else. Also, {room} {noted} {optional}""",
        what=given.words if given else f'my "{event["summary"]}" {on}', people=listed(people),
        room=f"take the room {place[0]} for it" + (", not the one that it has now." if old else ".") if place
        else "leave it where it is.",
        noted=f'The description should read "{agenda}"' if noted else "",
        optional=f"{people[0]['name']} need not come if it does not suit." if optional else "",
    )  # fmt: skip
    if given:
        found = given.record
    else:
        listed_one = meeting(s, event["summary"], on, "the meeting to change")
        found = s.do("get_event", "who is on it so far", calendarId="primary", eventId=listed_one["id"])
    zone_found = my_zone(s)
    accounts = [guest(s, person) for person in people]
    where = room(s, *place) if place else None
    asked: list[tuple[str, Any]] = [(p["name"], a["email"]) for p, a in zip(people, accounts, strict=True)]
    asked += [(f"the room {place[0]}", where["email"])] if place and where else []
    need_free(s, asked, slot, zone_found)
    stay = [g for g in guests if not (g["resource"] and where)]
    kept = [{"email": found["attendees"].where(email=g["email"])["email"]} for g in stay]
    new = [
        {"email": a["email"]} | ({"optional": True} if optional and not n else {})
        for n, a in enumerate(accounts)
    ]
    s.do("patch_event", f"who comes to {event['summary']}, and where", calendarId="primary",
         eventId=found["id"],
         attendees=[*kept, *new, *([{"email": where["email"], "resource": True}] if where else [])],
         sendUpdates="all",
         **({"description": agenda} if noted else {}))  # fmt: skip
    s.rule(
        "The meeting has one room at most, and everyone who was invited before is still invited",
        """SELECT COUNT(*) || ' guests, rooms: ' || SUM(a.resource) FROM events e
        JOIN attendees a ON a.event_id = e.event_id WHERE e.summary = :title AND e.organizer_email = :me
        AND e.start_datetime = :start""",
        expected=f"{len(kept) + len(new) + bool(where)} guests, rooms: {int(bool(where or old))}",
        title=event["summary"], me=me["email"],
        start=slot.start.replace("T", " ") + ".000000",
    )  # fmt: skip


def _is_free(s: Scene, address: str, slot: Slot, zone: str) -> bool:
    told = s.peek(
        "query_freebusy", timeMin=slot.start, timeMax=slot.end, timeZone=zone, items=[{"id": address}]
    )
    return not told["calendars"][address]["busy"]
