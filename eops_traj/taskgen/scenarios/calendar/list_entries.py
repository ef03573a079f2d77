"""Scenarios about which calendars are on the list: one that comes back, hidden ones that go."""

from eops_traj.taskgen.expressions import ROW
from eops_traj.taskgen.family import family
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.calendar import extras, reasons
from eops_traj.taskgen.scenarios.calendar.calendar_list import NAMES, forbid_same
from eops_traj.taskgen.scenarios.calendar.lookups import (
    PEOPLE,
    require_one,
    say,
)
from eops_traj.taskgen.scenarios.calendar.twists import add_second_calendar
from eops_traj.taskgen.scene import Scene

_OFF = f"""SELECT c.*, u.email FROM calendars c JOIN ({PEOPLE}) u ON u.user_id = c.user_id
    WHERE NOT c.is_primary AND (SELECT COUNT(*) FROM calendars o WHERE o.user_id = c.user_id AND o.summary =
    c.summary) = 1 AND c.calendar_id NOT LIKE 'company-%'"""


@family("calendar", perturbations=("missing_entity", "two_namesakes"))
def bring_back(s: Scene) -> None:
    """A calendar that was taken off the list comes back, in a colour and a state that are told."""
    me = s.pick_caller(f"SELECT w.* FROM ({PEOPLE}) w WHERE EXISTS (SELECT 1 FROM ({_OFF}) k WHERE k.email "
                       "= w.email)")  # fmt: skip
    one = s.pick(f"SELECT * FROM ({_OFF}) WHERE email = :me", me=me["email"])
    s.arrange("UPDATE calendars SET deleted = 1, hidden = 0 WHERE calendar_id = :id", id=one["calendar_id"])
    color, shown, name = s.rng.randrange(1, 25), s.chance(0.5), s.rng.choice(NAMES)
    named, why = s.chance(0.5), s.rng.choice(_MISSED)
    forbid_same(s, color, one["calendar_id"])
    beside = besides(s, *extras.some())
    s.perturb("missing_entity", "UPDATE calendars SET summary = summary || ' (old)' WHERE calendar_id = :id",
              id=one["calendar_id"])  # fmt: skip
    add_second_calendar(s, one)
    s.ask(
        """[Some time ago I took|At some point I must have taken] {one} off my list of calendars, and now I
        want it back, in the colour number {color}. {shown} {named} [It turns out that|As it happens,]
        {why}.""",
        """{Why}. [So bring|That is why I want] {one} back onto my list, [from which it was removed|where it
        used to be]; as its colour {color} [will do|is fine]. {named} {shown}""",
        """[Put|Get] {one} on my calendar list again[, please|]. It is not there any more, because I removed
        it, but {why}. {shown} Its colour is number {color}. {named}""",
        """{one} [has vanished from|is no longer on] my list[, by my own doing|; that was me]. [Return it|Have
        it return], with colour number {color}. {named} {shown} [I need it since|The need arises because]
        {why}.""",
        """[I was too rash with|It was a mistake to throw out] {one}: {why}. [Look among what was taken off
        the list|It is among what was taken off my list], and add it once more in colour {color}. {shown}
        {named}""",
        """[Of the calendars that I once removed|Among the calendars that I dropped from my list], {one} has
        to come back. {named} {shown} Colour: {color}. [The reason is that|It comes from the fact that]
        {why}.""",
        one=one["summary"], color=color, why=why, Why=why[0].upper() + why[1:],
        shown=say(s, "[It need not be on display yet|For now it may stay unticked].") if not shown
        else say(s, "[It should be displayed at once|Have it ticked, so that I see its events]."),
        named=say(s, '[I would like to see it as|On the list it is called] "{name}".', name=name)
        if named else "",
    )  # fmt: skip
    beside.say()
    listed = s.do("get_calendar_list", "what was taken off the list", showDeleted=True, showHidden=True)
    matches = listed["items"].every(summary=one["summary"])
    require_one(s, matches, one["summary"], "among your calendars")
    beside.look()
    s.do("add_calendar_to_list", f"bring back {one['summary']}", id=matches[0]["id"], colorId=str(color),
         selected=shown, **({"summaryOverride": name} if named else {}))  # fmt: skip
    beside.write()


_MISSED = (
    "the work behind it is taken up again", "people still enter things there and I miss them",
    "the auditors ask about dates of last year", "my stand-in needs to see it over my shoulder",
    "half of my appointments turned out to be in it", "the new trainee is planned in it",
)  # fmt: skip


