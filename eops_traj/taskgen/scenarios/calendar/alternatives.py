"""Scenarios about meetings with a second choice: another guest, another room, another day."""

from eops_traj.taskgen.dates import Day
from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.expressions import holds
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.calendar import extras, reasons
from eops_traj.taskgen.scenarios.calendar.lookups import (
    LENGTHS,
    PEOPLE,
    Slot,
    find_guest,
    find_my_zone,
    find_room,
    join_people,
    length_words,
    require_free,
    require_open_day,
    room_address,
    rule_on_names,
    say,
    span,
)
from eops_traj.taskgen.scenarios.calendar.picking import (
    pick_colleagues,
    pick_free_slot,
    pick_open_day,
)
from eops_traj.taskgen.scenarios.calendar.planning import call, pick_room
from eops_traj.taskgen.scenarios.calendar.subjects import TITLES, pick_purpose
from eops_traj.taskgen.scenarios.calendar.twists import (
    close_offices,
    deactivate,
    make_away,
    make_busy,
    occupy,
)
from eops_traj.taskgen.scene import Scene


@family("calendar", perturbations=("inactive_person", "policy_forbids", "impossible_date"), ood=True)
def deputy_instead(s: Scene) -> None:
    """A meeting with somebody, or with their deputy where they are taken."""
    me = s.pick_caller(PEOPLE)
    zone, day, minutes = me["timezone"], pick_open_day(s, 1, 14), s.rng.choice(LENGTHS)
    wanted, deputy, third = pick_colleagues(s, 3, zone)
    slot = pick_free_slot(s, [p["email"] for p in (me, wanted, deputy, third)], day.date, zone, minutes)
    title, purpose = s.rng.choice(TITLES), pick_purpose(s)
    away = s.chance(0.5)
    if away:
        occupy(s, wanted["email"], "Site visit", slot, zone)
    beside = besides(s, *extras.some(extras.own_day))
    deactivate(s, deputy if away else third)
    make_busy(s, third, slot, zone)
    close_offices(s, day.iso)
    s.ask(
        """"{title}" {on} at {time} my time, for {length}: [I would like|best with] {wanted} and {third}
        there. [If {first} is taken then, invite {deputy} instead|Should {first} be busy at that hour, the
        invitation goes to {deputy}], [but not both|one of the two is enough]{why}.""",
        """[Either|One of the two, either] {wanted} or {deputy} has to be in "{title}", [and I prefer the
        former|the first if at all possible]. It is {on}, {time} on my clock, {length}, together with {third}.
        So look whether {first} is free, and [take {second} only if not|fall back on {second}
        otherwise]{why}.""",
        """{Purpose}, [hence|which is why there is] a meeting "{title}" with {third}, {day}, {time} my time,
        {length}. {wanted} should come along; {deputy} [stands in|takes the seat] [if there is another
        appointment in the way|whenever {first} has something else at that time], and only then.""",
        """[I need one voice from the other team|Their side needs one voice] in "{title}", {on} at {time} by
        my clock for {length}. [My first choice is|Ask] {wanted}, [my second|and if they are taken] {deputy}.
        {third} comes in any case{why}.""",
        """[In any case|Whatever happens,] {third} and I talk about "{title}" {on}, {time} where I am,
        {length}. [With us:|The third chair is for] {wanted}, unless something else is planned there at that
        time, in which case {deputy} [gets the invitation|is invited]{why}.""",
        """[Look into two calendars before you invite anybody|Two people could represent them]: if {wanted} is
        free {on} at {time} my time, that is the guest, and if not, {deputy}. [In both cases|Either way]
        {third} is invited too, for {length}, to "{title}"{why}.""",
        title=title, on=day.on, day=day, time=slot.words, length=length_words(s, minutes),
        wanted=join_people(s, [wanted]), deputy=join_people(s, [deputy]), third=join_people(s, [third]),
        first=wanted["given_name"], second=deputy["given_name"],
        Purpose=purpose[0].upper() + purpose[1:],
        why=say(s, "[; it is about this: {purpose}|, since {purpose}|, because {purpose}|, as {purpose}|; "
                   "the "
                "background is that {purpose}|, given that {purpose}|; what brings it up is that {purpose}]",
                purpose=purpose),
    )  # fmt: skip
    beside.say()
    zone_ref = find_my_zone(s)
    accounts = {p["email"]: find_guest(s, p) for p in (wanted, deputy, third)}
    require_open_day(s, day.date)
    sure = [("you", me["email"]), (third["name"], accounts[third["email"]]["email"])]
    require_free(s, sure, slot, zone_ref)
    busy = s.do("query_freebusy", "whether the first choice has time, and the second", timeMin=slot.start,
                timeMax=slot.end, timeZone=zone_ref,
                items=[{"id": accounts[p["email"]]["email"]} for p in (wanted, deputy)])  # fmt: skip
    taken = [count(busy["calendars"][p["email"]]["busy"]) for p in (wanted, deputy)]
    s.require(0, "in", taken, f"both {wanted['name']} and {deputy['name']} are taken at that time",
              names=(reasons.BUSY,))  # fmt: skip
    s.branches("whether the first choice is free")
    beside.look()
    for person, sign in ((wanted, "=="), (deputy, ">")):
        guests = [{"email": accounts[p["email"]]["email"]} for p in (person, third)]
        s.do_when(holds(taken[0], sign, 0), "create_event", f"with {person['name']}", calendarId="primary",
                  summary=title, **span(slot.start, slot.end, zone_ref), attendees=guests,
                  sendUpdates="all")  # fmt: skip
    rule_on_names(s)
    beside.write()


