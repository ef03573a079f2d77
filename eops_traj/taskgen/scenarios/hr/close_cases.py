"""Scenarios in which work ends: a case is completed or withdrawn."""

from eops_traj.taskgen.expressions import ROW
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.hr.case_extras import ASKED, about
from eops_traj.taskgen.scenarios.hr.lookups import (
    DEMOTE_CALLER,
    MANAGERS,
    OPEN_TASK,
    WITH_PROFILE,
    cancel_tasks,
    find_case,
    find_profile,
    id_text,
    my_email,
    notify,
    require_manager,
)
from eops_traj.taskgen.scene import Scene

_OPEN = "t.status IN ('draft', 'ready', 'work_in_progress')"
_CLOSING_NOTES = ("Everything is settled, the employee has agreed", "Done as discussed on Friday",
                  "Records are up to date again", "Finished, nothing is left to do",
                  "Settled with the bank and the employee")  # fmt: skip
_LAST_TASK = (  # what is said besides, and what contradicts the rest
    ("The last of its tasks was done only this morning.",
     "The last of its tasks has to stay open for now."),
    ("Its final task was finished on Friday.",
     "Its final task is kept open until Friday."),
    ("One task took longer, but it is done.",
     "One task takes longer and remains open."),
)  # fmt: skip


@family("hr", perturbations=("policy_forbids", "conflicting_demands", "no_right"))
def complete_case(s: Scene) -> None:
    """A case is completed: first its last tasks with their checklists, then the case, then word of it."""
    s.pick_caller(MANAGERS)
    row = s.pick(
        f"""SELECT c.* FROM hr_case c WHERE status = 'work_in_progress' AND {WITH_PROFILE} AND (SELECT
        COUNT(*) FROM hr_case_task t WHERE t.parent_case = c.hr_case_id AND {_OPEN}) BETWEEN 1 AND 2 AND
        NOT EXISTS (SELECT 1 FROM hr_case_task t WHERE t.parent_case = c.hr_case_id AND {_OPEN} AND
        t.task_type = 'survey')"""
    )
    note = s.rng.choice(_CLOSING_NOTES)
    more = besides(s, *about(row["number"], row, *ASKED))
    s.perturb("policy_forbids", "UPDATE hr_case SET status = 'cancelled' WHERE number = :number",
              number=row["number"])  # fmt: skip
    s.perturb("no_right", DEMOTE_CALLER, me=my_email(s))
    s.covers("all open tasks of the case and their unticked items")
    s.ask(
        """{case} is finished, and so are [the tasks that it still shows as open|all tasks that still look
        open there], with all [points on their lists|items of their checklists]. {catch} [Close all of
        that|Please close the lot] as complete, [leave the note|with the note] "{note}" on the case, and
        [report it to the employee|let the employee have the report].""",
        """[We are through with|The work is over on] {case}, but the record [does not show it|is behind], so
        tick off what is left on its checklists, complete its tasks, then [the case itself|the case as the
        last step], and note "{note}" there. {catch} The person it was for [should get|is to get] the
        report, [which they have asked for|as we announced to them].""",
        """The colleague who had {case} [did everything before the holidays|finished all of it last week] but
        [forgot to say so in the system|never entered it]. [Could you catch up on that|That has to be made
        good]: the items that are unticked, the tasks that are open, then the case, all complete, "{note}"
        as its last note, and [the usual message at the end|a message to the employee]. {catch}""",
        """[As far as I am concerned|In my eyes] nothing is left to do in {case}; the remaining tasks were
        done [point by point|one after the other]. {catch} [So complete them and the case|Bring them and
        the case to completion], checklists included, leave "{note}" as the note and [tell whoever it was
        for|write to the person behind it].""",
        """[I would like to see {case} off the list tonight|The quarterly count should not have {case} in it
        any more]. {catch} What its tasks ask for has been done, [which their checklists should show|and the
        checklists should say so]; [close the case as complete|then the case is complete] with "{note}", and
        a report goes out on it.""",
        """"{note}", [that is how|so] I would sum up {case}, which [can be closed|is ripe for closing].
        [Whatever task is open there|Any task still open in it] was in fact done, every item of it. {catch}
        See that the record agrees, [down to the last checkbox|items first and the case last], and notify
        the employee of the end.""",
        case=row["number"], note=note,
        catch=s.phrase("conflicting_demands", *s.rng.choice(_LAST_TASK)),
    )  # fmt: skip
    more.say()
    s.refuse("conflicting_demands", "a case is not closed while one of its tasks stays open",
             names=("task", "open|unfinished|incomplete|not closed|outstanding"))  # fmt: skip
    require_manager(s)
    case = find_case(s, row, None, "work_in_progress")
    tasks = s.do("list_hr_case_tasks", "its tasks", parent_case=id_text(case["hr_case_id"]))
    undone = tasks.every(("status", "in", OPEN_TASK))
    profile = find_profile(s, case["opened_for"], "where to write to")
    items = s.do("list_checklists", "what is not ticked off", checked=False)
    more.look(case=case)
    s.do_each(
        items.every(("case_task_id", "in", undone["hr_case_task_id"])),
        "update_checklist",
        "each point of its open tasks is done",
        checklist_id=ROW["checklist_id"],
        checked=True,
    )
    s.do_each(undone, "update_hr_case_task", "each task is done", status="closed_complete", active=False,
              hr_case_task_id=id_text(ROW["hr_case_task_id"]))  # fmt: skip
    s.do("update_hr_case", "the case is done", hr_case_id=id_text(case["hr_case_id"]),
         status="closed_complete", worknotes=note)  # fmt: skip
    notify(s, case, profile["personal_email"], "report", "closed_complete", "their case is completed")
    s.rule(
        "The case was closed with no task open and no checklist item unticked",
        """SELECT COUNT(*) FROM hr_case c WHERE number = :number AND status = 'closed_complete' AND NOT EXISTS
        (SELECT 1 FROM hr_case_task t LEFT JOIN checklist k ON k.case_task_id = t.hr_case_task_id
        WHERE t.parent_case = c.hr_case_id AND (t.active OR k.checked = 0))""",
        number=row["number"],
    )  # fmt: skip


