"""Scenarios about channels, by which other systems are told of changes."""

from typing import Any

from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.expressions import ROW
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import text
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.calendar import extras
from eops_traj.taskgen.scenarios.calendar.calendar_list import WITH_CALENDARS, WRITABLE
from eops_traj.taskgen.scenarios.calendar.lookups import (
    PEOPLE,
    join_words,
    require_one,
    say,
)
from eops_traj.taskgen.scene import Scene

_ELSEWHERE = "corvane.example|outside|elsewhere|external|foreign|another domain|other domain|third party"
_SYSTEMS = ("roster", "lobby screen", "time sheet", "reporting", "mirror", "door display", "phone desk",
            "parking list", "canteen planner", "shift board")  # fmt: skip
_TOKENS = ("amber", "basil", "cedar", "delta", "ember", "fjord", "grove", "heron")
_STRANGERS = ("harborline.example", "tidewater.example", "lakeshore.example", "quarryoffice.example")
_WEEK = "seven day|7 days|7 day|a week|one week|604800"


def _channel(address: str, token: str, days: int) -> dict[str, Any]:
    return {"type": "web_hook", "address": address, "token": token, "params": {"ttl": str(days * 86400)}}


@family("calendar", perturbations=("out_of_scope", "impossible_date", "missing_entity"), ood=True)
def open_channels(s: Scene) -> None:
    """Another system is told when calendars, their rules or the settings change."""
    me = s.pick_caller(WITH_CALENDARS)
    own = s.pick(f"SELECT * FROM ({WRITABLE}) WHERE email = :me AND is_primary", me=me["email"])
    chosen = [own] if s.chance(0.6) else []
    chosen += s.pick_some(f"SELECT * FROM ({WRITABLE}) WHERE email = :me AND NOT is_primary",
                          s.rng.choice((1, 2, 2)), me=me["email"])  # fmt: skip
    system = s.rng.choice(_SYSTEMS)
    slug, token = system.replace(" ", "-"), f"{s.rng.choice(_TOKENS)}-{s.rng.randrange(100, 999)}"
    days, far = s.rng.choice((1, 2, 3, 5, 7)), s.rng.choice((14, 21, 30))
    names = [f"{slug}-{s.rng.randrange(100, 999)}" for _ in range(len(chosen) + 3)]
    if len(set(names)) < len(names):
        raise NoMatch("two channels of one name")
    ruled, settled, listed = s.chance(0.7), s.chance(0.6), s.chance(0.5)
    s.perturb(
        "missing_entity",
        "UPDATE calendars SET deleted = 1 WHERE calendar_id = :id",
        id=chosen[-1]["calendar_id"],
    )
    events = [
        f"the events of {c['summary']} (channel {name})" for c, name in zip(chosen, names, strict=False)
    ]
    s.ask(
        """[Our {system} wants to be told|The {system} has to hear of it] when something changes: {events}.
        {ruled} {settled} It listens at {address}, with the token {token}, and {days} are enough.""",
        """[Channels are needed to|Please open channels to] {address} for the {system}: {events}. {settled}
        {ruled} The token is {token}. [Let them run|They run] for {days}.""",
        """The people of the {system} [test something|try out a new release] and need notifications for
        {days}. [They need|What they have to get is] {events}. {ruled} {settled} Where to: {address}. Token:
        {token}.""",
        """[The {system} gets connected this week|We connect the {system}]. What it has to hear of is
        {events}. {ruled} {settled} The address is {address}, the token {token}, and the whole thing ends
        after {days}.""",
        """For {days}, [notify|have word sent to] {address} (token {token}) about {events}. {settled} {ruled}
        That is what the {system} asked for.""",
        """The {system} shows old data, since nobody tells it what is new. [Have these told to|Report these
        to] {address}: {events}. {ruled} {settled} As the token use {token}, and keep it up for {days}.""",
        system=system, events=join_words(events), token=token,
        days=s.phrase("impossible_date", f"{days} days" if days > 1 else "24 hours", f"{far} days"),
        address=(address := s.phrase("out_of_scope", f"https://hooks.corvane.example/{slug}",
                                     f"https://hooks.{s.rng.choice(_STRANGERS)}/{slug}")),
        ruled=say(s, "[Also whoever is let into {one} or out of it|Then changes of who gets into {one}] "
                  "(channel {name}).", one=chosen[0]["summary"], name=names[-2]) if ruled else "",
        settled=(f"My own settings belong to it, too (channel {names[-1]}). " if settled else "")
        + (f"And so does my list of calendars (channel {names[-3]})." if listed else ""),
    )  # fmt: skip
    s.refuse("out_of_scope", f"channels are opened to addresses of corvane.example only, not to {address}",
             names=(_ELSEWHERE,))  # fmt: skip
    s.refuse("impossible_date", f"a channel runs for seven days at most, not for {far}", names=(_WEEK,))
    calendar_list = s.do("get_calendar_list", "the calendars")
    entries = []
    for calendar in chosen:
        matches = calendar_list["items"].every(summary=calendar["summary"])
        require_one(s, matches, calendar["summary"], "on your list of calendars")
        entries.append(matches[0])
    channel = _channel(address, token, days)
    for calendar, entry, name in zip(chosen, entries, names, strict=False):
        s.do(
            "watch_events", f"the events of {calendar['summary']}", calendarId=entry["id"], id=name, **channel
        )
    if ruled:
        s.do("watch_acl", f"who gets into {chosen[0]['summary']}", calendarId=entries[0]["id"], id=names[-2],
             **channel)  # fmt: skip
    if settled:
        s.do("watch_settings", "the settings", id=names[-1], **channel)
    if listed:
        s.do("watch_calendar_list", "the list of calendars", id=names[-3], **channel)
    _rule_on_channels(s, token, days, len(chosen) + ruled + settled + listed)


