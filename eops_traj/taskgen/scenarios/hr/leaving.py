"""Scenarios about people who leave: one of them, or several contractors at once."""

import json

from eops_traj.taskgen.dates import TODAY
from eops_traj.taskgen.expressions import ROW, either, holds
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import ResultRef, count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.desk_reasons import MISSING, named, on_day
from eops_traj.taskgen.scenarios.hr.group_extras import ABOUT_DESK
from eops_traj.taskgen.scenarios.hr.lookups import (
    DEMOTE_CALLER,
    LEADERS,
    MANAGERS,
    OPEN_STATES,
    PEOPLE,
    UNIQUE_NAME,
    add_namesake,
    find_person,
    find_profile,
    full_name,
    id_text,
    my_email,
    require_manager,
)
from eops_traj.taskgen.scene import Scene

_ENDED = (  # when an employment ends, and when it cannot
    ("as of today", "as of yesterday"), ("as of this Monday", "as of last Friday"),
    ("from today on", "from the twelfth of December on"), ("with the fifth of January",
     "with the end of last year"),
    ("today, the fifth of January", "in retrospect, on the twelfth of December"),
)  # fmt: skip
_LAST_DAY = f"{on_day('2025-12-12')}|twelfth of December|end of last year|31 December|December 31"
_NO_WORK = f"""NOT EXISTS (SELECT 1 FROM hr_case c WHERE c.assigned_to = u.user_id AND c.status IN
    {OPEN_STATES}) AND NOT EXISTS (SELECT 1 FROM hr_case_task t WHERE t.assigned_to = u.user_id AND t.status
    IN ('draft', 'ready', 'work_in_progress'))"""
_MAY_LEAVE = f""" AND u.role IN ('agent', 'employee') AND {UNIQUE_NAME} AND NOT EXISTS (SELECT 1 FROM
    hr_profile r JOIN user v USING (user_id) WHERE r.manager = p.hr_profile_id AND v.active) AND {_NO_WORK}
    AND p.employment_end_date IS NULL AND (SELECT COUNT(*) FROM user_group_member m WHERE m.user_id =
    u.user_id) ="""


def hand_on_reports(s: Scene, reports: ResultRef, profile: ResultRef) -> None:
    """Give those who report to a leaver and are still employed the leaver's own manager, as the policy says.

    Nobody does of those whom a scenario lets leave: that is no reason to stop where somebody does.
    """
    runs = holds(either(ROW["employment_end_date"], TODAY.isoformat()), ">=", TODAY.isoformat())
    s.do_each(reports, "update_hr_profile", "each gets the manager of who leaves", when=runs,
              hr_profile_id=id_text(ROW["hr_profile_id"]), manager=id_text(profile["manager"]))  # fmt: skip


