"""Scenarios about the time of meetings that are planned: another day, a longer end, another calendar."""

from typing import Any

from eops_traj.taskgen.dates import Day
from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.expressions import concat, minutes, shift
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import ResultRef
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.calendar import extras
from eops_traj.taskgen.scenarios.calendar.lookups import (
    ORGANIZERS,
    OWN_MEETINGS,
    PEOPLE,
    Slot,
    as_items,
    find_meeting,
    find_my_zone,
    require_mine,
    require_nobody_busy,
    require_open_day,
    say,
    span,
)
from eops_traj.taskgen.scenarios.calendar.picking import (
    event_day,
    event_slot,
    is_free,
    list_guests,
    pick_free_slot,
    pick_open_day,
)
from eops_traj.taskgen.scenarios.calendar.subjects import pick_agenda
from eops_traj.taskgen.scenarios.calendar.twists import (
    add_namesake,
    close_offices,
    give_to_another,
    lock,
    make_busy,
)
from eops_traj.taskgen.scene import Row, Scene

_REASONS = (
    "something came up with a customer", "the numbers will not be ready before then",
    "I have to be elsewhere that day", "half of us would come straight from another meeting",
    "the auditors want the room and me", "it clashes with what the board has planned",
    "the sample parts are still at customs", "our guest speaker has missed a connection",
    "the lawyers need two more days for their part", "I promised the morning to the new joiners",
)  # fmt: skip


def pick_meeting(s: Scene) -> tuple[Row, list[Row]]:
    """Pick one of the caller's meetings; return it and its guests."""
    event = s.pick(f"SELECT * FROM ({OWN_MEETINGS}) WHERE email = :me", me=s.caller["email"])
    return event, list_guests(s, event["event_id"])


def lasting(start: Any, event: ResultRef) -> Any:
    """Return when something that begins at a time ends, if it takes as long as an event does."""
    return shift(start, minutes(event["start"]["dateTime"], event["end"]["dateTime"]))


def needed(event: ResultRef) -> ResultRef:
    """Return the guests of an event who have to be there."""
    return event["attendees"].every(("optional", "!=", True))


def with_me(s: Scene, items: Any) -> Any:
    """Return calendars to ask about, with the caller's before them."""
    return concat([{"id": s.caller["email"]}], items)


