"""Scenarios about new meetings: at a time that is given, or at the first that is free."""

from typing import Any

from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import Found
from eops_traj.taskgen.scenarios.calendar.lookups import (
    PEOPLE,
    ROOMS,
    Slot,
    a_slot,
    colleagues,
    free_slots,
    guest,
    listed,
    my_zone,
    need_free,
    need_open,
    open_day,
    room,
    room_address,
)
from eops_traj.taskgen.scenarios.calendar.mishaps import close, leave, occupy
from eops_traj.taskgen.scene import Row, Scene

TITLES = (
    "Contract walk-through", "Rollout rehearsal", "Pricing round", "Handbook check", "Interview wrap-up",
    "Backlog sorting", "Audit warm-up", "Supplier talk", "Budget questions", "Launch countdown",
    "Lessons learned",
    "Test plan", "Customer feedback", "Site visit prep", "Team charter", "Risk round", "Training needs",
    "Report structure", "Service levels", "Stock count", "Access review", "Migration steps", "Holiday cover",
    "Pilot results", "Tool choice",
)  # fmt: skip
PURPOSES = (
    "we want to settle the open points before they go to the board", "we have to agree on who does what",
    "the figures have changed and everybody should hear it at once",
    "the customer expects an answer by Friday",
    "we never got to it before the holidays", "two of us see it differently and it should not stay so",
)  # fmt: skip
LENGTHS = {30: "half an hour", 45: "45 minutes", 60: "an hour", 90: "an hour and a half"}


@family("calendar", twists=("inactive_person", "policy_forbids", "impossible_date"), gives="event")
def plan_meeting(s: Scene) -> None:
    """A meeting of several people at a time that is given, with a room or a call where it takes one."""
    me = s.caller(PEOPLE)
    zone, near = me["timezone"], s.chance(0.6)
    people = colleagues(s, s.rng.choice((2, 3, 4, 4)), zone if near else None)
    day, minutes, told = open_day(s, 1, 16), s.rng.choice(tuple(LENGTHS)), s.chance(0.7)
    if not told:
        minutes = int(s.peek("get_settings", settingId="defaultEventLength")["value"])
    here = 1 + sum(p["timezone"] == zone for p in people)
    slot = a_slot(s, [me["email"], *(p["email"] for p in people)], day.date, zone, minutes)
    place = _room(s, zone, here, slot) if s.chance(0.7) else None
    far = any(p["timezone"] != zone for p in people)
    title, purpose, number = (
        s.rng.choice(TITLES),
        s.rng.choice(PURPOSES),
        f"VC-{s.rng.randrange(2000, 9999)}",
    )
    leave(s, people[0])
    occupy(s, people[-1], slot, zone)
    close(s, day.iso)
    s.ask(
        """please set up "{title}" for {day} at {time}, my time{length}. The guests are {people}. {room}
        {call} It is needed because {purpose}.""",
        """I have to get some people together: {people}. The meeting is called "{title}", and {day} at {time}
        by my clock would suit me{length}. {call} {room} The reason: {purpose}.""",
        """{purpose}, so let us meet. Title: "{title}". When: {day}, {time} my time{length}. Who, besides me
        as the one who invites: {people}. {room} {call}""",
        """could you invite {people} to "{title}"? It is about this: {purpose}. I thought of {day}, {time}
        where I am{length}. {call} {room}""",
        """{day}, {time} on my calendar{length}: "{title}" with {people}. {room} {call} What for? Well,
        {purpose}. Only if everybody is free then, otherwise leave it.""",
        """a meeting for me to organize, "{title}", and the following should come: {people}. I want it {day}
        at {time} my time{length}, since {purpose}. {room} {call}""",
        title=title, day=day, time=slot.words, purpose=purpose, people=listed(people),
        length=f", for {LENGTHS[minutes]}" if told else "",
        room="We need a room here where I am." if place else "",
        call=f"Not all of us live by the same clock, so there has to be a video call, number {number}."
        if far else "",
    )  # fmt: skip
    _meet(
        s,
        title,
        purpose,
        people,
        slot,
        place,
        None if told else "defaultEventLength",
        number if far else None,
    )
    rule_guests(s, title, people)


