"""Scenarios about series: a new one, and one of its meetings that is to be otherwise."""

from datetime import date, timedelta

from eops_traj.taskgen import dates
from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.family import family
from eops_traj.taskgen.indirection import spell
from eops_traj.taskgen.result_ref import ResultRef, count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.calendar import extras, reasons
from eops_traj.taskgen.scenarios.calendar.lookups import (
    PEOPLE,
    Slot,
    day_span,
    find_guest,
    find_my_zone,
    join_people,
    join_words,
    require_free,
    require_nobody_busy,
    require_open_day,
    rule_on_names,
    say,
    span,
)
from eops_traj.taskgen.scenarios.calendar.picking import (
    as_day,
    free_slots,
    pick_colleagues,
    pick_free_slot,
    pick_open_day,
)
from eops_traj.taskgen.scenarios.calendar.twists import close_offices, deactivate, make_busy
from eops_traj.taskgen.scene import Scene

_NAMES = (
    "Pipeline round", "Cost watch", "Quality circle", "Open desk", "Release talk", "Ticket review",
    "Hiring round", "Partner news", "Design hour", "Status check", "Product questions", "Numbers of the week",
    "Handover round", "Learning hour", "Risk talk", "Planning table", "Complaints table", "Shift talk",
)  # fmt: skip
_WEEKDAYS = ("MO", "TU", "WE", "TH", "FR")
CLOSED = (date(2026, 2, 6), date(2026, 3, 20))
_RHYTHMS = {1: "[every {day}|each {day}|weekly, on {day}s]", 2: "[every other {day}|every second {day}]",
            3: "every third {day}"}  # fmt: skip
_TOO_FAR = ("the end of May", "the end of March", "30 April", "26 February", "the last day of June")


@family(
    "calendar", perturbations=("inactive_person", "policy_forbids", "impossible_date"), consumes="calendar"
)
def new_series(s: Scene) -> None:
    """Some people meet again and again, at a time that suits the first few meetings."""
    me = s.pick_caller(PEOPLE)
    earlier, zone = s.consume("calendar"), me["timezone"]
    first, step = s.day(1, 12), s.rng.choice((1, 1, 2, 3))
    counted, number = s.chance(0.4), s.rng.choice((6, 8, 10))
    last = first.date + timedelta(weeks=step * number)
    days = [first.date + timedelta(weeks=step * n) for n in range(number + 1)]
    left_out = [day for day in CLOSED if day in days]
    if left_out and (counted or first.date in left_out):
        raise NoMatch("a number of meetings with a closed day among them")
    minutes = s.rng.choice((30, 45, 60))
    people = pick_colleagues(s, s.rng.choice((2, 2, 3)), zone)
    who = [me["email"], *(p["email"] for p in people)]
    checked = [day for day in days if day not in left_out][:4]
    times = [{slot.minute for slot in free_slots(s, who, day, zone, minutes)} for day in checked]
    if not (suited := sorted(set.intersection(*times))):
        raise NoMatch("no time suits the first meetings")
    slot = Slot(first.date, s.rng.choice(suited), minutes)
    title, every = s.rng.choice(_NAMES), say(s, _RHYTHMS[step], day=f"{first.date:%A}")
    ends = f"{last.day} {last:%B}" + ("" if last.year == 2026 else f" {last.year}")
    beside = besides(s, *extras.some(extras.own_entries, extras.own_day))
    deactivate(s, people[-1])
    make_busy(s, people[0], Slot(checked[2], slot.minute, minutes), zone)
    s.ask(
        """From {first} on I want to [meet|sit down with] {people} regularly: {every} at {time} my time,
        {minutes} minutes, {ends}. [Call it|It is called] "{title}". {where} {out}""",
        """[Since one meeting never settles it|As it does not get done otherwise], {us} make it a
        series, "{title}". It starts {on_first}, goes on {every} from {time} as my clock has it, takes
        {minutes} minutes, and runs {ends}. {out} {where}""",
        """"{title}" should become a habit: {every}, {time} my time, {minutes} minutes, beginning {first},
        {ends}. [Guests are|Invite] {people}. {where} {out}""",
        """[Something that comes back has to be planned|A regular date is needed]: {every}, the first time
        {first}, at {time} where I am and for {minutes} minutes, I meet {people}. [The name is|We call it]
        "{title}", and it goes {ends}. {out} {where}""",
        """[It is settled|We settled] that {us} [sit together|talk] {every}, {minutes} minutes from {time} my
        time. [First meeting:|We begin] {first}. [It runs|The series runs] {ends}. [Put it down|It goes into
        the calendar] as "{title}". {where} {out}""",
        """[One series, all in a line:|The facts of the series:] title "{title}", rhythm {every}, start
        {first} at {time} by my time, length {minutes} minutes, and it runs {ends}. [It is for|Invited are]
        {people}. {where} {out} [I am not on the guest list myself.|]""",
        first=first, on_first=first.on, people=join_people(s, people), us=join_people(s, people, "I"),
        every=every, time=slot.words,
        minutes=minutes, title=title,
        ends=s.phrase("impossible_date",
                      f"{s.rng.choice((str(number), spell(number)))} times in all" if counted
                      else f"until {ends}",
                      f"until {s.rng.choice(_TOO_FAR)} 2027"),
        where=f"It belongs on {earlier.words}, not on my main one." if earlier else "",
        out=say(s, "[We are closed on {days}, so that is left out|Leave out {days}, when the offices are "
                "closed].", days=join_words([f"{day.day} {day:%B}" for day in left_out]))
        if left_out else "",
    )  # fmt: skip
    beside.say()
    s.refuse("impossible_date", "a series ends within a year, and not in 2027",
             names=("year|12 months|twelve months|2027",))  # fmt: skip
    zone_ref = find_my_zone(s)
    accounts = [find_guest(s, person) for person in people]
    closed = s.do("list_events", "on which days we are closed", calendarId="company-holidays",
                  **day_span(first.date, days[-1]))  # fmt: skip
    met = [day.isoformat() for day in days if day not in left_out]
    s.require(count(closed["items"].every(("start.date", "in", met))), "==", 0,
              "the offices are closed on a day of the series", names=(reasons.CLOSED,))  # fmt: skip
    required = [
        ("you", me["email"]),
        *((p["name"], a["email"]) for p, a in zip(people, accounts, strict=True)),
    ]
    for day in checked:
        require_free(s, required, Slot(day, slot.minute, minutes), zone_ref)
    interval = f"INTERVAL={step};" if step > 1 else ""
    end = f"COUNT={number}" if counted else f"UNTIL={last:%Y%m%d}"
    rules = [f"RRULE:FREQ=WEEKLY;{interval}BYDAY={_WEEKDAYS[first.date.weekday()]};{end}"]
    if left_out:
        rules.append(f"EXDATE;VALUE=DATE:{','.join(f'{day:%Y%m%d}' for day in left_out)}")
    beside.look()
    s.do("create_event", f"the series {title}", calendarId=earlier.record["id"] if earlier else "primary",
         summary=title, **span(slot.start, slot.end, zone_ref), recurrence=rules,
         attendees=[{"email": a["email"]} for a in accounts], sendUpdates="all")  # fmt: skip
    s.rule(
        "The series has an end, and leaves out the days on which the company is closed",
        """SELECT COUNT(*) FROM events e WHERE e.summary = :title AND e.organizer_email = :me AND e.created_at
        >= '2026-01-05' AND (e.recurrence LIKE '%UNTIL=%' OR e.recurrence LIKE '%COUNT=%') AND (e.recurrence
        LIKE '%EXDATE%') = :left""",
        title=title, me=me["email"], left=int(bool(left_out)),
    )  # fmt: skip
    rule_on_names(s)
    beside.write()