@family(
    "calendar",
    perturbations=("policy_forbids", "two_namesakes", "impossible_date", "no_right"),
)
def move_meeting(s: Scene) -> None:
    """Meetings get another time, at which all who have to come are free."""
    me = s.pick_caller(ORGANIZERS)
    event, guests = pick_meeting(s)
    on, day = event_day(s, event), pick_open_day(s, 2, 18)
    slot = pick_free_slot(
        s, [me["email"], *_emails_needed(s, guests)], day.date, me["timezone"], event_slot(event).length
    )
    second = _pick_second_meeting(s, event, slot) if s.chance(0.5) else None
    reason, agenda = s.rng.choice(_REASONS), pick_agenda(s)
    noted, renamed, watched = s.chance(0.6), s.chance(0.4), s.chance(0.5)
    title = f"{event['summary']} (new date)"
    beside = besides(s, *extras.some())
    lock(s, event)
    add_namesake(s, event, *([second[0]] if second else []))
    other = s.pick(f"""{PEOPLE} AND u.email <> :me AND u.user_id NOT IN (SELECT user_id FROM attendees WHERE
        event_id = :id)""", me=me["email"], id=event["event_id"])  # fmt: skip
    give_to_another(s, event, other)
    close_offices(s, day.iso)
    s.ask(
        """{what} cannot stay where it is, because {reason}. [Move it|It should go|Shift it] to {day}, {time}
        my time, [as long as before|and keep its length]. {noted} {renamed} {watched} {also}""",
        """[Everybody who has to be there should be free then, so do look:|Check the others first, but if they
        are free] I would like to [have|see] {what} {on} at {time} on my clock[; it takes as long as
        planned|, with its length unchanged]. {watched} {noted} {renamed} [By the way,|The background:]
        {reason}. {also}""",
        """{Reason}. [That hits|This affects] {what}, which [should be|has to be|is better held] {on} from
        {time} my time instead, for the same length. {renamed} {noted} {watched} [Tell the guests, of
        course.|The guests have to hear of it.] {also}""",
        """[A new time for|Another date is needed for] {what}: {day}, {time} as my clock has it. [The length
        does not change, nor do the guests|Guests and length stay as they are]. {noted} {watched} {renamed}
        [The reason is that|It comes down to this:] {reason}. {also}""",
        """[It is about|What I am writing about is] {what}. {Day} at {time} my time would be right, if those
        who must come are free, for as long as it was going to be. {renamed} {watched} {noted} {also}
        [Otherwise leave it where it is|If not, everything stays], although {reason}.""",
        """I am sorry to do this to everyone, but {reason}, and so {what} [has to go|moves] to {day}, {time}
        where I am[. It lasts as long as before|, for as long as it was meant to last]. {watched} {renamed}
        {noted} {also}""",
        what=f'my meeting "{event["summary"]}" {on.on}',
        day=day, Day=day.words[0].upper() + day.words[1:], on=day.on, time=slot.words,
        reason=reason, Reason=reason[0].upper() + reason[1:],
        noted=say(s, '[As its description put|Its description should then read|Write into the description:] '
                  '"{agenda}"', agenda=agenda) if noted else "",
        renamed=say(s, '[Call it|The title becomes|Rename it to] "{title}"[ from now on|].', title=title)
        if renamed else "",
        watched=say(s, "The only reminder should be one by e-mail, [an hour|sixty minutes] ahead.")
        if watched else "",
        also=say(s, '[And my|The same goes for my] "{title}" {on}[, which moves|: it goes] to {day}, {time}.',
                 title=second[0]["summary"], on=second[1].on, day=second[2], time=second[3].words)
        if second else "",
    )  # fmt: skip
    beside.say()
    meeting = find_own_meeting(s, event, on)
    zone = find_my_zone(s)
    other_meeting = find_own_meeting(s, second[0], second[1]) if second else None
    _require_new_time(s, meeting, slot, zone)
    if second and other_meeting:
        _require_new_time(s, other_meeting, second[3], zone)
    changes: dict[str, Any] = {"description": agenda} if noted else {}
    changes |= {"summary": title} if renamed else {}
    if watched:
        changes["reminders"] = {"useDefault": False, "overrides": [{"method": "email", "minutes": 60}]}
    beside.look()
    s.do("patch_event", f"move {event['summary']}", calendarId="primary", eventId=meeting["id"],
         **span(slot.start, lasting(slot.start, meeting), zone), sendUpdates="all", **changes)  # fmt: skip
    if second and other_meeting:
        start = second[3].start
        s.do("patch_event", f"move {second[0]['summary']}", calendarId="primary", eventId=other_meeting["id"],
             **span(start, lasting(start, other_meeting), zone), sendUpdates="all")  # fmt: skip
    s.rule(
        "All the guests are still invited to what was moved",
        """SELECT COUNT(*) FROM events e JOIN attendees a ON a.event_id = e.event_id WHERE e.summary = :title
        AND e.organizer_email = :me AND e.start_datetime = :start AND e.status = 'confirmed'""",
        expected=len(guests), title=title if renamed else event["summary"], me=me["email"],
        start=slot.start.replace("T", " ") + ".000000",
    )  # fmt: skip
    beside.write()


def _emails_needed(s: Scene, guests: list[Row]) -> list[str]:
    """Return the addresses of the guests who have to come."""
    return [g["email"] for g in guests if not g["optional"] and g["email"] != s.caller["email"]]


def _pick_second_meeting(s: Scene, first: Row, taken: Slot) -> tuple[Row, Day, Day, Slot]:
    """Pick another meeting of the caller's with its day, and another day and time for it."""
    event = s.pick(f"SELECT * FROM ({OWN_MEETINGS}) WHERE email = :me AND event_id <> :first",
                   me=s.caller["email"], first=first["event_id"])  # fmt: skip
    day = pick_open_day(s, 2, 18)
    if day.date == taken.day:
        raise NoMatch("both on one day")
    who = [s.caller["email"], *_emails_needed(s, list_guests(s, event["event_id"]))]
    slot = pick_free_slot(s, who, day.date, s.caller["timezone"], event_slot(event).length)
    return event, event_day(s, event), day, slot


def find_own_meeting(s: Scene, event: Row, on: Day) -> ResultRef:
    """Look up a meeting; require that the caller organizes it and may change its time."""
    match = find_meeting(s, event["summary"], on, f"{event['summary']}, which is to change")
    meeting = s.do("get_event", "whether it may be changed", calendarId="primary", eventId=match["id"])
    require_mine(s, meeting, event["summary"])
    return meeting


def _require_new_time(s: Scene, meeting: ResultRef, slot: Slot, zone: ResultRef) -> None:
    """Require that the new time of a meeting is on an open day, and free for those who have to come."""
    require_open_day(s, slot.day)
    require_nobody_busy(s, with_me(s, as_items(needed(meeting))), slot.start, lasting(slot.start, meeting),
                        zone, f"who is free at {slot.words}")  # fmt: skip


