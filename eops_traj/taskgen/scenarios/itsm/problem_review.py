"""Scenarios of a review of problems: the one that has waited longest, and what can be closed."""

from eops_traj.taskgen.expressions import ROW
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.desk_reasons import MISSING
from eops_traj.taskgen.scenarios.itsm.change_extras import about_problem, about_service
from eops_traj.taskgen.scenarios.itsm.group_extras import about_group, about_person
from eops_traj.taskgen.scenarios.itsm.lookups import (
    ALONE,
    MANAGERS,
    NO_RIGHT,
    WORKERS,
    caller_email,
    find_caller,
    find_group,
    find_member,
    full_name,
)
from eops_traj.taskgen.scene import Scene

_CAUSES = (
    "A timer is reset twice", "Two jobs share one lock", "The cache is never emptied",
    "An old driver answers first", "The log fills the system disk", "A rule of the firewall expired",
)  # fmt: skip
_MOVES = {  # state: how it is called, the next one, how that is called
    "assess": ("being assessed", "root_cause", "its root cause is known"),
    "root_cause": ("whose root cause is known", "fix_in_progress", "a fix is in progress"),
}


@family("itsm", perturbations=("inactive_person", "policy_forbids", "no_right"))
def oldest_problem(s: Scene) -> None:
    """The oldest or newest problem of a group in some state moves on, with a note and somebody on it."""
    s.pick_caller(MANAGERS)
    state = s.rng.choice(list(_MOVES))
    said, after, said_after = _MOVES[state]
    newest = s.chance(0.4)
    row = s.pick(
        f"""SELECT p.*, g.name AS group_name FROM problem p JOIN user_group g ON g.group_id =
        p.assignment_group WHERE p.org_id = 'ORG_001' AND p.status = :state AND NOT EXISTS (SELECT 1 FROM
        problem o WHERE o.assignment_group = p.assignment_group AND o.status = p.status AND o.created_on
        {'>' if newest else '<'} p.created_on) AND (p.workaround IS NOT NULL OR p.status = 'assess')""",
        state=state,
    )  # fmt: skip
    who = s.pick(WORKERS + f" AND user_id IS NOT :now AND {ALONE}", group=row["assignment_group"],
                 now=row["assigned_to"])  # fmt: skip
    cause = s.rng.choice(_CAUSES)
    more = besides(
        s,
        *about_problem("that problem"),
        *about_group(row["group_name"], "problems"),
        *about_person(full_name(who)),
    )
    s.perturb("inactive_person", "UPDATE users SET active = 0 WHERE user_id = :user", user=who["user_id"])
    s.perturb("policy_forbids", "DELETE FROM user_group_member WHERE group_id = :group AND user_id = :user",
              group=row["assignment_group"], user=who["user_id"])  # fmt: skip
    s.perturb("no_right", NO_RIGHT, me=caller_email(s))
    s.ask(
        """Among the problems of {group} {said}, the {age} one [moves on|goes one step further] now:
        {after}. {who} from the same group [takes it over|has it from now on], and its work notes should
        read "{cause}" and nothing more. [Tell me|Report] its number.""",
        """{group} works on several problems, [and I have lost count|which are hard to keep apart]. The
        one I mean is the {age} of those {said}. Put it one state further, since {after}, write "{cause}"
        into its work notes, and assign it to {who}, [a member of that group|who belongs to that group]; I
        need to know its number.""",
        """"{cause}" [is what we found|was found out] about the {age} problem among those of {group}
        {said}. That is the work note; as a consequence {after}, which the status has to say, and {who} of
        that group [is on it|looks after it]. Its number [belongs in|goes into] your answer.""",
        """[In the weekly review|At this morning's review] the list of {group} was gone through, and for
        the {age} problem {said} this is the outcome: {after}, the work notes become "{cause}", the person
        is {who}. Tell me the number that it has, [I did not write it down|which nobody wrote down].""",
        """{who} will [push forward|take care of] what has been neglected in {group}, to be exact the
        {age} problem {said}. As of now {after}. Change status and person, put "{cause}" into the work
        notes, and let me have [its number|the number of the problem].""",
        """Which problem of {group}, out of those {said}, is the {age} one? Whichever it is, {who} from
        that group gets it, its work notes say "{cause}" from now on, and [it moves|it is moved] one state
        ahead, for {after}. [Say|Tell me] which number it has.""",
        group=row["group_name"], said=said, after=said_after, who=full_name(who), cause=cause,
        age=s.rng.choice(("newest", "latest", "youngest") if newest else ("oldest", "earliest")),
    )  # fmt: skip
    more.say()
    s.indirect("the oldest problem in a state", hidden=[row["number"], row["problem_id"]])
    find_caller(s)
    group = find_group(s, row["group_name"], "whose problems these are")
    person = find_member(s, group, who, "who takes it over")
    problems = s.do("get_problems_assigned_to", "what they have",
                    assignment_group=group["group_id"])["problems"].every(status=state)  # fmt: skip
    one = problems.largest("created_on") if newest else problems.smallest("created_on")
    more.look(problem=one, group=group, person=person)
    s.do("update_problem", "one state further", problem_id=one["problem_id"], status=after, worknotes=cause,
         assigned_to=person["user_id"])  # fmt: skip
    s.answer("the number of the problem", one["number"])


_ENDS = (
    "Closed together with the problem behind it", "Fix is in production, nothing came back",
    "No new reports since the change", "Confirmed in the review of the first week",
)  # fmt: skip


