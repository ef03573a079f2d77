"""Scenarios about a series as a whole: its end, the days that it leaves out, its hour."""

from datetime import date, datetime, timedelta

from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.expressions import ROW, at, shift
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count, text
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.calendar import extras, reasons
from eops_traj.taskgen.scenarios.calendar.lookups import (
    join_people,
    say,
    span,
)
from eops_traj.taskgen.scenarios.calendar.series import HOSTS, ONE_ON_ONES, find_series
from eops_traj.taskgen.scenarios.calendar.twists import make_away
from eops_traj.taskgen.scene import Row, Scene

_ENDINGS = (
    "we talk anyway, several times a day", "there is a new team lead who takes over from me",
    "the trainee period is over by then", "the project that we shared is wound up in spring",
    "half an hour every time has become too much for too little", "we change to a call when needed",
    "our desks stand side by side from then on",
)  # fmt: skip


def _pick_talk(s: Scene) -> tuple[Row, Row]:
    """Pick a series without an end that the caller holds with somebody; return it and the other one."""
    talk = s.pick(f"{ONE_ON_ONES} AND e.recurrence NOT LIKE '%UNTIL%' AND e.recurrence NOT LIKE '%COUNT%'",
                  me=s.caller["email"])  # fmt: skip
    return talk, s.rows("SELECT * FROM users WHERE user_id = :id", id=talk["guest"])[0]


_COPY = "3d8e7b15-42c9-4f6a-8b0d-5e1f9a7c2d64"
_COPIED = """calendar_id, user_id, organizer_id, organizer_email, organizer_display_name, organizer_self,
    summary, start_timezone, end_timezone, recurrence, status, visibility, "eventType", transparency,
    "originalStartTime_timeZone", sequence, created_at, updated_at"""
_AN_HOUR_LATER = "strftime('%Y-%m-%d %H:%M:%S.000000', {}, '+1 hour')"


def _add_namesake(s: Scene, talk: Row) -> None:
    """Add another series of the same title with the same person, an hour later."""
    start, end = (_AN_HOUR_LATER.format(f"{which}_datetime") for which in ("start", "end"))
    s.perturb("two_namesakes", """INSERT INTO recurring_events (recurring_event_id, original_recurrence)
        VALUES (:copy, :rules)""", copy=_COPY, rules=talk["recurrence"])  # fmt: skip
    s.perturb("two_namesakes", f"""INSERT INTO events (event_id, recurring_event_id, "iCalUID",
        start_datetime, end_datetime, "originalStartTime_dateTime", {_COPIED}) SELECT :copy, :copy, :copy ||
        '@calendar.google.com', {start}, {end}, {start}, {_COPIED} FROM events WHERE event_id = :id""",
        copy=_COPY, id=talk["event_id"])  # fmt: skip
    s.perturb("two_namesakes", """INSERT INTO attendees (attendees_id, event_id, user_id, optional, resource,
        "responseStatus") SELECT :copy || '-' || user_id, :copy, user_id, optional, resource, "responseStatus"
        FROM attendees WHERE event_id = :id""", copy=_COPY, id=talk["event_id"])  # fmt: skip


_ENDLESS = (  # how it has been, and what contradicts the rest
    ("Up to now it was a series without any end.", "It has to stay a series without any end."),
    ("Its rule is without an end so far.", "Its rule must be without an end, as so far."),
    ("Nobody ever gave it an end.", "Nobody may ever give it an end."),
    ("As it stands it goes on for years.", "As a series it has to go on for years without an end."),
)  # fmt: skip


