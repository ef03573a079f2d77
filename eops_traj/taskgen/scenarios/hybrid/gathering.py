"""Scenarios in which a ticket or a change decides who meets whom, and when."""

from eops_traj.taskgen.expressions import holds
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.hybrid import extras, meetings
from eops_traj.taskgen.scenarios.hybrid import lookups as look
from eops_traj.taskgen.scenarios.itsm.lookups import MANAGERS, NO_RIGHT, OURS, find_caller
from eops_traj.taskgen.scenarios.reasons import MISSING, TAKEN
from eops_traj.taskgen.scene import Scene

_WITH_LEAD = f"""SELECT i.number, w.email AS worker, l.email AS lead FROM ({OURS}) i
    JOIN users w ON w.user_id = i.assigned_to JOIN user_group g ON g.group_id = i.assignment_group
    JOIN users l ON l.user_id = g.manager_id WHERE w.active AND l.active AND w.user_id <> l.user_id
    AND w.email <> :me AND l.email <> :me AND (SELECT COUNT(*) FROM incident o
        WHERE o.assigned_to = i.assigned_to) = 1"""


@family("hybrid", servers=("itsm", "calendar"), perturbations=("missing_entity", "policy_forbids"))
def meet_whoever_is_free(s: Scene) -> None:
    """Whoever has a ticket is invited, or the head of the group where they have something else."""
    s.pick_caller(MANAGERS)
    me = look.caller_email(s)
    row = s.pick(_WITH_LEAD, me=me)
    when = meetings.pick_slot(s, row["worker"], row["lead"])
    title = s.rng.choice((f"Status of {row['number']}", f"{row['number']} in person",
                          f"What holds up {row['number']}", f"Talk on {row['number']}"))  # fmt: skip
    more = besides(s, *extras.of("itsm", "calendar"))
    s.perturb("missing_entity", "UPDATE incident SET number = 'INC9' || substr(number, 5) WHERE number = :n",
              n=row["number"])  # fmt: skip
    meetings.make_busy(s, me, when)
    s.branches("whether the person on the ticket is free")
    s.indirect("who works on the ticket, and who leads the group", hidden=[row["worker"], row["lead"]])
    s.ask(
        """{number} [worries me|takes too long], and {when} I [have time|am free] to talk about it.
        Invite [whoever works on it|the one it is assigned to] to "{title}"; should that person [have
        something else|be taken] then, [the head|the manager] of the group that answers for it comes [in
        their place|instead].""",
        """[Set up|Plan] "{title}" {when} with the [colleague|person] on {number}, [or else|or, if their
        calendar is taken at that hour,] with [whoever manages|the manager of] the group the ticket is
        assigned to. [One of the two|Either of them] is enough.""",
        """[The auditor|An auditor] asks me about {number}, [so I need|which is why I need] somebody who
        knows it, {when}: the assignee by preference, the lead of [their ticket group|the group on the
        ticket] when the assignee is [busy|not free]. The title [is|of the meeting is] "{title}".""",
        """"{title}", {when}: that is [a meeting|an invitation] for me and one other. [First choice|My
        first choice] is the person {number} is with; where [the calendar shows them busy|they are busy],
        [second choice|my second] is whoever leads the group [in charge|responsible].""",
        """{when_up} I would like to hear about {number} from the [source|person working on it]. [In
        case|If] they are not free at that time, do not look for another hour but take the manager of the
        assignment group, and [call it|name the meeting] "{title}" [either way|in both cases].""",
        """[As deputy|While the director is away] I follow up on {number} myself. [Book|Enter] "{title}"
        {when} with its assignee, [unless|except where] something stands in that calendar already, in
        which case the one who [heads|runs] the ticket's group is [my guest|invited].""",
        number=row["number"], when=when.words, when_up=look.capital(when.words), title=title,
    )  # fmt: skip
    more.say()
    find_caller(s)
    incident = s.do("find_incident_by_number", "who has it", number=row["number"])
    s.require_ok(incident, f"there is no ticket {row['number']}", names=(row["number"], MISSING))
    worker = s.do("get_user", "who works on it", user_id=incident["assigned_to"])
    calendar = s.do("get_calendar", "the zone that the time is meant in", calendarId="primary")
    first = s.do("query_freebusy", "whether they are free",
                 **meetings.freebusy_query([worker["email"]], when, calendar["timeZone"]))  # fmt: skip
    taken = count(first["calendars"].every()["busy"].every())
    free, busy = holds(taken, "==", 0), holds(taken, ">", 0)
    mine = s.do("query_freebusy", "whether you are free",
                **meetings.freebusy_query([me], when, calendar["timeZone"]))  # fmt: skip
    s.require(count(mine["calendars"].every()["busy"].every()), "==", 0, "you are taken at that time",
              names=(TAKEN,))  # fmt: skip
    group = s.do_when(busy, "list_user_groups", "who leads the group", group_id=incident["assignment_group"])
    lead = s.do_when(busy, "get_user", "whom to ask instead", user_id=group["user_groups"][0]["manager_id"])
    s.do_when(busy, "query_freebusy", "whether they are free, then",
              **meetings.freebusy_query([lead["email"]], when, calendar["timeZone"]))  # fmt: skip
    more.look()
    for here, guest in ((free, worker), (busy, lead)):
        s.do_when(here, "get_user_by_email", "whether they can be invited", email=guest["email"])
        meetings.create_meeting(s, calendar, title, [guest["email"]], when, here)
    more.write()
    meetings.add_meeting_rule(s, title, when, row["worker"])


