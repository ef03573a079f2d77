"""Scenarios about skills: two become one, and a new one is recorded for those who have it."""

from eops_traj.taskgen.expressions import ROW
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import ResultRef, count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.desk_reasons import INACTIVE, MISSING, RETIRED, TAKEN
from eops_traj.taskgen.scenarios.hr.group_extras import ABOUT_DESK, about_group
from eops_traj.taskgen.scenarios.hr.lookups import (
    DEMOTE_CALLER,
    MANAGERS,
    id_text,
    my_email,
    require_manager,
)
from eops_traj.taskgen.scene import Scene

_PLAIN = "(SELECT COUNT(*) FROM skill o WHERE instr(lower(o.name), lower(k.name))) = 1"
"""The condition that no other skill has a name with this one's in it."""


def find_skill(s: Scene, name: str) -> ResultRef:
    """Look up a skill by its name."""
    skills = s.do("list_skills", f"the skill {name}", name=name)
    s.require(count(skills.every(name=name)), "==", 1, f"there is no skill called {name}",
              names=(name, f"no skill|{MISSING}"))  # fmt: skip
    return skills.where(name=name)


def active_people(s: Scene) -> ResultRef:
    """Look up everybody who is active, for their ids."""
    return s.do("list_users", "who is still here", active=True, limit=100)["users"].every()


@family("hr", perturbations=("policy_forbids", "missing_entity", "no_right"))
def merge_skills(s: Scene) -> None:
    """Two skills become one: whoever has the old one has the other afterwards, and the old one goes."""
    s.pick_caller(MANAGERS)
    old = s.pick(f"""SELECT * FROM skill k WHERE active AND {_PLAIN} AND NOT EXISTS (SELECT 1 FROM
        assignment_rules r JOIN json_each(r.based_on_skills) j WHERE r.active AND j.value = k.skill_id) AND
        (SELECT COUNT(*) FROM user_skill a WHERE a.skill = k.skill_id AND a.user NOT IN (SELECT user FROM
        user_skill b WHERE b.skill = 19)) BETWEEN 2 AND 8""")  # fmt: skip
    new = s.pick(
        f"""SELECT * FROM skill k WHERE active AND {_PLAIN} AND skill_id <> :old AND EXISTS (SELECT
        1 FROM user_skill a JOIN user u ON u.user_id = a.user WHERE a.skill = :old AND u.active AND a.user
        NOT IN (SELECT user FROM user_skill b WHERE b.skill = k.skill_id))""",
        old=old["skill_id"],
    )
    more = besides(s, *ABOUT_DESK)
    s.perturb("policy_forbids", """UPDATE assignment_rules SET based_on_skills = json_array(:old) WHERE name =
        'Portal trouble'""", old=old["skill_id"])  # fmt: skip
    s.perturb("missing_entity", "UPDATE skill SET name = 'Skill ' || skill_id WHERE skill_id = :new",
              new=new["skill_id"])  # fmt: skip
    s.perturb("no_right", DEMOTE_CALLER, me=my_email(s))
    s.covers("everybody who has the old skill and lacks the other")
    s.branches("who has the other skill already")
    s.ask(
        """[Nobody can tell|It is hard to tell] {old} and {new} apart, [so they become one|which is why we
        keep one of them]: {new}. [Whoever here has|Everybody still with us who has] {old} [and not the
        other gets|but lacks the other gets] {new}; [then all records of|after that, all entries about]
        {old} [are removed|go], and [the skill itself|that skill] is no longer asked for.""",
        """[The list of skills|Our list of skills] is [too long|longer than it has to be]. {old} [can go|is
        dropped], because {new} [covers it|says the same]. [See to it that|Make sure that] nobody loses by it:
        active colleagues with the one [who have not got|without] the other [receive that|are given the
        other], [every record|each record] of the old skill is deleted, and the skill becomes inactive.""",
        """{old} [is part of|counts as] {new} [from this year|since January], [which for the people
        means:|and for the people that means:] those who [are active and had|still work here and had] the
        first [without|but not] the second get the second. [For the records|In the system], no entry of the
        first [stays|remains], [and it is inactive|and the skill is switched off].""",
        """A search for {new} [misses|does not show] colleagues who are listed under {old} only. [Record it
        for|Enter it for] all of them [who are still active|as long as they are active], [leaving out|except
        for] those who have both; [then strike|and then delete] the old entries, [whoever they belong to|no
        matter whose they are], and take {old} out of use.""",
        """[In the skills review|At the review of skills] we agreed that {old} [says too little|is too
        vague] and that its bearers [count under|belong under] {new}, [where they are not there yet|if they
        are not there already] and [have not left|are active]. [Clean up afterwards|When that is done]:
        remove every recorded {old} and [set the skill to inactive|deactivate the skill].""",
        """{new} [swallows|absorbs] {old}. [Copy the people over|Carry the people over], [active ones
        only|which means the active ones] and [nobody twice|no duplicates], [erase|delete] what is recorded
        about {old}, for active and former people [alike|both], and [retire|deactivate] it; [our search
        filters|the search filters of the desk] are changed [tonight|this evening].""",
        old=old["name"], new=new["name"],
    )  # fmt: skip
    more.say()
    require_manager(s)
    former, kept = find_skill(s, old["name"]), find_skill(s, new["name"])
    s.require(kept["active"], "==", True, f"the skill {new['name']} is out of use",
              names=(new["name"], f"{INACTIVE}|{RETIRED}"))  # fmt: skip
    rules = s.do("list_assignment_rules", "whether a rule needs it", active=True,
                 based_on_skills=id_text(former["skill_id"]))  # fmt: skip
    s.require(count(rules), "==", 0, f"an active assignment rule names the skill {old['name']}",
              names=("rule", "active|in force|applied|uses|names|based on|needs|requires",
                     f"skill|{old['name']}"))  # fmt: skip
    have = s.do("list_user_skills", "who has the old one", skill=id_text(former["skill_id"]))
    others = s.do("list_user_skills", "who has the other", skill=id_text(kept["skill_id"]))
    staff = active_people(s)
    lack = have.every(("user", "in", staff["user_id"]), ("user", "not in", others.every()["user"]))
    more.look()
    s.do_each(lack, "add_new_skill_to_user", "each who lacks the other gets it", user=id_text(ROW["user"]),
              skill=id_text(kept["skill_id"]))  # fmt: skip
    s.do_each(have, "remove_user_skills", "each record of the old one goes",
              user_skill_id=id_text(ROW["user_skill_id"]))  # fmt: skip
    s.do("update_skill", "the old one is out of use", skill_id=id_text(former["skill_id"]), active=False)