@family("hr", perturbations=("policy_forbids", "impossible_date", "two_namesakes", "no_right"))
def offboard_employee(s: Scene) -> None:
    """Someone leaves today: reports and open work are looked for, groups, employment and account end."""
    s.pick_caller(MANAGERS)
    size = s.rng.choice((1, 2))
    who = s.pick(f"{PEOPLE} {_MAY_LEAVE} {size}", me=my_email(s))
    groups = s.pick_some("""SELECT g.* FROM user_group g JOIN user_group_member USING (group_id) WHERE user_id
        = :user""", size, user=who["user_id"])  # fmt: skip
    s.perturb("policy_forbids",
              "UPDATE hr_profile SET employment_end_date = '2025-12-12 00:00:00' WHERE user_id = :user",
              user=who["user_id"])  # fmt: skip
    add_namesake(s, who, groups)
    s.perturb("no_right", DEMOTE_CALLER, me=my_email(s))
    s.ask(
        """{who} leaves the company, {when}, [and the paper is signed|as agreed on both sides]. [Go through
        the whole offboarding|Do the whole offboarding]: [look|see] whether anyone reports to them or work
        is open, take them out of {groups}, [end the employment|end their employment], [and then switch the
        account off|and close the account].""",
        """[We part with|The company parts with] {who}, {when}, and [as far as I can tell|to my knowledge]
        they lead nobody and have [no open work|nothing to hand over], [but check both|which should be
        checked]. Membership in {groups}, the employment and the account [all end|come to an end], [in our
        usual order|in the order that our rules give].""",
        """[The last day of {who} is settled|It is final with {who}]: the employment ends {when}. [First
        comes a look|Begin with a look] at reports and open work, then [comes the exit from {groups}|take
        them out of {groups}], [then employment and account|after that employment and account], [all by the
        book|in the order that our rules give].""",
        """I [was asked|have been asked] to make sure that nothing of {who} stays active. [End the
        employment|Their employment ends] {when}, remove them from {groups} and [switch the account
        off|make the account inactive]; [before that|beforehand], of course, look whether somebody reports
        to them or [waits for their work|has work with them].""",
        """{who} [has handed in the badge|gave the laptop back this morning]. [What remains is|Left to do
        is] the offboarding, {when}: [a check for|checking for] people under them and for open cases and
        tasks, [the exit from|leaving] {groups}, the end of the employment, [the closed account|and the
        account closed].""",
        """[Payroll needs to know:|So that payroll stops in time,] {who} [goes|is leaving] {when}.
        Membership in {groups} [is given up|ends], the employment [ends|is over], the account [goes dark|is
        closed]; [nobody should report to them and nothing should be open|there should be no reports and no
        open work], [which you should verify|but do verify it first].""",
        who=full_name(who), groups=" and ".join(group["name"] for group in groups),
        when=s.phrase("impossible_date", *s.rng.choice(_ENDED)),
    )  # fmt: skip
    s.refuse("impossible_date", "an employment is not ended with a date in the past",
             names=(f"backdat|back-dat|retroactiv|in the past|past date|yesterday|last Friday|{_LAST_DAY}",)
             )  # fmt: skip
    require_manager(s)
    user = find_person(s, who, "who leaves")
    profile = find_profile(s, user, "their profile")
    s.require(
        profile["employment_end_date"], "==", None, f"the employment of {full_name(who)} has ended already",
        names=(f"employ|profile|{named(who)}",
               f"has ended|ended on|end date|already left|terminated|already offboarded|{_LAST_DAY}"),
    )  # fmt: skip
    reports = s.do("fetch_hr_profiles", "who reports to them", manager=id_text(profile["hr_profile_id"]))
    s.do("get_cases_assigned_to", "the cases they leave, to be listed", assigned_to=user["email"])
    s.do("list_hr_case_tasks", "the tasks they leave, to be listed", assigned_to=user["email"], active=True)
    memberships = [s.do("find_group_by_name", "a group they are in", name=group["name"]) for group in groups]
    hand_on_reports(s, reports, profile)
    for group_ref in memberships:
        s.do("remove_group_membership", "out of the group", group_id=id_text(group_ref["group_id"]),
             user_id=id_text(user["user_id"]))  # fmt: skip
    s.do("offboard_hr_profile", "the employment ends", hr_profile_id=id_text(profile["hr_profile_id"]))
    s.do("update_user_details", "the account is closed", user_id=id_text(user["user_id"]), active=False)
    s.rule(
        "The employment ended today and not before, the account is closed, and no group has them",
        """SELECT COUNT(*) FROM hr_profile p JOIN user u USING (user_id) WHERE u.email = :email AND NOT
        u.active AND date(p.employment_end_date) >= '2026-01-05' AND NOT EXISTS (SELECT 1 FROM
        user_group_member m WHERE m.user_id = u.user_id)""",
        email=who["email"],
    )  # fmt: skip


_ENDS = {"2026-02-27": "27 February", "2026-03-31": "31 March", "2026-04-30": "30 April",
         "2026-05-29": "29 May"}  # fmt: skip
_REPORTS = f"""SELECT u.*, r.hr_profile_id FROM hr_profile r JOIN user u USING (user_id) WHERE r.manager =
    :boss AND u.active AND u.role IN ('agent', 'employee') AND u.email <> :me AND {_NO_WORK} AND NOT EXISTS
    (SELECT 1 FROM hr_profile x WHERE x.manager = r.hr_profile_id)"""


