"""Scenarios about entries that come from elsewhere: from other calendars, and from dictation."""

from typing import Any

from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.calendar import extras, reasons
from eops_traj.taskgen.scenarios.calendar.lookups import (
    PEOPLE,
    find_my_zone,
    say,
    span,
)
from eops_traj.taskgen.scenarios.calendar.picking import (
    pick_free_slot,
)
from eops_traj.taskgen.scene import Scene

_OUTSIDE = (
    "Partner forum", "User conference", "Supplier day", "Standards meeting", "Panel at the fair",
    "Open house", "Committee session", "Plant tour", "Alumni evening", "Press breakfast", "Research talk",
    "Industry round", "Award jury", "Union briefing", "Customs workshop", "Harbour council",
)  # fmt: skip
_PLACES = (
    "Harbour Hall", "Old Exchange", "Mill Street 4", "Congress Centre", "Museum of Trade", "Garden House",
    "Chamber of Commerce", "Pier Seven", "Town Library", "Hall of Guilds",
)  # fmt: skip
_EMPTY = (
    "no entry|no entries|any entry|without any|without an entry|stay empty|stays empty|remain empty"
    "|kept empty|empty|no event|nothing in|nothing into|put nothing|nothing at all"
)
_ONCE = (  # what is said besides, and what contradicts the rest
    ("My calendar need not stay empty on these days.", "My calendar has to stay empty on these days."),
    ("If one of them is there already, do nothing at all and say so.",
     "Put nothing at all into my calendar, and say so."),
    ("I want to see each as an entry of its own.", "I want to see no entry of any kind there."),
    ("If there is one already, leave everything as it is and tell me.",
     "Leave everything as it is, without an entry, and tell me."),
    ("Not one of these entries may be lost.", "Not one of these entries may be put in."),
)  # fmt: skip


