"""Scenarios about profiles: corrected by their number, prolonged, and handed to another manager."""

from eops_traj.taskgen.expressions import ROW, shift
from eops_traj.taskgen.family import family
from eops_traj.taskgen.indirection import spell
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.desk_reasons import INACTIVE, MISSING, named
from eops_traj.taskgen.scenarios.hr.group_extras import for_person
from eops_traj.taskgen.scenarios.hr.lookups import (
    ANOTHER,
    DEACTIVATE_USER,
    DEMOTE_CALLER,
    LEADERS,
    MANAGERS,
    PEOPLE,
    POSITIONS,
    TEAMS_TO_JOIN,
    UNIQUE_NAME,
    WORKPLACES,
    add_leading_namesake,
    add_namesake,
    find_lead,
    find_person,
    find_profile,
    full_name,
    id_text,
    my_email,
    require_manager,
)
from eops_traj.taskgen.scene import Scene


@family("hr", perturbations=("inactive_person", "missing_entity", "no_right"))
def mend_profile(s: Scene) -> None:
    """A profile that is known by its number alone is corrected, and its owner joins a group."""
    s.pick_caller(MANAGERS)
    position, workplace = s.rng.choice(POSITIONS), s.rng.choice(list(WORKPLACES))
    who = s.pick(
        PEOPLE.replace("p.hr_profile_id", "p.hr_profile_id, p.number")
        + """ AND p.position IS NOT :position AND p.location_type IS NOT :place AND p.employment_end_date IS
            NULL""",
        me=my_email(s),
        position=position,
        place=workplace,
    )
    team = s.pick(TEAMS_TO_JOIN, user=who["user_id"])
    more = besides(s, *for_person(f"the owner of {who['number']}", who["user_id"], (team["group_id"],)))
    s.perturb("inactive_person", DEACTIVATE_USER, user=who["user_id"])
    s.perturb(
        "missing_entity",
        "UPDATE hr_profile SET number = 'HRP9' || substr(number, 5) WHERE user_id = :user",
        user=who["user_id"],
    )
    s.perturb("no_right", DEMOTE_CALLER, me=my_email(s))
    s.indirect("the person whose profile has a number", hidden=[who["email"], full_name(who)])
    s.ask(
        """[The yearly comparison of|Comparing] profiles and contracts [brought up|turned up] {number}: [its
        position should be|the position in it should read] {position}, and the person works {place}[,
        contrary to what it says|]. [Whoever it belongs to|The person behind it] [was also promised|also
        has] a seat in {team}, [so add them|which has to be entered], [since they start there this week|as
        the work there has begun].""",
        """[I only have a number|All I have is the number], {number}, [off a printed list|from a list on
        paper]. In that profile [the position becomes|change the position to] {position}, and the place of
        work [has to change as well: they work|is wrong as well: they work] {place}; [its owner
        joins|then its owner becomes a member of] {team}, [if they are still here|provided that they are
        still active].""",
        """Profile {number} [is wrong in two places|has two mistakes]: the job [is|ought to be] {position},
        and the work is done {place}. [Besides|Apart from that], the person [concerned|in question] [starts
        to help|will help] in {team} [this week|from this week], so [put them into|they need to be in] that
        group.""",
        """[Payroll wrote to me about|A query from payroll concerns] {number}, where [they want|there should
        be] {position} as the position and [somebody who works|a person working] {place}. [See whose profile
        it is|Find out whose profile that is] and [make them a member of|add them to] {team} as well, [since
        the two belong together|because that goes with the new job].""",
        """{team} [gets|receives] a colleague [whose profile has the number|under the profile number]
        {number}, so [enter the membership|please add them] and [bring the profile up to date|let the
        profile follow]: {position} [as|is] the position, and [from now on|now] they work {place}, [while
        nothing else in it|while no other field of it] changes.""",
        """[Data quality|It is data quality] again: for {number} [we have|our records have] an old
        position and an old place of work, [where correct would be|and what is correct is] {position},
        working {place}. [The same person|Its owner] has been missing from {team} [since the move|all
        along], [which is easily mended|so mend that too].""",
        number=who["number"], position=position, place=WORKPLACES[workplace], team=team["name"],
    )  # fmt: skip
    more.say()
    require_manager(s)
    profile = s.do("fetch_hr_profile_by_number", "the profile", number=who["number"])
    s.require_ok(
        profile, f"there is no profile {who['number']}", names=(who["number"], f"no profile|{MISSING}")
    )
    user = s.do("get_user", "whose it is", user_id=id_text(profile["user_id"]))
    s.require(
        user["active"],
        "==",
        True,
        f"the owner of {who['number']} is no longer active",
        names=(f"{who['number']}|{named(who)}|owner|person", INACTIVE),
    )
    group = s.do("find_group_by_name", "the group they join", name=team["name"])
    s.require(group["active"], "==", True, "that group takes no members any more")
    more.look(person=user)
    s.do("update_hr_profile", "the correction", hr_profile_id=id_text(profile["hr_profile_id"]),
         position=position, location_type=workplace)  # fmt: skip
    s.do("add_new_group_member", "into the group", group_id=id_text(group["group_id"]),
         user_id=id_text(user["user_id"]))  # fmt: skip
    more.write()