@family("calendar", perturbations=("inactive_person", "policy_forbids", "impossible_date"))
def room_or_call(s: Scene) -> None:
    """A meeting in a room, or in a video call where the room is taken."""
    me = s.pick_caller(PEOPLE)
    zone, day, minutes = me["timezone"], pick_open_day(s, 1, 16), s.rng.choice(LENGTHS)
    people = pick_colleagues(s, s.rng.choice((2, 3)), zone)
    slot = pick_free_slot(s, [me["email"], *(p["email"] for p in people)], day.date, zone, minutes)
    room_choice = pick_room(s, zone, 1 + len(people), slot)
    if room_choice is None:
        raise NoMatch("no room is free")
    name, slug = room_choice
    title, purpose, number = s.rng.choice(TITLES), pick_purpose(s), f"VC-{s.rng.randrange(2000, 9999)}"
    if s.chance(0.5):
        occupy(s, room_address(slug), "Booked for the auditors", slot, zone)
    beside = besides(s, *extras.some())
    deactivate(s, people[0])
    make_busy(s, people[-1], slot, zone)
    close_offices(s, day.iso)
    s.ask(
        """[Best would be|I would like] the room {room} for "{title}" {on} at {time} my time, {length}, with
        {people}. [If somebody else has it then|Should it be taken], [we meet on the screen:|do not look for
        another room but add] a video call with the number {number}{why}.""",
        """[It is|There will be] "{title}" for {us} {on}, {time} by my clock, {length}: in {room} [if that
        room is free|as long as nobody has booked it], otherwise by video, and {number} is the number of the
        call for that case{why}.""",
        """[Two ways of doing it|There are two ways to hold it]: "{title}", {day}, {time} my time, {length},
        either round the table in {room} or, [when the room is gone|with the room taken], as a call, number
        {number}. [Guests in both cases|Invited are] {people}{why}.""",
        """{Purpose}. [So set up|That calls for] "{title}" with {people} {on} at {time} where I am, for
        {length}. {room} is the room of my choice. [No room, no problem:|If it is not to be had,] then
        [it becomes|make it] a video call ({number}) and we stay at our desks.""",
        """[The question is only whether we still get|It hangs on] {room} {on} at {time} my time. If so,
        invite it with {people} to "{title}", {length}; if not, invite the people alone and have a video call
        made, {number}{why}.""",
        """[A room would be nicer than|I prefer a room to] a call for "{title}": {day}, {time} on my calendar,
        {length}, {people}. Take {room} unless it has something else in it, and {number} as a video call
        [only then|in that event, without any room]{why}.""",
        title=title, on=day.on, day=day, time=slot.words, length=length_words(s, minutes), room=name,
        number=number, people=join_people(s, people), us=join_people(s, people, "me"),
        Purpose=purpose[0].upper() + purpose[1:],
        why=say(s, "[; it is about this: {purpose}|, since {purpose}|, because {purpose}|, as {purpose}|; "
                   "the "
                "background is that {purpose}|, given that {purpose}|; what brings it up is that {purpose}]",
                purpose=purpose),
    )  # fmt: skip
    beside.say()
    zone_ref = find_my_zone(s)
    accounts = [find_guest(s, person) for person in people]
    room = find_room(s, name, slug)
    require_open_day(s, day.date)
    who = [("you", me["email"]), *((p["name"], a["email"]) for p, a in zip(people, accounts, strict=True))]
    require_free(s, who, slot, zone_ref)
    booked = s.do("query_freebusy", f"whether {name} is free", timeMin=slot.start, timeMax=slot.end,
                  timeZone=zone_ref, items=[{"id": room["email"]}])  # fmt: skip
    taken = count(booked["calendars"][room_address(slug)]["busy"])
    guests = [{"email": account["email"]} for account in accounts]
    s.branches("whether the room is free")
    meeting = {"calendarId": "primary", "summary": title, **span(slot.start, slot.end, zone_ref),
               "sendUpdates": "all"}  # fmt: skip
    beside.look()
    s.do_when(holds(taken, "==", 0), "create_event", f"in {name}",
              attendees=[*guests, {"email": room["email"], "resource": True}], **meeting)  # fmt: skip
    s.do_when(holds(taken, ">", 0), "create_event", "as a video call", attendees=guests, **meeting,
              **call(number))  # fmt: skip
    rule_on_names(s)
    beside.write()


