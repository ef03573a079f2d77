"""Scenarios about days rather than meetings: places of work, birthdays."""

from datetime import date, timedelta
from typing import Any

from eops_traj.taskgen.dates import Day
from eops_traj.taskgen.expressions import ROW
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import ResultRef, count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.calendar import extras, reasons
from eops_traj.taskgen.scenarios.calendar.lookups import (
    PEOPLE,
    day_span,
    join_words,
    say,
    whole_days,
)
from eops_traj.taskgen.scene import Scene


def enter_home(s: Scene, day: Day) -> ResultRef:
    """Enter a day at home as the place of work."""
    return _enter_place(s, day.date, "Home", {"type": "homeOffice", "homeOffice": {}})


def has_place(s: Scene, day: Day) -> bool:
    """Tell whether the caller has a place of work on a day already; there is one a day."""
    sql = """SELECT 1 FROM events WHERE user_id = :me AND "eventType" = 'workingLocation' AND
        status = 'confirmed' AND substr(start_datetime, 1, 10) = :day"""
    return bool(s.rows(sql, me=s.caller["user_id"], day=day.iso))


def _enter_place(s: Scene, day: date, title: str, place: dict[str, Any]) -> ResultRef:
    return s.do(
        "create_event", f"the place of work, {title}", calendarId="primary", summary=title,
        eventType="workingLocation", **whole_days(day, day), transparency="transparent",
        workingLocationProperties=place, sendUpdates="none",
    )  # fmt: skip


_BUILDINGS = ("Harbour House", "Depot", "North Tower", "Old Mill", "Riverside", "Terminal Three")
_CUSTOM = ("Customer's site", "Trade fair", "Training centre", "Notary's office", "Test ground")
_PLANNED = (
    "the desks on our floor are shared from this month on", "facilities want to know who needs a desk",
    "my manager asks for the plan of the week", "the key for the side door is handed out by that list",
    "people keep looking for me in the wrong building",
)  # fmt: skip
_AT_HOME = (  # a day long past: what is said of it, and what is asked too late
    ("{On} I was at home, that is entered already.", "{On} I was at home, that has to be entered, too."),
    ("You need not enter that I was at home {on}.", "You have to enter that I was at home {on}, too."),
    ("My day at home {on} stays as it is.", "My day at home {on} was left out, so add it."),
    ("Home is right for what is there {on}.", "Home is right for the place {on}, which is not there yet."),
)  # fmt: skip