_WITHDRAWAL_NOTES = ("The employee does not need it any more", "Opened twice, the other one goes on",
                     "Withdrawn by the employee today", "Plans have changed, nothing to do")  # fmt: skip


@family("hr", perturbations=("policy_forbids", "no_right"))
def withdraw_case(s: Scene) -> None:
    """A case is not wanted any more: its tasks are cancelled, then the case, and the person is told."""
    s.pick_caller(MANAGERS)
    row = s.pick(
        f"""SELECT c.* FROM hr_case c WHERE status IN ('draft', 'ready', 'awaiting_approval',
        'work_in_progress', 'suspended') AND {WITH_PROFILE} AND EXISTS (SELECT 1 FROM hr_case_task t WHERE
        t.parent_case = c.hr_case_id AND {_OPEN})"""
    )
    note = s.rng.choice(_WITHDRAWAL_NOTES)
    more = besides(s, *about(row["number"], row, *ASKED))
    s.perturb("policy_forbids", "UPDATE hr_case SET status = 'closed_complete' WHERE number = :number",
              number=row["number"])  # fmt: skip
    s.perturb("no_right", DEMOTE_CALLER, me=my_email(s))
    s.covers("all open tasks of the case")
    s.ask(
        """[I spoke with the employee about|The employee came to see me about] {case}, and [it is not wanted
        any more|there is no need for it now]. Cancel it, [with whatever tasks it has open|along with its
        open tasks], [the note being|and leave as a note] "{note}", and [let the person know of
        it|confirm that to the person].""",
        """{case} [has lost its purpose|serves no purpose any more] and should [be withdrawn|go]. Whatever
        task is open under it is cancelled [too|as well], then the case itself, [with the note|and its note
        should read] "{note}", and [since the employee should not have to guess|so that the employee does
        not have to guess], send the alert.""",
        """[Forget what I said about|Contrary to what I wrote last week about] {case}: [things have
        changed|we do not go on with it]. [It can be cancelled|I want it cancelled] together with the tasks
        that nobody has finished, under the note "{note}", and [the usual message about a cancelled
        case|a message saying so] goes to whoever it was for.""",
        """[There is no point in keeping|It makes no sense to keep] {case} alive. [Tasks|All tasks] that are
        still open in it are cancelled [first|before the case is], the last entry says "{note}", and [do not
        forget to tell|please tell] the person who [is waiting|has been waiting] for an answer.""",
        """When our team [sorted|tidied] its cases for the new year, {case} [turned out to be
        superfluous|was struck off the list]. [Enter that|Make that official], please: open tasks
        cancelled, case cancelled, "{note}" as the note, and [a notification to the employee|word to the
        employee, as the rules want it].""",
        """"{note}" [is all there is to say on|sums up where we are with] {case}, [so cancel it|which
        therefore has to be cancelled], and since [a cancelled case cannot have open tasks|its tasks would
        be left hanging], [cancel those beforehand|those go before it]. The employee [learns of it|is to be
        told] the way we always do that.""",
        case=row["number"], note=note,
    )  # fmt: skip
    more.say()
    require_manager(s)
    case = find_case(s, row, None)
    profile = find_profile(s, case["opened_for"], "where to write to")
    notifications = s.do(
        "find_notifications_sent_for_incident", "what they were told", hr_case_id=case["hr_case_id"]
    )
    s.require(count(notifications.every(status="cancelled")), "==", 0, "they were told of it already")
    more.look(case=case)
    cancel_tasks(s, case)
    s.do("update_hr_case", "it is withdrawn", hr_case_id=id_text(case["hr_case_id"]), status="cancelled",
         worknotes=note)  # fmt: skip
    notify(s, case, profile["personal_email"], "alert", "cancelled", "their case was cancelled")
    s.rule(
        "The case is cancelled and has no task that is open or active",
        f"""SELECT COUNT(*) FROM hr_case c WHERE number = :number AND status = 'cancelled' AND NOT EXISTS
        (SELECT 1 FROM hr_case_task t WHERE t.parent_case = c.hr_case_id AND (t.active OR {_OPEN}))""",
        number=row["number"],
    )  # fmt: skip