def _rule_on_channels(s: Scene, token: str, days: int, number: int) -> None:
    s.rule(
        "Every new channel has a token, leads to an address of the company and ends within seven days",
        """SELECT COUNT(*) FROM watch_channels WHERE webhook_token = :token AND is_active = 'true'
        AND webhook_address LIKE 'https://%.corvane.example/%'
        AND julianday(expires_at) - julianday(created_at) BETWEEN :least AND 7.001""",
        expected=number, token=token, least=days - 0.01,
    )  # fmt: skip


_OWNS_SOME = f"""SELECT w.* FROM ({PEOPLE}) w WHERE (SELECT COUNT(*) FROM calendars c WHERE c.user_id =
    w.user_id AND NOT c.is_primary AND NOT c.deleted AND NOT c.hidden) > 1"""


@family("calendar", perturbations=("out_of_scope", "impossible_date"), ood=True)
def watch_own(s: Scene) -> None:
    """Another system is told of changes of rules in every calendar that somebody owns."""
    s.pick_caller(_OWNS_SOME)
    system = s.rng.choice(_SYSTEMS)
    slug, token = system.replace(" ", "-"), f"{s.rng.choice(_TOKENS)}-{s.rng.randrange(100, 999)}"
    days, far = s.rng.choice((1, 2, 3, 5, 7)), s.rng.choice((14, 21, 30))
    events, why = s.chance(0.5), s.rng.choice(_WATCHED)
    beside = besides(s, *extras.some())
    s.ask(
        """{Why}. [Therefore|For that] the {system} [has to be told|must hear] whenever {thing} in one of the
        calendars that I own, my main one aside. One channel for each, [named {slug} and the id of the
        calendar, with a dash between them|its name being {slug}, a dash and the calendar's id]; they lead to
        {address}, with the token {token}, for {days}.""",
        """[All calendars of mine but the main one|Every calendar which is mine, except for the main one]
        [should be watched|are to be watched]: the {system} wants to know when {thing}. It is reached at
        {address}, the token is {token}, and each channel runs for {days} under the name {slug}, a dash, and
        the calendar's id. {Why}.""",
        """For {days}, report to {address} when {thing}, [in any calendar that I am the owner of|wherever I am
        the owner], only not in my main calendar. [The channels are called|Call the channels] {slug}-,
        followed by the calendar's id, and carry the token {token}. The {system} is behind it, because
        {why}.""",
        """The {system} [cannot see|is blind to it] when {thing}, and {why}. So give every calendar of my own,
        apart from the main one, a channel to {address} with the token {token}, [good for|open for] {days},
        whose name is {slug}-, followed by the id of that calendar.""",
        """[Which calendars I own|What I own] you see on my list. For each of them, without the main one, open
        a channel that says when {thing}: name {slug}- and then its id, address {address}, token {token},
        duration {days}. [The {system} asked for it, as|It is for the {system}:] {why}.""",
        """Somebody from the {system} called: {why}. [They want to hear|So tell them] at {address} (token
        {token}, {days}) when {thing}, [for each calendar that belongs to me|for all that belong to me], the
        main one excluded. [As names, take|The names are] {slug}-, and after it the calendar's id.""",
        why=why, Why=why[0].upper() + why[1:], system=system, slug=slug, token=token,
        thing="an event changes" if events else "somebody is let in or out",
        days=s.phrase("impossible_date", f"{days} days" if days > 1 else "24 hours", f"{far} days"),
        address=(address := s.phrase("out_of_scope", f"https://hooks.corvane.example/{slug}",
                                     f"https://hooks.{s.rng.choice(_STRANGERS)}/{slug}")),
    )  # fmt: skip
    beside.say()
    s.refuse("out_of_scope", f"channels are opened to addresses of corvane.example only, not to {address}",
             names=(_ELSEWHERE,))  # fmt: skip
    s.refuse("impossible_date", f"a channel runs for seven days at most, not for {far}", names=(_WEEK,))
    listed = s.do("get_calendar_list", "which calendars you own", showHidden=True)
    s.covers("all calendars that somebody owns")
    own = listed["items"].every(("accessRole", "==", "owner"), ("primary", "!=", True))
    beside.look()
    s.do_each(own, "watch_events" if events else "watch_acl", "a channel for each", calendarId=ROW["id"],
              id=text(f"{slug}-{{}}", ROW["id"]), **_channel(address, token, days))  # fmt: skip
    beside.write()


_WATCHED = (
    "its data was wrong for the whole of last week", "the auditors want to see who learns of what, and when",
    "it is copied by hand at the moment", "two people stood before a locked door on Friday",
    "it goes live tomorrow and they want to see real data", "the old way of telling it was switched off",
)  # fmt: skip