@family("calendar", twists=("inactive_person", "policy_forbids", "impossible_date"), gives="event")
def first_free_time(s: Scene) -> None:
    """A meeting at the first time on a day at which everybody is free."""
    me = s.caller(PEOPLE)
    zone = me["timezone"]
    day, minutes, told = open_day(s, 1, 11), s.rng.choice(tuple(LENGTHS)), s.chance(0.7)
    if not told:
        minutes = int(s.peek("get_settings", settingId="defaultEventLength")["value"])
    for _ in range(8):  # best people who are busy in the morning, so that there is something to find
        people = colleagues(s, s.rng.choice((2, 2, 3)), zone)
        slots = free_slots(s, [me["email"], *(p["email"] for p in people)], day.date, zone, minutes)
        if slots and slots[0].minute > 9 * 60:
            break
    if not slots:
        raise NoMatch("nobody has time that day")
    slot = slots[0]
    place = _room(s, zone, 1 + len(people), slot) if s.chance(0.4) else None
    title, purpose = s.rng.choice(TITLES), s.rng.choice(PURPOSES)
    leave(s, people[0])
    occupy(s, people[-1], Slot(day.date, 0, 23 * 60 + 59), zone)
    close(s, day.iso)
    s.ask(
        """find the earliest time {day} at which {people} and I are all free{length}, and plan "{title}" for
        it. It has to be that day, within our working hours. {room} The point is that {purpose}.""",
        """"{title}" should take place {day}, as early in the day as all of us can{length}. With me: {people}.
        {room} If that day does not work, do not take another one. It is because {purpose}.""",
        """when are {people} and I free {day}? Take the first gap in the working day that is long
        enough{length} and put "{title}" there, please. {room} We meet because {purpose}.""",
        """{purpose}. So: {people} and I have to meet, {day} and on no other day{length}, at the first time
        that works for everyone in working hours. Call it "{title}". {room}""",
        """I need {people} for "{title}", and {day} is the only day that I can offer. Look for the first free
        time in the working hours{length}, from the morning on. {room} You should know that {purpose}.""",
        """please book the first slot {day} in which nobody of us has anything else, that is {people} and
        myself{length}. Working hours only. The title is "{title}". {room} Background: {purpose}.""",
        title=title, day=day, people=listed(people), purpose=purpose,
        length=f", for {LENGTHS[minutes]}" if told else "",
        room="Book a room where we are, as well." if place else "",
    )  # fmt: skip
    _meet(s, title, purpose, people, slot, place, None if told else "defaultEventLength", None, search=True)
    s.rule(
        "The meeting begins on a full or half hour and is within working hours",
        """SELECT COUNT(*) FROM events WHERE summary LIKE :title || '%' AND organizer_email = :me
        AND time(start_datetime) >= '09:00:00' AND time(end_datetime) <= '18:00:00'
        AND strftime('%M', start_datetime) IN ('00', '30') AND created_at >= '2026-01-05'""",
        title=title, me=me["email"],
    )  # fmt: skip
    rule_guests(s, title, people)


def _room(s: Scene, zone: str, people: int, slot: Slot) -> tuple[str, str] | None:
    """The smallest room of a zone that has enough seats and is free."""
    for name, seats, slug in ROOMS.get(zone, ()):
        told = s.peek("query_freebusy", timeMin=slot.start, timeMax=slot.end, timeZone=zone,
                      items=[{"id": room_address(slug)}])  # fmt: skip
        if seats >= people and not told["calendars"][room_address(slug)]["busy"]:
            return name, slug
    raise NoMatch("no room is free")


def _meet(
    s: Scene, title: str, purpose: str, people: list[Row], slot: Slot, place: tuple[str, str] | None,
    setting: str | None, number: str | None, search: bool = False,
) -> Found:  # fmt: skip
    """Plan a meeting as the policy wants it: people, time, room, content, call."""
    zone = my_zone(s)
    if setting:
        s.do("get_settings", "how long your meetings last", settingId=setting)
    accounts = [guest(s, person) for person in people]
    where = room(s, *place) if place else None
    need_open(s, slot.day)
    asked: list[tuple[str, Any]] = [("you", s.speaker["email"])]
    asked += [(person["name"], account["email"]) for person, account in zip(people, accounts, strict=True)]
    asked += [(f"the room {place[0]}", where["email"])] if place and where else []
    if search:
        s.do("query_freebusy", "when everybody is free that day", timeMin=Slot(slot.day, 540, 0).start,
             timeMax=Slot(slot.day, 1080, 0).start, timeZone=zone,
             items=[{"id": who} for _, who in asked])  # fmt: skip
    need_free(s, asked, slot, zone)
    guests: list[dict[str, Any]] = [{"email": account["email"]} for account in accounts]
    guests += [{"email": where["email"], "resource": True}] if where else []
    more: dict[str, Any] = {}
    if len(people) >= 4:
        more["description"] = f"We meet because {purpose}."
    if number:
        request = {"requestId": number, "conferenceSolutionKey": {"type": "hangoutsMeet"}}
        more |= {"conferenceData": {"createRequest": request}, "conferenceDataVersion": 1}
    made = s.do("create_event", f"plan {title}", calendarId="primary", summary=title, **slot.given(zone),
                attendees=guests, sendUpdates="all", **more)  # fmt: skip
    s.give("event", made, f'the meeting "{title}"')
    return made


def rule_guests(s: Scene, title: str, people: list[Row]) -> None:
    """What the policy says of the guests of a new meeting."""
    emails = ", ".join(f"'{person['email']}'" for person in people)
    s.rule(
        "Everyone who was asked for works here and is invited once, and guests cannot change the meeting",
        f"""SELECT COUNT(*) || ' invited, ' || COUNT(DISTINCT a.user_id) || ' people' FROM events e
        JOIN attendees a ON a.event_id = e.event_id JOIN users u ON u.user_id = a.user_id
        WHERE e.summary LIKE :title || '%' AND e.organizer_email = :me AND e.created_at >= '2026-01-05'
        AND u.is_active AND e."guestsCanModify" = 0 AND u.email IN ({emails})""",
        expected=f"{len(people)} invited, {len(people)} people", title=title, me=s.speaker["email"],
    )  # fmt: skip