@family("calendar", perturbations=("two_namesakes", "impossible_date", "conflicting_demands"))
def end_series(s: Scene) -> None:
    """A series that would go on for ever gets an end."""
    s.pick_caller(HOSTS)
    talk, other = _pick_talk(s)
    last, far = s.day(20, 150, weekday=False), s.day(400, 520, weekday=False)
    why, noted = s.rng.choice(_ENDINGS), s.chance(0.5)
    note = s.rng.choice(("Runs out in spring, see my mail.", "The last ones. Thank you for the talks!",
                         "Ends as we agreed on the phone."))  # fmt: skip
    beside = besides(s, *extras.some(extras.own_entries))
    _add_namesake(s, talk)
    s.ask(
        """[My series|The series] "{title}" with {other} [must not|should not] go on for ever, {because}
        {why}. [Let it run until|Its last possible day is] {last}; [all that comes before stays|up to then
        nothing changes]. {noted} {more}""",
        """{Why}, so [{other} and I bring|there is no need for {other} and me to keep] "{title}" [to an
        end|going after that]: {last} is the last day on which it may take place. [The rhythm stays as it is
        until then|Until that day its rhythm is the same]. {noted} {more}""",
        """[There is no end set for|It has no end so far, my] "{title}" with {other}. Please set one, [namely
        {last}|and make it {last}], and keep [rhythm, hour and guests|the rest of its rule]. {noted} {more}
        [Reason:|Why:] {why}.""",
        """"{title}", [the regular talk of|which is between] {other} and me, [ends|is to end] with {last}, the
        day itself [included|still counting]. {noted} {more} [I want that|We do that], {because} {why}.""",
        """[After|Beyond] {last} there should be no "{title}" [any longer|any more]; it is the series that I
        have with {other}. [Do not delete it|Deleting it would be wrong], as the talks before that date [are
        kept|still take place]. {noted} {more} {Why}, that is the background.""",
        """[We agreed, {other} and I,|{other} and I agreed] that "{title}" [stops|comes to its end] {on_last}.
        [Put that end into|The end has to get into] the series. {noted} {more} [The point is|It is] simply
        that {why}.""",
        title=talk["summary"], other=other["name"], last=s.phrase("impossible_date", str(last),
        str(far)), on_last=s.phrase("impossible_date", last.on, far.on),
        why=why, Why=why[0].upper() + why[1:], because=s.rng.choice(("because", "since", "as")),
        noted=say(s, '[As its description I would like|The description becomes] "{note}"', note=note)
        if noted else "",
        more=s.phrase("conflicting_demands", *s.rng.choice(_ENDLESS)),
    )  # fmt: skip
    beside.say()
    s.refuse("impossible_date", "a series ends within a year, and not in 2027",
             names=("year|12 months|twelve months|2027",))  # fmt: skip
    s.refuse("conflicting_demands", "a series cannot get an end and have none",
             names=("end|stop|last",
                    "without|no end|none|endless|contradict|both|and yet|at the same"))  # fmt: skip
    series = find_series(s, talk["summary"])
    s.indirect("the present rule of the series", hidden=[])
    beside.look()
    s.do("patch_event", "the end of the series", calendarId="primary", eventId=series["id"],
         recurrence=[text(f"{{}};UNTIL={last.date:%Y%m%d}", series["recurrence"][0])], sendUpdates="all",
         **({"description": note} if noted else {}))  # fmt: skip
    s.rule(
        "The series has an end, and keeps its rhythm",
        """SELECT COUNT(*) FROM events WHERE event_id = :id AND recurrence LIKE :start || ';UNTIL=%'""",
        id=talk["event_id"], start=talk["recurrence"].removesuffix('"]'),
    )  # fmt: skip
    beside.write()


