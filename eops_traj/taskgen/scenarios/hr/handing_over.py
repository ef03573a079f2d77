"""Scenarios in which work changes hands: someone leaves a group, or one of two colleagues has more room."""

from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.expressions import ROW, holds
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.hr.case_extras import ASKED, about, add_task, suggest_article
from eops_traj.taskgen.scenarios.hr.casework import APPROVAL_DONE
from eops_traj.taskgen.scenarios.hr.group_extras import about_group, graded
from eops_traj.taskgen.scenarios.hr.lookups import (
    DEACTIVATE_USER,
    DEMOTE_CALLER,
    MANAGERS,
    OPEN,
    OPEN_STATES,
    OPEN_TASK,
    UNIQUE_NAME,
    WITH_PROFILE,
    WORKERS,
    find_case,
    find_person,
    find_profile,
    find_worker,
    full_name,
    id_text,
    my_email,
    notify,
    require_manager,
)
from eops_traj.taskgen.scene import Row, Scene

_OPEN_TASK = "t.status IN ('draft', 'ready', 'work_in_progress')"
_HAS_WORK = f"""SELECT u.*, g.group_id, g.name AS team FROM user u JOIN user_group_member USING (user_id)
    JOIN user_group g USING (group_id) WHERE u.active AND u.email <> :me AND {UNIQUE_NAME} AND g.active AND
    (SELECT COUNT(*) FROM hr_case c WHERE c.assigned_to = u.user_id AND c.assignment_group = g.group_id
    AND c.status IN {OPEN_STATES}) + (SELECT COUNT(*) FROM hr_case_task t WHERE t.assigned_to = u.user_id AND
    t.assignment_group = g.group_id AND {_OPEN_TASK}) BETWEEN 1 AND 6"""
_COLLEAGUES = """SELECT u.* FROM user u JOIN user_group_member USING (user_id) WHERE group_id = :group AND
    u.active AND u.role IN ('agent', 'manager') AND u.email <> :me AND u.user_id NOT IN (:who, :heir) ORDER BY
    u.user_id"""
_SAME_NAME = "UPDATE user SET first_name = :first, last_name = :last WHERE user_id = :other"
_OPEN_CASE = f"""UPDATE hr_case SET assigned_to = :other WHERE hr_case_id = (SELECT hr_case_id FROM hr_case
    WHERE assignment_group = :group AND status IN {OPEN_STATES} AND assigned_to IS NOT :who ORDER BY
    assigned_to IS NOT :other, assigned_to IS NULL, hr_case_id LIMIT 1)"""
"""The change that gives the other person an open case of the group, where they have none yet."""


def _add_namesake(s: Scene, who: Row, heir: Row) -> None:
    """Give a colleague in the group, who has an open case in it as well, the same name.

    Only a task that is to be infeasible by that needs one: raises NoMatch where there is nobody.
    """
    colleagues = s.rows(_COLLEAGUES, group=who["group_id"], me=my_email(s), who=who["user_id"],
                        heir=heir["user_id"])  # fmt: skip
    if s.perturbation == "two_namesakes" and not colleagues:
        raise NoMatch(f"nobody else works in {who['team']}")
    for other in colleagues[:1]:
        s.perturb("two_namesakes", _OPEN_CASE, other=other["user_id"], group=who["group_id"],
                  who=who["user_id"])  # fmt: skip
        s.perturb("two_namesakes", _SAME_NAME, other=other["user_id"], first=who["first_name"],
                  last=who["last_name"])  # fmt: skip


