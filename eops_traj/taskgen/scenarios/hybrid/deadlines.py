"""Scenarios in which a case says when something is due, who may read a file, and whether a team is warned."""

from datetime import datetime, time, timedelta

from eops_traj.taskgen.dates import TODAY
from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.expressions import add, date_of, holds, joined, shift
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.csm.clocks import list_clocks, running
from eops_traj.taskgen.scenarios.csm.lookups import (
    CASES,
    DESK,
    OPEN,
    OPEN_STATES,
    STAFF,
    WORKS,
    demote,
    find_caller,
    find_case,
    find_picked_case,
    pick_case,
)
from eops_traj.taskgen.scenarios.drive.lookups import OWN_FILES, find_own_file
from eops_traj.taskgen.scenarios.hybrid import boards, extras
from eops_traj.taskgen.scenarios.hybrid import lookups as look
from eops_traj.taskgen.scenarios.reasons import MISSING
from eops_traj.taskgen.scene import Row, Scene

_ALIVE = ("new", "in_progress", "pending")
_CLOCKS = "t.case_id = c.case_id AND t.stage IN ('in_progress', 'paused')"
_TIMED = f"""{CASES} AND c.state IN {OPEN} AND EXISTS (SELECT 1 FROM case_sla t WHERE {_CLOCKS})
    AND NOT EXISTS (SELECT 1 FROM case_sla t WHERE {_CLOCKS} AND t.breach_time <= '2026-01-05 09:00:00')"""
_FIRST = """SELECT MIN(breach_time) AS breach FROM case_sla WHERE case_id = :id AND stage IN
    ('in_progress', 'paused')"""
_PUT_OFF = """UPDATE case_sla SET breach_time = datetime(breach_time, :later) WHERE case_id = :id AND stage IN
    ('in_progress', 'paused')"""
_FINISH = """UPDATE case_sla SET stage = 'completed', completed_time = '2026-01-05 08:40:00'
    WHERE case_id = :id AND stage IN ('in_progress', 'paused')"""


def _put_off(s: Scene, case: Row) -> str:
    """Put a case's clocks off, so that the first runs out on a day that no other case shares, and return it.

    It and the day after it are working days ahead, for nothing is planned on others; the hour is one at which
    it is the same day at all sites.
    """
    first = datetime.fromisoformat(s.rows(_FIRST, id=case["case_id"])[0]["breach"])
    ahead = [TODAY + timedelta(days) for days in range(8, 26)]
    day = s.rng.choice([one for one in ahead if one.weekday() < 4])
    last = datetime.combine(day, time(s.rng.randrange(6, 12), first.minute))
    s.arrange(_PUT_OFF, id=case["case_id"], later=f"{(last - first).total_seconds():+.0f} seconds")
    return day.isoformat()


_AFTER = '[The day after|The following day] is "{then}", [in the same way|likewise all day].'


@family("hybrid", servers=("csm", "calendar"), produces="case", perturbations=("no_right", "missing_entity"))
def deadline_in_calendar(s: Scene) -> None:
    """The day on which the first clock of a case runs out is marked in the calendar, and the day after it."""
    s.pick_caller(DESK)
    record = s.pick(_TIMED)
    day = _put_off(s, record)
    after = s.chance(0.5)
    title, then = s.rng.choice((
        (f"{record['number']} runs out", f"Look back at {record['number']}"),
        (f"Last day for {record['number']}", f"{record['number']}: did we make it?"),
        (f"Clock of {record['number']}", f"The day after: {record['number']}"),
    ))  # fmt: skip
    more = besides(s, *extras.of("csm", "calendar", but=(extras.count_entries,)))
    demote(s, "customer")
    s.perturb("missing_entity", _FINISH, id=record["case_id"])
    s.indirect("the day on which the first clock runs out", hidden=[day])
    s.ask(
        """[When|On which day] does the first clock on {what} run out? [Mark|Enter] that day in my own
        calendar, the whole of it, as "{title}", [counting|looking at] what runs or rests and nothing that
        is over. {after}""",
        """"{title}" [goes|belongs] into my main calendar as a whole-day entry, on the date [of|that is] the
        earliest breach among the SLAs of {what} that are not finished, [paused ones included|those on pause
        too]. {after}""",
        """{what_up} [has SLAs that still count|is timed by more than one SLA]; the one that [breaches|would
        breach] first decides when I see "{title}" in my calendar, all day and [by myself|without guests].
        {after}""",
        """[I keep missing|I missed twice] the last day of a promise. So for {what}, [look up|see] which
        unfinished SLA has the earliest time of breach, and put "{title}" on that date of my own calendar,
        no hours. {after}""",
        """[My calendar should warn me|I want to be warned by my calendar] of {what}: an entry "{title}"
        over the whole day on which, of all its running or resting SLAs, the [first|earliest] one is
        breached. {after}""",
        """[What is promised on|The promise made with] {what} ends some day soon; [take|use] the nearest
        time of breach of what has not come to an end, and [note|write] "{title}" on its date, as an all-day
        entry of my main calendar. {after}""",
        what=f"case {record['number']}", what_up=f"Case {record['number']}", title=title,
        after=look.say(s, _AFTER, then=then) if after else "",
    )  # fmt: skip
    more.say()
    find_caller(s, *STAFF)
    case = find_case(s, record["number"], *_ALIVE)
    clocks = list_clocks(s, case)
    s.require(count(running(clocks)), ">=", 1, f"nothing is timed on {record['number']} any more",
              names=("clock|SLA|timed|breach", f"{MISSING}|nothing|no clock|no SLA|completed"))  # fmt: skip
    first = date_of(running(clocks).smallest("breach_time")["breach_time"])
    calendar = s.do("get_calendar", "where the day goes", calendarId="primary")
    more.look()
    s.do("create_event", "the day on which it runs out", calendarId=calendar["id"], summary=title,
         start={"date": first}, end={"date": shift(first, "1 day")}, sendUpdates="none")  # fmt: skip
    if after:
        s.do("create_event", "and the day after", calendarId=calendar["id"], summary=then,
             start={"date": shift(first, "1 day")}, end={"date": shift(first, "2 days")},
             sendUpdates="none")  # fmt: skip
    more.write()
    s.produce("case", case, s.rng.choice(("the same case", "the case just named")))


