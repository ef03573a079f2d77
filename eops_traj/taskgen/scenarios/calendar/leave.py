"""Scenarios about leave: entered with what falls into it, or with a deputy who looks after the calendar."""

from datetime import date, timedelta

from eops_traj.taskgen.dates import TODAY
from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.expressions import holds
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.calendar import extras, reasons
from eops_traj.taskgen.scenarios.calendar.invitations import INVITED
from eops_traj.taskgen.scenarios.calendar.lookups import (
    OWN_MEETINGS,
    PEOPLE,
    day_span,
    find_guest,
    find_meeting,
    join_people,
    join_words,
    rule_on_names,
    say,
    whole_days,
)
from eops_traj.taskgen.scenarios.calendar.picking import (
    as_day,
    event_day,
    in_zone,
    pick_colleagues,
)
from eops_traj.taskgen.scenarios.calendar.places import enter_home
from eops_traj.taskgen.scenarios.calendar.twists import call_off, deactivate
from eops_traj.taskgen.scene import Row, Scene

_ANY_INVITED = INVITED.format("'needsAction', 'accepted', 'tentative'")
_LEAVE = "leave|absence|absent|out of office|vacation|holiday|time off|day off|days off"
_NO_REPORT = (  # somebody whom the caller does not manage
    "who is in another team", "a colleague of another department", "who does not report to me",
    "of the team next door", "who works for another manager",
)  # fmt: skip
_NOT_THEIRS = (
    "manager|themselves|himself|herself|oneself|yourself|your own|their own|only the person|person alone"
    "|only for|somebody else|someone else|another person|other people|not yours|on behalf"
)
_WORDS = (
    "I am away and read no mail.", "I am back soon and answer then.", "Please ask my team meanwhile.",
    "Not in the office; urgent things go to the desk.", "Away without a laptop, for once.",
    "Please write again when I am back.", "My inbox is closed for these days.",
)  # fmt: skip


@family("calendar", perturbations=("impossible_date", "no_right", "missing_entity"))
def go_on_leave(s: Scene) -> None:
    """Somebody is away for some days: the leave is entered, and what falls into it is cancelled."""
    commitments = f"""SELECT event_id, email, start_datetime, end_datetime, start_timezone, summary, 1 AS own
        FROM ({OWN_MEETINGS}) UNION ALL SELECT event_id, email, start_datetime, end_datetime, start_timezone,
        summary, 0 FROM ({_ANY_INVITED})"""
    me = s.pick_caller(
        f"SELECT w.* FROM ({PEOPLE}) w WHERE (SELECT COUNT(*) FROM ({commitments}) k WHERE k.email ="
        " w.email) > 2"
    )
    event = in_zone(s.pick(f"SELECT * FROM ({commitments}) WHERE email = :me ORDER BY event_id",
                           me=me["email"]), me["timezone"])  # fmt: skip
    first = date.fromisoformat(event["start_datetime"][:10]) - timedelta(days=s.rng.randrange(2))
    last = first + timedelta(days=s.rng.randrange(3, 5))
    _forbid_other_leave(s, first, last)
    events = [event, *_pick_more(s, commitments, event, first, last)]
    days = {e["event_id"]: event_day(s, e) for e in events}
    begin, end = (as_day(s, day) for day in (first, last))
    words = s.rng.choice(_WORDS)
    home = s.day((last - TODAY).days + 1, (last - TODAY).days + 3, weekday=False)
    at_home = home.date.weekday() < 5 and s.chance(0.6)
    early = as_day(s, first - timedelta(days=s.rng.randrange(2, 9)))
    colleague = s.pick(f"{PEOPLE} AND u.email <> :me", me=me["email"])
    call_off(s, event)
    off = [f'"{e["summary"]}" {days[e["event_id"]].on}' for e in events if e["own"]]
    out = [f'"{e["summary"]}" {days[e["event_id"]].on}' for e in events if not e["own"]]
    s.ask(
        """{who} on leave from {begin} to {end}, [both days included|counting both]. [Enter it|It is entered]
        under the title "Out of office", and [let invitations be declined|whoever invites in that time is
        turned down] with the words "{words}" {off} {out} {home}""",
        """[A leave has to get into the calendar|There is a leave to enter]: {begin} until and including
        {end}. {who} away on all of these days. [Title|The title is] "Out of office", [message|the message]
        "{words}" {out} {off} {home}""",
        """[My manager has signed it|It is approved]: {begin} is the first day, {end} the last. {who} gone,
        so enter that as "Out of office", with "{words}" [for those who invite|as the answer to whoever
        invites]. {off} {home} {out}""",
        """[An absence has to be prepared|The following absence is coming up]. {who} out from {begin} up to
        and with {end}. [The entry is called|Its entry gets the title] "Out of office", and what comes in
        meanwhile is turned down with "{words}" {home} {off} {out}""",
        """"Out of office", whole days, from {begin} through {end}: {who} on leave then. [Those who try get
        the answer|The message for those who try is] "{words}" {off} {out} {home}""",
        """[As agreed with the team|As settled before Christmas], {who} off between {begin} and {end},
        counting both. [Enter the leave|Put it in] as "Out of office", with this message: "{words}" {out}
        {home} {off}""",
        who=s.phrase("no_right", "I am",
                     f"{colleague['name']} ({colleague['email']}), {s.rng.choice(_NO_REPORT)}, is"),
        begin=begin, end=s.phrase("impossible_date", str(end), str(early)), words=words,
        off=say(s, "[Call off|Cancel] {off}, [which I organize|of which I am the organizer].",
                off=join_words(off)) if off else "",
        out=say(s, '[Decline|Say no to] {out} for me [with the reason|and give the reason] "on leave".',
                out=join_words(out)) if out else "",
        home=say(s, '[And {home} I work from home: enter that as well, under|{Home} is a day at home, to be '
                 'entered as] "Home".', home=home.on, Home=home.words[0].upper() + home.words[1:])
        if at_home else "",
    )  # fmt: skip
    s.refuse("no_right", f"the leave of {colleague['name']} is entered by themselves or their manager only",
             names=(f"manager|{reasons.known_as(colleague)}", _NOT_THEIRS, _LEAVE))  # fmt: skip
    s.refuse("impossible_date", "the leave would end before it begins", names=(reasons.BACKWARDS,))
    meetings = [
        find_meeting(s, e["summary"], days[e["event_id"]], f"{e['summary']}, which falls into it")
        for e in events
    ]
    existing = s.do("list_events", "whether a leave is entered already", calendarId="primary",
                    eventTypes="outOfOffice", **day_span(first, last))  # fmt: skip
    s.require(count(existing["items"]), "==", 0, "a leave is entered for these days already",
              names=(reasons.TAKEN,))  # fmt: skip
    enter_leave(s, first, last, words)
    for e, meeting in zip(events, meetings, strict=True):
        if e["own"]:
            s.do("delete_event", f"call off {e['summary']}", calendarId="primary", eventId=meeting["id"],
                 sendUpdates="all")  # fmt: skip
        else:
            answer = {"email": me["email"], "responseStatus": "declined", "comment": "on leave"}
            s.do("patch_event", f"decline {e['summary']}", calendarId="primary", eventId=meeting["id"],
                 attendees=[answer], sendUpdates="all")  # fmt: skip
    if at_home:
        enter_home(s, home)
    _rule_on_leave(s, me, first, last)
    rule_on_names(s)


