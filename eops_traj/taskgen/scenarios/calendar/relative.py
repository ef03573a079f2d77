"""Scenarios in which days, people and rooms are named by what they are, and have to be looked up."""

from datetime import date, timedelta
from typing import Any

from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.expressions import at, date_of, shift
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.calendar import extras, reasons
from eops_traj.taskgen.scenarios.calendar.lookups import (
    LENGTHS,
    PEOPLE,
    as_items,
    find_guest,
    find_my_zone,
    join_people,
    length_words,
    require_nobody_busy,
    require_one,
    rule_on_names,
    say,
    span,
)
from eops_traj.taskgen.scenarios.calendar.moving import needed, with_me
from eops_traj.taskgen.scenarios.calendar.picking import (
    event_day,
    event_slot,
    in_zone,
    is_free,
    pick_colleagues,
    pick_free_slot,
)
from eops_traj.taskgen.scenarios.calendar.planning import content
from eops_traj.taskgen.scenarios.calendar.subjects import TITLES, pick_purpose
from eops_traj.taskgen.scenarios.calendar.twists import close_offices, deactivate, make_busy
from eops_traj.taskgen.scene import Scene

_GATHERINGS = """SELECT e.*, date(e.start_datetime, :away || ' days') AS target FROM events e
    WHERE e.calendar_id = 'company-events' AND e.status = 'confirmed' AND e.recurrence IS NULL
    AND strftime('%w', date(e.start_datetime, :away || ' days')) NOT IN ('0', '6')
    AND date(e.start_datetime, :away || ' days') > '2026-01-06'"""
_AWAY = {
    1: "[the day after|a day after|the day that follows]", 2: "two days after", -1: "[the day|one day] "
                                                                                    "before",
    -2: "two days before", 4: "four days after", -3: "three days before", 5: "five days after",
}  # fmt: skip


@family("calendar", perturbations=("missing_entity", "inactive_person", "policy_forbids"), produces="event")
def near_gathering(s: Scene) -> None:
    """A meeting some days before or after an event of the company."""
    me = s.pick_caller(PEOPLE)
    zone, away, minutes = me["timezone"], s.rng.choice(tuple(_AWAY)), s.rng.choice(LENGTHS)
    event = s.pick(_GATHERINGS, away=away)
    if in_zone(event, zone)["start_datetime"][:10] != event["start_datetime"][:10]:
        raise NoMatch("by the clock of who asks it is on another day, and so is the day before it")
    people = pick_colleagues(s, s.rng.choice((2, 2, 3)), zone)
    day = event_day(s, event | {"start_datetime": event["target"]})
    slot = pick_free_slot(s, [me["email"], *(p["email"] for p in people)], day.date, zone, minutes)
    title, purpose = s.rng.choice(TITLES), pick_purpose(s)
    beside = besides(s, *extras.some())
    s.perturb("missing_entity", "UPDATE events SET status = 'cancelled' WHERE event_id = :id",
              id=event["event_id"])  # fmt: skip
    deactivate(s, people[-1])
    make_busy(s, people[0], slot, zone)
    s.ask(
        """{Away} "{event}" [of the company|on the company's calendar] I want to [sit together|meet] with
        {people}: "{title}", {time} my time, {length}. [I never remember on which day that falls|You will find
        on the calendar when that is]. [It is about the following:|The reason is that] {purpose}.""",
        """"{title}" [belongs|is best held] {away} "{event}", [which is on the company's calendar|an entry of
        the company's calendar], and it begins at {time} by my clock. {people} [come|are invited], {length}
        [should do|is enough]. [Why we meet:|To give you the reason,] {purpose}.""",
        """[When exactly is "{event}"?|I do not have the date of "{event}" at hand.] {Away} it, at {time} my
        time, there should be "{title}" with {people}, {length} long, [given that|because] {purpose}.""",
        """Since {purpose}, {us} have agreed on "{title}", {length}, {away} the company's "{event}",
        from {time} on where I am. [Please put it into the calendars|Get it into all calendars] if [we are
        free|nothing is in the way] then.""",
        """[Count from "{event}" on the calendar of the company:|The date hangs on "{event}", which stands on
        the company's calendar:] {away} it, {time} my time, "{title}" takes place for {length}. The guests are
        {people}, and the [cause|trigger] is that {purpose}.""",
        """[Tie it to|Hang it on] "{event}" from the calendar of the company: {away} that, when my clock shows
        {time}, I want {people} [around one table|in one call] for {length}, under the title "{title}".
        {Purpose}[, so it cannot wait for long|].""",
        """[It only makes sense|The meeting makes sense only] {away} "{event}" (that is in the company's
        calendar): "{title}", {length}, beginning at {time} [on my side|in my zone], for {people}. [We need
        it as|The need comes from this:] {purpose}.""",
        """[Several people, namely|Those who matter, that is] {people}, [asked me for|want] "{title}" {away}
        "{event}" ([company calendar|see the calendar of company events]). {time} on my clock, {length}.
        {Purpose}[, that is all|, hence the date].""",
        Away=(words := say(s, _AWAY[away]))[0].upper() + words[1:], away=words, event=event["summary"],
        people=join_people(s, people), us=join_people(s, people, "I"), title=title, time=slot.words,
        length=length_words(s, minutes),
        purpose=purpose, Purpose=purpose[0].upper() + purpose[1:],
    )  # fmt: skip
    beside.say()
    events = s.do("list_events", f"when {event['summary']} is", calendarId="company-events",
                  q=f'"{event["summary"]}"', timeMin="2026-01-05T00:00:00")  # fmt: skip
    found = events["items"].every(summary=event["summary"])
    require_one(s, found, event["summary"], "on the company's calendar")
    zone_ref = find_my_zone(s)
    target = shift(date_of(found[0]["start"]["dateTime"]), f"{away} days")
    start = at(target, slot.start[11:16], zone_ref)
    end = shift(start, minutes)
    accounts = [find_guest(s, person) for person in people]
    require_open(s, target, zone_ref)
    items = [{"id": me["email"]}, *({"id": account["email"]} for account in accounts)]
    require_nobody_busy(s, items, start, end, zone_ref, f"who is free at {slot.words}")
    s.indirect("a day some days from an event of the company", hidden=[day.iso])
    beside.look()
    meeting = s.do("create_event", f"plan {title}", calendarId="primary", summary=title,
                   **span(start, end, zone_ref), **content(purpose, accounts, None))  # fmt: skip
    rule_on_names(s)
    s.produce("event", meeting, f'the meeting "{title}"')
    beside.write()


