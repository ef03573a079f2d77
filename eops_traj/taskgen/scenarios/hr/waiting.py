"""Scenarios about cases that wait: for papers, for a colleague, for a word of acceptance."""

from eops_traj.taskgen.expressions import ROW
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.desk_reasons import MISSING
from eops_traj.taskgen.scenarios.hr.case_extras import ASKED, about, add_task, suggest_article
from eops_traj.taskgen.scenarios.hr.casework import APPROVAL_DONE
from eops_traj.taskgen.scenarios.hr.group_extras import about_group, graded
from eops_traj.taskgen.scenarios.hr.lookups import (
    DEACTIVATE_USER,
    DEMOTE_CALLER,
    MANAGERS,
    UNIQUE_NAME,
    WITH_PROFILE,
    WORKERS,
    find_profile,
    find_worker,
    full_name,
    id_text,
    my_email,
    notify,
    require_manager,
)
from eops_traj.taskgen.scene import Scene

_FIVE_DAYS_AGO = "2025-12-31 09:00:00"
_TEN_DAYS_AGO = "2025-12-26 09:00:00"
_ON_THE_EDGE = """EXISTS (SELECT 1 FROM hr_case o WHERE o.assignment_group = g.group_id AND o.status = '{}'
    AND date(o.updated_at) = date('{}'))"""
"""The condition that a case of the group waits long enough by the hour or by the calendar, not by both."""
_UNFIT = f"""EXISTS (SELECT 1 FROM hr_case o LEFT JOIN hr_case_task t ON t.parent_case = o.hr_case_id AND
    t.active WHERE (o.hr_case_id = c.hr_case_id OR o.assignment_group = g.group_id AND o.status =
    'awaiting_acceptance') AND (t.active OR NOT {WITH_PROFILE.replace("c.", "o.")}))"""
"""The condition that the case, or one of its group that awaits acceptance, has an open task or no profile."""


