"""Scenarios about the time around a meeting: the way there and back, and another one some time later."""

from datetime import date, timedelta
from typing import Any

from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.expressions import ITEM, at, date_of, each, shift
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.calendar import extras, reasons
from eops_traj.taskgen.scenarios.calendar.lookups import (
    ORGANIZERS,
    PEOPLE,
    Slot,
    length_words,
    require_nobody_busy,
    rule_on_names,
    say,
    span,
)
from eops_traj.taskgen.scenarios.calendar.moving import with_me
from eops_traj.taskgen.scenarios.calendar.picking import (
    event_slot,
    is_free,
    list_guests,
)
from eops_traj.taskgen.scenarios.calendar.preparing import find_event, pick_event
from eops_traj.taskgen.scenarios.calendar.subjects import pick_agenda
from eops_traj.taskgen.scenarios.calendar.twists import add_namesake, call_off, close_offices, make_busy
from eops_traj.taskgen.scene import Scene

_TITLES = ("On the road", "Travel", "Underway", "In the car", "Walk over", "Change of place")
_ROADS = (
    "it takes place at the other end of the town", "the ferry goes only every half hour",
    "I have to carry the samples there and back", "the car has to be fetched from the depot first",
    "the visitors want to be picked up at the gate", "there is no signal on that line",
)  # fmt: skip


@family("calendar", perturbations=("policy_forbids", "two_namesakes", "missing_entity"), consumes="event")
def block_the_way(s: Scene) -> None:
    """The way to a meeting and back is blocked, right before it and right after it."""
    s.pick_caller(PEOPLE if "event" in s.produced else ORGANIZERS)
    event, what, record = pick_event(s)
    there, back, why = s.rng.choice((15, 30, 45, 60)), s.rng.choice((15, 30, 45, 60)), s.rng.choice(_ROADS)
    slot, zone = event_slot(event), event["start_timezone"]
    ahead = Slot(slot.day, slot.minute - there, there)
    after = Slot(slot.day, slot.minute + slot.length, back)
    if ahead.minute < 0 or not all(is_free(s, s.caller["email"], one, zone) for one in (ahead, after)):
        raise NoMatch("the time around it is taken")
    title, hidden = s.rng.choice(_TITLES), s.chance(0.5)
    beside = besides(s, *extras.some())
    make_busy(s, s.caller, after, zone)
    if record is None:
        add_namesake(s, event)
        call_off(s, event)
    s.ask(
        """[The way to|My trip to] {what} [has to be in my calendar, and so has the way back|belongs in my
        calendar, there and back]: {there} [right before it|up to its beginning], {back} [right after it|from
        its end on], each as "{title}", [since|because] {why}. {hidden}""",
        """{Why}, so [nobody should plan anything|keep me free] for {there} ahead of {what} and for {back}
        behind it. [Enter both|Both go in] under "{title}", [touching the meeting|without a gap], and invite
        nobody. {hidden}""",
        """[Put|Place] "{title}" on either side of {what}: {there} [leading up to its beginning|before it],
        {back} [following its end|after it]. {hidden} [The point of it:|Why I ask:] {why}.""",
        """[When {what} begins and ends you can see|Look up the hours of {what}]; {there} before it and {back}
        after it [are for the road|I spend on the way], {because} {why}. [Two entries, both
        called|So make two entries, called] "{title}". {hidden}""",
        """[Before|Up to] {what} I am on my way for {there}, and [once it is over|when it ends] for {back}
        more: {why}. [Block these times|These times should be blocked] with "{title}", only for me.
        {hidden}""",
        """"{title}", {there}, then {what}, then "{title}" again, {back}: [that is how that day goes|that is
        what my calendar should show], [with no minute between them|one directly after the other]. {hidden}
        {Why}, [after all|hence this].""",
        """[How do I get to {what} in time?|I must not be late for {what}.] [By blocking|Block] {there} right
        ahead of it, and {back} for the return, as two entries with the title "{title}"; {why}. {hidden}""",
        what=what, there=length_words(s, there), back=length_words(s, back), title=title, why=why,
        Why=why[0].upper() + why[1:], because=s.rng.choice(("because", "since", "as")),
        hidden=say(s, "[Make both of them private|Colleagues need not read that, so private it is].")
        if hidden else "",
    )  # fmt: skip
    beside.say()
    meeting = find_event(s, event, record, "when it begins and ends")
    start, end = (meeting[which]["dateTime"] for which in ("start", "end"))
    zone_ref, me = meeting["start"]["timeZone"], [{"id": s.caller["email"]}]
    leave, home = shift(start, -there), shift(end, back)
    require_nobody_busy(s, me, leave, start, zone_ref, "whether you are free before it")
    require_nobody_busy(s, me, end, home, zone_ref, "whether you are free after it")
    s.indirect("the times right before and after a meeting", hidden=[])
    more: dict[str, Any] = {"visibility": "private"} if hidden else {}
    beside.look()
    for begins, ends, reason in ((leave, start, "the way there"), (end, home, "the way back")):
        s.do("create_event", reason, calendarId="primary", summary=title, **span(begins, ends, zone_ref),
             sendUpdates="none", **more)  # fmt: skip
    beside.write()