_CONTRACT = """UPDATE hr_profile SET type = 'contractor', location_type = :place, employment_end_date =
    date('2026-01-05', :days) || ' 00:00:00' WHERE user_id ="""


@family("hr", perturbations=("policy_forbids", "two_namesakes", "no_right"))
def extend_contract(s: Scene) -> None:
    """A contractor's contract is prolonged by some weeks, counted from its present end."""
    s.pick_caller(MANAGERS)
    who = s.pick(PEOPLE + f" AND {UNIQUE_NAME} AND u.role IN ('agent', 'employee')", me=my_email(s))
    weeks, days = s.rng.choice((2, 3, 4, 6, 8)), s.rng.randrange(20, 120)
    workplace = s.rng.choice(list(WORKPLACES))
    terms = {"days": f"+{days} days", "place": next(place for place in WORKPLACES if place != workplace)}
    s.arrange(f"{_CONTRACT} :user", user=who["user_id"], **terms)
    more = besides(s, *for_person(full_name(who), who["user_id"]))
    s.perturb("policy_forbids", """UPDATE hr_profile SET employment_end_date = '2025-12-19 00:00:00' WHERE
        user_id = :user""", user=who["user_id"])  # fmt: skip
    add_namesake(s, who)
    s.perturb("two_namesakes", f"{_CONTRACT} {ANOTHER}", user=who["user_id"], me=my_email(s), **terms)
    s.perturb("no_right", DEMOTE_CALLER, me=my_email(s))
    s.indirect("the present end of the contract")
    s.ask(
        """[The project takes longer than planned|The project will not be done in time], so {who} [stays|is
        to stay] {weeks} weeks longer than the contract [says at present|runs now]. [Put the new last day
        into the profile|Work out the new last day and enter it], and [note that they|while you are there,
        note that they] work {place} [from now on|for the rest of the time].""",
        """{who} [is on contract with us|works for us on a contract] and [we agreed to|both sides want to]
        prolong it by {weeks} weeks, [counted from the end that is on record|added to the day on which it ends
        now]. [They work|For the remaining time they work] {place}, [which the profile should say too|and the
        profile ought to say that].""",
        """[Add {weeks} weeks to|Another {weeks} weeks go on top of] the contract of {who}; [I do not have
        the date in front of me|the date escapes me], [but the record has it|so please look it up], [and
        if it has run out already|and in case it is over], [nothing can be added|there is nothing to add
        to]. [What changes too is where they work|The place of work changes too]: {place}, [from today|as of
        today].""",
        """[Procurement has approved|We got the approval for] {weeks} more weeks with {who}, [starting where
        the present contract ends|following on the present contract]. [Please adjust the profile|The profile
        needs the new end], [as well as|and also] the place of work, since they [now work|work] {place}.""",
        """[In place of a new contract|Rather than write a new contract], we let the one of {who} run
        {weeks} weeks past its present last day, [and that new date|and the date that results] [goes
        into|belongs in] the profile. [And because they gave up the desk|Also, as the desk was given up],
        they work {place}, [to be entered likewise|which is to be entered too].""",
        """{who} [will need|needs] {weeks} weeks more to finish, [says the lead|according to the lead]. [Move
        the end of the contract|The end of the contract moves] by as much, [whatever day it is now|from
        whichever day it is now], [provided that it has not passed|unless it has passed], and [set|change] the
        place: they work {place}.""",
        who=full_name(who), weeks=spell(weeks), place=WORKPLACES[workplace],
    )  # fmt: skip
    more.say()
    require_manager(s)
    user = find_person(s, who, "whose contract it is")
    profile = find_profile(s, user, "until when it runs")
    s.require(profile["type"], "==", "contractor", f"{full_name(who)} has no contract that ends")
    s.require(
        profile["employment_end_date"],
        ">=",
        "2026-01-05",
        f"the contract of {full_name(who)} has ended already",
        names=(
            f"contract|employ|{named(who)}",
            "ended|expired|is over|ran out|run out|passed|December|2025-12-19|in the past",
        ),
    )
    more.look(person=user)
    s.do("update_hr_profile", "it runs longer", hr_profile_id=id_text(profile["hr_profile_id"]),
         employment_end_date=shift(profile["employment_end_date"], f"{weeks} weeks"),
         location_type=workplace)  # fmt: skip
    more.write()