@family("hr", perturbations=("missing_entity", "no_right"))
def remind_waiters(s: Scene) -> None:
    """Everyone whose suspended case has waited for five days is reminded, unless that was done already."""
    s.pick_caller(MANAGERS)
    group = s.pick(f"""SELECT g.* FROM user_group g WHERE EXISTS (SELECT 1 FROM hr_case c WHERE
        c.assignment_group = g.group_id AND status = 'suspended' AND updated_at < '{_FIVE_DAYS_AGO}') AND
        NOT EXISTS (SELECT 1 FROM hr_case c WHERE c.assignment_group = g.group_id AND status = 'suspended'
        AND NOT {WITH_PROFILE}) AND NOT {_ON_THE_EDGE.format("suspended", _FIVE_DAYS_AGO)}""")  # fmt: skip
    more = besides(s, *about_group(group["name"]), graded)
    s.perturb("missing_entity", "UPDATE user_group SET name = 'Group ' || group_id WHERE name = :name",
              name=group["name"])  # fmt: skip
    s.perturb("no_right", DEMOTE_CALLER, me=my_email(s))
    s.covers("everyone whose case in a group has waited for five days")
    s.branches("who was reminded already")
    s.ask(
        """[Several cases of|Some of the cases of] {team} [are on hold|are suspended] because employees [owe
        us papers|have not sent what we need]. [Remind those|Send a reminder to those] who have [kept us
        waiting as long as the rules require|let the time pass that the rules give them], [counted from the
        last change of the case|the last change of the case being the start], and [nobody twice|spare
        whoever had one already].""",
        """[In the new year|With everybody back], {team} [wants to get|tries to get] its suspended cases
        moving. [Everybody who is due for one|Whoever is due] gets a reminder at the private address,
        provided that the case has [rested|stood still] for as many days as our rules name and [there is no
        reminder on record yet|no reminder was sent so far].""",
        """[Whoever is behind|Those behind] a suspended case of {team} [should hear from us again|have to
        hear from us again], [though not all of them|but not everyone]: only if the case has [stood
        still|rested] for the time that the rules [ask for|lay down], and if the person [was not reminded of
        it before|had no reminder about it].""",
        """{team} [cannot close anything|is stuck], since [papers are missing|people do not answer]. [Send
        out|Please send] the reminders that [are due|are owed] for its suspended cases; [our rules say|the
        rules tell you] after how many days [without change|without any change] one is due, and [a second one
        is not wanted|one is enough].""",
        """[Before we give up on|Instead of giving up on] the suspended cases of {team}, [each employee
        concerned|every employee concerned] should have been reminded [once|one time]. [So look|Look] which of
        these cases have [not moved|been quiet] for long enough to remind, [leave out|skip] those where it
        happened, and [write to the others|remind the rest].""",
        """[It is Monday, the day for reminders|Reminders go out on Mondays], and [this time|this week]
        {team} is [the one to do|in turn]. [Suspended cases, private addresses|It goes by suspended cases,
        to private addresses], the usual [number of days|waiting time] since the last change; [anyone who
        has one already|whoever got one before] is [left in peace|left out].""",
        team=group["name"],
    )  # fmt: skip
    more.say()
    require_manager(s)
    groups = s.do("list_user_groups", "the group", name=group["name"])
    s.require(count(groups), "==", 1, f"there is no group called {group['name']}",
              names=(group["name"], MISSING))  # fmt: skip
    cases = s.do("list_hr_cases", "its cases that wait", assignment_group=groups[0]["name"], limit=100,
                 status="suspended")  # fmt: skip
    s.duty("a reminder is due after five days")
    due = cases.every(("updated_at", "<", _FIVE_DAYS_AGO))
    profiles = s.do_each(due, "get_users_hr_profile", "where to write to",
                         user_id=id_text(ROW["opened_for"]["user_id"]))  # fmt: skip
    sent = s.do("find_notifications", "who was reminded", type="reminder", status="suspended")
    reminded = sent.every(("email", "in", profiles.every()["personal_email"]))
    more.look(group=groups[0])
    s.do_each(
        due.every(("hr_case_id", "not in", reminded["hr_case_id"])), "send_notification", "each who was not",
        hr_case_id=ROW["hr_case_id"], type="reminder", status="suspended",
        email=profiles.where(user_id=ROW["opened_for"]["user_id"])["personal_email"],
    )  # fmt: skip


