"""Scenarios about the time zones of calendars."""

from typing import Any

from eops_traj.taskgen.expressions import ROW
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import ResultRef
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.calendar import extras, reasons
from eops_traj.taskgen.scenarios.calendar.lookups import (
    PEOPLE,
    require_one,
    say,
)
from eops_traj.taskgen.scenarios.calendar.sharing import find_owned_calendar
from eops_traj.taskgen.scenarios.calendar.twists import demote
from eops_traj.taskgen.scenarios.calendar.upkeep import SPARE, TITLES, WITH_SPARE
from eops_traj.taskgen.scene import Scene

_CITIES = {
    "Europe/London": ("our office in the UK's capital", "our branch on the Thames"),
    "Asia/Tokyo": ("our office in the capital of Japan", "our Japanese branch"),
    "America/New_York": ("our office on the Hudson", "the office in the largest city of the United States"),
    "Asia/Kolkata": ("our office in India", "the branch on the Arabian Sea"),
    "Australia/Sydney": ("our Australian office", "our branch down under"),
}
_RELOCATED = (
    "I work from there for half a year", "all of its people sit there by now", "it is used over there only",
    "the times in it were an hour or more off all the time", "the contract of the project says so",
)  # fmt: skip


@family("calendar", perturbations=("missing_entity", "no_right"))
def revise_calendar(s: Scene) -> None:
    """A calendar goes by the clocks of another office, with another place, and without its description."""
    me = s.pick_caller(WITH_SPARE)
    calendar = s.pick(f"SELECT * FROM ({SPARE}) WHERE email = :me", me=me["email"])
    beside = besides(s, *extras.some())
    s.perturb("missing_entity", "UPDATE calendars SET summary = summary || ' 2' WHERE calendar_id = :id",
              id=calendar["calendar_id"])  # fmt: skip
    demote(s, calendar["calendar_id"])
    zone = s.rng.choice([one for one in _CITIES if one != me["timezone"]])
    title, place, why = s.rng.choice(TITLES), s.rng.choice(_ROOMS), s.rng.choice(_RELOCATED)
    named, placed = s.chance(0.6), s.chance(0.6)
    s.ask(
        """My calendar {what} should [go by the clocks of|live by the time of] {city}, [since|because] {why}.
        [Take its description out|The description goes], [leaving it without any|it needs none]. {placed}
        {named}""",
        """{Why}, so the zone of my calendar {what} [has to be that of|becomes the one of] {city}. {named}
        {placed} [Its description is wrong by now, remove it|Remove the description, which is out of
        date].""",
        """[The time zone of|The zone in which I keep] my calendar {what} [is to change|changes] to the one in
        which {city} [lies|can be found]. {placed} [Delete the description without a new one|No description
        any more]. {named} [Background:|The reason:] {why}.""",
        """[Where {city} is, there|At {city}] my calendar {what} belongs, as far as its clock is concerned:
        {why}. {named} [Clear its description|The description should be empty]. {placed}""",
        """[Two hours of confusion a day are enough|I am tired of counting hours]: set my calendar {what} to
        the zone of {city}; {why}. {placed} {named} [It does not need|And it no longer needs] a
        description.""",
        """{named} {placed} [Besides,|On top of that] the description of my calendar {what} goes, and it gets
        the time zone of {city}, [as|given that] {why}.""",
        what=calendar["summary"], city=s.rng.choice(_CITIES[zone]), why=why, Why=why[0].upper() + why[1:],
        placed=say(s, '[As its place put|The place to note for {what} is] "{place}".', place=place,
                   what=calendar["summary"]) if placed else "",
        named=say(s, '[Call it|Its new title is] "{title}".' if placed else
                  '[Its title becomes|It is called] "{title}" [from now on|from today].', title=title)
        if named else "",
    )  # fmt: skip
    beside.say()
    calendar_ref = find_owned_calendar(s, calendar["summary"])
    s.indirect("the zone of an office that is described", hidden=[])
    more: dict[str, Any] = {"location": place} if placed else {}
    more |= {"summary": title} if named else {}
    beside.look()
    s.do("update_calendar", "as it is from now on", calendarId=calendar_ref["id"], description=None,
         timeZone=zone, **more)  # fmt: skip
    beside.write()


_ROOMS = ("Fourth floor", "Pier office", "Back building", "Front desk", "Room of the trainees", "Gate 2")
_SHOWN = (
    "Over there", "Far away", "The other office", "Not by my clock", "Dates abroad", "Early and late",
    "Theirs, not mine", "Other side of the world", "By another clock", "With the colleagues", "In the branch",
)  # fmt: skip
_MOVED = (
    "I moved to another office last month and changed my settings only", "somebody set them up in a hurry",
    "half of my appointments show at night", "the migration has put them all into one zone",
    "they were made before I came to this office",
)  # fmt: skip
_ALIGNABLE = f"""SELECT w.* FROM ({WITH_SPARE}) w WHERE NOT EXISTS (SELECT 1 FROM acls a JOIN scopes s
    ON s.id = a.scope_id JOIN calendars c USING (calendar_id) WHERE s.type = 'user' AND s.value = w.email
    AND a.role = 'owner' AND c.user_id <> w.user_id)"""
_STAYING = (  # what is said besides, and what contradicts the rest
    ("All of them have to keep the title that they have.",
     "All of them have to keep the zone that they have."),
    ("Nothing else about them may change.", "Nothing about their zones may change."),
    ("Each must stay in its present place on the list.", "Each must stay in its present zone."),
    ("Apart from that they remain as they are.", "Their zones remain as they are."),
)  # fmt: skip