_AHEAD = """SELECT c.*, u.email FROM change c JOIN users u ON u.user_id = c.assigned_to JOIN users r ON
    r.user_id = c.requested_by WHERE c.org_id = 'ORG_001' AND c.status IN ('authorize', 'assess')
    AND u.active AND u.email <> :me AND r.email <> :me"""
_NEXT = {"assess": "authorize", "authorize": "scheduled"}
_MOVES = {"assess": "authorized", "authorize": "scheduled"}


@family("hybrid", servers=("itsm", "calendar"), ood=True,
        perturbations=("no_right", "policy_forbids", "missing_entity"))  # fmt: skip
def move_change_on(s: Scene) -> None:
    """A change goes one step on, and its window stands in the calendars of those who carry it out."""
    s.pick_caller(MANAGERS)
    me = look.caller_email(s)
    change = s.pick(_AHEAD, me=me)
    when = meetings.pick_slot(s, change["email"])
    title = s.rng.choice((f"Window for {change['number']}", f"{change['number']}: hands on",
                          f"Walk through {change['number']}"))  # fmt: skip
    more = besides(s, *extras.of("itsm", "calendar"))
    s.perturb("no_right", NO_RIGHT, me=me)
    meetings.make_busy(s, change["email"], when)
    s.perturb("missing_entity", "UPDATE change SET number = 'CHG9' || substr(number, 5) WHERE number = :n",
              n=change["number"])  # fmt: skip
    s.indirect("who carries the change out", hidden=[change["email"]])
    s.ask(
        """{number} [has passed my desk|is fine by me], so [move it on|take it one step on]: {moved},
        which is the step after {now}. [Keep|Reserve] a time for it as well, {when}, "{title}", for me
        and [whoever is to carry it out|the one it is assigned to].""",
        """[From|Out of] the state {now} the change {number} [advances|goes] to {moved}. The colleague
        who [has to do the work|will do it] and I [meet for it|sit together] {when}; the
        [entry|invitation] is called "{title}".""",
        """[The board|The change board] had no [questions|objections] about {number}, now in {now}. [Set
        it|Have it] {moved} and send [its assignee|the person assigned] an invitation of mine: "{title}",
        {when}.""",
        """{when_up} we do the change {number}, that is, [the person responsible|its assignee] and I, as
        "{title}". [For that|For this] its [record|status] cannot [stay|remain] at {now}, the next step
        being {moved}.""",
        """"{title}" with [whoever|the one who] is down for {number}, {when}: [please invite|send that
        invitation]. [On the change itself|In the change record], {now} gives way to {moved}, [as
        agreed|as the plan has it].""",
        """[I have read|Having read] both plans of {number}, I [see no reason|find nothing] to leave it
        in {now}. It becomes {moved}, and [the assignee|whoever it is assigned to] finds "{title}" in the
        calendar for {when_bare}.""",
        number=change["number"], now=change["status"], moved=_MOVES[change["status"]], when=when.words,
        when_up=look.capital(when.words), when_bare=when.words.removeprefix("on "), title=title,
    )  # fmt: skip
    more.say()
    s.as_one()
    find_caller(s)
    found = s.do("find_change_by_number", "where it stands", number=change["number"])
    s.require_ok(found, f"there is no change {change['number']}", names=(change["number"], MISSING))
    s.require(found["status"], "==", change["status"], f"{change['number']} is not in {change['status']}")
    hands = s.do("get_user", "who carries it out", user_id=found["assigned_to"])
    calendar = s.do("get_calendar", "the zone that the time is meant in", calendarId="primary")
    s.do("get_user_by_email", "whether they can be invited", email=hands["email"])
    both = s.do("query_freebusy", "whether both are free",
                **meetings.freebusy_query([me, hands["email"]], when, calendar["timeZone"]))  # fmt: skip
    s.require(count(both["calendars"].every()["busy"].every()), "==", 0,
              "you or the one who carries it out are taken at that time", names=(TAKEN,))  # fmt: skip
    more.look()
    s.do("update_change", "one step on", change_id=found["change_id"], status=_NEXT[change["status"]])
    meetings.create_meeting(s, calendar, title, [hands["email"]], when)
    more.write()
    meetings.add_meeting_rule(s, title, when, change["email"])