@family("itsm", perturbations=("policy_forbids", "missing_entity", "no_right"))
def close_problem(s: Scene) -> None:
    """The resolved problem of a service is closed, and with it the tickets that were resolved long enough."""
    s.pick_caller(MANAGERS)
    row = s.pick("""SELECT p.*, s.name AS service_name, c.change_id FROM problem p JOIN service s ON
        s.service_id = p.service JOIN change_request_mapping m ON m.problem_id = p.problem_id JOIN change c ON
        c.change_id = m.change_id WHERE p.org_id = 'ORG_001' AND p.status <> 'closed' AND NOT EXISTS (SELECT 1
        FROM problem o WHERE o.service = p.service AND o.problem_id <> p.problem_id AND o.status =
        'resolved')""")  # fmt: skip
    note = s.rng.choice(_ENDS)
    done = s.pick_some("""SELECT incident_id FROM incident WHERE org_id = 'ORG_001' AND status = 'resolved'
        AND problem IS NULL AND resolved < '2026-01-01'""", 2)  # fmt: skip
    s.arrange("UPDATE problem SET status = 'resolved', fix_notes = 'The change has been carried out.' WHERE "
              "problem_id = :problem", problem=row["problem_id"])  # fmt: skip
    s.arrange("UPDATE change SET status = 'closed', close_code = 'unsuccessful', close_notes = 'Done.' WHERE "
              "change_id IN (SELECT change_id FROM change_request_mapping WHERE problem_id = :problem)",
              problem=row["problem_id"])  # fmt: skip
    s.arrange(
        "UPDATE change SET close_code = 'successful' WHERE change_id = :change", change=row["change_id"]
    )
    for incident in done:
        s.arrange("UPDATE incident SET problem = :problem WHERE incident_id = :incident",
                  problem=row["problem_id"], incident=incident["incident_id"])  # fmt: skip
    more = besides(s, *about_problem("that problem"), *about_service(row["service_name"], "tickets"))
    s.perturb("policy_forbids", "UPDATE change SET close_code = 'unsuccessful' WHERE change_id = :change",
              change=row["change_id"])  # fmt: skip
    s.perturb("missing_entity", "UPDATE problem SET status = 'assess' WHERE problem_id = :problem",
              problem=row["problem_id"])  # fmt: skip
    s.perturb("no_right", NO_RIGHT, me=caller_email(s))
    s.ask(
        """There is one resolved problem about {service}, [and nothing has come back|and it has stayed
        quiet], so it can be closed. Tickets of it that have been resolved for the three days we ask for
        are closed as well, with the close notes "{note}"; [younger ones wait|any that are younger still
        wait].""",
        """{service} has [been stable|run well] since the fix, and therefore the problem that is down as
        resolved for it should be closed, [as far as its changes allow that|if its changes allow that].
        The same goes for each ticket of that problem which was resolved at least 72 hours ago: "{note}"
        is its close note.""",
        """[In our review of resolved problems|While reviewing resolved problems] only the one of
        {service} is left. Close it, and then all of its tickets that have been resolved for long enough
        by our rules; what to write into their close notes is "{note}".""",
        """"{note}" [can be said about|is true of] the tickets behind the resolved problem of {service}.
        That problem is to be closed now, and those tickets too, if 72 hours or more have passed since
        they were resolved, with this very sentence as their [close notes|closing words].""",
        """The owner of {service} [asks|has asked] why a problem that was resolved long ago is not closed.
        I see no reason, so close it, along with its resolved tickets that are past the waiting time, and
        put "{note}" into [the close notes of these|their close notes].""",
        """[January's report counts|The report for January will count] whatever is not closed, and for
        {service} there is a problem in the state resolved. It can go to closed by our rules, I believe;
        its tickets [go the same way|follow it], with "{note}" as close notes, where the waiting time is
        over.""",
        service=row["service_name"], note=note,
    )  # fmt: skip
    more.say()
    s.indirect("the resolved problem of a service", hidden=[row["number"], row["problem_id"]])
    s.covers("all tickets of the problem that were resolved three days ago")
    s.duty("a problem is closed only after a mapped change that was successful")
    find_caller(s)
    service = s.do("find_service_by_name", "what it is about", name=row["service_name"])
    found = s.do("list_problems", "the problem", service=service["service_id"],
                 status="resolved")["problems"]  # fmt: skip
    s.require(count(found), "==", 1, f"there is no resolved problem about {row['service_name']}",
              names=("problem", f"{MISSING}|no resolved|not resolved|none"))  # fmt: skip
    made_for = s.do("find_change_request_mappings_for_problem", "which changes were made for it",
                    problem_id=found[0]["problem_id"])["change_request_mappings"]  # fmt: skip
    went_well = s.do("list_changes", "which changes were successful", status="closed",
                     close_code="successful")["changes"]  # fmt: skip
    fitting = went_well.every(("change_id", "in", made_for.every()["change_id"]))
    s.require(count(fitting), ">", 0, "no change that is mapped to it was closed as successful",
              names=("change", "successful|unsuccessful|close code"))  # fmt: skip
    tickets = s.do("list_incidents", "its resolved tickets", problem=found[0]["problem_id"],
                   status="resolved")["incidents"]  # fmt: skip
    more.look(problem=found[0], service=service)
    s.do("update_problem", "it is closed", problem_id=found[0]["problem_id"], status="closed")
    s.do_each(tickets.every(("resolved", "<=", "2026-01-02T09:00:00")), "update_incident",
              "and so is the ticket", incident_id=ROW["incident_id"], status="closed",
              close_notes=note)  # fmt: skip
    s.rule(
        "No ticket was closed within 72 hours of being resolved",
        """SELECT COUNT(*) FROM incident WHERE problem = :problem AND status = 'closed' AND resolved >
        '2026-01-02 09:00:00'""",
        expected=0, problem=row["problem_id"],
    )  # fmt: skip
