"""Scenarios about cases that are late: escalated, or flagged for those who lead the group."""

from eops_traj.taskgen.expressions import ROW, mapped, shift
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.desk_reasons import MISSING, on_day
from eops_traj.taskgen.scenarios.hr.case_extras import ASKED, about, suggest_article
from eops_traj.taskgen.scenarios.hr.group_extras import about_group, graded
from eops_traj.taskgen.scenarios.hr.lookups import (
    DEACTIVATE_USER,
    DEMOTE_CALLER,
    MANAGERS,
    OPEN,
    OPEN_STATES,
    UNIQUE_NAME,
    WITH_PROFILE,
    WORKERS,
    find_case,
    find_profile,
    find_worker,
    full_name,
    id_text,
    my_email,
    notify,
    require_manager,
)
from eops_traj.taskgen.scene import Scene

_NOW = "2026-01-05 09:00:00"
_ALLOWED = {"critical": "-2 days", "high": "-5 days", "moderate": "-15 days", "low": "-30 days"}
"""How far back a case may have been opened that is not overdue, by its priority.

By the calendar a case is in time until its last day is over: those past it by some hours are not drawn.
"""
_RAISED = {"low": "moderate", "moderate": "high", "high": "critical"}
_IN_TIME = (
    "not overdue|isn't overdue|not yet overdue|not actually overdue|not late|isn't late|not past|isn't past"
    "|not yet past|within|in time|too recent|not passed|hasn't passed"
    "|not yet passed|not reached|hasn't reached|not exceeded|hasn't exceeded|not due|isn't due|not yet due"
    "|has until|yesterday"
)