_AGAIN = (
    "one round will never be enough for it", "by then the others will have done their homework",
    "we promised to look at it once more", "what we decide has to be checked",
    "the second half of the papers comes later", "half of it depends on what happens in between",
)  # fmt: skip
_LATER = {7: ("a week", "one week", "seven days"), 14: ("two weeks", "a fortnight", "fourteen days"),
          21: ("three weeks", "twenty-one days")}  # fmt: skip


@family("calendar", perturbations=("policy_forbids", "two_namesakes", "impossible_date"), consumes="event")
def follow_up(s: Scene) -> None:
    """Some weeks after a meeting, its people meet again at the same hour."""
    me = s.pick_caller(PEOPLE if "event" in s.produced else ORGANIZERS)
    event, what, record = pick_event(s)
    days, why, agenda = s.rng.choice((7, 7, 14, 14, 21)), s.rng.choice(_AGAIN), pick_agenda(s)
    zone = event["start_timezone"]
    guests = [g["email"] for g in list_guests(s, event["event_id"]) if not g["resource"]]
    then = event_slot(event, date.fromisoformat(event["start_datetime"][:10]) + timedelta(days=days))
    closed = then.day.isoformat() in ("2026-02-06", "2026-03-20")
    if closed or not all(is_free(s, one, then, zone) for one in (me["email"], *guests)):
        raise NoMatch("not everybody is free then")
    title, number = f"{event['summary']}: part two", f"VC-{s.rng.randrange(2000, 9999)}"
    others = [g for g in list_guests(s, event["event_id"]) if g["email"] != me["email"] and not g["resource"]]
    beside = besides(s, *extras.some())
    make_busy(s, others[-1], then, zone)
    if record is None:
        add_namesake(s, event)
    close_offices(s, then.day.isoformat())
    s.ask(
        """{what} [gets a second part|is to have a sequel]: {later} later, at the same hour and of the same
        length, [with all the people on its list but me|for everybody on its list, me aside] and without a
        room. [Its title is|Call it] "{title}", its description "{agenda}", the number of its call {number}.
        {Why}.""",
        """{Why}, so [the people of|whoever is invited to] {what}, [except for me|apart from me], [should
        meet|meet] again {later} after it, same time, same length, no room. "{title}" [is the title|it is
        called], "{agenda}" the description, and {number} the number of the video call.""",
        """[Let us have|I want] "{title}" {later} [to the hour after|exactly after] {what}. [Invited are|The
        guests are] the same people, not counting me and not counting rooms, and it [takes|lasts] just as
        long. Video call {number}, description "{agenda}" [The reason is that|I do it because] {why}.""",
        """[The guests of|Those on the list of] {what} [will not be done after one meeting|need another date]:
        {why}. Plan "{title}" for them, {later} on, hour and length as in the first, as a video call with the
        number {number} instead of a room. "{agenda}" [goes into its description|is its description].""",
        """[Take {what} as the model|{what} is the model]: same people, [though not me and no room|me and
        rooms aside], same hour, same length, {later} later, as "{title}" with the call {number}. Describe it
        with "{agenda}" [In case anybody asks,|To explain it,] {why}.""",
        """[In addition to|After] {what} there [will be|is] "{title}", {later} later at the same time and
        [equally long|just as long], {because} {why}. [Nobody new is invited|The list is the same], only that
        I am not on it and no room is; it has the video call {number} and has "{agenda}" as its
        description.""",
        what=what, title=title, later=s.rng.choice(_LATER[days]), agenda=agenda, number=number, why=why,
        Why=why[0].upper() + why[1:], because=s.rng.choice(("because", "since", "as")),
    )  # fmt: skip
    beside.say()
    meeting = find_event(s, event, record, "the meeting that it follows")
    start, end = (shift(meeting[which]["dateTime"], f"{days} days") for which in ("start", "end"))
    zone_ref = meeting["start"]["timeZone"]
    people = meeting["attendees"].every(("email", "!=", me["email"]), ("resource", "!=", True))
    day = date_of(start)
    closures = s.do("list_events", "whether the offices are closed", calendarId="company-holidays",
                    timeMin=at(day, "00:00", zone_ref), timeMax=at(day, "23:59", zone_ref))  # fmt: skip
    s.require(count(closures["items"]), "==", 0, "the offices are closed on that day",
              names=(reasons.CLOSED,))  # fmt: skip
    require_nobody_busy(s, with_me(s, each(people, {"id": ITEM["email"]})), start, end, zone_ref,
                        "who is free then")  # fmt: skip
    s.covers("all people of a meeting")
    s.indirect("a time some weeks after a meeting", hidden=[then.day.isoformat()])
    conference = {"createRequest": {"requestId": number, "conferenceSolutionKey": {"type": "hangoutsMeet"}}}
    beside.look()
    s.do("create_event", f"plan {title}", calendarId="primary", summary=title, **span(start, end, zone_ref),
         description=agenda, attendees=each(people, {"email": ITEM["email"]}), sendUpdates="all",
         conferenceData=conference, conferenceDataVersion=1)  # fmt: skip
    rule_on_names(s)
    beside.write()