_REMAINING = (  # what is said besides, and what contradicts the rest
    ("The calendars that are shown remain on the list.", "The calendars that are hidden remain on the list."),
    ("None of those which I see may disappear from it.", "None of those which I do not see may disappear."),
    ("What is in them has to stay, only the list gets shorter.",
     "Each of them has to stay, the list does not get shorter."),
    ("Their events are kept where they are.", "Their places on the list are kept, all of them."),
    ("Nothing else is taken off the list.", "Nothing at all is taken off the list."),
)  # fmt: skip


@family("calendar", perturbations=("conflicting_demands", "no_right"), ood=True)
def drop_hidden(s: Scene) -> None:
    """What is hidden on the list anyway is taken off it."""
    me = s.pick_caller(f"""SELECT w.* FROM ({PEOPLE}) w WHERE (SELECT COUNT(*) FROM ({_OFF}) k WHERE k.email =
        w.email AND NOT k.deleted) > 1""")
    some = s.pick_some(f"SELECT * FROM ({_OFF}) WHERE email = :me AND NOT deleted", s.rng.choice((1, 2)),
                       me=me["email"])  # fmt: skip
    for one in some:
        s.arrange("UPDATE calendars SET hidden = 1, selected = 0 WHERE calendar_id = :id",
                  id=one["calendar_id"])  # fmt: skip
    other = s.pick(f"{PEOPLE} AND u.email <> :me", me=me["email"])
    color, why = s.rng.randrange(1, 25), s.rng.choice(_FULL)
    forbid_same(s, color, f"{me['user_id']}-primary")
    beside = besides(s, *extras.some())
    s.ask(
        """[There are calendars on {whose} list that are hidden anyway|Some calendars on {whose} list have
        been hidden for ages]. [All of these that I own can go|Those of them which I own go off the list for
        good], [since|because] {why}. {main} {keep}""",
        """{Why}, so take off {whose} list of calendars whatever is hidden on it [and belongs to me|and is my
        own]; [which and how many these are you will see|I have lost count of them]. {main} {keep}""",
        """[What one does not look at one need not keep|I never look at them]: every hidden calendar of mine
        [leaves|should leave] {whose} list. {keep} {main} [It comes down to this:|The reason:] {why}.""",
        """[Do away with|Remove] the hidden ones on {whose} calendar list, as far as I am their owner. {Why}.
        {keep} {main}""",
        """The hidden calendars which I own [should not even be|are not to be] on {whose} list any more.
        {main} [I ask for it as|This is because] {why}. {keep}""",
        """{main} [Besides,|And] all calendars of mine that are hidden on {whose} list [are to be removed|have
        to be removed] from it, [given that|because] {why}. {keep}""",
        whose=s.phrase("no_right", "my", f"{other['name']}'s"), why=why, Why=why[0].upper() + why[1:],
        main=say(s, "[My main calendar gets the colour number {color}|Colour {color} is for my main "
                 "calendar].", color=color),
        keep=s.phrase("conflicting_demands", *s.rng.choice(_REMAINING)),
    )  # fmt: skip
    beside.say()
    s.refuse("no_right", f"the list of {other['name']} is theirs, and only your own can be changed",
             names=("own|theirs|their|not yours|somebody else|someone else|another",
                    f"{reasons.known_as(other)}|list"))  # fmt: skip
    s.refuse("conflicting_demands", "the calendars cannot leave the list and remain on it",
             names=("remov|leave|take|go|drop|off",
                    "remain|stay|keep|disappear|on it|contradict"))  # fmt: skip
    listed = s.do("get_calendar_list", "what is hidden", showHidden=True)
    s.covers("all hidden calendars of one's own")
    beside.look()
    s.do_each(listed["items"].every(("hidden", "==", True), ("accessRole", "==", "owner"),
                                    ("primary", "!=", True)),
              "remove_calendar_from_list", "take it off the list", calendarId=ROW["id"])  # fmt: skip
    s.do("update_calendar_in_list", "the colour of the main one",
         calendarId=listed["items"].where(primary=True)["id"], colorId=str(color))  # fmt: skip
    beside.write()


_FULL = (
    "the list does not fit on my screen any more", "I open them by mistake all the time",
    "the new phone shows every single entry of it", "nobody has used them since the summer",
    "it takes me longer to scroll than to plan",
)  # fmt: skip
