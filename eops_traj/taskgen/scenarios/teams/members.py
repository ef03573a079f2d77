"""Scenarios about who is in a team: new members at once, another owner."""

import json

from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count, text
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.teams import extras, reasons
from eops_traj.taskgen.scenarios.teams import lookups as look
from eops_traj.taskgen.scene import Scene

EMPLOYED = " AND u.employee_type = 'Employee'"


@family("teams", perturbations=("no_right", "inactive_person", "two_namesakes"), produces="team")
def staff_up(s: Scene) -> None:
    """An owner takes several colleagues into a team at once, one of them perhaps as an owner."""
    me = look.pick_owner(s)
    team = look.pick_team(s)
    rows = look.pick_several(s, look.STRANGERS + EMPLOYED, s.rng.randint(2, 4), team=team.id)
    people = [look.describe_person(s, row, plain=place == 0) for place, row in enumerate(rows)]
    leads = s.chance(0.4)
    since = s.day(0, 0)
    beside = besides(s, *extras.some(extras.team_members))
    look.demote(s, team)
    look.disable_account(s, people[0])
    look.add_namesake(s, *people)
    role = look.say(s, "[{lead} comes in as an owner, everybody else as a plain member|Make {lead} an owner"
                       " of it and"
                    " the rest ordinary members]." if leads else
                    "[All of them|They all] [come in|join] as [plain|ordinary] members.",
                    lead=people[1])  # fmt: skip
    s.ask(
        """{team} [gets|is getting] help from {people}, [as agreed with their managers|which their managers
        have agreed to]. {role} [They have been told|Everybody knows] that it starts {since}, so take them in
        [all at once|together]. If there is a hitch with any of them, [take in nobody|add no one] and tell
        me.""",
        """The work in {team} [has doubled|is too much for us] since the autumn, and {people} [help us
        out|lend a hand] beginning {since}. {role} I would like them to come as one group: if one of them
        cannot be added, [wait with|leave out] the others as well.""",
        """{people} [share|will share] one desk and one task, so for {team} it is all of them or none. {role}
        [Day one|The first day] is {since}. [Could you put them in|Please put them in] with a single step and
        [let the team know|tell the team], the way such changes are told?""",
        """[In the meeting of the owners|Among us owners] it was decided whom {team} takes in: {people}, as of
        {since}. {role} [Without the full number|If the list is incomplete] the plan does not work, so do not
        [do it|begin] by halves.""",
        """I have [found|got] new people for {team}, namely {people}. {role} Their work with us
        [begins|starts] {since}, [and they need what is kept there|and they have to read along]. Do not add
        some and leave others out; then I would rather plan [again|anew].""",
        """Beginning {since}, {people} belong to {team}. {role} [It has to be|I need] the complete set or
        nothing at all, since [each of them covers another shift|every one of them brings something that the
        others lack].""",
        """[My manager|Our director] has freed {people} for {team}, with effect from {since}. {role} As a rota
        with gaps is worse than the old one, I would ask you to check them all before adding [anybody|the
        first], and to add nobody if one [drops out|cannot come].""",
        """Since everybody agreed, {team} may count on {people} from {since}. {role} [Bring them in|Enter
        them] in a single go; where one name [does not work out|causes trouble], the others stay outside,
        too.""",
        """How soon can {people} be in {team}? [I had {since} in mind|My plan says {since}]. {role} They
        [rotate|take turns] among themselves, [and that only works|which works only] with the full line-up,
        [therefore nothing is done|so do nothing] if it is not complete.""",
        team=team, people=look.join_words(people), role=role, since=since,
    )  # fmt: skip
    beside.say()
    s.duty("the notice in General")
    found_team, members = look.find_owned_team(s, team)
    new = [look.find_person(s, who, f"new member number {n}") for n, who in enumerate(people, 1)]
    for who, each in zip(people, new, strict=True):
        s.require(count(members.every(userId=each["id"])), "==", 0, f"{who} is in {team} already")
    beside.look()
    s.do(
        "add_team_members_in_bulk", "take them in", teamId=found_team["id"],
        values=[{"_odata_type": look.MEMBER, "user_odata_bind": look.user_link(each),
                 "roles": ["owner" if leads and place == 1 else "member"]} for place, each in enumerate(new)],
    )  # fmt: skip
    names = look.join_words(["{}"] * len(new))
    look.post_notice(
        s, found_team, text(f"New in this team from {since} on: {names}, at the request of {me['name']}.",
                            *(each["displayName"] for each in new))
    )  # fmt: skip
    s.rule(
        "Those who came in are in the team once each, and their accounts are enabled",
        """SELECT COUNT(*) FROM teams t, json_each(t.members) m JOIN teams_users u ON u.org_id = t.org_id
        AND u.user_id = m.value ->> 'userId' WHERE t.display_name = :team AND u.account_enabled AND
        u.user_id IN (SELECT value FROM json_each(:people))""",
        expected=len(people), team=team.row["name"], people=json.dumps([who.id for who in people]),
    )  # fmt: skip
    look.add_post_rule(s, team.row["name"])
    s.produce("team", found_team, "that team")
    beside.write()


_OTHER_OWNER = f"""{look.ANY_ROLE} AND EXISTS (SELECT 1 FROM teams t, json_each(t.members) m
    WHERE t.team_id = :team AND m.value ->> 'userId' = u.user_id AND m.value ->> '$.roles[0]' = 'owner')
    AND u.user_id <> :me ORDER BY u.user_id"""