@family("hr", perturbations=("policy_forbids", "missing_entity", "inactive_person", "no_right"))
def escalate_case(s: Scene) -> None:
    """An overdue case goes to the group that takes over, one step up in priority, and the person is told."""
    s.pick_caller(MANAGERS)
    limits = " OR ".join(f"priority = '{p}' AND c.created_at < date('{_NOW}', '{_ALLOWED[p]}')"
                         for p in _RAISED)  # fmt: skip
    row = s.pick(
        f"""SELECT c.*, g.name AS team, r.escalate_to FROM hr_case c JOIN user_group g ON g.group_id =
        c.assignment_group JOIN escalation_rule r ON r.escalate_from = g.group_id WHERE status IN
        ('ready', 'work_in_progress', 'suspended', 'awaiting_approval') AND ({limits}) AND {WITH_PROFILE}
        AND EXISTS (SELECT 1 FROM user_group_member m JOIN user u USING (user_id) WHERE m.group_id =
        r.escalate_to AND u.active AND u.role IN ('agent', 'manager') AND {UNIQUE_NAME} AND u.user_id IS NOT
        c.assigned_to) AND NOT EXISTS (SELECT 1 FROM hr_service h JOIN hr_criteria k ON k.hr_criteria_id =
        h.hr_criteria WHERE h.hr_service_id = c.hr_service AND k.type = 'case_visibility')"""
    )
    who = s.pick(WORKERS + " AND user_id IS NOT :now", group=row["escalate_to"], now=row["assigned_to"])
    more = besides(s, *about(row["number"], row, *ASKED, suggest_article))
    s.perturb("policy_forbids",
              "UPDATE hr_case SET created_at = '2026-01-04 10:00:00' WHERE number = :number",
              number=row["number"])  # fmt: skip
    s.perturb("missing_entity", "DELETE FROM escalation_rule WHERE escalate_from = :group",
              group=row["assignment_group"])  # fmt: skip
    s.perturb("inactive_person", DEACTIVATE_USER, user=who["user_id"])
    s.perturb("no_right", DEMOTE_CALLER, me=my_email(s))
    s.ask(
        """{number} [has sat with|has been lying with] {team} [longer than our own deadlines allow|past the
        date on which it should have been closed], and the employee [has complained to me|has asked me for
        the third time]. [Escalate it by our rules|Take it up the line as our rules say] to {who} in the
        group that takes over, and [send the alert that goes with it|let the employee know].""",
        """[Nobody in|No one in] {team} [seems to find|has found] the time for {number}, which is [overdue
        by any count|late by now]. Hand it to the next group in line, [in person to|and there to] {who},
        raise the priority by [the usual step|one step], and [tell the person it is for|notify whoever
        waits for it].""",
        """[The deadline of|The time allowed for] {number} [passed a while ago|is over], as you can see from
        the day on which it was opened. {who} [agreed to rescue it|will take it over] from {team}, so
        [escalate it properly|let the escalation take its course]: group, person, priority and the message
        should all [be right afterwards|be as the rules want them].""",
        """[I do not like to do this to|It is no criticism of] {team}, but {number} [cannot stay where it
        is|has to move on]: it is overdue. [Look up who takes over from them|The rules say who takes over
        from them], give it to {who} there with the priority [one notch up|raised a notch], and [write to
        the employee|make sure that the employee hears of it].""",
        """[Our director asked|At the weekly review I was asked] why {number} is still open [after all this
        time|so long after its date]. [Since {team} is swamped|As {team} cannot cope], escalate it to
        whichever group takes over from there, where {who} [is ready for it|should have it], let the urgency
        rise [accordingly|by a step], and [alert the employee|send the employee the alert].""",
        """{who} [helps out|steps in] when {team} is late, and with {number} [they are very late|the delay
        can no longer be explained]. [Pass it on|Hand it up] by the rule of escalation that applies, [one
        step more urgent|a step higher in priority], in that person's name, and [alert the employee|send
        the employee the alert].""",
        number=row["number"], team=row["team"], who=full_name(who),
    )  # fmt: skip
    more.say()
    require_manager(s)
    case = find_case(s, row, None)
    limit = shift(_NOW, mapped(case["priority"], _ALLOWED))
    s.require(case["created_at"], "<", limit, f"{row['number']} is not overdue",
              names=(f"{_IN_TIME}|{on_day('2026-01-04')}",))  # fmt: skip
    rules = s.do("list_escalation_rules", "who takes over from them",
                 escalate_from=id_text(case["assignment_group"]["group_id"]))  # fmt: skip
    s.require(count(rules), "==", 1, f"no rule says who takes over from {row['team']}",
              names=("rule|escalation path|takes over|take over",
                     f"no rule|no escalation|no active|without a rule|lacks|has no|{MISSING}"))  # fmt: skip
    group = s.do("find_group_by_name", "the group that takes over", name=rules[0]["escalate_to_group_name"])
    member = find_worker(s, group, who, "who takes it over")
    profile = find_profile(s, case["opened_for"], "where to write to")
    s.duty("the priority rises by one step and an alert goes out")
    more.look(case=case)
    s.do("update_hr_case", "it is escalated", hr_case_id=id_text(case["hr_case_id"]),
         assignment_group=group["name"], assigned_to=member["email"],
         priority=mapped(case["priority"], _RAISED))  # fmt: skip
    notify(s, case, profile["personal_email"], "alert", case["status"], "they are told of the escalation")
    more.write()
    s.rule(
        "The case is where the rule of its former group sends it, with one of its members, no less urgent",
        """SELECT COUNT(*) FROM hr_case c JOIN escalation_rule r ON r.escalate_to = c.assignment_group
        JOIN user_group g ON g.group_id = r.escalate_from JOIN user_group_member m ON m.group_id =
        c.assignment_group AND m.user_id = c.assigned_to WHERE c.number = :number AND g.name = :team AND
        c.priority = :priority""",
        number=row["number"], team=row["team"], priority=_RAISED[row["priority"]],
    )  # fmt: skip


_DAYS = {"high": 5, "moderate": 15, "low": 30}
_FLAGS = ("Overdue, raise it in the weekly review", "Past its date, call the employee first",
          "Late, needs a plan by Friday", "Overdue, lead has been told")  # fmt: skip