@family("calendar", perturbations=("impossible_date", "no_right"))
def working_week(s: Scene) -> None:
    """Where somebody works on the days of a week is entered anew; what was entered before goes."""
    me = s.pick_caller(PEOPLE)
    monday = s.rng.choice((7, 14, 21))
    offsets = sorted(s.rng.sample(range(5), s.rng.choice((2, 3, 4))))
    days = [s.day(monday + n, monday + n) for n in offsets]
    desk, floor = f"D-{s.rng.randrange(100, 180)}", str(s.rng.randrange(1, 6))
    building, custom = s.rng.choice(_BUILDINGS), s.rng.choice(_CUSTOM)
    places: list[tuple[str, str, dict[str, Any]]] = [
        ("Home", "at home", {"type": "homeOffice", "homeOffice": {}}),
        (building, f"in {building}, floor {floor}, desk {desk}", {"type": "officeLocation", "officeLocation":
         {"label": building, "buildingId": building, "floorId": floor, "deskId": desk}}),
        (custom, f'away from both, at "{custom}"',
         {"type": "customLocation", "customLocation": {"label": custom}}),
    ]  # fmt: skip
    chosen = [s.rng.choice(places) for _ in days]
    if s.chance(0.6):
        _enter_before(s, days[0])
    why, past = s.rng.choice(_PLANNED), s.day(-70, -14)
    other = s.pick(f"{PEOPLE} AND u.email <> :me", me=me["email"])
    told = [f"{day.on} {words}" for day, (_, words, _) in zip(days, chosen, strict=True)]
    s.ask(
        """[Where {who} work|The place where {who} work] [is not the usual one|changes] that week: {told}.
        [Enter that in the calendar|Please enter it], {because} {why}. {past}""",
        """{Why}, so [here are my places|this is the plan]: {told}. [That is where {who} work, to be entered
        day by day|These are the places of work to enter, for the days on which {who} work there]. {past}""",
        """[A few places of work have to be entered|Please put down some places of work]: {who} work {told}.
        {past} [The reason for it is that|It is asked for since] {why}.""",
        """{who_} [can be found|can be reached] {told}; [put these in as places of work|that should be
        visible as the place of work]. {Why}. {past}""",
        """[Anybody who looks for a desk should see|The calendar ought to say] where {who} work: {told}.
        {past} [I ask because|The background is that] {why}.""",
        """{told_}: [that is where|these are the places where] {who} work. [Let the calendar show it as the
        place of work|Enter the places of work accordingly]. {past} {Why}, [hence the trouble|that is
        why].""",
        who=(who := s.phrase("no_right", "I", f"{other['name']} and I")), who_=who, why=why,
        Why=why[0].upper() + why[1:], because=s.rng.choice(("because", "since", "as")),
        told=(joined := join_words(told)), told_=joined[0].upper() + joined[1:],
        past=s.phrase("impossible_date",
                      *(line.format(on=past.on, On=past.on[0].upper() + past.on[1:])
                        for line in s.rng.choice(_AT_HOME))),
    )  # fmt: skip
    s.refuse("no_right", f"you enter your own place of work only, not that of {other['name']}",
             names=("own|yourself|only for you|somebody else|someone else|another|not for"
                    "|themselves", "place|location|work|office|home"))  # fmt: skip
    s.refuse("impossible_date", "a place of work is entered seven days late at most", names=(reasons.PAST,))
    zone_days = [day_span(day.date) for day in days]
    found = [
        s.do("list_events", f"what is entered {day.on}", calendarId="primary", eventTypes="workingLocation",
             singleEvents=True, **within)
        for day, within in zip(days, zone_days, strict=True)
    ]  # fmt: skip
    s.duty("an earlier place of work of the same day goes")
    for day, events in zip(days, found, strict=True):
        s.do_each(events["items"].every(("start.date", "==", day.iso)), "delete_event",
                  "the earlier place of that day", calendarId="primary", eventId=ROW["id"],
                  sendUpdates="none")  # fmt: skip
    for day, (title, _, place) in zip(days, chosen, strict=True):
        _enter_place(s, day.date, title, place)
    s.rule(
        "There is one place of work on each of these days",
        """SELECT COUNT(*) FROM events WHERE user_id = :me AND "eventType" = 'workingLocation' AND
        status = 'confirmed' AND substr(start_datetime, 1, 10) IN (SELECT value FROM json_each(:days))""",
        expected=len(days), me=me["user_id"], days=str([day.iso for day in days]).replace("'", '"'),
    )  # fmt: skip


def _enter_before(s: Scene, day: Day) -> None:
    """Enter a place of work of a day, in the company as it is."""
    s.arrange(
        """INSERT INTO events (event_id, calendar_id, user_id, organizer_id, organizer_email,
        organizer_display_name, organizer_self, summary, start_datetime, end_datetime, start_timezone,
        end_timezone, status, visibility, "eventType", transparency, "originalStartTime_date",
        "originalStartTime_timeZone", "iCalUID", sequence, created_at, updated_at) SELECT
        'c1f0a6de-3b57-4c7e-8d7e-6a2b90e4d513', c.calendar_id, u.user_id, u.user_id, u.email, u.name, 1,
        'Home', :day || ' 00:00:00.000000', :after || ' 00:00:00.000000', u.timezone, u.timezone,
        'confirmed', 'public', 'workingLocation', 'transparent', :day, u.timezone,
        'c1f0a6de-3b57-4c7e-8d7e-6a2b90e4d513@calendar.google.com', 0, '2025-12-18 10:00:00.000000',
        '2025-12-18 10:00:00.000000' FROM calendars c JOIN users u USING (user_id) WHERE c.is_primary AND
        u.user_id = :me""",
        me=s.caller["user_id"], day=day.iso, after=(day.date + timedelta(days=1)).isoformat(),
    )  # fmt: skip


_BIRTHDAY = """INSERT INTO events (event_id, calendar_id, user_id, organizer_id, organizer_email,
    organizer_display_name, organizer_self, summary, start_datetime, end_datetime, start_timezone,
    end_timezone, status, visibility, "eventType", transparency, "originalStartTime_date",
    "originalStartTime_timeZone", "iCalUID", recurrence, sequence, created_at, updated_at) SELECT
    'a7be1c52-4f0d-4a33-9a6e-0e5b8d1c2f94', c.calendar_id, u.user_id, u.user_id, u.email, u.name, 1,
    'Birthday', '2025-06-12 00:00:00.000000', '2025-06-13 00:00:00.000000', u.timezone, u.timezone,
    'confirmed', 'private', 'birthday', 'transparent', '2025-06-12', u.timezone,
    'a7be1c52-4f0d-4a33-9a6e-0e5b8d1c2f94@calendar.google.com', '["RRULE:FREQ=YEARLY"]', 0,
    '2025-12-18 10:00:00.000000', '2025-12-18 10:00:00.000000' FROM calendars c JOIN users u USING (user_id)
    WHERE c.is_primary AND u.user_id = :me"""