@family("calendar", perturbations=("policy_forbids", "impossible_date", "conflicting_demands"), ood=True)
def take_over_events(s: Scene) -> None:
    """Events that somebody planned elsewhere come into the calendar, each under the id that it has there."""
    me = s.pick_caller(f"""SELECT w.* FROM ({PEOPLE}) w WHERE EXISTS (SELECT 1 FROM events e
        WHERE e.calendar_id = w.user_id || '-primary' AND e.status = 'confirmed')""")
    zone, host = me["timezone"], s.rng.choice(("tidewater.example", "northwind.example", "lakeshore.example"))
    titles = s.rng.sample(_OUTSIDE, s.rng.choice((2, 3, 4)))
    weekdays = [n for n in range(3, 26) if n % 7 < 5]
    days = [s.day(n, n) for n in s.rng.sample(weekdays, len(titles))]
    slots = [pick_free_slot(s, [me["email"]], day.date, zone, s.rng.choice((60, 90, 120))) for day in days]
    ids = [f"{s.rng.choice(('ev', 'cal', 'inv'))}{s.rng.randrange(10000, 99999)}@{host}" for _ in titles]
    places = s.rng.sample(_PLACES, len(titles))
    kept = s.chance(0.6)
    s.perturb("policy_forbids", """UPDATE events SET "iCalUID" = :uid WHERE event_id = (SELECT event_id
        FROM events WHERE calendar_id = :mine AND status = 'confirmed' ORDER BY event_id LIMIT 1)""",
              uid=ids[0], mine=f"{me['user_id']}-primary")  # fmt: skip
    dates = [s.phrase("impossible_date", str(days[0]), str(s.day(-70, -8))), *map(str, days[1:])]
    form = s.rng.choice((
        '"{title}", {day} from {time} for {length} minutes, {place}, id {uid}',
        '{uid} is "{title}" in {place} on the day {day}, {time}, {length} minutes',
        '{day} {time} ({length} minutes) "{title}", {place}, {uid}',
    ))  # fmt: skip
    told = [
        form.format(title=title, day=day, time=slot.words, length=slot.length, place=place, uid=uid)
        for title, day, slot, place, uid in zip(titles, dates, slots, places, ids, strict=True)
    ]
    s.ask(
        """I signed up for [some things outside|a few events of other houses], and their calendar cannot
        reach ours. [Please take them over|They should come over] under the ids that they have: {told}. Times
        are mine. {kept} {once}""",
        """The organizers sent me [the data of a few events|what their system says about some events], which
        have to get into my calendar as they are: {told}. [All by my clock.|The hours are those of my zone.]
        {once} {kept}""",
        """[Import these|These are to be imported] into my main calendar, each with the id that it has over
        there: {told}. {kept} The times are local to me. {once}""",
        """[Bring the following events from elsewhere|Some events from elsewhere have to come] into my
        calendar. They are {told}. I give the times as my clock shows them. {once} {kept} [Nobody else has to
        be invited.|There are no guests.]""",
        """[What I have agreed to|This is what I have agreed to] at other places: {told}. Take it over, id and
        all, so that [an update finds it again|their changes reach it later]. {kept} {once} Everything in my
        own time.""",
        """[From the invitation of our partner|Out of a mail of our partner] I copied {told}. It has to stand
        in my calendar under these ids, by my time. {once} {kept}""",
        told="; ".join(told),  # never at the beginning: an id keeps its small letter
        kept=say(s, "[People may not see what it is about, so make it all private|Make all of it private, as "
                 "it is nobody's business].") if kept else "",
        once=s.phrase("conflicting_demands", *s.rng.choice(_ONCE)),
    )  # fmt: skip
    s.refuse("impossible_date", "nothing is planned in the past", names=(reasons.PAST,))
    s.refuse("conflicting_demands", "events cannot come into a calendar into which no entry may be put",
             names=("import|take|bring|come|event|enter|add|cop", _EMPTY))  # fmt: skip
    zone_ref = find_my_zone(s)
    for uid, title in zip(ids, titles, strict=True):
        events = s.do("list_events", f"whether {title} is there", calendarId="primary", iCalUID=uid)
        s.require(count(events["items"]), "==", 0, f"the id of {title} is in your calendar already",
                  names=(f"{title}|{uid}", reasons.TAKEN))  # fmt: skip
    for title, slot, place, uid in zip(titles, slots, places, ids, strict=True):
        s.do("import_event", f"take over {title}", calendarId="primary", iCalUID=uid, summary=title,
             location=place, **span(slot.start, slot.end, zone_ref),
             **({"visibility": "private"} if kept else {}))  # fmt: skip
    s.rule(
        "Each event is there once, under the id that it has elsewhere, as a copy of the caller's own",
        f"""SELECT COUNT(*) || ' copies, ids: ' || COUNT(DISTINCT "iCalUID") FROM events
        WHERE "iCalUID" LIKE '%@{host}' AND "privateCopy" = 1 AND user_id = :me""",
        expected=f"{len(ids)} copies, ids: {len(ids)}", me=me["user_id"],
    )  # fmt: skip


_ERRANDS = (
    "Dentist", "Parents' evening at school", "Pick up the car", "Physiotherapy", "Handover of the keys",
    "Call the landlord", "Eye test", "Boiler inspection", "Blood donation", "Bring the bike to the shop",
    "Passport office", "Vaccination", "Choir rehearsal", "Tax adviser", "Locksmith",
)  # fmt: skip
_CLOCKS = ("7:30am", "8am", "8:15am", "9am", "10:30am", "12:30pm", "1pm", "3pm", "4:30pm", "5pm", "6:15pm")
_DICTATED = (
    "dictat|word for word|as you say|as you said|as it is said|quick|verbatim|literal|private"
    "|never with guests|without guests|no guests|cannot have guests|can't have guests"
)
_LASTING = ("for 30 minutes", "for 45 minutes", "for 90 minutes", "for 2 hours", "for 20 minutes")
_GUESTS = (  # nobody else, as it has to be; and what the policy forbids
    ("I go alone, so nobody is invited to {it}.", "I do not go alone, so my team is invited to {it}."),
    ("There are no guests, my team has nothing to do with it.", "My team comes along, as guests of {it}."),
    ("Nobody of my team has to be a guest of {it}.", "Everybody of my team has to be a guest of {it}."),
    ("Do not invite anyone to {it}.", "Do invite my team to {it}."),
)  # fmt: skip


