"""Scenarios about the list of calendars: how they look on it, and which are on it."""

from typing import Any

from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import ResultRef
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.calendar import extras, reasons
from eops_traj.taskgen.scenarios.calendar.lookups import (
    PEOPLE,
    join_words,
    require_one,
    say,
)
from eops_traj.taskgen.scenarios.calendar.twists import add_second_calendar
from eops_traj.taskgen.scene import Scene

_ON_LIST = f"""
    SELECT DISTINCT c.*, u.email, a.role FROM ({PEOPLE}) u JOIN scopes s ON s.type = 'user' AND s.value =
    u.email JOIN acls a ON a.scope_id = s.id AND a.role IN ('writer', 'owner')
    JOIN calendars c ON c.calendar_id = a.calendar_id AND NOT c.deleted AND NOT c.hidden
    WHERE (c.user_id = u.user_id OR a.role = 'writer') AND c.summary_override IS NULL"""
WRITABLE = f"""SELECT * FROM ({_ON_LIST}) t WHERE NOT EXISTS (SELECT 1 FROM ({_ON_LIST}) o WHERE
    o.email = t.email AND o.summary = t.summary AND o.calendar_id <> t.calendar_id)"""
"""Calendars on somebody's list that they may change, each with a title of its own there."""
WITH_CALENDARS = f"""SELECT w.* FROM ({PEOPLE}) w
    WHERE (SELECT COUNT(*) FROM ({WRITABLE}) k WHERE k.email = w.email) > 2"""
_NOTES = ("the rota on the intranet", "the list at the door", "the plan on the wall", "the green folder")
_PLACES = ("Second floor", "North wing", "Building C", "Old warehouse", "Reception", "Loading bay")
NAMES = ("My team", "Shared dates", "Team dates", "Everything else", "Work together", "Not mine alone",
          "The busy one", "Group plan")  # fmt: skip