_READABLE = f"""SELECT u.email FROM users u JOIN ({OWN_FILES.replace(":me", "f.created_by")}) x
    ON x.created_by = u.id"""
_STAFF = f"active AND {look.STAFF}"
_OURS = f"(SELECT u.user_id FROM user u WHERE {WORKS} AND u.{look.STAFF} AND u.email <> :me)"
_INSIDE = """ AND f.name NOT LIKE '%''%' AND NOT EXISTS (SELECT 1 FROM permissions p WHERE
    p.file_id = f.id AND (p.type <> 'user' OR p.user_id = (SELECT id FROM users WHERE email = :hands)))"""


@family("hybrid", servers=("csm", "drive"), consumes="case",
        perturbations=("no_right", "inactive_person", "missing_entity"))  # fmt: skip
def share_with_worker(s: Scene) -> None:
    """Whoever works on a case may read, or comment on, a file of the caller's own."""
    s.pick_caller(f"{DESK} AND {look.ALSO}", also=look.known_addresses(s, _READABLE, "drive"))
    me = look.caller_email(s)
    produced, record = pick_case(s, f"{CASES} AND c.state IN {OPEN} AND c.assigned_to IN"
                                 f" {_OURS.replace(':me', repr(me))}", *_ALIVE)  # fmt: skip
    hands = s.rows(f"SELECT email FROM user WHERE user_id IS :id AND email <> :me AND {_STAFF}",
                   id=record["assigned_to"], me=me)  # fmt: skip
    if not hands:
        raise NoMatch("the case that was handed on is with nobody else of ours")
    (mine,) = s.rows("SELECT id FROM users WHERE email = :me", "drive", me=me)
    file = s.pick(f"{OWN_FILES}{_INSIDE} ORDER BY f.id", "drive", me=mine["id"], hands=hands[0]["email"])
    role, said = s.rng.choice((("reader", "read"), ("commenter", "comment on")))
    reason = s.rng.choice((f"You need it for {record['number']}.", f"It has to do with {record['number']}.",
                           f"Please use it when you work on {record['number']}."))  # fmt: skip
    more = besides(s, *extras.of("csm", "drive"))
    demote(s, "customer")
    if not produced:
        s.perturb("inactive_person", "UPDATE user SET active = 0 WHERE user_id = :id",
                  id=record["assigned_to"])  # fmt: skip
    s.perturb("missing_entity", "UPDATE files SET name = 'Copy of ' || name WHERE id = :id", "drive",
              id=file["id"])  # fmt: skip
    s.indirect("whoever works on the case")  # another part of a chain may tell the address
    s.ask(
        """[Whoever works on|The colleague who has] {what} [needs|cannot do without] "{file}", which lies in
        my own files. [Let that person|Give that person the right to] {said} it, and the mail [about it|that
        Drive sends] should say "{reason}\"""",
        """"{file}", [a file of mine|one of my files], should be open to the person {what} is assigned to,
        [so that they can|enough to] {said} it and no more; "{reason}" is what they are [told|sent].""",
        """[There is an answer to|The answer to] {what} [hidden|buried] in "{file}" among my own files. The
        assignee of the case may {said} it [from now on|as of now]: [add that right|set that up], with
        "{reason}" in the notification.""",
        """[Find out|Look up] who is assigned to {what}, and share my own file "{file}" with that colleague,
        [just enough|no more than it takes] to {said} it. [The message|What they read] is "{reason}\"""",
        """For {what} somebody [else|other than me] is responsible, [as the case says|by the assignment].
        They ought to be able to {said} my file "{file}", [announced by|with the note] "{reason}\"""",
        """[Open|Please open] "{file}" from my own files to one person, the one [now working on|in charge
        of] {what}, [for|with the right] to {said} it; the notification [reads|says] "{reason}\"""",
        what=produced.words if produced else f"case {record['number']}", file=file["name"], said=said,
        reason=reason,
    )  # fmt: skip
    more.say()
    find_caller(s, *STAFF)
    case = find_picked_case(s, produced, record["number"], *_ALIVE)
    who = s.do("list_users", "who works on it", user_id=case["assigned_to"])[0]
    s.require(who["active"], "==", 1, "whoever has the case has left")
    paper = find_own_file(s, file["name"], "the file to be opened")
    there = s.do("list_permission", "who is in already", fileId=paper["id"])["permissions"]
    s.require(count(there.every(emailAddress=who["email"])), "==", 0, "that person is in already")
    more.look()
    s.do("create_permission", f"let them {said} it", fileId=paper["id"], type="user", role=role,
         emailAddress=who["email"], emailMessage=reason)  # fmt: skip
    more.write()