@family("calendar", perturbations=("impossible_date", "policy_forbids"))
def jot_down(s: Scene) -> None:
    """Lines that somebody dictates are entered as they are said, for nobody else to read."""
    me = s.pick_caller(PEOPLE)
    number = s.rng.choice((1, 2, 2, 3))
    errands = s.rng.sample(_ERRANDS, number)
    days = [s.day(n, n) for n in sorted(s.rng.sample([1, 2, 3, 4, 7, 8, 9, 10, 11, 14, 15, 16], number))]
    lines = [
        f"{errand} on {day.date:%B} {day.date.day} at {s.rng.choice(_CLOCKS)} {s.rng.choice(_LASTING)}"
        for errand, day in zip(errands, days, strict=True)
    ]
    s.pick(f"SELECT 1 AS one FROM ({PEOPLE}) u WHERE u.email = :me", me=me["email"])
    reminded = s.rng.choice((0, 30, 60, 120))
    gone = s.day(-70, -8).date
    past = f"on {gone:%B} {gone.day} {gone.year} at {s.rng.choice(_CLOCKS)}"
    beside = besides(s, *extras.some())
    dictated = [s.phrase("impossible_date", lines[0], f"{errands[0]} {past}"), *lines[1:]]
    one = number == 1
    guests = [line.format(it="it" if one else "each of them") for line in s.rng.choice(_GUESTS)]
    s.ask(
        """[I dictate, you enter it as I say it|Enter this the way I say it, word for word]: {lines}. {guest}
        [It is for my own eyes|Nobody else has to know]. {reminded}""",
        """[Between two trains I can only dictate|My hands are not free, so I dictate]: {lines}. [Take that
        down literally|It goes in exactly like that], [on my main calendar|in my own calendar]. {reminded}
        {guest}""",
        """[What my wife and I agreed on the phone|A few errands of my own|Something private for my calendar],
        [and please|and do] enter it as I say it, without changing a word: {lines}. {reminded} {guest}""",
        """{lines}. [That is dictated and has to be entered as I say it|As I say it, so it should be entered],
        [and colleagues|yet colleagues] are not to read what it is. {guest} {reminded}""",
        """[My phone is broken, so the reminders for my private errands live here now|All my private dates are
        in the work calendar this month]. Enter {these} as I say {it}: {lines}. {reminded} {guest}""",
        """[Before I forget, to be entered as I say it|While I think of it, take this down as I say it]:
        {lines}. {guest} [Others see that I am busy, and that is all they should see|It has nothing to do with
        work]. {reminded}""",
        lines=" - and - ".join(f'"{line}"' for line in dictated), these="this" if one else "these",
        it="it" if one else "them",
        reminded=say(s, "[As a reminder, a popup {minutes} minutes ahead|A popup {minutes} minutes before "
                     "it, to remind me,] [will do|is enough]" + (".", " each time.")[not one],
                     minutes=reminded)
        if reminded else "",
        guest=s.phrase("policy_forbids", *guests),
    )  # fmt: skip
    beside.say()
    s.refuse("impossible_date", "nothing is planned in the past", names=(reasons.PAST,))
    s.refuse("policy_forbids", "a dictated line is entered for yourself, never with guests",
             names=("guest|invit|attend|team", _DICTATED))  # fmt: skip
    s.duty("what is dictated is private")
    more: dict[str, Any] = {}
    if reminded:
        more["reminders"] = {
            "useDefault": False, "overrides": [{"method": "popup", "minutes": reminded}]
        }  # fmt: skip
    beside.look()
    for errand, line in zip(errands, lines, strict=True):
        entry = s.do("quick_add_event", f"enter {errand}", calendarId="primary", text=line,
                     sendUpdates="none")  # fmt: skip
        s.do("patch_event", "for nobody else to read", calendarId="primary", eventId=entry["id"],
             visibility="private", sendUpdates="none", **more)  # fmt: skip
    beside.write()