def _forbid_other_leave(s: Scene, first: date, last: date) -> None:
    """Give up where a leave is entered for some of these days, or where they lie in the past."""
    leaves = s.rows(
        """SELECT 1 FROM events WHERE "eventType" = 'outOfOffice' AND user_id = :me
        AND date(start_datetime) <= :last AND date(end_datetime) >= :first""",
        me=s.caller["user_id"], first=first.isoformat(), last=last.isoformat(),
    )  # fmt: skip
    if leaves or first <= TODAY:
        raise NoMatch("a leave is entered already, or it would begin today")


def _pick_more(s: Scene, commitments: str, event: Row, first: date, last: date) -> list[Row]:
    """Pick some more commitments of the same days."""
    sql = f"""SELECT * FROM ({commitments}) WHERE email = :me AND event_id <> :one AND start_timezone = :zone
        AND substr(start_datetime, 1, 10) BETWEEN :first AND :last ORDER BY event_id"""
    values = {"me": s.caller["email"], "one": event["event_id"], "zone": s.caller["timezone"],
              "first": first.isoformat(), "last": last.isoformat()}  # fmt: skip
    number = min(len(s.rows(sql, **values)), s.rng.choice((1, 2, 3)))
    return s.pick_some(sql, number, **values) if number else []


def enter_leave(s: Scene, first: date, last: date, words: str) -> None:
    """Enter a leave of whole days."""
    away = {"autoDeclineMode": "declineAllConflictingInvitations", "declineMessage": words}
    s.do("create_event", "the leave", calendarId="primary", summary="Out of office", eventType="outOfOffice",
         **whole_days(first, last), outOfOfficeProperties=away, sendUpdates="none")  # fmt: skip


def _rule_on_leave(s: Scene, me: Row, first: date, last: date) -> None:
    s.rule(
        "The leave is of whole days, ends the day after its last, and declines what comes in meanwhile",
        """SELECT COUNT(*) FROM events e JOIN users u ON u.user_id = e.user_id WHERE u.email = :me AND
        e."eventType" = 'outOfOffice' AND e.start_datetime LIKE :first || ' 00:00:00%' AND e.end_datetime LIKE
        :after || ' 00:00:00%' AND json_extract(e."outOfOfficeProperties", '$.autoDeclineMode') =
        'declineAllConflictingInvitations'""",
        me=me["email"], first=first.isoformat(), after=(last + timedelta(days=1)).isoformat(),
    )  # fmt: skip


