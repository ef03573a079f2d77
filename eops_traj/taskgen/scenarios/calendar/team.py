"""Scenarios about the people of a team calendar: all of them, or the one who plans along in it."""

from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.expressions import ITEM, ROW, clock_of, each, shift
from eops_traj.taskgen.family import family
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.calendar import extras, reasons
from eops_traj.taskgen.scenarios.calendar.lookups import (
    OWN_MEETINGS,
    PEOPLE,
    find_meeting,
    find_my_zone,
    length_words,
    require_mine,
    require_nobody_busy,
    require_open_day,
    rule_on_names,
    say,
    span,
)
from eops_traj.taskgen.scenarios.calendar.moving import with_me
from eops_traj.taskgen.scenarios.calendar.picking import (
    event_day,
    free_slots,
    pick_free_slot,
    pick_open_day,
)
from eops_traj.taskgen.scenarios.calendar.planning import call, find_gap
from eops_traj.taskgen.scenarios.calendar.sharing import OWNED, SHARED_WITH, find_owned_calendar
from eops_traj.taskgen.scenarios.calendar.subjects import TITLES, pick_purpose
from eops_traj.taskgen.scenarios.calendar.twists import (
    add_second_calendar,
    close_offices,
    deactivate,
    demote,
    make_busy,
)
from eops_traj.taskgen.scene import Row, Scene

_OWNING = f"SELECT w.* FROM ({PEOPLE}) w WHERE EXISTS (SELECT 1 FROM ({OWNED}) k WHERE k.email = w.email)"


def _readers(calendar: Row) -> dict[str, str]:
    return {"calendar": calendar["calendar_id"], "me": calendar["email"]}


@family("calendar", perturbations=("no_right", "missing_entity", "impossible_date"), produces="event")
def gather_team(s: Scene) -> None:
    """Everybody who reads or writes in a team calendar meets, at the first time at which all can."""
    me = s.pick_caller(_OWNING)
    calendar = s.pick(f"SELECT * FROM ({OWNED}) WHERE email = :me", me=me["email"])
    readers = s.rows(f"{SHARED_WITH} AND a.role <> 'owner' AND u.is_active", **_readers(calendar))
    day, minutes = pick_open_day(s, 1, 18), s.rng.choice((15, 30, 30, 45))
    who = [me["email"], *(r["email"] for r in readers)]
    if not free_slots(s, who, day.date, me["timezone"], minutes):
        raise NoMatch("the team has no time that day")
    title, purpose, number = s.rng.choice(TITLES), pick_purpose(s), f"VC-{s.rng.randrange(2000, 9999)}"
    beside = besides(s, *extras.some())
    demote(s, calendar["calendar_id"], "reader")
    s.perturb("missing_entity", "UPDATE calendars SET summary = summary || ' 2' WHERE calendar_id = :id",
              id=calendar["calendar_id"])  # fmt: skip
    close_offices(s, day.iso)
    s.ask(
        """[All who read or write|Everybody who reads or writes] in {what} [and is still with us|as far as
        they still work here] should meet {on}: "{title}", {length}, at the first time between nine and six on
        which all of them and I are free. [It stands on my main calendar|Put it on my main calendar], with the
        video call {number}. {why} [Tell me when it begins.|What time is it, then?]""",
        """[Find the first gap|Look for the first gap] {on}, from nine to six by my clock, that {length} fits
        into for me and for all readers and writers of {what}, [without those who have left|leaving out
        whoever has left]. There, on my main calendar, plan "{title}" with the call {number}, and [let me know
        the time|say what time it is]. {why}""",
        """"{title}" is for [the whole circle of|all the people behind] {what}: whoever may read or write
        there and is still in the company. {Day} is fixed, the hour is not; take the earliest between nine and
        six where I am with {length} free for all of us. [The call has|The number of the call is] {number}, my
        main calendar is the place, and I [need to know|want to hear] the hour. {why}""",
        """{Purpose}. [So I want to see|I therefore invite] everybody with a reading or writing right in
        {what}, leavers aside, {on}, for {length}, [as early as all of us can|at the earliest hour that all of
        us have free] between nine and six my time. The title is "{title}", the video call {number}, the
        calendar my main one. [When does it start?|Which hour did it become?]""",
        """[How many they are by now I do not know|I have no list of them], but those who read or write in
        {what} [belong|all belong] into "{title}", {day}, {length}, provided that they are still here. [Take
        the first hour|The first hour counts], nine to six on my clock, at which they and I have nothing else;
        main calendar, video call {number}. {why} [Report the time|Please report the time].""",
        """[One invitation to the team|An invitation for the team]: "{title}", {on}, {length}. The team, [that
        is|meaning] the active people with the right to read or write in {what}. [Its hour is|The hour is] the
        first one from nine to six, by my time, that suits each of them and me. Main calendar, video call
        {number}. {why} [And when is it?|I need the hour that came out.]""",
        what=f"the calendar {calendar['summary']}", day=day, Day=day.words[0].upper() + day.words[1:],
        on=day.on, title=title, number=number, length=length_words(s, minutes),
        Purpose=purpose[0].upper() + purpose[1:],
        why=say(s, "[Write into the description that|Its description should say that] {purpose}.",
                purpose=purpose),
    )  # fmt: skip
    beside.say()
    calendar_ref = find_owned_calendar(s, calendar["summary"])
    rules = s.do("list_acl_rules", "who reads and writes", calendarId=calendar_ref["id"])
    people = rules["items"].every(("scope.type", "==", "user"), ("role", "in", ["reader", "writer"]))
    accounts = s.do_each(people, "get_user_by_email", "whether they are here still",
                         email=ROW["scope"]["value"])  # fmt: skip
    zone = find_my_zone(s)
    require_open_day(s, day.date)
    active = accounts.every(is_active=True)
    start = find_gap(s, with_me(s, each(active, {"id": ITEM["email"]})), day.date, zone, minutes)
    s.covers("everybody who reads or writes in the calendar")
    s.indirect("the first time at which all are free", hidden=[])
    s.duty("a description, with four guests or more")
    beside.look()
    event = s.do("create_event", f"plan {title}", calendarId="primary", summary=title,
                 **span(start, shift(start, minutes), zone), attendees=each(active, {"email": ITEM["email"]}),
                 description=f"We meet because {purpose}.", sendUpdates="all", **call(number))  # fmt: skip
    s.answer("the time at which it begins", clock_of(start, zone))
    rule_on_names(s)
    s.produce("event", event, f'the meeting "{title}"')
    beside.write()