@family("hr", ood=True, perturbations=("policy_forbids", "inactive_person", "two_namesakes", "no_right"))
def hand_over_team(s: Scene) -> None:
    """Everybody still employed who reports to one manager reports to another from now on."""
    s.pick_caller(MANAGERS)
    old = s.pick(f"""{LEADERS} AND (SELECT COUNT(*) FROM hr_profile r WHERE r.manager = p.hr_profile_id AND
        r.employment_end_date IS NULL) BETWEEN 2 AND 9""", me=my_email(s))  # fmt: skip
    new = s.pick(f"{LEADERS} AND p.manager IS NOT :old AND p.hr_profile_id <> :old",
                 old=old["hr_profile_id"], me=my_email(s))  # fmt: skip
    more = besides(s, *for_person(full_name(new), new["user_id"]))
    s.perturb("policy_forbids", "UPDATE user SET role = 'agent' WHERE user_id = :user", user=new["user_id"])
    s.perturb("inactive_person", DEACTIVATE_USER, user=new["user_id"])
    add_leading_namesake(s, new, old)
    s.perturb("no_right", DEMOTE_CALLER, me=my_email(s))
    s.covers("everybody who reports to a manager and has no end date")
    s.ask(
        """{old} [goes back to|returns to] technical work, [and|so] {new} [takes over the people|inherits
        the team]. [Let everyone who reports to {old} report|Everyone who reports to {old} is to report] to
        {new} in our profiles [as of today|from today]; whoever has an end of employment on record [stays as
        they are|is left as is].""",
        """[Two teams become one, led by {new}|Two teams are merged under {new}], [so all|which is why all]
        direct reports of {old} [change their manager|get {new} as their manager], [except those with a last
        day in the profile|those with a last day in the profile excepted]; {old} [keeps the present
        manager|remains where they are].""",
        """[From this week|As of this week] {new} is the manager of all the people [who had|who so far had]
        {old}. [Change that in every profile|Each profile has to say so], as long as it has no end date, [so
        that reviews land|because reviews must land] on the right desk; [how many they are|their number] [you
        will see|is in the system].""",
        """[Please see that|Make sure that] nobody [reports to|is led by] {old} any more [by tonight|at the
        end of today], apart from people [whose employment ends|with an end of employment]: {new} [has
        agreed to|will] lead them all, and [the chart|our chart] is [made from|drawn from] the profiles.""",
        """[From tomorrow|From this afternoon] {old} is on parental leave, and [meanwhile|until it is over]
        [the direct reports|all direct reports] go to {new}, [in the profiles too|which the profiles should
        show]. [Somebody with a fixed last day|A person who has a last day] [is not moved|need not be
        moved], [as that would not pay|as it is not worth it].""",
        """{new} [steps in for|replaces] {old} as a lead, so [what has to change is|the change is] the
        manager in the profile of each person under {old} [who has no end date|without an end date]. [No
        positions, no places and no groups change|Neither position nor place nor group changes], just [who
        leads whom|that one field], [which the works council was told|as the works council was told].""",
        old=full_name(old), new=full_name(new),
    )  # fmt: skip
    more.say()
    require_manager(s)
    former = find_profile(s, find_person(s, old, "who led them"), "the profile that led them")
    lead = find_lead(s, new)
    s.require(lead["manager"], "!=", former["hr_profile_id"], f"{full_name(new)} reports to {full_name(old)}")
    reports = s.do("fetch_hr_profiles", "who reports there", manager=id_text(former["hr_profile_id"]),
                   employment_end_date="null")  # fmt: skip
    s.require(count(reports), ">=", 1, f"nobody reports to {full_name(old)}")
    more.look(person=lead)
    s.do_each(reports, "update_hr_profile", "each gets the new manager",
              hr_profile_id=id_text(ROW["hr_profile_id"]),
              manager=id_text(lead["hr_profile_id"]))  # fmt: skip
    more.write()