@family("hr", perturbations=("missing_entity", "no_right"))
def end_contracts(s: Scene) -> None:
    """All contractors of a manager whose contracts run until a given day are offboarded at once."""
    s.pick_caller(MANAGERS)
    boss = s.pick(
        f"{LEADERS} AND (SELECT COUNT(*) FROM ({_REPORTS.replace(':boss', 'p.hr_profile_id')})) > 1",
        me=my_email(s),
    )
    people = s.pick_some(_REPORTS, 2, boss=boss["hr_profile_id"], me=my_email(s))
    until = s.rng.choice(list(_ENDS))
    ids = json.dumps([person["hr_profile_id"] for person in people])
    s.arrange("""UPDATE hr_profile SET type = 'contractor', employment_end_date = :until || ' 00:00:00' WHERE
        hr_profile_id IN (SELECT value FROM json_each(:ids))""", ids=ids, until=until)  # fmt: skip
    s.arrange("DELETE FROM user_group_member WHERE user_id IN (SELECT value FROM json_each(:ids))",
              ids=json.dumps([person["user_id"] for person in people]))  # fmt: skip
    more = besides(s, *ABOUT_DESK)
    s.perturb("missing_entity", """UPDATE hr_profile SET type = 'full-time', employment_end_date = NULL WHERE
        hr_profile_id IN (SELECT value FROM json_each(:ids))""", ids=ids)  # fmt: skip
    s.perturb("no_right", DEMOTE_CALLER, me=my_email(s))
    s.covers("all contractors of a manager whose contracts run until one day")
    s.ask(
        """[The project is cancelled|The client has withdrawn], and with it go the contractors who report to
        {boss} and whose contracts [would run until|end on] {until}. Offboard all of them as of today and
        [close their accounts|make their accounts inactive]; they
        are in no group any more, lead nobody and have [no open work|nothing left to do].""",
        """{boss} [has let go|parts with] every contractor whose contract [was to last until|ends on]
        {until}, so [their employment ends as of today|this is their last day], each and every one, and
        [none of the accounts stays open|all the accounts are switched off]. [Groups and open
        work|Memberships and handovers] were settled last week, so there is nothing to hand over.""",
        """[Finance has stopped|The board has cut] a contract that we had for {boss}, and [it concerns|this
        means] all contractors there with {until} as their last day: [end their employment|their employment
        ends] as of today instead, then deactivate [the accounts|each account]. [Nobody reports to them,
        their groups are behind them|They are out of their groups, nobody reports to them], and no case is
        left.""",
        """[The supplier behind|The agency that sent] several of {boss}'s contractors [is bankrupt|closed
        down over the holidays]; [you recognise them by|what they share is] the end of contract, {until}.
        Please look up who they are, end every one of these employments [as of today|as of this very day],
        and see that [the people cannot log in|their accounts are inactive], now that groups, reports and
        open work [are taken care of|have been dealt with].""",
        """[A list would be out of date|I have no list of names], so go by the profiles: manager {boss},
        contractor, [last day|contract until] {until}. [Whoever fits|Everybody who fits this] leaves as of
        today, profile and account, [and nobody else does|nobody besides], since what they worked on was
        handed over and [they belong to no group|their memberships are gone].""",
        """[From tomorrow|Starting tomorrow] our own people do the work, [so we no longer need|which ends the
        time of] the contractors under {boss} who were hired until {until}. [Their contracts end now|End
        their contracts now], all on this day, [and so do|together with] their accounts; [I checked that|I
        can confirm that] none has reports, memberships or open work.""",
        boss=full_name(boss), until=_ENDS[until],
    )  # fmt: skip
    more.say()
    require_manager(s)
    lead = find_profile(s, find_person(s, boss, "who leads them"), "the profile that leads them")
    those = {"manager": id_text(lead["hr_profile_id"]), "type": "contractor", "employment_end_date": until}
    profiles = s.do("fetch_hr_profiles", "who is meant", **those)
    s.require(count(profiles), ">=", 1, f"there are no such contractors under {full_name(boss)}",
              names=("contractor", MISSING))  # fmt: skip
    s.duty("several are offboarded by the filters with which they were listed")
    more.look()
    s.do("offboard_hr_profiles", "their employment ends", **those)
    s.do_each(profiles, "update_user_details", "each account is closed", user_id=id_text(ROW["user_id"]),
              active=False)  # fmt: skip