@family("calendar", perturbations=("policy_forbids", "two_namesakes", "no_right"))
def extend_meeting(s: Scene) -> None:
    """A meeting gets a later end, if everybody has time until then."""
    me = s.pick_caller(ORGANIZERS)
    event, guests = pick_meeting(s)
    more = s.rng.choice((15, 30, 30, 45, 60))
    on, slot = event_day(s, event), event_slot(event)
    who = [me["email"], *_emails_needed(s, guests)]
    after = Slot(slot.day, slot.minute + slot.length, more)
    if not all(is_free(s, one, after, event["start_timezone"]) for one in who):
        raise NoMatch("somebody has something else afterwards")
    reason, agenda = s.rng.choice(_LONGER), pick_agenda(s)
    noted = s.chance(0.5)
    last = next((g for g in reversed(guests) if g["email"] in who), None)
    if last is None:
        raise NoMatch("nobody else has to be there")
    beside = besides(s, *extras.some())
    make_busy(s, last, after, event["start_timezone"])
    add_namesake(s, event)
    other = s.pick(f"""{PEOPLE} AND u.email <> :me AND u.user_id NOT IN (SELECT user_id FROM attendees WHERE
        event_id = :id)""", me=me["email"], id=event["event_id"])  # fmt: skip
    give_to_another(s, event, other)
    s.ask(
        """{what} will not be over in time, since {reason}. [Let it end|Make it end|Have it run on, to end]
        {more} later than planned, [provided that nobody who has to be there is taken by something
        else|as long as all who must come have the time]. {noted} {coloured} [It begins when it always
        was going to.|The beginning stays.]""",
        """[{More} more|{More} on top] would do {what} good[, because|:] {reason}. [Add it at the end, not
        before|That goes onto the end], and [only if|not unless] the people needed can stay. {coloured}
        {noted}""",
        """{Reason}, and so I would rather plan {more} more for {what}. [See to it that|Do check whether]
        those who must be there [have nothing right after it|are free that long], and [then|if so] move the
        end back. {noted} {coloured}""",
        """[Can|Would] the others stay {more} longer in {what}? If none of them has anything else then, change
        the end [accordingly|to match], [please|and let them know]; {reason}. {coloured} {noted}""",
        """[How long we sit together in|The length of] {what} was too optimistic[: by|, by] {more}, to be
        exact. {Reason}. [Extend it at its end|Push the end back by that much], unless that runs into
        another appointment of somebody who is not optional. {noted} {coloured}""",
        """[No new date, just more time:|The hour is fine, the length is not:] {what} needs {more} on top
        of what it has. {coloured} [Why?|The reason?] {Reason}. {noted} [Should one of the required guests
        be taken by then, leave it as it is|It stays as it is if that gets in the way of something that a
        required guest has].""",
        what=f'my "{event["summary"]}" {on.on}',
        more=_MORE[more], More=_MORE[more][0].upper() + _MORE[more][1:],
        reason=reason, Reason=reason[0].upper() + reason[1:],
        noted=say(s, '[The description should say|For the description:] "{agenda}"', agenda=agenda)
        if noted else "",
        coloured=say(s, "[Mark it as a meeting that may slip, in the colour that we have for that|Give it "
                        "the "
                     "colour that stands for what may slip]."),
    )  # fmt: skip
    beside.say()
    meeting = find_own_meeting(s, event, on)
    end = meeting["end"]["dateTime"]
    later = shift(end, more)
    require_nobody_busy(s, with_me(s, as_items(needed(meeting))), end, later, meeting["end"]["timeZone"],
                        "who is free for the time that is added")  # fmt: skip
    s.duty("the colour of what may slip")
    beside.look()
    s.do("patch_event", f"more time for {event['summary']}", calendarId="primary", eventId=meeting["id"],
         end={"dateTime": later, "timeZone": meeting["end"]["timeZone"]}, colorId="1", sendUpdates="all",
         **({"description": agenda} if noted else {}))  # fmt: skip
    beside.write()


_MORE = {15: "a quarter of an hour", 30: "half an hour", 45: "45 minutes", 60: "a full hour"}
_LONGER = (
    "two more topics have come in since the invitation went out", "the demonstration alone takes that long",
    "we never got to the last item the previous time", "the customer wants to ask questions at the end",
    "the figures of December have to be gone through as well", "I want us to decide before we part",
)  # fmt: skip