@family("hr", perturbations=("inactive_person", "policy_forbids", "two_namesakes", "no_right"))
def leave_group(s: Scene) -> None:
    """Someone leaves a group: their open cases and tasks in it go to another member first."""
    s.pick_caller(MANAGERS)
    who = s.pick(_HAS_WORK, me=my_email(s))
    successor = s.pick(WORKERS + " AND user_id <> :who", group=who["group_id"], who=who["user_id"])
    more = besides(s, *about_group(who["team"], "members"), graded)
    s.perturb("inactive_person", DEACTIVATE_USER, user=successor["user_id"])
    s.perturb(
        "policy_forbids", "UPDATE user SET role = 'admin' WHERE user_id = :user", user=successor["user_id"]
    )
    _add_namesake(s, who, successor)
    s.perturb("no_right", DEMOTE_CALLER, me=my_email(s))
    s.covers("all open cases and tasks of someone in a group")
    s.ask(
        """{who} leaves {team} [this week|at the end of the day], [and has agreed with {heir} on who goes
        on|and {heir} takes over]. [Pass on|Move] every case and every single task that {who} still has open
        in that group, and [when nothing is left|only after that] end the membership; [what is closed stays
        as it is|closed work keeps its name].""",
        """[From now on|As of this week] {who} [concentrates on|turns to] other things than {team}, and
        {heir} was [kind enough|ready] to take over the open work there, [cases as well as tasks|tasks as
        much as cases]. When all of that [is moved|has changed hands], [remove {who} from|take {who} out of]
        the group, [since access there goes by membership|because the membership alone gives access].""",
        """[Nothing must be orphaned when|I do not want loose ends when] {who} [goes from|gives up the seat
        in] {team}. Whatever is open in that group under this name, [be it a case or a task|case or task],
        [goes to|belongs to] {heir} from here on, and the seat in the group [is given up last|ends
        afterwards].""",
        """[Who inherits the work of {who} in {team}? {heir} does|I was asked who inherits the work of {who}
        in {team}: {heir} does], everything of that group which is not closed, tasks too. After that the
        membership of {who} [can be deleted|has no purpose], [and that is what the lead wants|as the lead
        confirmed].""",
        """{heir} and {who} [have talked through|sat together over] what {who} has open in {team}, so [the
        change of hands|all of this] can be entered: all open cases and tasks of this group [go to
        {heir}|are {heir}'s], then {who} [is no longer a member|comes off the list of members]. [In other
        groups nothing changes|Work outside of the group is not touched].""",
        """[The list of members of|The membership in] {team} [has to be right|is checked] before the audit,
        and {who} [should not be on it|does not belong there any more]. [Before you take them off|Ahead of
        that], {heir} gets what {who} [is still working on there|has not finished there], cases and tasks
        [alike|both].""",
        who=full_name(who), team=who["team"], heir=full_name(successor),
    )  # fmt: skip
    more.say()
    require_manager(s)
    user = find_person(s, who, "who leaves")
    group = s.do("find_group_by_name", "the group they leave", name=who["team"])
    heir = find_worker(s, group, successor, "who takes over")
    cases = s.do("get_cases_assigned_to", "their cases in it", assignment_group=group["name"],
                 assigned_to=user["email"])  # fmt: skip
    tasks = s.do("list_hr_case_tasks", "their tasks in it", assignment_group=group["name"],
                 assigned_to=user["email"])  # fmt: skip
    more.look(group=group)
    s.do_each(cases.every(("status", "in", OPEN)), "update_hr_case", "each open case changes hands",
              hr_case_id=id_text(ROW["hr_case_id"]), assigned_to=heir["email"])  # fmt: skip
    s.do_each(tasks.every(("status", "in", OPEN_TASK)), "update_hr_case_task",
              "each open task changes hands",
              hr_case_task_id=id_text(ROW["hr_case_task_id"]), assigned_to=heir["email"])  # fmt: skip
    s.do("remove_group_membership", "out of the group", group_id=id_text(group["group_id"]),
         user_id=id_text(user["user_id"]))  # fmt: skip
    s.rule(
        "Nothing open in the group is left with someone who is not in it any more",
        f"""SELECT (SELECT COUNT(*) FROM hr_case c WHERE c.assigned_to = u.user_id AND c.assignment_group
        = g.group_id AND c.status IN {OPEN_STATES}) + (SELECT COUNT(*) FROM hr_case_task t WHERE
        t.assigned_to = u.user_id AND t.assignment_group = g.group_id AND {_OPEN_TASK}) + (SELECT COUNT(*)
        FROM user_group_member m WHERE m.user_id = u.user_id AND m.group_id = g.group_id) FROM user u,
        user_group g WHERE u.email = :email AND g.name = :team""",
        expected=0, category="integrity", email=who["email"], team=who["team"],
    )  # fmt: skip


_WITH_LOAD = f"""SELECT w.*, (SELECT COUNT(*) FROM hr_case c WHERE c.assigned_to = w.user_id AND
    c.assignment_group = :group AND c.status IN {OPEN_STATES}) AS load FROM ({WORKERS}) w
    WHERE email <> :me"""
"""Members of a group who may be given cases, with how many they have open there."""