_BOARDS = ("Escalations", "Handover", "Pipeline", "Routes", "Incidents", "Alerts")
_LOADED = f"""SELECT a.name, COUNT(*) AS cases FROM customer_case c JOIN account a USING (account_id) WHERE
    c.state IN {OPEN} AND a.active AND (SELECT COUNT(*) FROM account o WHERE instr(o.name, a.name)
        OR instr(a.name, o.name)) = 1 GROUP BY a.account_id HAVING cases > 1"""


@family("hybrid", servers=("csm", "teams"), perturbations=("no_right", "missing_entity", "policy_forbids"))
def warn_of_backlog(s: Scene) -> None:
    """A team reads how many cases of a customer are open, and is warned where the newest one is critical."""
    s.pick_caller(f"{DESK} AND {look.ALSO}", also=boards.poster_addresses(s, *_BOARDS))
    board = s.rng.choice(boards.list_channels(s, look.caller_email(s), *_BOARDS))
    account = s.pick(_LOADED)["name"]
    frame = s.rng.choice((f"Open cases of {account} this morning:", f"{account}, cases that are open:",
                          f"Count of {TODAY.day} January, open cases of {account}:"))  # fmt: skip
    warning = s.rng.choice(
        (
            f"Please take nothing new from {account} without asking.",
            f"{account} needs all of us this week.",
            f"Careful with {account}, please.",
        )
    )
    more = besides(s, *extras.of("csm", "teams"))
    demote(s, "customer")
    boards.perturb_channel(s, board, "missing_entity", "display_name = display_name || ' 2024'")
    boards.perturb_channel(s, board, "policy_forbids", "is_archived = 1")
    s.indirect("how many cases of the customer are open")
    s.branches("how bad the newest of them is")
    s.ask(
        """[Those in|The people of] {team} want to know how it stands with {account}: "{frame} N" in
        {channel}, N being the number of open cases. [If|In case] the newest of these is high or critical,
        [a second post follows|post another one], "{warning}\"""",
        """"{frame} N" is [to be posted|for] {team} in {channel}, with the count of open cases for N.
        [Add|Then add] "{warning}" as a message of its own, but only [where|if] the open case of {account}
        that came last is graded critical or high.""",
        """[How many|What number of] cases of {account} are open? {channel} in {team} [gets|needs] the
        figure as "{frame} N". [Depending on the newest open one|It depends on the newest open one what
        comes next]: should its priority be critical or high, "{warning}" is posted, too.""",
        """[For the stand-up|Ahead of the stand-up] of {team}, write "{frame} N" in {channel} and put the
        open cases [as a number|counted] for N. A warning, "{warning}", [comes after it|goes below it] when
        the latest of them has high or critical priority, [else not|and otherwise none].""",
        """{account} [keeps writing|does not stop writing]. [Count|Look up] their open cases, tell {team}
        under {channel} "{frame} N", and [warn|caution] them with a second message, "{warning}", in the
        event that the most recent open case is high or critical.""",
        """In {channel} of {team} [I want one post|there should be a post], or two: [always|in any case]
        "{frame} N" with the number of cases {account} has open, and "{warning}" [besides|as well] if the
        newest open one is critical or of high priority.""",
        account=account, team=board.team, channel=board.channel, frame=frame, warning=warning,
    )  # fmt: skip
    more.say()
    find_caller(s, *STAFF)
    found = s.do("get_accounts", "the customer", name=account).every(name=account)
    s.require(count(found), "==", 1, f"there is no account {account}", names=(account, MISSING))
    cases = s.do("search_cases", "what is open", account_id=found[0]["account_id"]).every(OPEN_STATES)
    s.require(count(cases), ">=", 1, f"{account} has no open case")
    newest = cases.largest("sys_created_on")
    place, channel = boards.find_channel(s, board)
    more.look()
    boards.post_message(s, place, channel, joined([frame, add(count(cases), 0)], " "), "the figure")
    s.do_when(holds(newest["priority"], "in", ["critical", "high"]), "send_channel_message", "the warning",
              teamId=place["id"], channelId=channel["id"], importance="normal",
              body={"contentType": "text", "content": warning})  # fmt: skip
    more.write()
