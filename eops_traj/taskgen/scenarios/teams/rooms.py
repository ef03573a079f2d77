"""A scenario about a private channel: for some members of a team, and nobody else."""

import json

from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.teams import lookups as look
from eops_traj.taskgen.scenarios.teams.channels import fresh
from eops_traj.taskgen.scene import Scene

ROOMS = ("Succession", "Vendor Terms", "Complaints Review", "Tender Draft", "Reorganisation", "Security Gaps",
         "Price Review", "Office Lease", "Award Jury", "Incident Review")  # fmt: skip


@family("teams", perturbations=("no_right", "policy_forbids", "inactive_person"))
def private_room(s: Scene) -> None:
    """An owner has a private channel made for some members of a team, and owns it."""
    me = look.owner(s)
    team = look.place(s)
    name = s.rng.choice(ROOMS)
    people = [
        look.named(s, row, plain=place == 0)
        for place, row in enumerate(look.several(s, look.MEMBERS, s.rng.randint(2, 3), team=team.id))
    ]
    words = s.rng.choice((
        "What is said in here stays in here.",
        f"This is the place for {name}. Please keep files in here as well.",
        "We start on Monday; until then, read and stay silent.",
    ))  # fmt: skip
    fresh(s, team, name)
    look.demote(s, team)
    look.gone(s, people[0])
    spot = next(n for n, m in enumerate(json.loads(team.row["members"])) if m["userId"] == people[0].id)
    s.perturb("policy_forbids", "UPDATE teams SET members = json_remove(members, :spot) WHERE team_id = :id",
            spot=f"$[{spot}]", id=team.id)  # fmt: skip
    s.ask(
        """a delicate matter: I need a private channel {name} in {team}. In it are {people} and I, and I own
        it. Its first message: '{words}' Should one of them not qualify, make no channel.""",
        """please set up {name} as a private channel of {team}, owned by me, with {people} as members, every
        one of them or it makes no sense. Then post there, word for word, '{words}'""",
        """not everyone in {team} should read this, so make it private: a channel {name} for {people}, with
        me as its owner. Begin it with '{words}' It must be exactly this circle; otherwise leave it.""",
        """who may see {name}? Only {people} and myself. It is a new private channel in {team} that belongs
        to me. If anyone of the circle falls away, do nothing. First entry: '{words}'""",
        """private channel, please. Team: {team}. Name: {name}. Owner: me. Members: {people}, complete or
        not at all. Opening message: '{words}'""",
        """I must talk about something with {people}, and {team} has no quiet corner. Make one: a private
        channel called {name}, I am the owner, the others members. '{words}' is the first thing to stand in
        it. The circle is fixed; without one of them there is no channel.""",
        name=name, team=team, people=look.listed(people), words=words,
    )  # fmt: skip
    found, members = look.find_owned(s, team)
    rooms = s.do("list_channels", "the name is free", teamId=found["id"])["value"]
    s.require(count(rooms.every(displayName=name)), "==", 0, f"there is already a channel {name} in {team}")
    inside = []
    for n, who in enumerate(people, 1):
        each = look.person(s, who, f"member number {n}")
        s.require(count(members.every(userId=each["id"])), "==", 1, f"{who} is not a member of {team}")
        inside.append({"user_odata_bind": look.link(each), "roles": ["member"]})
    mine = look.myself(s)
    made = s.do(
        "create_channel", f"the private channel {name}", teamId=found["id"], displayName=name,
        membershipType="private", members=[{"user_odata_bind": look.link(mine), "roles": ["owner"]}, *inside],
    )  # fmt: skip
    look.say(s, found, made, words, "the first words")
    look.notice(s, found, f"There is a private channel {name} from today on, at the request of {me['name']}.")
    s.rule("Everyone in the private channel is a member of the team, and its owner owns the team",
           """SELECT COUNT(*) FROM channels c JOIN teams t USING (team_id) JOIN channel_members p USING
           (channel_id) JOIN json_each(t.members) m ON m.value ->> 'userId' = p.user_id WHERE t.team_id =
           :team AND c.display_name = :name AND c.membership_type = 'private' AND (p.roles = 'member' OR
           p.user_id = :me AND m.value ->> '$.roles[0]' = 'owner')""",
           expected=len(people) + 1, team=team.id, name=name, me=me["user_id"])  # fmt: skip
    look.told(s, team.row["name"])
