"""Scenarios about sets of meetings: a whole day, all of a title, all with somebody."""

from datetime import date
from typing import Any

from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.expressions import ROW
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.calendar import extras, reasons
from eops_traj.taskgen.scenarios.calendar.lookups import (
    ORGANIZERS,
    OWN_MEETINGS,
    PEOPLE,
    day_span,
    rule_on_names,
    say,
)
from eops_traj.taskgen.scenarios.calendar.picking import (
    event_day,
)
from eops_traj.taskgen.scenarios.calendar.twists import lock
from eops_traj.taskgen.scene import Scene

_AWAY = (
    "my train is cancelled and I will not make it to the office", "I have to stand in at the warehouse",
    "the doctor wants me to stay in bed", "I am called to the customer's site at short notice",
    "there is an audit that takes all of my time", "the schools stay shut and I am at home with two of them",
    "we move desks and have no network", "I am needed as a witness in court",
)  # fmt: skip


_STAYING = (  # what is said besides, and what contradicts the rest
    ("Other entries of that day must stay in the calendar as they are.",
     "The meetings of that day must stay in the calendar as they are."),
    ("Only meetings are meant; keep all else.", "Only keep all of these meetings."),
    ("A place of work that is entered stays.", "A meeting that is entered stays, each of them."),
    ("What is no meeting remains unchanged.", "What is a meeting remains unchanged."),
    ("Focus time or a place of work is left as it is.", "Not one of these meetings is touched, leave them."),
)  # fmt: skip


@family("calendar", perturbations=("policy_forbids", "conflicting_demands"))
def clear_day(s: Scene) -> None:
    """A day is cleared: what somebody organizes is called off, what others organize is declined."""
    me = s.pick_caller(ORGANIZERS)
    event = s.pick(f"SELECT * FROM ({OWN_MEETINGS}) WHERE email = :me", me=me["email"])
    day, why = event_day(s, event), s.rng.choice(_AWAY)
    listed = s.peek("list_events", calendarId="primary", singleEvents=True, **day_span(day.date))["items"]
    if any(e["eventType"] == "default" and e.get("locked") for e in listed):
        raise NoMatch("something is locked")
    reason = s.rng.choice(("another appointment", "not needed", "on leave"))
    beside = besides(s, *extras.some(extras.own_day))
    lock(s, event)
    s.ask(
        """{Why}, so nothing of mine can take place {on}. [All meetings that I organize on that day|Whatever I
        organize that day] should be called off, and [what others have invited me to|the invitations of
        others] declined with the comment "{reason}". {keep}""",
        """{Day} [is lost for meetings|has to be empty of meetings]: {why}. [Call off each one that is mine|My
        own ones are off], and [for the ones of other people say no|the ones of other people get a no] on my
        behalf, "{reason}" being the reason. {keep}""",
        """[Clear {day} for me|I need {day} cleared], [please,|] {because} {why}. That means: what I have
        organized is cancelled, and to the rest of the meetings I say no, with "{reason}" as the comment.
        {keep}""",
        """[I will not be at a single meeting {on}|There will be no meeting for me {on}]. {Why}. [Mine do not
        take place|Those under my name are cancelled], [others go on without me|those of others go on], so
        decline them and write "{reason}". {keep}""",
        """{on_} I can see nobody, [as|because] {why}. [Two things follow|That has two consequences]: the
        meetings which I organize on that day are called off, and in those of my colleagues I am declined,
        comment "{reason}". {keep}""",
        """[Cancel on my behalf|Please cancel] whatever meeting I host {on}, and [turn down|refuse] every
        meeting of other people that day with the remark "{reason}", [for|as] {why}. {keep}""",
        """[Not one meeting|No meeting at all] {on}, [neither my own nor anybody else's|of mine or of others]:
        {why}. [Own ones are called off|Call my own off], [the invitations get|answer the invitations with] a
        decline that reads "{reason}". {keep}""",
        """[How many meetings I have {on} I cannot see from here|I have not counted what there is {on}], but
        [all of them go|none of them can stay]: my own are called off, everybody else's are declined for me
        with the words "{reason}". [The cause:|It is because] {why}. {keep}""",
        day=day, Day=day.words[0].upper() + day.words[1:], on=day.on, on_=day.on[0].upper() + day.on[1:],
        why=why, Why=why[0].upper() + why[1:], reason=reason, because=s.rng.choice(("because", "since")),
        keep=s.phrase("conflicting_demands", *s.rng.choice(_STAYING)),
    )  # fmt: skip
    beside.say()
    s.refuse("conflicting_demands", "the meetings cannot be called off and stay as they are",
             names=("call|cancel|off|declin|clear",
                    "stay|keep|kept|as they are|remain|unchanged"))  # fmt: skip
    events = s.do("list_events", "what there is on that day", calendarId="primary", singleEvents=True,
                  **day_span(day.date))  # fmt: skip
    meetings = ("eventType", "==", "default")
    own = events["items"].every(("organizer.email", "==", me["email"]), meetings)
    s.require(count(events["items"].every(("organizer.email", "==", me["email"]), meetings,
                                          ("locked", "==", True))), "==", 0,
              "one of your meetings on that day is locked", names=("lock",))  # fmt: skip
    s.covers("all meetings of a day")
    beside.look()
    s.do_each(own, "delete_event", "call it off", calendarId="primary", eventId=ROW["id"], sendUpdates="all")
    answer = {"email": me["email"], "responseStatus": "declined", "comment": reason}
    s.do_each(events["items"].every(("organizer.email", "!=", me["email"]), meetings), "patch_event",
              "decline it", calendarId="primary", eventId=ROW["id"], attendees=[answer],
              sendUpdates="all")  # fmt: skip
    rule_on_names(s)
    beside.write()


