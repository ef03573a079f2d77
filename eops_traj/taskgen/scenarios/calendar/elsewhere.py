"""Scenarios about events that somebody planned elsewhere."""

from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.calendar.lookups import PEOPLE, a_slot, my_zone
from eops_traj.taskgen.scene import Scene

_OUTSIDE = (
    "Partner forum", "User conference", "Supplier day", "Standards meeting", "Panel at the fair",
    "Open house",
    "Committee session", "Plant tour", "Alumni evening", "Press breakfast", "Research talk", "Industry round",
)  # fmt: skip
_PLACES = (
    "Harbour Hall",
    "Old Exchange",
    "Mill Street 4",
    "Congress Centre",
    "Museum of Trade",
    "Garden House",
)


@family("calendar", twists=("policy_forbids", "impossible_date", "conflicting_demands"), ood=True)
def take_over_events(s: Scene) -> None:
    """Events that somebody planned elsewhere come into the calendar, each under the id that it has there."""
    me = s.caller(f"""SELECT w.* FROM ({PEOPLE}) w WHERE EXISTS (SELECT 1 FROM events e
        WHERE e.calendar_id = w.user_id || '-primary' AND e.status = 'confirmed')""")
    zone, host = me["timezone"], s.rng.choice(("tidewater.example", "northwind.example"))
    titles = s.rng.sample(_OUTSIDE, s.rng.choice((2, 3, 4)))
    weekdays = [n for n in range(3, 26) if n % 7 < 5]
    days = [s.day(n, n) for n in s.rng.sample(weekdays, len(titles))]
    slots = [a_slot(s, [me["email"]], day.date, zone, s.rng.choice((60, 90, 120))) for day in days]
    ids = [f"{s.rng.choice(('ev', 'cal', 'inv'))}{s.rng.randrange(10000, 99999)}@{host}" for _ in titles]
    places = s.rng.sample(_PLACES, len(titles))
    kept = s.chance(0.6)
    s.twist("policy_forbids", """UPDATE events SET "iCalUID" = :uid WHERE event_id = (SELECT event_id
        FROM events WHERE calendar_id = :mine AND status = 'confirmed' ORDER BY event_id LIMIT 1)""",
        uid=ids[0], mine=f"{me['user_id']}-primary")  # fmt: skip
    dates = [s.phrase("impossible_date", str(days[0]), "6 November last year"), *map(str, days[1:])]
    told = [
        f'"{title}", {day} from {slot.words} for {slot.length} minutes, {place}, id {uid}'
        for title, day, slot, place, uid in zip(titles, dates, slots, places, ids, strict=True)
    ]
    s.ask(
        """I signed up for some things outside, and their calendar cannot reach ours. Please take them over
        under the ids that they have: {told}. Times are mine. {kept} {once}""",
        """the organizers sent me the data of a few events, which have to get into my calendar as they are:
        {told}. All by my clock. {once} {kept}""",
        """please import these into my main calendar, each with the id that it has over there: {told}. {kept}
        The times are local to me. {once}""",
        """could you bring events from elsewhere into my calendar? They are {told}. I give the times as my
        clock shows them. {once} {kept} Nobody else has to be invited.""",
        """{told}: that is what I have agreed to at other places. Take it over, id and all, so that an update
        finds it again. {kept} {once} Everything in my own time.""",
        """from the invitation of our partner I copied {told}. It has to stand in my calendar under these ids,
        by my time. {once} {kept}""",
        told="; ".join(told),
        kept="People may not see what it is about, so make it all private." if kept else "",
        once=s.phrase("conflicting_demands",
                      "If one of them is there already, leave everything as it is and tell me.",
                      "But put no entry of any kind into my calendar, since I want it to stay empty."),
    )  # fmt: skip
    s.refuse("impossible_date", "nothing is planned in the past")
    s.refuse("conflicting_demands", "events cannot come into a calendar into which no entry may be put")
    zone_found = my_zone(s)
    for uid, title in zip(ids, titles, strict=True):
        known = s.do("list_events", f"whether {title} is there", calendarId="primary", iCalUID=uid)
        s.require(count(known["items"]), "==", 0, f"the id of {title} is in your calendar already")
    for title, slot, place, uid in zip(titles, slots, places, ids, strict=True):
        s.do("import_event", f"take over {title}", calendarId="primary", iCalUID=uid, summary=title,
             location=place,
             **slot.given(zone_found), **({"visibility": "private"} if kept else {}))  # fmt: skip
    s.rule(
        "Each event is there once, under the id that it has elsewhere, as a copy of the caller's own",
        f"""SELECT COUNT(*) || ' copies, ids: ' || COUNT(DISTINCT "iCalUID") FROM events
        WHERE "iCalUID" LIKE '%@{host}' AND "privateCopy" = 1 AND user_id = :me""",
        expected=f"{len(ids)} copies, ids: {len(ids)}", me=me["user_id"],
    )  # fmt: skip