@family("calendar", perturbations=("inactive_person", "policy_forbids", "missing_entity"), produces="event")
def meet_planner(s: Scene) -> None:
    """A talk with the one person who writes in a team calendar beside its owners."""
    me = s.pick_caller(_OWNING)
    calendar = s.pick(f"""SELECT o.* FROM ({OWNED}) o WHERE o.email = :me AND (SELECT COUNT(*) FROM acls a
        WHERE a.calendar_id = o.calendar_id AND a.role = 'writer') = 1""", me=me["email"])  # fmt: skip
    planner = s.pick(f"{SHARED_WITH} AND a.role = 'writer' AND u.is_active", **_readers(calendar))
    day, minutes = pick_open_day(s, 1, 16), s.rng.choice((30, 45, 60))
    slot = pick_free_slot(s, [me["email"], planner["email"]], day.date, me["timezone"], minutes)
    title, purpose = s.rng.choice(TITLES), pick_purpose(s)
    beside = besides(s, *extras.some())
    deactivate(s, planner)
    make_busy(s, planner, slot, me["timezone"])
    s.perturb("missing_entity", "UPDATE calendars SET summary = summary || ' 2' WHERE calendar_id = :id",
              id=calendar["calendar_id"])  # fmt: skip
    s.ask(
        """[Beside the owners there is one person|One person beside the owners] who writes in {what}, and with
        that person I want to go through "{title}" {on} at {time} my time, {length}{why}.""",
        """"{title}", {day}, {time} on my clock, {length}: [my guest is|I invite] whoever plans along in
        {what}, [the one with the right of a writer|that is, has the role of a writer there]{why}.""",
        """{Purpose}. [The one to ask is|I have to ask] the writer of {what}; there is just one. [Invite
        them|An invitation] to "{title}", {on} from {time} where I am, {length}.""",
        """[Look into the rules of {what}:|The rules of {what} tell you whom I mean:] the only writer in there
        should come to "{title}" {on}, {time} my time, for {length}{why}.""",
        """[I keep forgetting who enters things in {what} for me.|Who is it that enters things in {what} for
        me?] [The role is that of a writer|It is the one with a writer's role], and I need that person for
        {length}, {day} at {time} by my clock, under the title "{title}"{why}.""",
        """[I want a word with|There is something to discuss with] the person whom the rules of {what} make a
        writer[, the one beside the owners|]: "{title}", {length}, {day}, {time} [on my side|in my zone]{why}.
        [If that clashes with something of theirs or mine, do not plan it|Only if neither of us is taken].""",
        """[Not the owners, but the one who does the entering|Not an owner, but the one who really plans] in
        {what} [is my guest|gets an invitation] for "{title}": {time} my time {on}, [and we need|we take]
        {length}{why}.""",
        """[A talk of two|Only two chairs are needed]: me, and the person who is a writer in {what}. {Day},
        {time} my time, {length}, "{title}"{why}. [No one else is invited.|]""",
        what=f"the calendar {calendar['summary']}", day=day, Day=day.words[0].upper() + day.words[1:],
        on=day.on, time=slot.words, length=length_words(s, minutes), title=title,
        Purpose=purpose[0].upper() + purpose[1:],
        why=say(s, "[; it is about this: {purpose}|, since {purpose}|, because {purpose}|, as {purpose}|; "
                   "the "
                "background is that {purpose}|, given that {purpose}|; what brings it up is that {purpose}]",
                purpose=purpose),
    )  # fmt: skip
    beside.say()
    calendar_ref = find_owned_calendar(s, calendar["summary"])
    rules = s.do("list_acl_rules", "who writes in it", calendarId=calendar_ref["id"])
    account = s.do("get_user_by_email", "the account of the writer",
                   email=rules["items"].where(role="writer")["scope"]["value"])  # fmt: skip
    s.require(account["is_active"], "==", True, "whoever writes in it has left the company",
              names=(f"{reasons.known_as(planner)}|writ|account|person|they|plans",
                     reasons.LEFT))  # fmt: skip
    zone = find_my_zone(s)
    require_open_day(s, day.date)
    require_nobody_busy(s, [{"id": me["email"]}, {"id": account["email"]}], slot.start, slot.end, zone,
                        "whether both of you are free")  # fmt: skip
    s.indirect("the one writer of a calendar", hidden=[planner["email"]])
    beside.look()
    event = s.do("create_event", f"plan {title}", calendarId="primary", summary=title,
                 **span(slot.start, slot.end, zone), attendees=[{"email": account["email"]}],
                 sendUpdates="all")  # fmt: skip
    rule_on_names(s)
    s.produce("event", event, f'the meeting "{title}"')
    beside.write()