_JOYS = (
    "my team has asked me three times", "nobody should have to guess it", "I always forget to bring "
                                                                          "something",
    "the others have theirs in, too", "it falls on a working day for once",
)  # fmt: skip


@family("calendar", perturbations=("no_right", "policy_forbids"), ood=True)
def enter_birthday(s: Scene) -> None:
    """Somebody's birthday comes into the calendar, for every year."""
    me = s.pick_caller(f"""SELECT u.* FROM ({PEOPLE}) u WHERE NOT EXISTS (SELECT 1 FROM events e WHERE
        e.user_id = u.user_id AND e."eventType" = 'birthday')""")
    day = s.day(2, 330, weekday=False)
    title, why = s.rng.choice(("A year older", f"{me['given_name']}'s big day")), s.rng.choice(_JOYS)
    other = s.pick(f"{PEOPLE} AND u.email <> :me", me=me["email"])
    reminded, coloured, ahead = s.chance(0.5), s.chance(0.5), s.rng.choice(tuple(_AHEAD))
    colour = s.rng.choice(("2", "3", "4", "6", "8", "10"))
    beside = besides(s, *extras.some(extras.own_entries))
    s.perturb("policy_forbids", _BIRTHDAY, me=me["user_id"])
    s.ask(
        """{Whose} birthday is {on}, and {why}. [Put it into the calendar|Enter it] as a birthday, under the
        title "{title}", [for every year to come|so that it comes back each year]. {coloured} {reminded}""",
        """[Every year the same question|It is asked every year]: when is {whose} birthday? {Why}, so let
        the calendar know: {day}, "{title}", [as a birthday and not as a meeting|as an entry of the sort that
        birthdays have]. {reminded} {coloured}""",
        """"{title}", {day}: [please enter that birthday|that is a birthday to enter], {whose} own. {coloured}
        It [should come back every year|repeats from year to year], and [the rest is as our rules have it for
        birthdays|our rules for birthdays apply]. {reminded} {Why}.""",
        """{Why}. [Therefore|For that reason] I want {whose} birthday in the calendar, {on}, called "{title}",
        [every year|year after year], the way we enter birthdays here. {reminded} {coloured}""",
        """[{Whose} birthday is missing in the calendar|The calendar still lacks {whose} birthday]. It is
        {on}, its title [should be|is] "{title}", and it [recurs|repeats itself] every year. {coloured}
        {reminded} [By way of explanation, {why}|Why? {Why}].""",
        """[Since|As] {why}, enter {whose} birthday {on}[, a whole day|] under "{title}", yearly and otherwise
        [as birthdays are entered with us|by our rules for birthdays]. {reminded} {coloured}""",
        whose=(whose := s.phrase("no_right", "my", f"{other['name']}'s")), Whose=whose[0].upper() + whose[1:],
        on=day.on, day=day, why=why, Why=why[0].upper() + why[1:], title=title,
        coloured=say(s, "[Use|It takes] the event colour with the number {colour}.", colour=colour)
        if coloured else "",
        reminded=say(s, "[A popup reminds me|Have a popup remind me] {words} before.",
                     words=_AHEAD[ahead]) if reminded else "",
    )  # fmt: skip
    beside.say()
    s.refuse("no_right", f"a birthday is entered by the person alone, so {other['name']} has to do it",
             names=("alone|themselves|themself|herself|himself|only the person|the person|yourself|own|only"
                    "|somebody else|someone else|has to do it|on behalf",
                    f"birthday|{reasons.known_as(other)}"))  # fmt: skip
    existing = s.do("list_events", "whether it is entered already", calendarId="primary",
                    eventTypes="birthday")  # fmt: skip
    s.require(count(existing["items"]), "==", 0, "a birthday is entered already", names=(reasons.TAKEN,))
    s.duty("a birthday is private and takes no time")
    more: dict[str, Any] = {"colorId": colour} if coloured else {}
    if reminded:
        more["reminders"] = {"useDefault": False, "overrides": [{"method": "popup", "minutes": ahead}]}
    beside.look()
    s.do("create_event", "the birthday", calendarId="primary", summary=title, eventType="birthday",
         **whole_days(day.date, day.date), recurrence=["RRULE:FREQ=YEARLY"], visibility="private",
         transparency="transparent", birthdayProperties={"type": "birthday"}, sendUpdates="none",
         **more)  # fmt: skip
    beside.write()


_AHEAD = {1440: "a day", 2880: "two days", 10080: "a week"}