@family("hr", perturbations=("inactive_person", "policy_forbids", "no_right"))
def oldest_waiting(s: Scene) -> None:
    """Of the cases that nobody has taken up in a group, the oldest goes to a member, who begins."""
    s.pick_caller(MANAGERS)
    row = s.pick(
        f"""SELECT c.*, g.name AS team FROM hr_case c JOIN user_group g ON g.group_id = c.assignment_group
        WHERE status = 'ready' AND {WITH_PROFILE} AND {APPROVAL_DONE} AND NOT EXISTS (SELECT 1 FROM hr_case
        o WHERE o.assignment_group = c.assignment_group AND o.status = 'ready' AND (o.created_at <
        c.created_at OR o.created_at = c.created_at AND o.hr_case_id < c.hr_case_id)) AND EXISTS (SELECT 1
        FROM user_group_member JOIN user u USING (user_id) WHERE group_id = c.assignment_group AND u.active
        AND u.role IN ('agent', 'manager') AND u.email <> :me AND {UNIQUE_NAME})""",
        me=my_email(s),
    )  # fmt: skip
    who = s.pick(WORKERS + " AND email <> :me", group=row["assignment_group"], me=my_email(s))
    note = s.rng.choice(("Taken from the pile, oldest first", "Started, employee will be called",
                         "First look today, answer by Friday", "Picked up in the Monday round"))  # fmt: skip
    more = besides(s, *about("that case", row, *ASKED, suggest_article, add_task), *about_group(row["team"]))
    s.perturb("inactive_person", DEACTIVATE_USER, user=who["user_id"])
    s.perturb("policy_forbids", "DELETE FROM user_group_member WHERE group_id = :group AND user_id = :user",
              group=row["assignment_group"], user=who["user_id"])  # fmt: skip
    s.perturb("no_right", DEMOTE_CALLER, me=my_email(s))
    s.indirect("the oldest case that is ready in a group", hidden=[row["number"]])
    s.ask(
        """[Of what|Among what] lies ready in {team}, the case that [came in first|was opened first] [goes
        to|is for] {who}[ this week|]. [Start it|Put it in progress] [under that name|in that name] with the
        note "{note}", and [tell the employee|let the employee know]; [the younger ones|all the others] stay
        where they are [until tomorrow|for the time being].""",
        """{who} [has an hour to spare|has some time] and wants to [take something off the pile|help with the
        pile] of {team}. [Oldest first, as always|We do the oldest first]: find the ready case with the
        earliest date, [assign it|make it theirs], set it to in progress, note "{note}" and [send the usual
        word|notify whoever waits].""",
        """[What has waited longest in {team} without anybody taking it up?|Something in {team} has waited
        longer than all the rest without anybody taking it up.] [I do not know its number|I have not got the
        number], but {who} [should begin with it|begins with it] this morning: in progress, "{note}" [as the
        note|in the note], and [a message to the person|the person informed].""",
        """[Our promise is|We promise] that cases are taken up in the order in which they arrive, [so in
        {team}|so with {team}] the first of those that are ready [is next|comes next]. {who} [does it|takes
        it]; [enter the assignment|assign it] and start it, leave "{note}" there, and [inform the
        employee|write to the employee].""",
        """"{note}" [is what I would like to read|should stand] on the oldest of the cases that {team} [has
        ready|has in state ready], [by tonight|before tonight], with {who} [as the one who works on it|at
        work on it]. [The employee who has waited|The employee whose wait ends] [gets told|should be told]
        [by us|in writing].""",
        """[Somebody complained|A complaint reached me] that {team} [leaves old cases lying|always takes the
        newest cases]. [To show the opposite, take|So take] the one among their ready cases [that was opened
        earliest|with the earliest opening date], [give it|hand it] to {who}, in progress from now, note
        "{note}", and [do not forget|mind] the notification.""",
        team=row["team"], who=full_name(who), note=note,
    )  # fmt: skip
    more.say()
    require_manager(s)
    cases = s.do(
        "list_hr_cases", "what is ready there", assignment_group=row["team"], status="ready", limit=100
    )
    case = cases.smallest("created_at")
    member = find_worker(s, case["assignment_group"], who, "who takes it up")
    profile = find_profile(s, case["opened_for"], "where to write to")
    more.look(case=case, group=case["assignment_group"])
    s.do("update_hr_case", "it is taken up", hr_case_id=id_text(case["hr_case_id"]),
         status="work_in_progress", assigned_to=member["email"], worknotes=note)  # fmt: skip
    notify(s, case, profile["personal_email"], "update", "work_in_progress", "their case was taken up")
    more.write()