@family("calendar", perturbations=("two_namesakes", "out_of_scope"), ood=True)
def skip_closed_days(s: Scene) -> None:
    """What a series has on closed days is called off, meeting by meeting."""
    me = s.pick_caller(HOSTS)
    talk, other = _pick_talk(s)
    (month, last) = s.rng.choice((("March", date(2026, 3, 31)), ("February", date(2026, 2, 28)),
                                  ("April", date(2026, 4, 30))))  # fmt: skip
    if s.chance(0.7):
        _close_on_a_talk(s, talk)
    stranger = s.pick("""SELECT u.* FROM users u WHERE u.is_active AND u.provider = 'corvane-sso' AND u.email
        NOT IN (:me, :other)""", me=me["email"], other=other["email"])  # fmt: skip
    beside = besides(s, *extras.some(extras.own_entries))
    _add_namesake(s, talk)
    s.ask(
        """[Nobody is in the building on closed days|The doors are shut on closed days], and still "{title}",
        {whose} series with {other}, [meets|takes place] on some of them. [Until the end of|Up to the last day
        of] {month}, call off every meeting of it that falls on one; [the others stay|all else stays].""",
        """[Look up when the company is closed|Find the days on which the company is closed] between now and
        the end of {month}, and [cancel|call off] what "{title}" has on these days. It is {whose} series with
        {other}, and [as a series it goes on|the rest of it is not touched].""",
        """"{title}" with {other} [was set up without a look at the holidays|ignores the company's holidays].
        {Whose} talks on closed days, [from today to|in the time up to] the end of {month}, are to be taken
        out one by one, [the series remains|without any change to the series].""",
        """Through {month}, {whose} "{title}" [must not|should not] happen on a day on which the offices are
        closed. [So for each such day|For all of these days], call off the one meeting that {other} and {who}
        would have, if there is one, [and nothing else|and leave the remaining ones].""",
        """{other} [asked|wanted to know] whether "{title}" takes place on company holidays. It does not: [any
        meeting|every meeting] of that series, {whose} own, that is on a closed day until {month} ends
        [should be called off|has to go].""",
        """[How the closed days lie I have not checked|I did not check which days are closed], but up to the
        end of {month} no meeting of "{title}", {whose} series with {other}, [may be|should stand] on one of
        them. [Cancel those and keep the rest|Those are called off, the rest is kept].""",
        title=talk["summary"], other=other["name"], month=month,
        whose=(whose := s.phrase("out_of_scope", "my", f"{stranger['name']}'s")),
        Whose=whose[0].upper() + whose[1:], who=s.phrase("out_of_scope", "I", stranger["name"]),
    )  # fmt: skip
    beside.say()
    s.refuse("out_of_scope", f"you do not organize what belongs to {stranger['name']}",
             names=(reasons.NOT_ORGANIZER + "|not organize|own series|of your own",
                    reasons.known_as(stranger) + "|series"))  # fmt: skip
    series = find_series(s, talk["summary"])
    closed = s.do("list_events", "the closed days", calendarId="company-holidays",
                  timeMin="2026-01-05T00:00:00", timeMax=f"{last}T23:59:00")  # fmt: skip
    zone = series["start"]["timeZone"]
    met = s.do_each(closed["items"], "get_event_instances", "what it has on each", calendarId="primary",
                    eventId=series["id"], timeMin=at(ROW["start"]["date"], "00:00", zone),
                    timeMax=at(ROW["start"]["date"], "23:59", zone))  # fmt: skip
    s.covers("all meetings of the series on closed days")
    s.indirect("the closed days", hidden=["2026-02-06", "2026-03-20"])
    beside.look()
    s.do_each(met.every()["items"].every(), "delete_event", "call it off", calendarId="primary",
              eventId=ROW["id"], sendUpdates="all")  # fmt: skip
    beside.write()


def _close_on_a_talk(s: Scene, talk: Row) -> None:
    """Close the offices on a day on which the series meets."""
    upcoming = s.peek("get_event_instances", calendarId="primary", eventId=talk["event_id"],
                      timeMin="2026-01-08T00:00:00", timeMax="2026-02-27T00:00:00")["items"]  # fmt: skip
    if not upcoming:
        raise NoMatch("the series does not meet")
    day = s.rng.choice(upcoming)["start"]["dateTime"][:10]
    s.arrange(
        """UPDATE events SET start_datetime = :day || ' 00:00:00.000000', "originalStartTime_date" = :day,
        end_datetime = date(:day, '+1 day') || ' 00:00:00.000000'
        WHERE calendar_id = 'company-holidays' AND summary = 'Founders'' Day'""",
        day=day,
    )  # fmt: skip


_SHIFTS = {30: "half an hour", 60: "an hour", 90: "an hour and a half"}


