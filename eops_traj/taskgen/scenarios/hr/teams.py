"""Scenarios about one's own people: a case for each of them, a new right for one, a part that is not
allowed."""

from eops_traj.taskgen.expressions import ROW
from eops_traj.taskgen.family import family
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.desk_reasons import INACTIVE, named
from eops_traj.taskgen.scenarios.hr.group_extras import about_service, for_person, sent
from eops_traj.taskgen.scenarios.hr.lookups import (
    DEACTIVATE_USER,
    DEMOTE_CALLER,
    MANAGERS,
    OPEN,
    PEOPLE,
    TEAMS_TO_JOIN,
    UNIQUE_NAME,
    find_profile,
    find_service,
    full_name,
    group_for,
    id_text,
    my_email,
    require_manager,
)
from eops_traj.taskgen.scene import Scene

_FOR_ALL = {
    "Org Chart Correction": ("Team has moved to another floor", "Team name changed in January"),
    "Policy Question": ("Which days count as bridge days?", "How is standby time paid?"),
    "Home Address Change": ("Confirm the address on file", "Check the address after the move"),
    "Commuter Allowance Claim": ("Renew the rail pass for the year", "New fare zone from February"),
    "Retirement Contribution Change": ("Confirm the share for the new year", "Adjust to the new ceiling"),
}  # fmt: skip


@family("hr", perturbations=("policy_forbids", "missing_entity", "no_right"))
def open_for_team(s: Scene) -> None:
    """Each of the asker's direct reports gets a case of a service, unless one is open for them."""
    service_name = s.rng.choice(list(_FOR_ALL))
    s.pick_caller(f"""{MANAGERS} AND (SELECT COUNT(*) FROM hr_profile r JOIN hr_profile b ON b.hr_profile_id
        = r.manager JOIN user v ON v.user_id = r.user_id WHERE b.user_id = user.user_id AND v.active AND
        r.employment_end_date IS NULL) BETWEEN 2 AND 6 AND NOT EXISTS (SELECT 1 FROM hr_profile r JOIN
        hr_profile b ON b.hr_profile_id = r.manager JOIN user v ON v.user_id = r.user_id WHERE b.user_id =
        user.user_id AND r.employment_end_date IS NULL AND NOT v.active)""")  # fmt: skip
    matter = s.rng.choice(_FOR_ALL[service_name])
    priority = s.rng.choice(("moderate", "low", "planning"))
    more = besides(s, *about_service(service_name))
    s.perturb(
        "policy_forbids", "UPDATE hr_service SET active = 0 WHERE service_name = :name", name=service_name
    )
    s.perturb("missing_entity",
              "UPDATE hr_service SET service_name = 'Service ' || hr_service_id WHERE service_name = :name",
              name=service_name)  # fmt: skip
    s.perturb("no_right", DEMOTE_CALLER, me=my_email(s))
    s.covers("everybody who reports to the asker")
    s.branches("who has an open case of the service")
    s.indirect("the asker's direct reports")
    s.ask(
        """[Everybody who reports to me|Each of my direct reports] has to have a case of {service},
        "{matter}", {priority} priority, ready and [not assigned to anyone|without an assignee], [and a
        notification of it|each with its notification]. [Those with such a case open are left out|Whoever
        has one open is left out], [and anyone with an end of employment, too|as is anybody whose profile
        has an end date].""",
        """[For my team|For the people under me], as our profiles have it, please open {service}: one case for
        each, text "{matter}", priority {priority}. [People with a last day on record|People whose profile has
        a last day] do not need it, nor do those for whom such a case is [open|under way]. [They should all be
        told|Each of the new cases is notified] [as usual|in the usual way].""",
        """"{matter}" [concerns all who|is a matter for all who] report directly to me and [have no end
        date|have no last day] on record. [So open|Please open], for every one of them, a case of
        {service} at {priority} priority [and tell them|and let them know], [unless|except where] the
        same service [is open for them already|has an open case for them].""",
        """[I lead a small team|My team is small], [and each member|and each of them] should have a case of
        {service} ({priority}, "{matter}") [before the week is over|this week]. [Take the reports from the
        profiles|Who is in it you see from the profiles]; [skip|pass over] anyone whose employment ends or
        who [has one running|has such a case running], and [notify each person|send each their
        notification].""",
        """[One case per head|One case a person], {service}, "{matter}", {priority} priority: [that is
        for|this I need for] my direct reports, [permanent ones only|only those without an end date], [and
        no second case|and no duplicates] where one of the kind [is still open|was opened and not closed].
        [Word goes to|Each gets word at] [their private addresses|the private address].""",
        """[After what we decided|Since the decision] in December, [all my people|everyone I lead] should
        find a case of {service} in the portal, [called|with the text] "{matter}", at {priority} priority,
        and be notified of it. [Our profiles show|You see in the profiles] who reports to me; [leave
        aside|not included are] those with an employment that ends and those who [have one open|wait for one
        already].""",
        service=service_name, matter=matter, priority=priority,
    )  # fmt: skip
    more.say()
    user = require_manager(s)
    own = find_profile(s, user, "their own profile")
    service, topic = find_service(s, service_name)
    reports = s.do("fetch_hr_profiles", "who reports to them", manager=id_text(own["hr_profile_id"]),
                   employment_end_date="null")  # fmt: skip
    cases = s.do("list_hr_cases", "who has such a case", hr_service=service_name, limit=100)
    having = cases.every(("status", "in", OPEN))["opened_for"]["user_id"]
    people = s.do_each(reports.every(("user_id", "not in", having)), "get_user", "who needs one",
                       user_id=id_text(ROW["user_id"]))  # fmt: skip
    more.look()
    opened = s.do_each(
        people, "create_new_hr_case", "each gets a case", status="ready", opened_for=ROW["email"],
        hr_service=id_text(service["hr_service_id"]), priority=priority, source="self-service",
        short_description=matter, coe_type=topic["topic_category"]["coe_type"],
        assignment_group=group_for(topic["topic_category"]["coe_type"]),
    )  # fmt: skip
    s.do_each(
        opened,
        "send_notification",
        "each is told",
        hr_case_id=ROW["hr_case_id"],
        type="update",
        status="ready",
        email=reports.where(user_id=ROW["opened_for"]["user_id"])["personal_email"],
    )