@family("calendar", perturbations=("no_right", "two_namesakes", "missing_entity"), ood=True)
def tidy_list(s: Scene) -> None:
    """Somebody's list of calendars gets other colours, names, reminders, and fewer entries."""
    me = s.pick_caller(WITH_CALENDARS)
    one = s.pick(f"SELECT * FROM ({WRITABLE}) WHERE email = :me AND NOT is_primary AND calendar_id NOT LIKE "
                 "'company-%'", me=me["email"])  # fmt: skip
    others = s.pick_some(f"SELECT * FROM ({WRITABLE}) WHERE email = :me AND NOT is_primary AND calendar_id "
                         "<> :one", s.rng.choice((1, 1, 2)), me=me["email"],
                         one=one["calendar_id"])  # fmt: skip
    other = others[-1]
    color, hue = s.rng.sample(range(1, 25), 2)
    forbid_same(s, color, one["calendar_id"])
    forbid_same(s, hue, f"{me['user_id']}-primary")
    name, minutes = s.rng.choice(NAMES), s.rng.choice((5, 15, 20, 30))
    names = join_words([c["summary"] for c in others])
    words, described = f"See also {s.rng.choice(_NOTES)}.", s.chance(0.7)
    where, placed, hidden, reminded = s.rng.choice(_PLACES), s.chance(0.5), s.chance(0.6), s.chance(0.7)
    beside = besides(s, *extras.some())
    s.perturb(
        "missing_entity", "UPDATE calendars SET deleted = 1 WHERE calendar_id = :id", id=other["calendar_id"]
    )
    add_second_calendar(s, one)
    s.perturb("no_right", """UPDATE acls SET role = 'reader' WHERE calendar_id = :id AND scope_id IN
        (SELECT id FROM scopes WHERE type = 'user' AND value = :me)""",
        id=one["calendar_id"], me=me["email"])  # fmt: skip
    s.ask(
        """[My list of calendars is a mess|I can hardly find anything on my list of calendars]. Show {one} as
        "{name}" and in the colour with the number {color}. {reminded} {hidden} [My main calendar gets|For my
        main calendar I want] colour {hue}.""",
        """[How my calendars look has to change|I want my calendars to look different]. {one}: colour number
        {color}, shown under the name "{name}". {hidden} [My own main one:|The main one, which is mine:]
        colour number {hue}. {reminded}""",
        """I can hardly tell my calendars apart. So {one} [should be called|goes by] "{name}" on the list and
        takes colour {color}, my main calendar colour {hue}. {reminded} {hidden} [Nothing happens to what is
        in them|What is in them stays].""",
        """[The list on the left needs an hour of housekeeping|A bit of housekeeping on my list]. Number
        {color} is the colour for {one}, "{name}" the name that I see for it, and number {hue} is for my main
        calendar. {hidden} {reminded}""",
        """[Three or four small things|A handful of changes] about my calendar list. {one} becomes "{name}"
        there. Its colour becomes number {color}. {reminded} {hidden} The main calendar [turns to|takes]
        number {hue}.""",
        """{hidden} {reminded} Then the colours: {color} is the number for {one}, which I want to see as
        "{name}", and {hue} is [the one for my main calendar|for the main calendar of mine].""",
        one=one["summary"], name=name, color=color, hue=hue,
        hidden=say(s, "[I do not want to see {names} on it for now, so hide that|Hide {names} for the time "
                   "being].", names=names) if hidden
        else say(s, "{names} [need not be displayed, but what is left stays|stays on the list, only not on "
                 "display]" + "{on}.", names=names, on=""),
        reminded=(say(s, "[For {one}, the usual reminder is|The default reminder of {one} becomes] an e-mail "
                      "{minutes} minutes ahead.", one=one["summary"], minutes=minutes) if reminded else "")
        + (f' As its description, {one["summary"]} gets "{words}"' if described else "")
        + (f' And "{where}" is the place to note for {one["summary"]}.' if placed else ""),
    )  # fmt: skip
    beside.say()
    listed = s.do("get_calendar_list", "what is on the list", showHidden=True)
    entries = [find_entry(s, listed, calendar["summary"]) for calendar in (one, *others)]
    palette = s.do("get_colors", "which colours there are")
    s.require_ok(palette["calendar"][str(color)], f"there is no colour {color}")
    more: dict[str, Any] = {"defaultReminders": [{"method": "email", "minutes": minutes}]} if reminded else {}
    beside.look()
    s.do("update_calendar_in_list", f"how {one['summary']} looks", calendarId=entries[0]["id"],
         summaryOverride=name, colorId=str(color), **more)  # fmt: skip
    about = ({"description": words} if described else {}) | ({"location": where} if placed else {})
    if about:
        s.do("patch_calendar", f"what is said of {one['summary']}", calendarId=entries[0]["id"], **about)
    for calendar, entry in zip(others, entries[1:], strict=True):
        s.do("update_calendar_in_list", f"less of {calendar['summary']}", calendarId=entry["id"],
             **({"hidden": True} if hidden else {"selected": False}))  # fmt: skip
    main = listed["items"].where(primary=True)
    s.do("update_calendar_in_list", "the colour of the main one", calendarId=main["id"], colorId=str(hue))
    s.rule(
        "No calendar was renamed or taken off the list; only the list shows them otherwise",
        """SELECT COUNT(*) FROM calendars WHERE calendar_id IN (:one, :other) AND summary IN (:first, :second)
        AND NOT deleted""",
        expected=2, one=one["calendar_id"], other=other["calendar_id"], first=one["summary"],
        second=other["summary"], category="integrity",
    )  # fmt: skip
    beside.write()


def forbid_same(s: Scene, color: int, calendar: str) -> None:
    """Give up where a calendar has the colour already that it is to get."""
    if s.rows("SELECT 1 FROM calendars WHERE calendar_id = :id AND color_id = :color", id=calendar,
              color=str(color)):  # fmt: skip
        raise NoMatch(f"{calendar} has the colour {color} already")


def find_entry(s: Scene, listed: ResultRef, title: str) -> ResultRef:
    """Find the entry of a title on the list; require that the caller may change it."""
    matches = listed["items"].every(summary=title)
    require_one(s, matches, title, "on your list of calendars")
    s.require(matches[0]["accessRole"], "in", ["writer", "owner"],
              f"you may only read {title}, and not change how it looks",
              names=(title, reasons.READ_ONLY))  # fmt: skip
    return matches[0]