ONE_ON_ONES = """
    SELECT e.*, u.email AS boss, a.user_id AS guest FROM events e JOIN users u ON e.calendar_id = u.user_id ||
    '-primary' JOIN attendees a ON a.event_id = e.event_id JOIN users g ON g.user_id = a.user_id WHERE
    e.recurrence IS NOT NULL AND e.summary LIKE '1:1 %' AND g.is_active AND u.is_active AND u.email = :me AND
    (SELECT COUNT(*) FROM events o WHERE o.summary = e.summary AND o.calendar_id = e.calendar_id) = 1"""
HOSTS = f"SELECT w.* FROM ({PEOPLE}) w WHERE EXISTS ({ONE_ON_ONES.replace(':me', 'w.email')})"
"""People who hold such a series."""


@family("calendar", perturbations=("missing_entity", "policy_forbids", "impossible_date", "inactive_person"))
def change_one_talk(s: Scene) -> None:
    """One talk of a series is moved, and the one after it perhaps called off; the series goes on."""
    me = s.pick_caller(HOSTS)
    talk = s.pick(ONE_ON_ONES, me=me["email"])
    other = s.rows("SELECT * FROM users WHERE user_id = :id", id=talk["guest"])[0]
    upcoming = s.peek("get_event_instances", calendarId="primary", eventId=talk["event_id"],
                      timeMin="2026-01-07T00:00:00", timeMax="2026-02-20T00:00:00")["items"]  # fmt: skip
    on, then = (as_day(s, date.fromisoformat(one["start"]["dateTime"][:10])) for one in upcoming[:2])
    day, gone = pick_open_day(s, 2, 16), s.chance(0.6)
    if then.iso == "2026-02-06" or day.date == on.date:
        raise NoMatch("a closed day, or the same")
    slot = pick_free_slot(s, [me["email"], other["email"]], day.date, me["timezone"], 30)
    topic = s.rng.choice(
        ("Goals for the year", "Your leave in spring", "The new tasks", "Training and courses",
         "The appraisal of last year", "Your question about the rota", "Handover of the small projects")
    )  # fmt: skip
    noted = s.chance(0.6)
    beside = besides(s, *extras.some(extras.own_entries))
    s.perturb("missing_entity",
              """UPDATE events SET recurrence = '["RRULE:FREQ=WEEKLY;COUNT=2"]' WHERE event_id
        = :id""", id=talk["event_id"])  # fmt: skip
    make_busy(s, other, slot, me["timezone"])
    close_offices(s, day.iso)
    deactivate(s, other)
    s.ask(
        """My "{title}" {on} [has to move, just that one|cannot take place as planned, that one only]: {day}
        at {time} my time, half an hour as ever. It is with {other}. {gone} {noted} All the others stay.""",
        """The one talk with {other} that would be {on} ("{title}") [shifts|has to be shifted] to {day},
        {time} on my clock, for the usual thirty minutes. {noted} {gone} The series as such [does not
        change|goes on].""",
        """{On} does not work for "{title}" with {other}. [Let us meet|We meet] {day} at {time} instead, my
        time, for the usual half hour. [That is for this one time only|It is an exception and no new rule].
        {gone} {noted}""",
        """[One exception|Just one exception] in the series "{title}" with {other}: what is planned {on} takes
        place {day}, {time} my time, thirty minutes. {noted} {gone}""",
        """[A single date has to change|I need a single date changed]: I mean "{title}" {on}, which {other}
        and I would rather have {day} from {time} to half an hour later, by my clock. {gone} {noted} [Do not
        touch|Nothing happens to] the rest of the series.""",
        """{other} [asked me for another date|wrote to me about another date]: "{title}" not {on} but {day},
        {time} my time, half an hour[. Only this once|, and only this once]. {noted} {gone}""",
        title=talk["summary"], on=on.on, On=on.words[0].upper() + on.words[1:], day=day, time=slot.words,
        other=other["name"],
        gone=say(s, "[The one {then} does not take place at all, so call it off|Call off the one {then} "
                 "altogether].", then=then.on) if gone else "",
        noted=say(s, '[On the one that moves, put|The one that moves gets] "{topic}" as the description.',
                  topic=topic) if noted else "",
    )  # fmt: skip
    beside.say()
    talk_ref = find_series(s, talk["summary"])
    account = s.do("get_user_by_email", f"the account of {other['name']}",
                   email=talk_ref["attendees"].where(("email", "!=", me["email"]))["email"])  # fmt: skip
    s.require(account["is_active"], "==", True, f"{other['name']} has left the company",
              names=(reasons.known_as(other), reasons.LEFT))  # fmt: skip
    instances = [find_instance(s, talk_ref, day_) for day_ in ((on, then) if gone else (on,))]
    zone = find_my_zone(s)
    require_open_day(s, slot.day)
    require_nobody_busy(s, [{"id": me["email"]}, {"id": account["email"]}], slot.start, slot.end, zone,
                        "whether both of you are free")  # fmt: skip
    s.indirect("the address of who is met in a series", hidden=[other["email"]])
    beside.look()
    s.do("patch_event", "move this one", calendarId="primary", eventId=instances[0]["id"],
         **span(slot.start, slot.end, zone), sendUpdates="all",
         **({"description": topic} if noted else {}))  # fmt: skip
    if gone:
        s.do("delete_event", "call that one off", calendarId="primary", eventId=instances[1]["id"],
             sendUpdates="all")  # fmt: skip
    s.rule(
        "The series goes on by the rules that it had",
        """SELECT COUNT(*) FROM events WHERE event_id = :id AND recurrence = :rules AND start_datetime =
        :start AND status = 'confirmed'""",
        id=talk["event_id"], rules=talk["recurrence"], start=talk["start_datetime"], category="integrity",
    )  # fmt: skip
    if gone:
        s.rule(
            "What was called off is off at the time for which it was planned",
            """SELECT COUNT(*) FROM events WHERE recurring_event_id = :id AND status = 'cancelled'
            AND start_datetime = "originalStartTime_dateTime" AND recurrence IS NULL AND sequence IS 0""",
            id=talk["event_id"],
        )  # fmt: skip
    s.rule(
        "Of the talks of the series, no more than was asked for are exceptions",
        """SELECT COUNT(*) FROM events WHERE recurring_event_id = :id AND recurrence IS NULL""",
        expected=1 + gone, id=talk["event_id"],
    )  # fmt: skip
    rule_on_names(s)
    beside.write()


def find_series(s: Scene, title: str) -> ResultRef:
    """Look up the series of a title on the caller's main calendar; require that there is exactly one."""
    found = s.do("list_events", "the series", calendarId="primary", q=title)
    s.require(
        count(found["items"].every(summary=title)), "==", 1, f"there is not exactly one {title} on your "
                                                             f"calendar",
        names=(title, f"{reasons.MISSING}|{reasons.SEVERAL}|not exactly"),
    )  # fmt: skip
    return found["items"].where(summary=title)


def find_instance(s: Scene, series: ResultRef, on: dates.Day) -> ResultRef:
    """Look up the meeting of a series on a day; require that there is exactly one."""
    instances = s.do("get_event_instances", f"the one {on}", calendarId="primary", eventId=series["id"],
                     **day_span(on.date))  # fmt: skip
    s.require(count(instances["items"]), "==", 1, f"the series has no meeting {on}",
              names=(reasons.MISSING + "|no longer has|over|ended|ends before|ended before",
                     f"series|meeting|event|occurrence|instance|{on}"))  # fmt: skip
    return instances["items"][0]