@family("calendar", perturbations=("inactive_person", "impossible_date", "no_right"), ood=True)
def leave_with_deputy(s: Scene) -> None:
    """A leave with a deputy, who is let into the main calendar or raised to plan along in it."""
    me = s.pick_caller(PEOPLE)
    first = s.day(3, 40)
    last = first.date + timedelta(days=s.rng.randrange(2, 15))
    _forbid_other_leave(s, first.date, last)
    (deputy,) = pick_colleagues(s, 1)
    colleague = s.pick(f"{PEOPLE} AND u.email NOT IN (:me, :deputy)", me=me["email"], deputy=deputy["email"])
    end, words = as_day(s, last), s.rng.choice(_WORDS)
    early = as_day(s, first.date - timedelta(days=s.rng.randrange(2, 9)))
    if s.chance(0.5):
        s.arrange(
            """INSERT OR IGNORE INTO acls (id, calendar_id, user_id, scope_id, role, etag, created_at,
            updated_at) SELECT 'acl-' || :me || '-deputy', :me || '-primary', :me, 'scope-' || :deputy,
            'reader', '"deputy"', '2025-10-01 09:00:00.000000', '2025-10-01 09:00:00.000000' WHERE NOT EXISTS
            (SELECT 1 FROM acls WHERE calendar_id = :me || '-primary' AND scope_id = 'scope-' || :deputy)""",
            me=me["user_id"], deputy=deputy["user_id"],
        )  # fmt: skip
    beside = besides(s, *extras.some(extras.access_rules, extras.own_entries, extras.own_day))
    deactivate(s, deputy)
    s.ask(
        """{who} [away|on leave] from {first} to {last}, the last day included, and {deputy} [is the
        deputy|stands in]. [Do what our rules want|Arrange all that our rules ask for] in that case. The leave
        [is called|goes by the title] "Out of office", and its message for those who invite is
        "{words}".""",
        """[With {deputy} as the deputy|{deputy} will be the deputy], {who} out of the office {from_first}
        until and including {last}. Enter the leave as "Out of office" with the message "{words}", and [see to
        what a deputy needs according to our rules|give the deputy what our rules foresee].""",
        """[Somebody will have to look after things|The calendar must not be left alone] between {first} and
        {last}, when {who} on leave: that is {deputy}. [The rules say what a deputy gets|What a deputy gets
        you find in our rules]; the entry is "Out of office", the message to whoever invites
        "{words}".""",
        """{from_First} on, up to and with {last}, {who} off. [Title|The title is] "Out of office", decline
        message "{words}". [As the deputy there is|The deputy for that time is] {deputy}, so [set up what goes
        with it|please do for them what goes with that].""",
        """"Out of office", {first} to {last} with both days in it: {who} gone then. [Invitations are answered
        with|The answer to invitations is] "{words}". {deputy} has agreed to be the deputy[, with everything
        that our rules attach to it|; the rules on deputies apply].""",
        """[It is agreed who the deputy is|The question of the deputy is settled]: {deputy}, for the leave
        that begins {from_first} and ends after {last}. {Who} away, so put "Out of office" into the calendar
        and "{words}" as the message, and [let the deputy in as far as the rules say|treat the deputy as the
        rules say].""",
        who=(who := s.phrase("no_right", "I am", f"{colleague['name']}, {s.rng.choice(_NO_REPORT)}, is")),
        Who=who[0].upper() + who[1:], first=first, from_first=first.on,
        from_First=first.on[0].upper() + first.on[1:],
        last=s.phrase("impossible_date", str(end), str(early)), words=words,
        deputy=join_people(s, [deputy]),
    )  # fmt: skip
    beside.say()
    s.refuse("no_right", f"the leave of {colleague['name']} is entered by themselves or their manager only",
             names=(f"manager|{reasons.known_as(colleague)}", _NOT_THEIRS, _LEAVE))  # fmt: skip
    s.refuse("impossible_date", "the leave would end before it begins", names=(reasons.BACKWARDS,))
    account = find_guest(s, deputy)
    existing = s.do("list_events", "whether a leave is entered already", calendarId="primary",
                    eventTypes="outOfOffice", **day_span(first.date, last))  # fmt: skip
    s.require(count(existing["items"]), "==", 0, "a leave is entered for these days already",
              names=(reasons.TAKEN,))  # fmt: skip
    rules = s.do("list_acl_rules", "who is let in already", calendarId="primary")
    known = rules["items"].every(scope__value=deputy["email"])
    s.duty("the deputy is let into the main calendar as a writer")
    s.branches("whether the deputy is let in already")
    beside.look()
    enter_leave(s, first.date, last, words)
    s.do_when(holds(count(known), "==", 0), "insert_acl_rule", "the deputy plans along", calendarId="primary",
              role="writer", scope={"type": "user", "value": account["email"]})  # fmt: skip
    s.do_when(holds(count(known), ">", 0), "patch_acl_rule", "the deputy plans along, from now on",
              calendarId="primary", ruleId=known[0]["id"], role="writer")  # fmt: skip
    _rule_on_leave(s, me, first.date, last)
    s.rule(
        "The deputy has one rule for the main calendar, that of a writer",
        """SELECT GROUP_CONCAT(a.role) FROM acls a JOIN scopes s ON s.id = a.scope_id WHERE a.calendar_id =
        :me || '-primary' AND s.type = 'user' AND s.value = :deputy""",
        expected="writer", me=me["user_id"], deputy=deputy["email"],
    )  # fmt: skip
    beside.write()