_PLAIN = (
    "I have played with its settings for too long", "the colours that I gave it hurt my eyes",
    "I took it over from a colleague who liked it colourful", "its reminders wake me up at night",
    "on the screen in the meeting room it cannot be read",
)  # fmt: skip


@family("calendar", perturbations=("missing_entity", "no_right"))
def reset_look(s: Scene) -> None:
    """A calendar looks on the list as it did at first, but for a colour."""
    me = s.pick_caller(WITH_CALENDARS)
    one = s.pick(f"SELECT * FROM ({WRITABLE}) WHERE email = :me AND NOT is_primary AND calendar_id NOT LIKE "
                 "'company-%'", me=me["email"])  # fmt: skip
    model = s.pick(f"SELECT * FROM ({WRITABLE}) WHERE email = :me AND NOT is_primary AND calendar_id <> :one "
                   "AND color_id <> :colour", me=me["email"], one=one["calendar_id"],
                   colour=one["color_id"])  # fmt: skip
    s.arrange("""UPDATE calendars SET default_reminders = '[{"method": "popup", "minutes": 3}]', location =
        location WHERE calendar_id = :id""", id=one["calendar_id"])  # fmt: skip
    why = s.rng.choice(_PLAIN)
    beside = besides(s, *extras.some())
    s.perturb("missing_entity", "UPDATE calendars SET summary = summary || ' (old)' WHERE calendar_id = :id",
              id=one["calendar_id"])  # fmt: skip
    s.perturb("no_right", """UPDATE acls SET role = 'reader' WHERE calendar_id = :id AND scope_id IN
        (SELECT id FROM scopes WHERE type = 'user' AND value = :me)""",
        id=one["calendar_id"], me=me["email"])  # fmt: skip
    s.ask(
        """{Why}. [Replace the whole look|The whole look is to be replaced] of {one} on my list: [everything
        back to its default|all settings back to the default], [except that it takes|only that it gets] the
        same colour as {model}.""",
        """[Start over with|Let us start over with] {one} on my calendar list, [since|because] {why}. [No
        reminders, no name of its own, nothing|Reminders, a name of its own, whatever there is, goes], just
        the colour, which [should be that of|is the one that] {model}[| has].""",
        """The entry of {one} on my list [is to be replaced|has to be replaced] by a plain one that has the
        colour of {model} and otherwise [what a new entry has|the defaults]. [I ask for it because|The reason
        is that] {why}.""",
        """[Which number the colour of {model} has I do not know|I could not name the colour of {model}], but
        {one} should [take it over|have it as well], as the only setting: [replace all the others|all others
        are replaced] by their defaults on my list. {Why}.""",
        """{one} and {model} [belong together|are two halves of one thing], so they should share a colour,
        that of the latter. [With this, replace everything else|Everything else] in the look of the former
        on my list [by the default|goes back to the default]; {why}.""",
        """[For {one} I want a clean slate|A clean slate for {one}], on my list of calendars: replace how it
        is shown, so that nothing remains of my settings. [Colour:|For the colour:] like {model}. {Why}.""",
        one=one["summary"], model=model["summary"], why=why, Why=why[0].upper() + why[1:],
    )  # fmt: skip
    beside.say()
    listed = s.do("get_calendar_list", "what is on the list")
    entry = find_entry(s, listed, one["summary"])
    other = find_entry(s, listed, model["summary"])
    s.do("get_calendar_from_list", f"how {one['summary']} looks now", calendarId=entry["id"])
    s.indirect("the colour of another calendar", hidden=[])
    beside.look()
    s.do("replace_calendar_in_list", "a plain look", calendarId=entry["id"], colorId=other["colorId"])
    s.rule(
        "Nothing is left of the old look, and both calendars have one colour",
        """SELECT COUNT(*) FROM calendars a JOIN calendars b ON b.calendar_id = :model WHERE a.calendar_id =
        :one AND a.default_reminders IS NULL AND a.color_id = b.color_id""",
        one=one["calendar_id"], model=model["calendar_id"],
    )  # fmt: skip
    beside.write()
