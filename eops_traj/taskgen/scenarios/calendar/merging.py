"""Scenarios about meetings that take the place of others."""

from typing import Any

from eops_traj.taskgen.family import family
from eops_traj.taskgen.scenarios.calendar.lookups import (
    OWN_MEETINGS,
    PEOPLE,
    a_slot,
    day_of,
    guest,
    guests_of,
    meeting,
    my_zone,
    need_free,
    need_open,
    open_day,
)
from eops_traj.taskgen.scenarios.calendar.mishaps import double, occupy
from eops_traj.taskgen.scenarios.calendar.planning import LENGTHS, PURPOSES, TITLES, rule_guests
from eops_traj.taskgen.scene import Scene


@family("calendar", twists=("two_namesakes", "policy_forbids", "missing_entity"), gives="event")
def merge_meetings(s: Scene) -> None:
    """Two meetings are called off, and one takes their place with the people of the first."""
    usable = f"""{OWN_MEETINGS} AND NOT EXISTS (SELECT 1 FROM attendees g WHERE g.event_id = e.event_id AND
        g.resource) AND e.visibility = 'default' AND (SELECT COUNT(*) FROM attendees g WHERE g.event_id =
        e.event_id) BETWEEN 2 AND 5"""
    me = s.caller(
        f"SELECT u.* FROM ({PEOPLE}) u WHERE (SELECT COUNT(*) FROM ({usable}) k WHERE k.email = u.email) > 1"
    )
    first, second = s.rng.sample(s.rows(f"SELECT * FROM ({usable}) WHERE email = :me", me=me["email"]), 2)
    ones = [day_of(s, event) for event in (first, second)]
    guests = [g for g in guests_of(s, first["event_id"]) if g["email"] != me["email"]]
    zone, day, minutes = me["timezone"], open_day(s, 2, 18), s.rng.choice((30, 45, 60))
    slot = a_slot(s, [me["email"], *(g["email"] for g in guests)], day.date, zone, minutes)
    far = any(g["timezone"] != zone for g in guests)
    title, purpose, number = (
        s.rng.choice(TITLES),
        s.rng.choice(PURPOSES),
        f"VC-{s.rng.randrange(2000, 9999)}",
    )
    double(s, first, second)
    occupy(s, guests[-1], slot, zone)
    s.twist(
        "missing_entity", "UPDATE events SET status = 'cancelled' WHERE event_id = :id", id=second["event_id"]
    )
    s.ask(
        """two meetings of mine are one too many. Call off "{first}" ({on}) and "{second}" ({then}), and plan
        "{title}" in their place, {day} at {time} my time, for {length}. Invite whoever is on "{first}"
        besides me. {call} Reason: {purpose}.""",
        """please merge "{first}" {on} and "{second}" {then} into one. The new one is called "{title}" and is
        for everybody who is invited to "{first}" apart from me, {day}, {time} on my clock, {length}. The two
        old ones go. {call} It is because {purpose}.""",
        """{purpose}. That is why I want one meeting, "{title}", instead of "{first}" {on} and "{second}"
        {then}. Same people as in "{first}", without myself as a guest. {day} at {time} my time, {length}.
        {call} Then delete the other two.""",
        """instead of my "{first}" {on} and my "{second}" {then} there should be "{title}": {length}, {day},
        from {time} my time. The guests of "{first}" come, not counting me. {call} Tell everyone that the old
        ones are off. {purpose}, that is all there is behind it.""",
        """could you tidy up my calendar? "{first}" {on} and "{second}" {then} are to be called off. For the
        people of the first of them, me aside, plan "{title}" {day} at {time} by my time, {length}. {call} You
        may say that {purpose}.""",
        """"{title}", {day}, {time} my time, {length}: that is what remains of "{first}" ({on}) and "{second}"
        ({then}), which are both called off with it. On the list are those from "{first}", except me. {call}
        We do it since {purpose}.""",
        first=first["summary"], second=second["summary"], on=ones[0], then=ones[1], title=title, day=day,
        time=slot.words,
        length=LENGTHS[minutes], purpose=purpose,
        call=f"It takes a video call, number {number}, because of the time zones." if far else "",
    )  # fmt: skip
    old = meeting(s, first["summary"], ones[0], "the first of the two")
    other = meeting(s, second["summary"], ones[1], "the second of the two")
    zone_found = my_zone(s)
    accounts = [guest(s, person) for person in guests]
    need_open(s, slot.day)
    asked: list[tuple[str, Any]] = [("you", me["email"])]
    asked += [(person["name"], account["email"]) for person, account in zip(guests, accounts, strict=True)]
    need_free(s, asked, slot, zone_found)
    more: dict[str, Any] = {"description": f"We meet because {purpose}."} if len(guests) >= 4 else {}
    if far:
        request = {"requestId": number, "conferenceSolutionKey": {"type": "hangoutsMeet"}}
        more |= {"conferenceData": {"createRequest": request}, "conferenceDataVersion": 1}
    made = s.do("create_event", f"plan {title}", calendarId="primary", summary=title,
                **slot.given(zone_found),
                attendees=[{"email": account["email"]} for account in accounts], sendUpdates="all",
                **more)  # fmt: skip
    s.do(
        "delete_event",
        f"call off {first['summary']}",
        calendarId="primary",
        eventId=old["id"],
        sendUpdates="all",
    )
    s.do(
        "delete_event",
        f"call off {second['summary']}",
        calendarId="primary",
        eventId=other["id"],
        sendUpdates="all",
    )
    s.rule(
        "The two old meetings are gone, with all their invitations",
        """SELECT (SELECT COUNT(*) FROM events WHERE event_id IN (:first, :second))
        + (SELECT COUNT(*) FROM attendees WHERE event_id IN (:first, :second))""",
        expected=0, first=first["event_id"], second=second["event_id"],
    )  # fmt: skip
    rule_guests(s, title, guests)
    s.give("event", made, f'the meeting "{title}"')