@family("calendar", perturbations=("two_namesakes", "policy_forbids"))
def shift_series(s: Scene) -> None:
    """All meetings of a series begin earlier or later, if the next ones allow it."""
    me = s.pick_caller(HOSTS)
    talk, other = _pick_talk(s)
    minutes, later = s.rng.choice(tuple(_SHIFTS)), s.chance(0.6)
    move = f"{minutes if later else -minutes} minutes"
    coming = s.peek("get_event_instances", calendarId="primary", eventId=talk["event_id"],
                    timeMin="2026-01-06T00:00:00", maxResults=4)["items"]  # fmt: skip
    moved = [{w: _moved(one[w]["dateTime"], minutes if later else -minutes) for w in ("start", "end")}
             for one in coming]  # fmt: skip
    hours = {one["start"][11:16] for one in moved} | {one["end"][11:16] for one in moved}
    if not moved or min(hours) < "09:00" or max(hours) > "18:00":
        raise NoMatch("outside of the working hours")
    for one in moved:
        reply = s.peek("query_freebusy", timeMin=one["start"], timeMax=one["end"],
                       items=[{"id": who} for who in (me["email"], other["email"])])  # fmt: skip
        if any(calendar["busy"] for calendar in reply["calendars"].values()):
            raise NoMatch("somebody is taken at the new hour")
    beside = besides(s, *extras.some(extras.own_entries, extras.own_day))
    _add_namesake(s, talk)
    second = moved[-1]
    make_away(s, other, second["start"][:19], second["end"][:19], talk["start_timezone"])
    s.ask(
        """[All meetings of|The whole series] "{title}", which I hold with {other}, should [begin|start]
        {by} {way} from now on, [same day, same length|with day and length as they are]. [Check that both of
        us are free at the new hour the next four times|The next four times at the new hour have to be free
        for both of us].""",
        """{by_} {way} [would suit|would be better for] {other} and me in "{title}". [Change the series, not
        single meetings|It is the series that changes], provided that [the next four of them|the four that
        come next] do not [hit|run into] anything else of ours at their new time.""",
        """[My mornings and afternoons have been reshuffled|The school run has moved], so "{title}" with
        {other} shifts as a series: {by} {way}, with its length unchanged. [If one of us is taken at that time
        in one of the next four weeks of it|Should the new hour clash for one of us in one of the next four
        meetings], leave the series alone.""",
        """[The hour of|When we meet in] "{title}" [is no good any longer|no longer works]. {other} and I
        want it {by} {way}, every time. [As usual with series|As with any series], the next four meetings
        [must be|have to be] free for both of us at the new hour.""",
        """[Since Monday|From this month on] {other} has [lessons|another duty], and therefore "{title}", our
        series, is [put| to be put] {by} {way} throughout. [Look at|Compare] the next four meetings first: at
        the new time neither of us [may|should] have anything else.""",
        """[From the next one on|As of the next meeting], "{title}" ({other} and I) takes place {by} {way}
        than so far. [That goes for the series as a whole|The series as such is changed], [if|as long as] both
        calendars are free for the next four at that hour.""",
        title=talk["summary"], other=join_people(s, [other]), by=_SHIFTS[minutes],
        by_=_SHIFTS[minutes][0].upper() + _SHIFTS[minutes][1:], way="later" if later else "earlier",
    )  # fmt: skip
    beside.say()
    series = find_series(s, talk["summary"])
    ahead = s.do("get_event_instances", "the next four", calendarId="primary", eventId=series["id"],
                 timeMin="2026-01-06T00:00:00", maxResults=4)  # fmt: skip
    people = [{"id": me["email"]}, {"id": other["email"]}]
    busy = s.do_each(ahead["items"], "query_freebusy", "who is free at the new hour",
                     timeMin=shift(ROW["start"]["dateTime"], move),
                     timeMax=shift(ROW["end"]["dateTime"], move), items=people)  # fmt: skip
    taken = [count(busy.every()["calendars"].every()[one["id"]]["busy"].every()) for one in people]
    for name, number in zip(("you have", f"{other['name']} has"), taken, strict=True):
        s.require(number, "==", 0, f"{name} something else at the new hour",
                  names=(reasons.BUSY,))  # fmt: skip
    s.covers("all meetings of a series")
    beside.look()
    s.do("patch_event", "the hour of the series", calendarId="primary", eventId=series["id"],
         **span(shift(series["start"]["dateTime"], move), shift(series["end"]["dateTime"], move),
                series["start"]["timeZone"]), sendUpdates="all")  # fmt: skip
    s.rule(
        "The series keeps its rhythm",
        "SELECT COUNT(*) FROM events WHERE event_id = :id AND recurrence = :rules",
        id=talk["event_id"], rules=talk["recurrence"], category="integrity",
    )  # fmt: skip
    beside.write()


def _moved(moment: str, minutes: int) -> str:
    """Return a time some minutes later."""
    return (datetime.fromisoformat(moment) + timedelta(minutes=minutes)).isoformat()