def _second_slot(s: Scene, first: Day, who: list[str], zone: str, minutes: int) -> tuple[Day, Slot]:
    """Pick a free time on a later day."""
    day = pick_open_day(s, 2, 18)
    if day.date <= first.date:
        raise NoMatch("the second day is not after the first")
    return day, pick_free_slot(s, who, day.date, zone, minutes)


@family("calendar", perturbations=("inactive_person", "policy_forbids"))
def second_date(s: Scene) -> None:
    """A meeting at one time, or at another one where somebody is taken."""
    me = s.pick_caller(PEOPLE)
    zone, day, minutes = me["timezone"], pick_open_day(s, 1, 9), s.rng.choice(LENGTHS)
    people = pick_colleagues(s, s.rng.choice((2, 3)), zone)
    who = [me["email"], *(p["email"] for p in people)]
    slot = pick_free_slot(s, who, day.date, zone, minutes)
    other_day, other = _second_slot(s, day, who, zone, minutes)
    title, purpose = s.rng.choice(TITLES), pick_purpose(s)
    if s.chance(0.5):
        occupy(s, people[0]["email"], "Interview", slot, zone)
    beside = besides(s, *extras.some())
    deactivate(s, people[-1])
    make_away(s, people[-1], slot.start, other.end, zone)
    s.ask(
        """[I would like to have|It would be good to have] "{title}" {on} at {time} my time, {length}, with
        {people}. [If one of us is taken then|Should that collide with something that one of us has], the
        [alternative is|second choice is] {then} at {later}{why}.""",
        """[My guests for "{title}" are|I plan "{title}" with] {people}, for {length}. [There are two dates to
        choose from|I can offer two dates]: {day}, {time}, and {other}, {later}, both by my clock. [The first
        wins if all of us are free|Take the earlier one if nobody has anything else], the second
        otherwise{why}.""",
        """{Purpose}, so we need "{title}" soon, for {length}. [Try|Look at] {day}, {time} my time first.
        [Only if|Just in case] somebody out of {people} or I myself have an appointment there, [go for|make
        it] {other}, {later}.""",
        """[Either|It is either] {day} at {time} or {other} at {later}, my time: "{title}" with {people},
        {length}. [I prefer the first|The former is better], and [the latter is for the case that one of us
        cannot|we take the latter when one of us is busy on the former]{why}.""",
        """"{title}" [was meant for|is what I planned for] {day}, {time} on my calendar, {length}, but I do
        not know whether {people} have time. If not all of us do, it [takes place|is to be] {then} at {later}
        instead{why}.""",
        """[Please plan only one of the two|One meeting, two possible dates]: {on} at {time} where I am if
        {us} are all free, and {then} at {later} if not. [The title|Its title] is "{title}", the
        length {length}{why}.""",
        title=title, on=day.on, day=day, time=slot.words, then=other_day.on, other=other_day,
        later=other.words, length=length_words(s, minutes), people=join_people(s, people),
        us=join_people(s, people, "I"),
        Purpose=purpose[0].upper() + purpose[1:],
        why=say(s, "[; it is about this: {purpose}|, since {purpose}|, because {purpose}|, as {purpose}|; "
                   "the "
                "background is that {purpose}|, given that {purpose}|; what brings it up is that {purpose}]",
                purpose=purpose),
    )  # fmt: skip
    beside.say()
    zone_ref = find_my_zone(s)
    accounts = [find_guest(s, person) for person in people]
    for on in (day, other_day):
        require_open_day(s, on.date)
    items = [{"id": me["email"]}, *({"id": account["email"]} for account in accounts)]
    taken = []
    for one in (slot, other):
        reply = s.do("query_freebusy", f"who is free at {one.words}", timeMin=one.start, timeMax=one.end,
                     timeZone=zone_ref, items=items)  # fmt: skip
        taken.append(count(reply["calendars"].every()["busy"].every()))
    s.require(0, "in", taken, "somebody is taken at both times", names=(reasons.BUSY,))
    s.branches("whether everybody is free at the first time")
    beside.look()
    for one, sign in ((slot, "=="), (other, ">")):
        s.do_when(holds(taken[0], sign, 0), "create_event", f"at {one.words}", calendarId="primary",
                  summary=title, **span(one.start, one.end, zone_ref),
                  attendees=[{"email": account["email"]} for account in accounts],
                  sendUpdates="all")  # fmt: skip
    rule_on_names(s)
    beside.write()