@family("hr", perturbations=("no_right", "missing_entity"))
def flag_overdue(s: Scene) -> None:
    """All open cases of a group and a priority that are past their deadline get a note."""
    s.pick_caller(MANAGERS)
    late = " OR ".join(f"c.priority = '{p}' AND c.created_at < datetime('{_NOW}', '-{days} days')"
                       for p, days in _DAYS.items())  # fmt: skip
    by_day = " OR ".join(f"c.priority = '{p}' AND MAX(c.created_at) < date('{_NOW}', '-{days} days')"
                         for p, days in _DAYS.items())  # fmt: skip
    row = s.pick(f"""SELECT g.*, c.priority FROM hr_case c JOIN user_group g ON g.group_id =
        c.assignment_group WHERE c.status IN {OPEN_STATES} AND ({late}) GROUP BY g.group_id, c.priority
        HAVING COUNT(*) BETWEEN 1 AND 6 AND ({by_day})""")  # fmt: skip
    note = s.rng.choice(_FLAGS)
    more = besides(s, *about_group(row["name"]), graded)
    s.perturb("missing_entity", "UPDATE user_group SET name = 'Group ' || group_id WHERE name = :name",
              name=row["name"])  # fmt: skip
    s.perturb("no_right", DEMOTE_CALLER, me=my_email(s))
    s.covers("all overdue cases of a group and a priority")
    s.ask(
        """[The lead of|Whoever leads] {team} [wants to see at a glance|asked me to make visible] which of
        their cases of {priority} priority have missed their deadline. [Go by our table of deadlines|Our own
        deadlines decide], and on every case that is open and past it [leave the note|put the note]
        "{note}", while [the ones still in time stay untouched|whatever is in time keeps its note].""",
        """[Half of the review goes into|We lose half of every review by] searching for late cases. [For
        {team}, that should end now:|So for {team}:] each open case of {priority} priority that is overdue
        by the rules [carries|gets] the note "{note}", [in the place of the old one|whatever it said
        before], and [nothing else about them changes|that is all that changes].""",
        """[Which cases of {priority} priority in {team} are overdue?|Each Monday I am asked which cases of
        {priority} priority in {team} are overdue.] [Mark them for me|Please mark them]: every one that is
        not closed or cancelled and [older than the rules allow|past the time that the rules allow] should
        read "{note}" in its work note[ from today|].""",
        """[Before the works council meets|Before the quarterly figures are drawn], {team} has to be honest
        about its delays. [Look through their|Take all their] open cases with {priority} priority, work out
        from the day of opening which of them [are past the limit|should be closed by now], and note
        "{note}" on [each of these|these and no others].""",
        """"{note}" [is the note that I want on|should stand as the note on] every overdue case [that|which]
        {team} has open at {priority} priority. [How long such a case may take|What counts as overdue] is in
        the rules [and I do not want to bend them|so nobody can argue]; the ones within the time [are fine
        as they are|need no note].""",
        """{team} [has been short of people|lost two people] since autumn, and [cases have piled up|the pile
        grew]. I want the late ones [flagged|marked]: take {priority} priority, [open in whatever state|in
        any open state], opened longer ago than the deadline for closing, and [write|enter] "{note}" as
        the work note of each.""",
        team=row["name"], priority=row["priority"], note=note,
    )  # fmt: skip
    more.say()
    require_manager(s)
    group = s.do("list_user_groups", "the group", name=row["name"])
    s.require(count(group), "==", 1, f"there is no group called {row['name']}",
              names=(row["name"], MISSING))  # fmt: skip
    s.duty("what is overdue follows from the priority")
    cases = s.do("list_hr_cases", "its cases of that priority from before the deadline",
                 assignment_group=group[0]["name"], priority=row["priority"], limit=100,
                 created_before=shift(_NOW, f"-{_DAYS[row['priority']]} days"))  # fmt: skip
    more.look(group=group[0])
    s.do_each(cases.every(("status", "in", OPEN)), "update_hr_case", "each that is still open",
              hr_case_id=id_text(ROW["hr_case_id"]), worknotes=note)  # fmt: skip