_BELONGS = (
    "it concerns all of us", "the whole team has to see it", "I planned it in a hurry, and in the wrong "
                                                             "place",
    "the others look for it there", "my stand-in cannot see it where it is",
)  # fmt: skip


@family("calendar", perturbations=("no_right", "policy_forbids", "two_namesakes"))
def wrong_calendar(s: Scene) -> None:
    """A meeting that stands on the main calendar moves to the calendar of a team."""
    me = s.pick_caller(f"{_OWNING} AND EXISTS (SELECT 1 FROM ({OWN_MEETINGS}) m WHERE m.email = w.email)")
    calendar = s.pick(f"SELECT * FROM ({OWNED}) WHERE email = :me", me=me["email"])
    event = s.pick(f"SELECT * FROM ({OWN_MEETINGS}) WHERE email = :me", me=me["email"])
    on = event_day(s, event)
    why, colour = s.rng.choice(_BELONGS), s.chance(0.6)
    beside = besides(s, *extras.some())
    demote(s, calendar["calendar_id"], "reader")
    add_second_calendar(s, calendar)
    s.perturb("policy_forbids", """UPDATE events SET "eventType" = 'focusTime' WHERE event_id = :id""",
              id=event["event_id"])  # fmt: skip
    s.ask(
        """{what} [stands on the wrong calendar|is on the wrong calendar]: {why}, so [move it from my main
        one|it moves from my main one] to {team}. {colour} [Guests and time are as they were.|Nothing else
        about it changes.]""",
        """{Why}. [That is why|For that reason] {what} belongs on {team} and not on my main calendar. [Move
        it there|Put it there by moving it], [do not make a second one|without making another]. {colour}""",
        """[From my main calendar|Off my main calendar] and onto {team}: [that is where|there] {what}
        [goes|should go], {because} {why}. {colour} [Its guests hear about it as usual.|]""",
        """[Something small about|A small thing about] {what}. It [is meant for|should be on] {team}, yet it
        is on my main calendar. [Please move it|It has to be moved]; {why}. {colour}""",
        """On {team} one entry is missing, and that is {what}, [which I put on my own main calendar|now on my
        main calendar]. {colour} [Take it over there|Move it over] as it is. {Why}.""",
        """[It was a slip of mine|My mistake]: {what} landed on my main calendar instead of {team}, and {why}.
        [Please shift it across|Shift it over there], [guests, hour and all|with its guests and its hour].
        {colour}""",
        """[People who open|Whoever opens] {team} [will not find|do not see] {what}, because it sits on my
        main calendar; {why}, so [let it change calendars|it should change calendars]. {colour}""",
        """{team_} [gets|takes] {what} from my main calendar, [as|since] {why}. [A move, not a copy|It is to
        be moved, not copied]. {colour}""",
        what=f'my "{event["summary"]}" {on.on}',
        team=f"the calendar {calendar['summary']}", team_=f"The calendar {calendar['summary']}", why=why,
        Why=why[0].upper() + why[1:], because=s.rng.choice(("because", "since", "as")),
        colour=say(s, "[Give it the colour that we keep for teams|It takes the colour for teams] once it is "
                   "there.") if colour else "",
    )  # fmt: skip
    beside.say()
    target = find_owned_calendar(s, calendar["summary"])
    meeting = find_meeting(s, event["summary"], on, "the meeting that moves")
    require_mine(s, meeting, event["summary"])
    s.require(meeting["eventType"], "==", "default", f"{event['summary']} is of a type that is not moved",
              names=("type|focus|default|not a meeting",
                     f"{event['summary']}|mov|transfer|calendar"))  # fmt: skip
    beside.look()
    s.do("move_event", "to the calendar of the team", calendarId="primary", eventId=meeting["id"],
         destination=target["id"], sendUpdates="all")  # fmt: skip
    if colour:
        s.duty("the colour of teams")
        s.do("patch_event", "the colour of teams", calendarId=target["id"], eventId=meeting["id"],
             colorId="9", sendUpdates="all")  # fmt: skip
    beside.write()