@family("hr", perturbations=("missing_entity", "no_right"))
def lapse_acceptance(s: Scene) -> None:
    """All cases of a group whose answer nobody objected to in ten days are completed and reported."""
    s.pick_caller(MANAGERS)
    group = s.pick(f"""SELECT g.*, c.hr_case_id FROM user_group g JOIN hr_case c ON c.assignment_group =
        g.group_id WHERE c.status IN ('awaiting_acceptance', 'closed_complete') AND date(c.updated_at) <
        date('{_TEN_DAYS_AGO}') AND {WITH_PROFILE} AND NOT {_UNFIT} AND NOT
        {_ON_THE_EDGE.format("awaiting_acceptance", _TEN_DAYS_AGO)}""")  # fmt: skip
    s.arrange("UPDATE hr_case SET status = 'awaiting_acceptance' WHERE hr_case_id = :case",
              case=group["hr_case_id"])  # fmt: skip
    more = besides(s, *about_group(group["name"], "cases"), graded)
    s.perturb("missing_entity", "UPDATE user_group SET name = 'Group ' || group_id WHERE name = :name",
              name=group["name"])  # fmt: skip
    s.perturb("no_right", DEMOTE_CALLER, me=my_email(s))
    note = s.rng.choice(("No objection, completed", "Accepted by silence", "Closed, nobody came back to us",
                         "Time to object has passed"))  # fmt: skip
    s.covers("all cases of a group that nobody objected to in time")
    s.ask(
        """[In {team}|With {team}], [answers were given|we gave answers] that nobody [has accepted or
        refused|came back on]. [Where the time for that is over|Where the rules give no more time],
        [complete the case|the case should be completed], with "{note}" as the note, and [reported|the end
        reported] to the employee; [the more recent ones|those with time left] [wait on|stay as they
        are].""",
        """"{note}" [belongs on|goes onto] every case of {team} that [waits for acceptance|has been waiting
        to be accepted] [longer than it has to|beyond the time our rules set], [with the last change|the
        last change taken] as the beginning. [These cases|They] are complete, [and their employees|and the
        employees concerned] get the report [at their private address|as usual].""",
        """[The board sees|On the board I see] too many cases [awaiting acceptance|that await acceptance] in
        {team}, [most of them long settled|many of which are long settled]. [Apply our rule|Do as our rule
        says]: after so many days without a word they [are closed as complete|count as complete], each noted
        "{note}", [with a report to each employee|and every employee has a report].""",
        """[How long do we wait for somebody to accept an answer?|There is a limit to how long we wait for
        somebody to accept an answer.] [The rules have a number of days|The rules name the days], and {team}
        [has never looked|did not look] at it, so [close as complete what is past it|whatever is past it is
        complete]; write "{note}" there, and [let the people have|send the people] their report.""",
        """{team} [asked me for|needs] a clean start [into the year|this month]: cases that [only wait for
        acceptance|wait for nothing but acceptance] and have [not changed|been unchanged] for the time in
        the rules [become complete|are completed], [the note being|each with the note] "{note}", and
        [everyone concerned|each person concerned] [is told|is informed] by a report.""",
        """[Silence counts as a yes|Silence means yes] after a while; [the rules say when|when, the rules
        say]. [Go through|Take] the cases of {team} that await acceptance, complete [those that are due|the
        ones for which it is so] with the note "{note}", and [notify their employees|report it to their
        employees] [without delay|the same day].""",
        team=group["name"], note=note,
    )  # fmt: skip
    more.say()
    require_manager(s)
    groups = s.do("list_user_groups", "the group", name=group["name"])
    s.require(count(groups), "==", 1, f"there is no group called {group['name']}",
              names=(group["name"], MISSING))  # fmt: skip
    cases = s.do("list_hr_cases", "what waits for acceptance", assignment_group=groups[0]["name"], limit=100,
                 status="awaiting_acceptance")  # fmt: skip
    s.duty("silence counts after ten days")
    due = cases.every(("updated_at", "<", _TEN_DAYS_AGO))
    profiles = s.do_each(due, "get_users_hr_profile", "where to write to",
                         user_id=id_text(ROW["opened_for"]["user_id"]))  # fmt: skip
    more.look(group=groups[0])
    s.do_each(due, "update_hr_case", "each is complete", hr_case_id=id_text(ROW["hr_case_id"]),
              status="closed_complete", worknotes=note)  # fmt: skip
    s.do_each(
        due, "send_notification", "each person has the report", hr_case_id=ROW["hr_case_id"], type="report",
        status="closed_complete",
        email=profiles.where(user_id=ROW["opened_for"]["user_id"])["personal_email"],
    )  # fmt: skip