_HOSTED = (  # what is said besides, and what the caller has no right to
    ("The meetings that {} organizes keep theirs.", "The meetings that {} organizes get it, too."),
    ("What {} organizes is left alone.", "What {} organizes is treated alike."),
    ("It is not for the ones of {}.", "It is also for the ones of {}."),
    ("Those that {} hosts stay as they are.", "Those that {} hosts change as well."),
)  # fmt: skip
_KINDS = {"incidents": "11", "training": "7", "guests from outside": "5", "what may slip": "1"}


@family("calendar", perturbations=("no_right",))
def mark_kind(s: Scene) -> None:
    """All meetings with a word in their title get the colour of their kind, and a reminder."""
    me = s.pick_caller(ORGANIZERS)
    event = s.pick(f"SELECT * FROM ({OWN_MEETINGS}) WHERE email = :me", me=me["email"])
    word = max(event["summary"].replace(":", "").replace("/", " ").split(), key=len)
    kind = s.rng.choice(tuple(_KINDS))
    minutes, hidden = s.rng.choice((0, 30, 60, 120)), s.chance(0.5)
    colour, until = _KINDS[kind], s.rng.choice((date(2026, 1, 31), date(2026, 2, 28)))
    beside = besides(s, *extras.some(extras.own_day))
    other = s.pick(f"{PEOPLE} AND u.email <> :me", me=me["email"])
    s.ask(
        """[Every meeting of mine|All those of my meetings] from tomorrow to the end of {month} that has
        "{word}" in its title [is about {kind}|belongs under {kind}], so give it the colour that we have for
        {kind}. {hidden} {reminded} {renamed}""",
        """[Our colours mean something|The colours are there for a reason], and mine are a mess: what I
        organize under a title with the word "{word}", tomorrow or later in the time up to the last day of
        {month}, [should show|has to show] the colour for {kind}. {reminded} {hidden} {renamed}""",
        """[For the overview of {kind}|To find {kind} at a glance], recolour my own meetings whose titles
        contain "{word}", [all that there are from tomorrow to the end of {month}|from tomorrow until {month}
        is over]. {renamed} {hidden} {reminded}""",
        """"{word}" [in a title stands for|in one of my titles means] {kind}, at least in my calendar. [The
        meetings of that sort which I organize|Those that I organize], from tomorrow until the end of {month},
        take the colour kept for {kind}. {reminded} {renamed} {hidden}""",
        """[Which ones they are you will have to look up|You will have to find them]: meetings that I host,
        with "{word}" somewhere in the title, between tomorrow and the end of {month}. [They get|Give them]
        the colour which our rules have for {kind}. {hidden} {renamed} {reminded}""",
        """[My manager colours everything about {kind}|Everything about {kind} has its own colour with us],
        and I want to follow: it goes on all meetings organized by me with "{word}" in the title, from
        tomorrow until the last of {month}. {renamed} {reminded} {hidden}""",
        word=word, kind=kind, month=f"{until:%B}",
        hidden=say(s, "[They also become private|Make them private as well].") if hidden else "",
        reminded=say(s, "[Their only reminder should be a popup|Let a popup remind us, and nothing else,] "
                     "{minutes} minutes ahead.", minutes=minutes) if minutes else "",
        renamed=s.phrase("no_right", *(line.format(other["name"]) for line in s.rng.choice(_HOSTED))),
    )  # fmt: skip
    beside.say()
    s.refuse("no_right", f"you do not organize the meetings of {other['name']}",
             names=(reasons.NOT_ORGANIZER + "|not organize",
                    reasons.known_as(other) + "|meetings|others"))  # fmt: skip
    events = s.do("list_events", f"what has {word} in its title", calendarId="primary",
                  **day_span(date(2026, 1, 6), until))  # fmt: skip
    own = events["items"].every(("organizer.email", "==", me["email"]), ("summary", "has", word),
                                ("eventType", "==", "default"))  # fmt: skip
    s.covers("all meetings with a word in their title")
    s.duty("the colour of a kind")
    more: dict[str, Any] = {"visibility": "private"} if hidden else {}
    if minutes:
        more["reminders"] = {"useDefault": False, "overrides": [{"method": "popup", "minutes": minutes}]}
    beside.look()
    s.do_each(own, "patch_event", f"the colour of {kind}", calendarId="primary", eventId=ROW["id"],
              colorId=colour, sendUpdates="all", **more)  # fmt: skip
    beside.write()