def require_open(s: Scene, day: Any, zone: Any) -> None:
    """Require that the offices are open on a day that a result tells."""
    closures = s.do("list_events", "whether the offices are closed", calendarId="company-holidays",
                    timeMin=at(day, "00:00", zone), timeMax=at(day, "23:59", zone))  # fmt: skip
    s.require(count(closures["items"]), "==", 0, "the offices are closed on that day",
              names=(reasons.CLOSED,))  # fmt: skip


_NEWER = """SELECT 1 FROM events e WHERE e.calendar_id = :me || '-primary' AND e.organizer_id = :me AND
    e."eventType" = 'default' AND e.status = 'confirmed' AND e.created_at > :created"""


@family("calendar", perturbations=("policy_forbids", "impossible_date"))
def put_off_last(s: Scene) -> None:
    """The meeting that somebody put into the calendar last is put off by days or weeks."""
    me = s.pick_caller(f"""SELECT w.* FROM ({PEOPLE}) w WHERE EXISTS (SELECT 1 FROM events e WHERE
        e.calendar_id = w.user_id || '-primary' AND e.organizer_id = w.user_id AND e.recurrence IS NULL AND
        e."eventType" = 'default' AND e.status = 'confirmed' AND e.start_datetime > '2026-01-07')""")
    listed = s.peek("list_events", calendarId="primary", timeMin=_FROM)["items"]
    own = [e for e in listed if e["organizer"].get("self") and "recurrence" not in e
           and e["eventType"] == "default" and e["status"] == "confirmed"]  # fmt: skip
    if not own:
        raise NoMatch("nothing of their own is planned")
    last = max(own, key=lambda event: event["created"])
    days, words = s.rng.choice(_LATER)
    event = s.rows("SELECT * FROM events WHERE event_id = :id", id=last["id"])[0]
    if s.rows(_NEWER, me=me["user_id"], created=event["created_at"]):
        raise NoMatch("a series of theirs, or a meeting that is over, was made later still")
    slot = event_slot(event, date.fromisoformat(event["start_datetime"][:10]) + timedelta(days=days))
    who = [me["email"], *(g["email"] for g in last.get("attendees", []) if not g.get("optional"))]
    if slot.day.isoformat() in ("2026-02-06", "2026-03-20") or not all(
        is_free(s, one, slot, event["start_timezone"]) for one in who
    ):
        raise NoMatch("not everybody is free then")
    reason = s.rng.choice(_HURRIED)
    beside = besides(s, *extras.some(extras.own_day, extras.own_entries))
    s.perturb("policy_forbids", "UPDATE events SET locked = 1 WHERE event_id = :id", id=last["id"])
    close_offices(s, slot.day.isoformat())
    s.ask(
        """The last meeting that I [set up|put into my calendar] came too early[: {reason}|, as {reason}].
        [Put it off by|It should take place] {words} [later, |, ]at the same time of day, [if those who have
        to be there are free|provided that the required guests can]. [I do not even recall its title|What it
        is called you will see], but it is the one of mine that was created most recently.""",
        """[Of all that I organize|Among the coming meetings of mine], the one entered last has to go {words}
        back, [same hour, same length|with hour and length unchanged]. {Reason}. [Look first whether|Make sure
        that] nobody whose presence is needed has something else then.""",
        """{Reason}, and so the meeting that I created most recently [moves|should move] by {words}. [It is
        still to come and it is mine|It lies ahead and I am its organizer]; everything about it stays but the
        day. [If the offices are closed then or somebody who must come is taken, leave it|Only do it if the
        new day is open and the people needed are free].""",
        """[What did I plan last?|There is the newest of my own meetings.] [Whatever it was, make it|That one
        should be] {words} later, at the hour that it has, [since|because] {reason}. The guests who are not
        optional [have to be free|need to have the time], as always.""",
        """[By mistake I was too fast with|I was too quick with] my latest invitation, the one that is
        youngest by its date of creation: {reason}. [Have it begin|Let it start] {words} after its present
        time and last as long as now, [unless|except if] that hits another appointment of the required
        guests.""",
        """[There is one that I created after all the others|One of my coming meetings was created after all
        the others], and {reason}. [Have it wait for|It can wait] {words}: same hour of the day, same number
        of minutes, [all who are not optional free|provided that nobody who is required has other plans].""",
        """{words_} more, [that is what|that much] my most recently created meeting needs, [seeing that|given
        that] {reason}. [Its hour is fine|The hour is right], only the date is not; [leave it alone|hands off]
        if the day is closed or a required guest has something else then.""",
        """[Move my newest meeting|My newest meeting moves], judged by when it was created and not by when it
        takes place, {words} into the future. [Length and hour remain|It keeps its hour and its length].
        {Reason}, and [nobody who has to attend may be busy then|those who have to attend must be free].""",
        words=words, words_=words[0].upper() + words[1:], reason=reason,
        Reason=reason[0].upper() + reason[1:],
    )  # fmt: skip
    beside.say()
    events = s.do("list_events", "what is planned from tomorrow on", calendarId="primary", timeMin=_FROM)
    mine = events["items"].every(
        ("organizer.self", "==", True), ("recurrence", "==", None), ("eventType", "==", "default"),
        ("status", "==", "confirmed"),
    )  # fmt: skip
    meeting = mine.largest("created")
    s.require(meeting["locked"], "==", False, "the meeting that you made last is locked", names=("lock",))
    start, end = (shift(meeting[which]["dateTime"], f"{days} days") for which in ("start", "end"))
    zone = meeting["start"]["timeZone"]
    require_open(s, date_of(start), zone)
    require_nobody_busy(s, with_me(s, as_items(needed(meeting))), start, end, zone, "who is free then")
    s.indirect("the meeting made last", hidden=[last["id"]])
    beside.look()
    s.do("patch_event", "put it off", calendarId="primary", eventId=meeting["id"], **span(start, end, zone),
         sendUpdates="all")  # fmt: skip
    beside.write()


_FROM = "2026-01-06T00:00:00"
_LATER = (
    (7, "a week"), (7, "seven days"), (7, "one week"), (14, "two weeks"), (14, "a fortnight"),
    (21, "three weeks"),
)  # fmt: skip
_HURRIED = (
    "the offer that we want to look at has not come in yet", "the others asked for time to prepare",
    "the person with the figures is on a course until then", "I had the delivery date wrong",
    "we should let the customer speak first", "the prototype is not back from the workshop",
)  # fmt: skip