@family("hr", ood=True, perturbations=("policy_forbids", "inactive_person", "no_right"))
def lighter_desk(s: Scene) -> None:
    """A case goes to whichever of two members of its group has fewer open cases there."""
    s.pick_caller(MANAGERS)
    row = s.pick(
        f"""SELECT c.*, g.name AS team FROM hr_case c JOIN user_group g ON g.group_id = c.assignment_group
        WHERE status = 'ready' AND {WITH_PROFILE} AND {APPROVAL_DONE} AND (SELECT COUNT(*) FROM
        user_group_member JOIN user u USING (user_id) WHERE group_id = c.assignment_group AND u.active AND
        u.role IN ('agent', 'manager') AND u.email <> :me AND {UNIQUE_NAME}) > 1""",
        me=my_email(s),
    )  # fmt: skip
    one, two = s.pick_some(_WITH_LOAD, 2, group=row["assignment_group"], me=my_email(s))
    if full_name(one) == full_name(two):
        raise NoMatch("namesakes")
    lighter = min(one, two, key=lambda worker: worker["load"])
    more = besides(
        s, *about(row["number"], row, *ASKED, suggest_article, add_task), *about_group(row["team"])
    )
    s.perturb("policy_forbids", "DELETE FROM user_group_member WHERE group_id = :group AND user_id = :user",
              group=row["assignment_group"], user=lighter["user_id"])  # fmt: skip
    s.perturb("inactive_person", DEACTIVATE_USER, user=lighter["user_id"])
    s.perturb("no_right", DEMOTE_CALLER, me=my_email(s))
    s.branches("which of two has fewer open cases")
    s.ask(
        """{number} [has to start this morning|cannot wait], and both {one} and {two} [could do it|know the
        subject]. [Count the cases|Look at what] each of them has open in {team}, [closed ones aside|the
        closed ones do not count], and give it to whoever has fewer; [with a tie|if they are level] it is
        {one}. [It is in progress then|Set it to work in progress], and the employee is told.""",
        """[I want to be fair to|I try to share the load between] {one} and {two}. [Whoever of the two|The
        one of them who] has the smaller number of open cases with {team} [takes up|gets] {number}, in
        progress from the start; [at equal numbers|should both have the same number,] I choose {one}. [The
        person who waits|Whoever waits for it] gets the usual notification.""",
        """In {team} [the work is spread badly|some have twice what others have]. [For {number}, that
        means|So with {number}, do this]: see how many open cases {two} has there, and how many {one} has,
        and assign it to the one with less, [{one} if it makes no difference|if in doubt {one}]. Then [it
        is being worked on|the work begins], which the employee should hear.""",
        """{one} says that {two} has [less to do|more room]; {two} says [the opposite|it is the other way
        round]. [Let the system decide on|The count decides about] {number}: fewer open cases within {team}
        wins it, and {one} [has it if they are equal|wins a draw]. Take it to in progress in that name and
        [write to the employee|let the employee know].""",
        """[Before I leave|This afternoon] I need {number} [off the unassigned list|in somebody's hands].
        [It is between|The choice is between] {one} and {two}, both of {team}: compare what they have open
        in the group, [take the one with fewer cases|let the smaller count decide] ({one} where the counts
        are the same), [start it|put it in progress] and notify the one it is for.""",
        """[Nobody is to be overloaded|The works council watches how we share work], so {number} goes to
        {two} only if {two} has fewer open cases in {team} than {one} has; [otherwise|in all other cases]
        {one} gets it. [Either way|Whoever it is], the state is work in progress and [an update goes to
        the employee|the employee receives word].""",
        number=row["number"], team=row["team"], one=full_name(one), two=full_name(two),
    )  # fmt: skip
    more.say()
    require_manager(s)
    case = find_case(s, row, None, "ready")
    first = find_worker(s, case["assignment_group"], one, "the first of the two")
    second = find_worker(s, case["assignment_group"], two, "the second")
    profile = find_profile(s, case["opened_for"], "where to write to")
    group = case["assignment_group"]["name"]
    mine = s.do("get_cases_assigned_to", "what the first has", assignment_group=group,
                assigned_to=first["email"]).every(("status", "in", OPEN))  # fmt: skip
    others = s.do("get_cases_assigned_to", "what the second has", assignment_group=group,
                  assigned_to=second["email"]).every(("status", "in", OPEN))  # fmt: skip
    more.look(case=case, group=case["assignment_group"])
    taken_up = {"hr_case_id": id_text(case["hr_case_id"]), "status": "work_in_progress"}
    s.do_when(holds(count(mine), "<=", count(others)), "update_hr_case", "the first has no more to do",
              **taken_up, assigned_to=first["email"])  # fmt: skip
    s.do_when(holds(count(mine), ">", count(others)), "update_hr_case", "the second has less to do",
              **taken_up, assigned_to=second["email"])  # fmt: skip
    notify(s, case, profile["personal_email"], "update", "work_in_progress", "their case was taken up")
    more.write()