_NEW_SKILLS = ("Works Council Matters", "Expatriate Care", "Return to Work", "Pension Advice",
               "Conflict Mediation", "Payslip Queries", "Contract Drafting", "Survey Design",
               "Salary Benchmarks", "Leave Planning")  # fmt: skip


@family("hr", perturbations=("policy_forbids", "missing_entity", "no_right"))
def introduce_skill(s: Scene) -> None:
    """A new skill is recorded for all members of a group who have a related one."""
    s.pick_caller(MANAGERS)
    new = s.rng.choice(_NEW_SKILLS)
    pair = s.pick(f"""SELECT g.name AS team, k.name AS skill FROM user_group g JOIN user_group_member m
        USING (group_id) JOIN user u USING (user_id) JOIN user_skill a ON a.user = u.user_id JOIN skill k ON
        k.skill_id = a.skill WHERE g.active AND k.active AND u.active AND {_PLAIN} GROUP BY 1, 2 HAVING
        COUNT(*) BETWEEN 2 AND 5""")  # fmt: skip
    more = besides(s, *about_group(pair["team"]))
    s.perturb("policy_forbids", "UPDATE skill SET name = :new WHERE name = 'Fax Archive'", new=new)
    s.perturb("missing_entity", "UPDATE user_group SET name = 'Group ' || group_id WHERE name = :name",
              name=pair["team"])  # fmt: skip
    s.perturb("no_right", DEMOTE_CALLER, me=my_email(s))
    s.covers("all active members of a group with a skill")
    s.ask(
        """[Since autumn|For some months] the people of {team} [who know|with] {skill} [have also dealt
        with|look after] {new}, [and the list of skills does not have that|which no list of ours shows]. [Add
        it as a skill|Make a skill of it], active, and [record it for all of them|enter it for each of
        them], provided they [still work here|are active].""",
        """{new} [is to become|should be] a skill of its own, [so that we can assign by it|which we can then
        assign by]. [The first to have it|Those who have it from the start] are the active members of {team}
        [with {skill} on record|who have {skill}]; [others follow|the rest follows] [after the course in
        March|when they have been trained].""",
        """[Everybody in {team} who has {skill} and is active|Each active member of {team} with {skill}]
        [attended the training|went through the training] on {new}. [There is no such skill yet|Our list
        does not know such a skill], so create it, in use from today, [and note it for each of these
        people|then give it to these people, every one of them].""",
        """[I want to find out|When asked, I want to be able to say] who can do {new}, and for that it has
        to be a skill first[, which it is not yet|]. [Once it exists|When it is there], enter it for
        [everyone who is in|all who belong to] {team}, [knows|who know] {skill} and [is|are] active.""",
        """[Our insurer asks|The insurer wants to see] who is trained in {new}, [and that is|which is]
        {team}, or [more exactly|rather] those there who have {skill} and are [still active|with us]. [Set
        up the skill|Add the skill to our list] and record [it with each of them|it for all of them], [no
        one else|nobody besides], [so that we have it in writing|so that the list proves it].""",
        """{skill} [used to include|once included] {new}; [now the two are separate|from now on they are two
        things]. [For {team}, nothing is lost by that|Nobody in {team} should lose by it]: after you have
        [added the new skill|made the new skill], all active members with the first [have it too|get the
        second as well].""",
        team=pair["team"], skill=pair["skill"], new=new,
    )  # fmt: skip
    more.say()
    require_manager(s)
    taken = s.do("list_skills", "whether there is such a skill", name=new)
    s.require(count(taken.every(name=new)), "==", 0, f"there is a skill {new} already",
              names=(f"{new}|skill|name", TAKEN))  # fmt: skip
    known = find_skill(s, pair["skill"])
    groups = s.do("list_user_groups", "the group", name=pair["team"])
    s.require(count(groups), "==", 1, f"there is no group called {pair['team']}",
              names=(pair["team"], MISSING))  # fmt: skip
    members = s.do("list_group_members", "who is in it", group_id=groups[0]["group_id"])
    have = s.do("list_user_skills", "who has the related skill", skill=id_text(known["skill_id"]))
    staff = active_people(s)
    more.look(group=groups[0])
    skill = s.do("add_new_skill", "the new skill", name=new, active=True)
    those = members.every(("user_id", "in", have.every()["user"]), ("user_id", "in", staff["user_id"]))
    s.do_each(those, "add_new_skill_to_user", "each of them has it", skill=id_text(skill["skill_id"]),
              user=id_text(ROW["user_id"]))  # fmt: skip