@family("hr", consumes="group", perturbations=("inactive_person", "out_of_scope", "no_right"))
def make_agent(s: Scene) -> None:
    """An employee becomes an agent and a member of a group."""
    s.pick_caller("SELECT * FROM user WHERE role = 'manager' AND active")
    who = s.pick(PEOPLE + f" AND {UNIQUE_NAME} AND u.role = 'employee'", me=my_email(s))
    earlier = s.consume("group")
    team = earlier.words if earlier else s.pick(TEAMS_TO_JOIN, user=who["user_id"])["name"]
    more = besides(s, *for_person(full_name(who), who["user_id"])[:1], sent)
    s.perturb("inactive_person", DEACTIVATE_USER, user=who["user_id"])
    s.perturb("no_right", DEMOTE_CALLER, me=my_email(s))
    s.ask(
        """{who} [is to work on cases|will handle cases] [from today|from this week on] and needs the role
        of {role} for it, [and a seat in|as well as a membership of] {team}, [where the cases are|whose
        cases these are]. [There is nobody else of that name|The name is unique here], [so you will find
        them easily|so that you cannot miss them].""",
        """[The trial is over|The weeks on trial are over], and {who} [stays with|remains in] {team}, [which
        means|and that takes] two entries: {role} as the role [instead of employee|in place of employee],
        and the membership [itself|in the group]. [Our director signed it|It has the director's signature],
        [and I answer for the rest|and the rest is on me].""",
        """{team} [has a vacancy to fill|needs another pair of hands], and {who}, an employee [so far|until
        now], [takes the place|is ready for it]. [Change the role|Please change the role] to {role} and [add
        the person|enter them] as a member of the group; [the training on confidentiality|the course on data
        protection] was [done in December|passed before Christmas].""",
        """[I would like to|We want to] give {who} more to do, [and for that|for which] their account
        becomes [that of {role_}|one with the role {role}] [and|while] they [join|become a member of]
        {team}. [They know about both|Both were talked over with them], [and nothing else changes|and
        everything else stays as it is], [the phone number included|down to the phone number].""",
        """[As an employee|While an employee], {who} can [only read|read and no more], [which is of no use
        to|and that does not help] {team}. [So the account|Therefore the account] gets the role {role}, and
        the group [a new member|one more member], [both as of now|starting now]; [please do the two
        together|it only makes sense together].""",
        """{who} passed the test for [working with our cases|case work] last Friday, [so they get|which
        earns them] the role of {role} and [a seat in|a membership of] {team}, [both from today|the two
        together]. [It is the only|You will find only one] person with these names, [as I made sure|which I
        have checked in the directory].""",
        who=full_name(who), team=team, role=s.phrase("out_of_scope", "agent", "manager"),
        role_=s.phrase("out_of_scope", "an agent", "a manager"),
    )  # fmt: skip
    more.say()
    s.as_one()
    s.refuse("out_of_scope", "only an admin gives the role of a manager",
             names=("admin", "manager", "only|not allowed|may not|cannot|can't|needs|requires"))  # fmt: skip
    require_manager(s)
    user = s.do("get_user_using_name", "who it is", first_name=who["first_name"], last_name=who["last_name"])
    s.require(user["active"], "==", True, f"{full_name(who)} is no longer active here",
              names=(named(who), INACTIVE))  # fmt: skip
    group = earlier.record if earlier else s.do("find_group_by_name", "the group they join", name=team)
    s.require(group["active"], "==", True, "that group takes no members any more")
    more.look(person=user)
    s.do("update_user_details", "the role", user_id=id_text(user["user_id"]), role="agent")
    s.do("add_new_group_member", "into the group", group_id=id_text(group["group_id"]),
         user_id=id_text(user["user_id"]))  # fmt: skip
    more.write()
