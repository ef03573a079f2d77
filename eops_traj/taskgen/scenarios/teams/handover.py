"""A scenario about somebody who leaves: a team is handed over, and the account is closed."""

from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import text
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.teams import extras, reasons
from eops_traj.taskgen.scenarios.teams import lookups as look
from eops_traj.taskgen.scene import Scene

ALONE_ON_TOP = """SELECT t.team_id, t.display_name AS name, t.members, o.value ->> 'userId' AS owner
FROM teams t, json_each(t.members) o WHERE t.org_id = 'corvane-001' AND NOT t.soft_delete AND NOT
t.is_archived
AND o.value ->> '$.roles[0]' = 'owner' AND o.value ->> 'userId' <> :me
AND 1 = (SELECT COUNT(*) FROM json_each(t.members) WHERE value ->> '$.roles[0]' = 'owner') ORDER BY
t.team_id"""
"""Teams with one owner, who is someone else."""


@family("teams", perturbations=("policy_forbids", "inactive_person", "two_namesakes"))
def hand_over(s: Scene) -> None:
    """Somebody leaves: the successor owns the team, the leaver is taken out, the account is disabled."""
    me = s.pick_caller(f"{look.PEOPLE}{look.ALONE} AND r.role = 'admin'")
    team = look.team_row(s.pick(ALONE_ON_TOP, me=me["user_id"]), s.rng)
    owner = s.pick(f"{look.PEOPLE}{look.ALONE} AND u.user_id = :id", id=team.row["owner"])
    heir_row = s.pick(f"{look.MEMBERS}{look.ALONE} AND u.employee_type = 'Employee' AND u.user_id <> :me"
                      " ORDER BY u.user_id", team=team.id, me=me["user_id"])  # fmt: skip
    named = s.chance(0.6)
    leaver = look.describe_person(s, owner, plain=True)
    heir = look.describe_person(s, heir_row, plain=True)
    said = str(leaver) if named else look.say(
        s, "[the only owner of {team}|whoever owns {team} at present|the present owner of {team}]", team=team
    )  # fmt: skip
    more = besides(s, *extras.some(extras.team_members))
    s.perturb(
        "policy_forbids",
        "UPDATE teams_users SET employee_type = 'Contractor' WHERE user_id = :id",
        id=heir.id,
    )
    look.disable_account(s, heir)
    victim = look.add_namesake(s, heir, leaver, among=look.MEMBERS, team=team.id)
    look.show_namesake(s, heir, victim, "teams.members", "team_id = :team", team=team.id)
    s.ask(
        """Today is the last day of {leaver}, [and|which means that] {team} needs somebody to [look after|run]
        it. {heir} [takes over|steps in] as its owner; [after that|then] the one who goes leaves the team and
        the account is closed for logging in. I ask as Global Administrator. If {heir} cannot be the owner
        [for some reason|after all], leave everything as it is.""",
        """{heir} has agreed to own {team} [from now on|as of today], because {leaver} is leaving Corvane
        [this afternoon|at noon]. [Make that so|Change the ownership], remove the leaver from the members and
        disable the account, [not delete it|without deleting it]. One without the others would be of no use.
        The Global Administrator [sends you this|is asking].""",
        """[We say goodbye to {leaver}|A farewell: {leaver} is going], and I want no [team without an
        owner|ownerless team] behind. The successor for {team} is {heir}, [who knows it well|who has been in
        it for years]. [No successor, no change|All of it or nothing]: ownership first, then the membership,
        then the [login|account]. My role is Global Administrator.""",
        """Somebody [has to|must] follow {leaver} at {team}, and that is {heir}. [Could|Would] you do the
        whole handover in one go: ownership to the one, the other out of the team, [and the account of the
        latter|and that person's account] disabled [from today|as from now]? As Global Administrator I [would
        rather|prefer to] see nothing done than half of it.""",
        """[HR tells me|I hear from HR] that {leaver} [works here for the last time today|has the last day
        today]. Nothing is handed over yet. {heir} becomes the owner of {team}, the leaver's membership there
        ends, and nobody [logs in|signs in] with that account [any more|again]. [Stop|Do nothing] if the first
        of these is [not possible|ruled out]; it is the Global Administrator who [asks|wants this].""",
        """{leaver} is [leaving us for good|about to leave us]. So that the work in {team} [goes on|does not
        stop], {heir} [gets|receives] the ownership; what remains is to take the person who leaves out of the
        team and to [switch off|disable] the account [the same day|today]. Either all of that or none of it. I
        am writing as Global Administrator.""",
        leaver=said, heir=heir, team=team,
    )  # fmt: skip
    more.say()
    found_team = look.find_team(s, team, "the team that is handed over")
    members = s.do("list_team_members", "who owns it", teamId=found_team["id"])["value"]
    if named:
        going = look.find_person(s, leaver, "who is leaving")
    else:
        s.indirect("the owner of the team", hidden=[owner["name"], owner["email"]])
        going = s.do("get_user", "who is leaving", userId=members.where(roles=["owner"])["userId"],
                     _select="id,displayName")  # fmt: skip
    coming = look.find_person(s, heir, "who takes over")
    s.require(coming["employeeType"], "==", "Employee",
              f"{heir} is no employee, and contractors and interns own nothing",
              names=(heir.names, reasons.NO_EMPLOYEE))  # fmt: skip
    more.look()
    s.do("update_team_member", "the successor owns the team", teamId=found_team["id"], roles=["owner"],
         membershipId=members.where(userId=coming["id"])["id"])  # fmt: skip
    s.do("remove_team_member", "the leaver is out of the team", teamId=found_team["id"],
         membershipId=members.where(userId=going["id"])["id"])  # fmt: skip
    look.post_notice(
        s, found_team, text(
            f"{heir.row['name']} owns this team from today on, in place of {{}}, at the request of"
            f" {me['name']}.", going["displayName"])
    )  # fmt: skip
    s.do("update_user", "nobody logs in with it any more", userId=going["id"], accountEnabled=False)
    s.rule("The team has an owner who works here",
           """SELECT COUNT(*) FROM teams t, json_each(t.members) m JOIN teams_users u ON u.user_id = m.value
           ->> 'userId' AND u.org_id = t.org_id WHERE t.team_id = :team AND m.value ->> '$.roles[0]' =
           'owner' AND u.account_enabled AND u.employee_type = 'Employee'""", team=team.id)  # fmt: skip
    look.add_post_rule(s, team.row["name"])
    more.write()
