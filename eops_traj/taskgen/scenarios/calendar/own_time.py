"""Scenarios about one's own time: hours in which nothing is planned."""

from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.calendar import reasons
from eops_traj.taskgen.scenarios.calendar.lookups import (
    PEOPLE,
    day_span,
    find_my_zone,
    join_words,
    say,
    span,
)
from eops_traj.taskgen.scenarios.calendar.picking import (
    free_slots,
)
from eops_traj.taskgen.scenarios.calendar.places import enter_home, has_place
from eops_traj.taskgen.scenarios.calendar.twists import make_busy
from eops_traj.taskgen.scene import Scene

_TASKS = (
    "Write the report", "Clear the backlog", "Prepare the budget", "Read the contracts", "Finish the slides",
    "Sort the tickets", "Draft the handbook", "Check the invoices", "Plan the training", "Review the design",
    "Learn the new system", "Answer the auditors", "Rework the price list", "Test the scanner",
)  # fmt: skip
_PRESSED = (
    "I have not had two quiet hours since October", "the deadline is at the end of the month",
    "it cannot be done between two meetings", "every other attempt was eaten up by calls",
    "my manager has asked for it twice", "the colleagues in the other office wait for it",
)  # fmt: skip
_LENGTHS = {
    60: ("60 minutes", "sixty minutes", "one hour"), 90: ("90 minutes", "ninety minutes",
        "one and a half hours"),
    120: ("120 minutes", "two hours", "2 hours"),
}  # fmt: skip
_TOO_LONG = ("four hours", "five hours", "six hours", "240 minutes", "300 minutes", "5 hours")


@family("calendar", perturbations=("policy_forbids", "impossible_date", "conflicting_demands"))
def plan_focus(s: Scene) -> None:
    """Some hours of focus time, where nothing is planned, and a day or two at home."""
    me = s.pick_caller(PEOPLE)
    zone, task = me["timezone"], s.rng.choice(_TASKS)
    offsets = s.rng.sample([1, 2, 3, 4, 7, 8, 9, 10, 11], s.rng.choice((2, 2, 3)))
    days = [s.day(offset, offset) for offset in sorted(offsets)]
    length = s.rng.choice((60, 90, 120))
    slots = []
    for day in days:
        free = [one for one in free_slots(s, [me["email"]], day.date, zone, length) if one.minute % 60 == 0]
        if not free:
            raise NoMatch("no hour is free")
        slots.append(s.rng.choice(free))
    home = [day for day in days if s.chance(0.5) and not has_place(s, day)][:2]
    make_busy(s, me, slots[-1], zone)
    when = [f"{day.on} at {slot.words}" for day, slot in zip(days, slots, strict=True)]
    why, past = s.rng.choice(_PRESSED), s.day(-70, -14)
    s.ask(
        """[I need time for myself|I need some time without people], {because} {why}. [Block|Reserve] {length}
        of focus time each, {when}, my time, under the title "{task}". {quiet} {home}""",
        """[Focus time has to be entered for me|There should be focus time in my calendar], "{task}": {when},
        {length} [every time|each time]. {home} {quiet} {Why}.""",
        """"{task}" [will not be done between two meetings|never gets done in between]. So give me {length} of
        focus time {when}, by my own clock. {quiet} {home} [I ask since|Mind that] {why}.""",
        """[Some hours have to stay free of everybody|A few hours should belong to one thing only]. It is
        focus time, called "{task}", and it [should be|is wanted] {when}, for {length} each. {home} {quiet}
        {Why}.""",
        """{Why}. [Hence focus time|So I want focus time]: "{task}", [that is|namely] {when}, where I am, and
        {length} [at a time|long each time]. {quiet} {home}""",
        """[Everybody tells me|I have been told often enough] to plan my work and not only my meetings, and
        {why}. [Very well|Here goes]: "{task}" as focus time, {when} and {length} long each. {quiet}
        {home}""",
        task=task, when=join_words(when), why=why, Why=why[0].upper() + why[1:],
        because=s.rng.choice(("because", "since", "as")),
        length=s.phrase("conflicting_demands", s.rng.choice(_LENGTHS[length]), s.rng.choice(_TOO_LONG)),
        quiet=say(s, "[The settings are the usual ones by our rules.|Do it with the settings that our rules "
                  "have for it.|As to the settings, follow the rules.]"),
        home=s.phrase(
            "impossible_date",
            say(s, '[I work from home {days}, so enter that too, as|{Days} I am at home all day, to be '
                'entered as] "Home".', days=join_words([day.on for day in home]),
                Days=(words := join_words([day.on for day in home]))[0].upper() + words[1:]) if home else "",
            say(s, '[I worked from home {past}, so enter that too, as|{Past} I was at home all day, to be '
                'entered as] "Home".', past=past.on, Past=past.on[0].upper() + past.on[1:]),
        ),
    )  # fmt: skip
    s.refuse("conflicting_demands", "focus time is from one to three hours long, and not longer",
             names=("four hour|five hour|six hour|4 hour|5 hour|6 hour|three hour|3 hours|180|10 hours"
                    "|240|300|360|too long",))  # fmt: skip
    s.refuse("impossible_date", "a place of work is entered seven days late at most", names=(reasons.PAST,))
    zone_ref = find_my_zone(s)
    s.do("list_events", "what focus time there is already", calendarId="primary", eventTypes="focusTime",
         singleEvents=True, **day_span(days[0].date, days[-1].date))  # fmt: skip
    for slot in slots:
        reply = s.do("query_freebusy", "whether you are free then", timeMin=slot.start, timeMax=slot.end,
                     timeZone=zone_ref, items=[{"id": me["email"]}])  # fmt: skip
        s.require(count(reply["calendars"][me["email"]]["busy"]), "==", 0,
                  f"you have something else at {slot.words}", names=(reasons.BUSY,))  # fmt: skip
    s.duty("what focus time declines, and what the chat shows")
    quiet = {"autoDeclineMode": "declineOnlyNewConflictingInvitations", "chatStatus": "doNotDisturb"}
    for slot in slots:
        s.do("create_event", f"focus time at {slot.words}", calendarId="primary", summary=task,
             eventType="focusTime", **span(slot.start, slot.end, zone_ref), focusTimeProperties=quiet,
             sendUpdates="none")  # fmt: skip
    for day in home:
        enter_home(s, day)
    s.rule(
        "Focus time is from one to three hours long, and not more than ten hours in a week",
        """SELECT COUNT(*) FROM events e JOIN users u ON u.user_id = e.user_id WHERE u.email = :me AND
        e.summary = :task AND e."eventType" = 'focusTime' AND (julianday(e.end_datetime) -
        julianday(e.start_datetime)) * 1440 BETWEEN 59 AND 181""",
        expected=len(slots), me=me["email"], task=task,
    )  # fmt: skip