@family(
    "teams", perturbations=("no_right", "inactive_person", "two_namesakes", "policy_forbids"), produces="team"
)
def change_owner(s: Scene) -> None:
    """One of two owners has the other one replaced, who stays as a member."""
    me = look.pick_owner(s, look.TWO_OWNERS)
    team = look.pick_team(s, look.TWO_OWNERS)
    before = s.pick(_OTHER_OWNER, team=team.id, me=me["user_id"])
    inside, named = s.chance(0.6), s.chance(0.5)
    source = (look.MEMBERS if inside else look.STRANGERS) + EMPLOYED + look.ALONE
    old = look.describe_person(s, before)
    new = look.describe_person(
        s, look.pick_several(s, f"{source} AND u.user_id <> '{old.id}'", 1, team=team.id)[0], plain=True
    )
    said = str(old) if named else look.say(s, "[my fellow owner|the other owner|the second owner]")
    beside = besides(s, *extras.some(extras.team_members))
    victim = look.add_namesake(s, new, old, among=look.MEMBERS if inside else look.STRANGERS, team=team.id)
    look.show_namesake(s, new, victim, "teams.members", "team_id = :team", team=team.id)
    look.demote(s, team)
    look.disable_account(s, new)
    s.perturb(
        "policy_forbids", "UPDATE teams_users SET employee_type = 'Contractor' WHERE user_id = :id", id=new.id
    )
    stands = look.say(s, "{new} [is a member already|belongs to the team already]." if inside else
                      "{new} is not in the team [so far|yet].", new=new)  # fmt: skip
    s.ask(
        """{team} [is run by|belongs to] two of us, and as {old} has asked me to find somebody else [to share
        it with|for that part] and {new} [is willing|said yes], make {new} an owner and let {old} go back to
        being a plain member. {stands} [The two changes|Both changes] only make sense together.""",
        """From today {new} [owns {team} with me|is the one who owns {team} beside me], [in the place
        of|instead of] {old}, who stays on as a member only. {stands} Nobody [leaves|has to leave] the team,
        [and I stay what I am|and my own role remains], but if one half cannot be done, leave the other.""",
        """The ownership of {team} [passes|goes] from {old} to {new}, [in agreement with|and all three of us
        agree, as does] my manager. {stands} [Change the roles accordingly|Set both roles accordingly], so
        that the one comes in as an owner and the other goes back to member, [all of it or nothing|never one
        without the other].""",
        """[In {team} I need|I need in {team}] an owner who is [here every day|at hand all week], and that is
        {new}; as soon as that role is set, {old} becomes an ordinary member again, [which was discussed|as we
        discussed]. {stands} Half of it would leave us [worse off|with a gap], so it is [both or neither|the
        whole or nothing].""",
        """Since {old} [has moved on to other work|is busy elsewhere], {team} [gets|should have] {new} as its
        second owner, [next to me|along with me], [and|while] the former one [remains|stays] among the
        members. {stands} As these steps [belong together|need each other], [change both|do the two] or
        [neither|none].""",
        """[The quarterly review of owners|The yearly review of access] showed that in {team} the role is
        [with the wrong person|not where the work is], so make {new} an owner, then make {old} an ordinary
        member. {stands} If one step [fails|is ruled out], skip the other too.""",
        """[My partner in running {team} is changing|I get another partner in running {team}], since {old}
        [asked to step back|wants to step back] and {new} [steps forward|takes the place]: [ownership for the
        latter, ordinary membership for the former|the one becomes an owner, the other an ordinary member].
        {stands} Should the first [turn out to be|be] impossible, the second is [pointless|off as well].""",
        """{new} for {old}: that is the [exchange|swap] [I would like|that I ask for] among the owners of
        {team}, [where I am the constant|where only I stay the same]. {stands} Whoever [leaves|gives up] the
        role [is still|remains] a member, and [neither change is made without the other|it takes both changes
        or none].""",
        old=said, new=new, team=team, stands=stands,
    )  # fmt: skip
    beside.say()
    s.duty("the notice in General")
    found_team, members = look.find_owned_team(s, team)
    coming = look.find_person(s, new, "the new owner")
    if named:
        going = look.find_person(s, old, "the owner so far")
        their = members.where(userId=going["id"])
    else:
        s.indirect("the other owner", hidden=[before["name"], before["email"]])
        their = members.where(("email", "!=", me["email"]), roles=["owner"])
    s.require(coming["employeeType"], "==", "Employee",
              f"{new} is no employee, and contractors and interns own nothing",
              names=(new.names, reasons.NO_EMPLOYEE))  # fmt: skip
    beside.look()
    if inside:
        s.do("update_team_member", "the new owner", teamId=found_team["id"], roles=["owner"],
             membershipId=members.where(userId=coming["id"])["id"])  # fmt: skip
    else:
        s.do("add_team_member", "the new owner", teamId=found_team["id"], roles=["owner"],
             user_odata_bind=look.user_link(coming))  # fmt: skip
    s.do("update_team_member", "a plain member from now on", teamId=found_team["id"], roles=["member"],
         membershipId=their["id"])  # fmt: skip
    look.post_notice(
        s, found_team, text(
            f"{new.row['name']} owns this team from today on, in place of {{}}, who stays a member."
            f" {me['name']} asked for it.", their["displayName"])
    )  # fmt: skip
    s.rule("The team still has two owners, who work here and are employees",
           """SELECT COUNT(*) FROM teams t, json_each(t.members) m JOIN teams_users u ON u.org_id = t.org_id
           AND u.user_id = m.value ->> 'userId' WHERE t.display_name = :team AND NOT t.soft_delete AND
           m.value ->> '$.roles[0]' = 'owner' AND u.account_enabled AND u.user_id IN (:me, :new)""",
           expected=2, team=team.row["name"], me=me["user_id"], new=new.id)  # fmt: skip
    look.add_post_rule(s, team.row["name"])
    s.produce("team", found_team, "that same team")
    beside.write()
