"""Scenarios about a new calendar for a project."""

from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.calendar import reasons
from eops_traj.taskgen.scenarios.calendar.lookups import (
    PEOPLE,
    find_guest,
    join_people,
    join_words,
    whole_days,
)
from eops_traj.taskgen.scenarios.calendar.picking import (
    pick_colleagues,
    pick_open_day,
)
from eops_traj.taskgen.scenarios.calendar.sharing import role_words
from eops_traj.taskgen.scenarios.calendar.twists import deactivate
from eops_traj.taskgen.scene import Scene

_PURPOSES = (
    ("Move to Pier 9", "Dates of the office move."), ("Trade Fair Spring", "Who is at our stand, and when."),
    ("Recertification", "What the auditors want to see, by day."),
    ("Warehouse Change", "Steps of the new warehouse."), ("Fleet Renewal", "Which van is handed in when."),
    ("Customer Council", "Meetings with the council of customers."),
    ("Night Shifts", "Who is on duty at night."), ("Catalogue 2027", "From the first draft to the printer."),
    ("Guest Speakers", "Talks by people from outside."), ("Price Update", "When which prices change."),
    ("Field Trials", "Trials of the new relay."), ("Summer School", "Courses for the trainees."),
    ("Data Cleanup", "Which data is cleaned up, and when."), ("Partner Visits", "Visits by our partners."),
)  # fmt: skip
_DATES = (
    "Kickoff", "First review", "Papers due", "Dry run", "Final check", "Sign-off", "Site tour", "Budget due",
)  # fmt: skip
_ALONE = (  # what is said besides, and what contradicts the rest
    ("Nobody else gets a rule for it.", "Nobody but me gets a rule for it."),
    ("It is for our eyes alone.", "It is for my eyes alone."),
    ("Apart from that it is private, without a rule for anybody else.",
     "It is private, without a rule for anybody else but me."),
    ("No one else gets in for the time being.", "No one gets in for the time being but me."),
    ("Others cannot see it, these people excepted.", "Others cannot see it, these people included."),
)  # fmt: skip


@family(
    "calendar",
    perturbations=("inactive_person", "policy_forbids", "conflicting_demands"),
    produces="calendar",
)
def open_calendar(s: Scene) -> None:
    """A calendar for a project: made, shared as far as needed, and with its first dates."""
    me = s.pick_caller(PEOPLE)
    if len(s.rows("SELECT 1 FROM calendars WHERE user_id = :me AND NOT is_primary", me=me["user_id"])) > 4:
        raise NoMatch("they have five already")
    title, purpose = s.rng.choice(_PURPOSES)
    people = pick_colleagues(s, s.rng.choice((1, 2, 2, 3)))
    roles = [s.rng.choice(("reader", "writer")) for _ in people]
    marks = s.rng.sample(_DATES, s.rng.choice((1, 2, 3)))
    days = [pick_open_day(s, 6, 30) for _ in marks]
    deactivate(s, people[0])
    s.perturb("policy_forbids", "UPDATE calendars SET summary = :title WHERE is_primary AND user_id = :me",
              title=title, me=me["user_id"])  # fmt: skip
    wants = join_words([f"{join_people(s, [person])} should {role_words(s, role)}"
                        for person, role in zip(people, roles, strict=True)])  # fmt: skip
    s.ask(
        """[I need a calendar of its own|A calendar of its own is needed] for a project. [Title:|Its title is]
        "{title}", its description "{purpose}" {wants}. The first dates, as entries of the whole day: {dates}.
        {alone}""",
        """[A new calendar "{title}" is due|Time for a new calendar, "{title}"], in my time zone, with the
        description "{purpose}" Then {wants}. {alone} [Enter|Put in] {dates} for the whole day.""",
        """There are too many dates for my main calendar, so [set up|open] "{title}" beside it; "{purpose}"
        [will do|is good enough] as a description. Put in {dates}, for the whole day. {alone} And
        {wants}.""",
        """[Start a calendar for me|A calendar has to be started], which is called "{title}", is described as
        "{purpose}", and goes by the same clock as I do. {wants}. [What is fixed already|These are fixed], for
        the whole day: {dates}. {alone}""",
        """[The project was approved this morning|We got the go-ahead], so there should be a calendar
        "{title}", described as "{purpose}" {alone} [Whom I want in there|Who gets in]: {wants}. Entries of
        the whole day to begin with: {dates}.""",
        """For "{title}" I would like a place where everybody [can look up the dates|finds what is planned]:
        a calendar of mine with the description "{purpose}" So far there are {dates}, all day long. {wants}.
        {alone}""",
        title=title, purpose=purpose, wants=wants,
        dates=join_words([f'"{mark}" {day.on}' for mark, day in zip(marks, days, strict=True)]),
        alone=s.phrase("conflicting_demands", *s.rng.choice(_ALONE)),
    )  # fmt: skip
    s.refuse("conflicting_demands", "a calendar cannot be shared with people and be for your eyes alone",
             names=("shar|let|access|role|people|others|see|read|writ|rule",
                    "alone|your eyes|nobody else|no one else|private|only you|yourself"))  # fmt: skip
    calendar_list = s.do("get_calendar_list", "whether there is one of that title", showHidden=True)
    s.require(count(calendar_list["items"].every(summary=title)), "==", 0,
              f"a calendar on your list is called {title} already",
              names=(title, reasons.TAKEN))  # fmt: skip
    zone = s.do("get_settings", "your time zone", settingId="timezone")
    accounts = [find_guest(s, person) for person in people]
    calendar = s.do(
        "create_calendar", "the calendar", summary=title, description=purpose, timeZone=zone["value"]
    )
    for person, role, account in zip(people, roles, accounts, strict=True):
        s.do("insert_acl_rule", f"{person['name']} is let in", calendarId=calendar["id"],
             role=role, scope={"type": "user", "value": account["email"]})  # fmt: skip
    for mark, day in zip(marks, days, strict=True):
        s.do("create_event", f"the date {mark}", calendarId=calendar["id"], summary=mark,
             **whole_days(day.date, day.date), sendUpdates="none")  # fmt: skip
    s.rule(
        "The new calendar has a description and its owner's time zone, and lets in nobody who was not named",
        """SELECT COUNT(*) FROM calendars c JOIN users u ON u.user_id = c.user_id WHERE c.summary = :title
        AND u.email = :me AND c.time_zone = u.timezone AND LENGTH(c.description) > 0""",
        title=title, me=me["email"],
    )  # fmt: skip
    s.produce("calendar", calendar, f"the new calendar {title}")