@family("calendar", perturbations=("conflicting_demands", "out_of_scope"))
def align_zones(s: Scene) -> None:
    """All calendars that somebody owns get the time zone of the settings, where they have another."""
    me = s.pick_caller(_ALIGNABLE)
    s.arrange("UPDATE calendars SET time_zone = :zone WHERE user_id = :me AND NOT deleted", me=me["user_id"],
              zone=s.rng.choice(("UTC", "Europe/Berlin", "America/Chicago")))  # fmt: skip
    other, why = s.pick(f"{PEOPLE} AND u.email <> :me", me=me["email"]), s.rng.choice(_MOVED)
    apart = s.pick(f"SELECT * FROM ({SPARE}) WHERE email = :me", me=me["email"])["summary"]
    elsewhere = s.rng.choice([one for one in _CITIES if one != me["timezone"]])
    shown, minutes, reminded = s.rng.choice(_SHOWN), s.rng.choice((5, 15, 20, 25, 30, 45)), s.chance(0.5)
    beside = besides(s, *extras.some())
    s.ask(
        """[My settings say in which time zone I live|In my settings there is the right time zone], [but not
        all of my calendars agree|and yet some of my calendars have another]: {why}. {scope}, and [set it
        right where it is otherwise|bring those into line that are not]. {apart} {reminded} {keep}""",
        """{Why}, so the time zone of {whose} [may be wrong|is off in places]. {scope_}; whatever has another
        zone than the one in my settings [gets that one|is changed to that one]. {reminded} {apart} {keep}""",
        """[For {whose} the zone in my settings is the right one|What counts for {whose} is the zone of my
        settings]. [Every calendar that I own|All calendars of which I am the owner] and that goes by another
        [should be corrected|has to be corrected], hidden ones [as well|too], {because} {why}. {apart}
        {reminded} {keep}""",
        """{reminded} [And more important|What matters more]: {why}. {scope}, and where its zone is not that
        of my settings, [change it|put it right]. {apart} {keep}""",
        """[Bring order into the time zones of|Align the time zones in] {whose}: the one in my settings
        [holds|is correct], and [each that I own|each calendar of my own] with another one gets it. {Why}.
        {apart} {keep} {reminded}""",
        """Since {why}, {whose} should be checked against my settings. [If one of those that I own|Where one
        that is mine] has a different time zone, it [takes|gets] the one from the settings, and hidden ones
        are no exception. {apart} {reminded} {keep}""",
        why=why, Why=why[0].upper() + why[1:], because=s.rng.choice(("because", "since", "as")),
        whose=(whose := s.phrase("out_of_scope", "my calendars", f"the calendars of {other['name']}")),
        scope=f"Go through {whose}, as far as I own them, hidden ones as well",
        scope_="Look at each one that I own",
        apart=say(s, '[Only {apart} is a case of its own|There is one exception, {apart}|{apart} is another '
                  'matter]: it [goes by|takes] the time of {city} and is [shown on my list|listed] as '
                  '"{shown}".', apart=apart, city=s.rng.choice(_CITIES[elsewhere]), shown=shown),
        reminded=say(s, "[On my main calendar, a popup {minutes} minutes ahead is the only default "
                        "reminder|The "
                     "default reminder of my main calendar becomes a popup {minutes} minutes ahead].",
                     minutes=minutes) if reminded else "",
        keep=s.phrase("conflicting_demands", *s.rng.choice(_STAYING)),
    )  # fmt: skip
    beside.say()
    s.refuse("out_of_scope", f"the calendars of {other['name']} are not yours to change",
             names=("not yours|own|not your|belong|somebody else|someone else|another",
                    reasons.known_as(other)))  # fmt: skip
    s.refuse("conflicting_demands", "the calendars cannot change their zone and keep it",
             names=("zone", "keep|stay|present|change"))  # fmt: skip
    settings = s.do("list_settings", "the zone in your settings")
    zone = settings["items"].where(("id", "ends", "timezone"))["value"]
    listed = s.do("get_calendar_list", "the calendars that you own", showHidden=True)
    entry = listed["items"].every(summary=apart)
    require_one(s, entry, apart, "on your list of calendars")
    own = listed["items"].every(("accessRole", "==", "owner"), ("timeZone", "!=", zone),
                                ("summary", "!=", apart))  # fmt: skip
    s.covers("all calendars that somebody owns")
    s.indirect("the zone in the settings, and that of an office that is described", hidden=[])
    beside.look()
    s.do_each(own, "patch_calendar", "the zone of the settings", calendarId=ROW["id"], timeZone=zone)
    s.do("patch_calendar", f"the zone of {apart}", calendarId=entry[0]["id"], timeZone=elsewhere)
    s.do("update_calendar_in_list", f"the name of {apart} on the list", calendarId=entry[0]["id"],
         summaryOverride=shown)  # fmt: skip
    if reminded:
        s.do("update_calendar_in_list", "the reminder of the main one",
             calendarId=_main(listed)["id"],
             defaultReminders=[{"method": "popup", "minutes": minutes}])  # fmt: skip
    beside.write()


def _main(listed: ResultRef) -> ResultRef:
    """Return the entry of the main calendar on the list."""
    return listed["items"].where(primary=True)
