"""Scenarios about teams as a whole: making one, giving one another name."""

from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count, text
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.teams import extras, reasons
from eops_traj.taskgen.scenarios.teams import lookups as look
from eops_traj.taskgen.scene import Scene

THEMES = (  # name, what it is for, a first channel
    ("{city} Office Move",
     "Plans the move of the {city} office, from the first boxes to the last cable.", "Floor Plans"),
    ("{city} Customer Day",
     "Prepares the customer day in {city}, with speakers, rooms, catering and follow-up talks.",
     "Speakers"),
    ("{city} Hiring Round",
     "Coordinates interviews and offers for the hiring round of the {city} office this spring.",
     "Candidates"),
    ("{city} Network Refresh",
     "Replaces the switches and access points in {city} without losing a working day.", "Cabling"),
    ("{city} Fire Drill",
     "Organises the yearly fire drill in {city} and writes up what went wrong there.", "Wardens"),
    ("{city} Partner Audit",
     "Collects answers and evidence for the audit of our partners in and around {city}.", "Evidence"),
    ("{city} Summer Party",
     "Looks after place, music, food and budget of the summer party in {city}.", "Ideas"),
    ("{city} Backup Site",
     "Builds and tests a second site for our systems in {city} before the autumn.", "Test Runs"),
    ("{city} Training Week",
     "Sets up a week of trainings in {city} for everyone who meets customers often.", "Timetable"),
    ("{city} Van Fleet",
     "Decides which vans in {city} are replaced this year and who gets them first.", "Offers"),
)  # fmt: skip
CITIES = ("New York", "London", "Mumbai", "Tokyo", "Sydney", "Leeds", "Osaka", "Pune", "Newark",
          "Bristol")  # fmt: skip
SECOND = ("Minutes", "Open Points", "Budget", "Suppliers", "Questions", "Milestones")
NAMES = ("{one} Works", "{one} Desk", "{one} Forum", "{one} Hub", "{one} Crew", "{one} Exchange",
         "{one} Square", "{one} Matters", "All About {one}", "Inside {one}", "{one} and Friends",
         "{one} Today")  # fmt: skip
RULES = {  # what may no longer be done, as an argument
    "members may no longer delete channels": {"memberSettings": {"allowDeleteChannels": False}},
    "members may no longer make private channels": {"memberSettings": {"allowCreatePrivateChannels": False}},
    "members may no longer add or remove apps": {"memberSettings": {"allowAddRemoveApps": False}},
    "nobody deletes their own messages any more": {"messagingSettings": {"allowUserDeleteMessages": False}},
    "memes and stickers are switched off": {"funSettings": {"allowStickersAndMemes": False}},
}
_OLD_NAME = (
    "old name|old one|the old|its old|current name|present name|former name|existing name|both names"
    "|two names|keep the name|keep its name|keep that name|keep being|remain called|stay called"
    "|still be called|at once|same time"
)


_OPEN = (  # to whom a team is open, or to whom not, or both at once
    ("Anyone in the company may join, without any invitation.",
     "It is by invitation only, so not anyone may join.",
     "Anyone in the company may join, and it is by invitation only."),
    ("Anybody may join it on their own.", "Nobody may join it on their own, they are invited.",
     "Anybody may join it on their own, and nobody who is not invited."),
    ("It is open to everybody here.", "It is open to those who are invited, to nobody else.",
     "It is open to everybody here, and to nobody who is not invited."),
    ("People of other teams can come in as they like.",
     "People of other teams can come in when they are invited.",
     "People of other teams can come in as they like, but only when they are invited."),
)  # fmt: skip


@family("teams", perturbations=("policy_forbids", "inactive_person", "conflicting_demands"), produces="team")
def open_team(s: Scene) -> None:
    """A Teams administrator has a team made, with owners, members and channels."""
    me = s.pick_caller(f"{look.PEOPLE}{look.ALONE} AND r.role IN ('admin', 'teams_admin') ORDER BY r.role")
    city = s.rng.choice(CITIES)
    name, about, channel = (part.format(city=city) for part in s.rng.choice(THEMES))
    more = f"{channel} and {s.rng.choice(SECOND)}" if s.chance(0.5) else channel
    channels = f"the channels {more}" if " and " in more else f"a channel {more}"
    staff = look.pick_several(s, f"{look.PEOPLE} AND u.employee_type = 'Employee'", 4)
    people = [look.describe_person(s, row, plain=place == 1) for place, row in enumerate(staff)]
    people = people[: s.rng.randint(3, 4)]
    public = s.chance(0.3)
    old = s.pick(f"{look.TEAMS} AND t.group_id IS NULL ORDER BY t.team_id")
    beside = besides(s, *extras.some())
    s.perturb(
        "policy_forbids",
        "UPDATE teams SET display_name = :name WHERE team_id = :id",
        name=name,
        id=old["team_id"],
    )
    look.disable_account(s, people[1])
    anyone, invited, both = s.rng.choice(_OPEN)
    open_to = s.phrase("conflicting_demands", anyone if public else invited, both)
    s.ask(
        """[Work begins|We begin] on something new, and as {hat} I want [a place|a team] for it by the name of
        {name}. {one} and {two} own it together; {rest} {belong} to it as well. {open} [The description
        reads|Describe it as] '{about}' Besides General it needs {more}, and without both owners I do not want
        the team at all.""",
        """{one} [has been asking for|has asked for] a team for weeks, {two} is willing to share the
        ownership, and {rest} would [come in|join] without owning anything. Call it {name}, [describe
        it|introduce it] with '{about}' and add {more}. {open} No team with half its owners, please; I
        [order|decide] this as {hat}.""",
        """[The steering group|The project board] has approved {name}, '{about}' Set it up as a team whose
        owners are {one} and {two}, both or none, and [to which {rest} {belong} as well|in which {rest} {take}
        part too]. {open} [Besides|Apart from] General it has {more}. You act for the {hat} in this.""",
        """{name} is [to become|going to be] a team of its own, run by {one} and {two}; if one of these [drops
        out|cannot do it], the plan is off. {rest} {take} part without owning anything. What [people|others]
        read about it is '{about}' {open} [See that it has|It gets] {more} from the start. My role: {hat}.""",
        """Until now {one} and {two} [did all of this|have done everything] by mail, which [does not
        work|stops working] with {rest} on board. [Make|Please make] a team {name} for them, the first two as
        owners (it stands and falls with both), the rest as members, and [put {more} into it|give it {more}].
        {open} Under the name it says '{about}' I can ask for it as {hat}.""",
        """{open} That is [about|true of] the new team {name}, which I want [for|because of] the following:
        '{about}' Ownership goes to {one} and {two}, and to nobody if one of them is not to be had; {rest}
        {belong} to it. [Make {more} with it|It begins with {more}]. I am {hat}.""",
        """Facilities and finance have [agreed to|signed off] a project that will need {one} and {two} at its
        head, as joint owners of a team {name}, or no team at all. {rest} {take} part as well, {more}
        [are|get] set up besides General where they will talk, and newcomers read '{about}' {open} The request
        is mine as {hat}.""",
        """{name}: under that [title|heading] I would like a team to [come into being|start], [described
        by|explained with] '{about}' and [provided|fitted out] with {more} [next to|besides] General. {open}
        Two people own it, {one} and {two}, and if either cannot, nothing is made; {rest} {belong} to it, too.
        My authority is that of {hat}.""",
        """Who [will be|is] in the new team {name}? {one} and {two} at the top, both of them or the whole
        thing is off, and {rest} without ownership. What it does is summed up as '{about}' {open} Let General
        have company by {more}. As {hat} I [may ask for such things|have the right to ask].""",
        name=name, one=people[0], two=people[1], rest=look.join_words(people[2:]), more=channels, about=about,
        open=open_to, belong="belongs" if len(people) == 3 else "belong",
        take="takes" if len(people) == 3 else "take", hat=look.HATS[me["role"]],
    )  # fmt: skip
    beside.say()
    s.duty("General of the new team says who owns it and what it is for")
    s.refuse("conflicting_demands", "a team cannot be by invitation only and open to everyone at once",
             names=("invit|private|closed", "anyone|everyone|everybody|public|join|open to"))  # fmt: skip
    same = s.do("list_teams", "no team of that name yet", _filter=f"displayName eq '{name}'")["value"]
    s.require(count(same), "==", 0, f"there is already a team named {name}", names=(name, reasons.TAKEN))
    users = [look.find_person(s, who, "owner" if place < 2 else "member") for place, who in enumerate(people)]
    beside.look()
    found_team = s.do(
        "create_team", f"make {name}", template_odata_bind=f"{look.GRAPH}teamsTemplates('standard')",
        displayName=name, description=about, visibility="public" if public else "private",
        members=[{"_odata_type": look.MEMBER, "user_odata_bind": look.user_link(who),
                  "roles": ["owner" if place < 2 else "member"]} for place, who in enumerate(users)],
        channels=[{"displayName": each} for each in more.split(" and ")],
    )  # fmt: skip
    look.post_notice(
        s, found_team,
        text(f"{{}} and {{}} own this team. {about}", *(who["displayName"] for who in users[:2])),
        "say who owns it and what it is for",
    )  # fmt: skip
    s.rule("The team has two owners, who work here and are employees",
           """SELECT COUNT(*) FROM teams t, json_each(t.members) m JOIN teams_users u ON u.org_id = t.org_id
           AND u.user_id = m.value ->> 'userId' WHERE t.display_name = :name AND NOT t.soft_delete AND
           m.value ->> '$.roles[0]' = 'owner' AND u.account_enabled AND u.employee_type = 'Employee'""",
           expected=2, name=name)  # fmt: skip
    look.add_post_rule(s, name, "General of the new team says who owns it")
    s.produce("team", found_team, f"the new team {name}")
    beside.write()


_OLD_NAMES = (  # what is said besides, and what contradicts the rest
    ("The old name may go, hardly any links have it.", "The old name may not go, too many links have it."),
    ("Links that have the old name still work after that.",
     "Links have the old name, so it has to stay after that."),
    ("People may forget the old name.", "People know the old name, so that is its name after that as well."),
    ("Nobody has to see the old name any more.", "Everybody has to see the old name there as before."),
    ("It need not keep the name that it has.", "All the same, it has to keep the name that it has."),
)  # fmt: skip


@family(
    "teams",
    perturbations=("no_right", "policy_forbids", "missing_entity", "conflicting_demands"),
    produces="team",
)
def rename_team(s: Scene) -> None:
    """An owner gives the team another name and description, and ties down what members may do."""
    me = look.pick_owner(s)
    team = look.pick_team(s)
    one = team.row["name"].removesuffix(" Team")
    name = s.rng.choice(NAMES).format(one=one)
    about = look.say(s, s.rng.choice((
        "Everything that {one} is asked for, in one place instead of [four|five].",
        "Where {one} plans the [week|month] and keeps what has been [decided|agreed].",
        "Questions for {one} from [all departments|all sides], answered within [a working day|two days].",
        "[Who does|Who is doing] what in {one}, and [by when|until when].",
        "[Plans|Dates], papers and [people|names] of {one}, open to [those who work with us|every member].",
    )), one=one)  # fmt: skip
    rules = s.rng.sample(sorted(RULES), 2)[: s.rng.randint(1, 2)]
    old = s.pick(f"{look.TEAMS} AND t.team_id <> :id ORDER BY t.team_id", id=team.id)
    room = s.pick(
        """SELECT channel_id, display_name AS name FROM channels WHERE team_id = :team AND NOT soft_delete
        AND NOT is_archived AND membership_type = 'standard' AND display_name <> 'General' ORDER BY 2""",
        team=team.id,
    )  # fmt: skip
    remark, also = "", s.chance(0.5)
    described = look.say(s, "[All about|Everything on|What {one} has to say on] {room}[, and nothing else|,"
                            " day by day|].",
                         one=one, room=room["name"])  # fmt: skip
    if also:
        remark = look.say(s, "[The channel|Its channel] {room} [gets|needs] a description [too|as well]:"
                             " '{words}'",
                          room=room["name"], words=described)  # fmt: skip
    beside = besides(s, *extras.some())
    look.demote(s, team)
    look.rename_team(s, team)
    s.perturb(
        "policy_forbids",
        "UPDATE teams SET display_name = :name WHERE team_id = :id",
        name=name,
        id=old["team_id"],
    )
    whole = look.say(s, s.rng.choice((
        "[Half of it|A part of it] [is no use to us|would not help us].",
        "It [belongs together|goes together]: all of it or [none|nothing].",
        "If one of these [is not possible|cannot be done], [leave|drop] the others.",
        "[I want|We want] the whole change or [none at all|no change].",
    )))  # fmt: skip
    stays = look.say(
        s,
        "[Everything else about it stays|All its other settings stay|Apart from that nothing"
        " changes|Whatever I did not"
        " mention is kept], [so that people find their way|because it works well enough].",
    )
    keep = s.phrase("conflicting_demands", *s.rng.choice(_OLD_NAMES))
    keep = f"{keep} {stays}" if s.chance(0.3) else keep
    s.ask(
        """[Nobody|Hardly anybody] understands what {team} is for, [judging by|to judge from] the questions
        that arrive there. So I, as one who owns it, want the name {name} and the description '{about}' In the
        settings, {rules}. {also} {keep} {whole}""",
        """[Two reorganisations|Two rounds of changes] later, the name of {team} no longer [fits|tells
        anything]. It is {name} from now on, and below it [stands|one reads] '{about}' {also} [Moreover|By the
        same decision], {rules}. {keep} {whole}""",
        """{team} is to be called {name} [as of today|from today], and its description [should read|reads]
        '{about}' Something else [that we owners agreed on|from our talk among owners]: {rules}. {also} {keep}
        {whole}""",
        """After [some arguing|a long discussion] we agreed on {name} as the new name for {team}. [Please put
        that in|Change that], together with '{about}' as the description. It was [also|likewise] agreed that
        {rules}. {also} {keep} {whole}""",
        """From today {rules} in {team}, by decision of [us owners|those who own it]. The team [also
        gets|gets] a better name, {name}, and [a better description|words that say what it does]: '{about}'
        {also} {keep} {whole}""",
        """[The new sign|The new name] for {team} reads {name}, [which is what people call it anyway|as most
        people call it already]. '{about}' is the text that goes with it. [Further to that|Then], {rules}.
        {keep} {also} {whole}""",
        """[Whenever|Each time] a customer asks me what {team} does, I end up [reading out|explaining] its
        name, and that has to stop: let it be {name}, introduced by '{about}' {also} In addition {rules},
        which [surprises no one|nobody objects to]. {keep} {whole}""",
        """Our [three|two] owners have [voted|decided], [and the result for {team} is|which gives {team}] a
        name, {name}, a line below it, '{about}', and a [stricter house|rule or two]: {rules}. {keep} {also}
        {whole}""",
        """{name} sounds [friendlier|clearer] than what {team} is called [so far|now], so [that is its name|it
        takes that name] [henceforth|for the new year], with '{about}' as the [words that explain it|line
        below]. {also} [Something that [came up|was decided] along the way|One thing more]: {rules}. {keep}
        {whole}""",
        """{also} That is one half of what I want for {team}; [the other|the second] is that it turns into
        {name}, with the text '{about}', and that {rules}. {keep} {whole}""",
        team=team, name=name, about=about, rules=look.join_words(rules), keep=keep, also=remark, whole=whole,
    )  # fmt: skip
    beside.say()
    s.duty("a notice in General that names the old name")
    s.refuse("conflicting_demands", "a team cannot have a new name and keep the old one",
             names=(f"{name}|new name|renam|another name|different name", _OLD_NAME))  # fmt: skip
    found_team, _ = look.find_owned_team(s, team)
    same = s.do("list_teams", "the new name is free", _filter=f"displayName eq '{name}'")["value"]
    s.require(count(same), "==", 0, f"there is already a team named {name}", names=(name, reasons.TAKEN))
    settings: dict[str, dict[str, bool]] = {}
    for each in rules:
        for kind, value in RULES[each].items():
            settings[kind] = settings.get(kind, {}) | value
    beside.look()
    s.do(
        "update_team",
        "the new name and settings",
        teamId=found_team["id"],
        displayName=name,
        description=about,
        **settings,
    )
    if also:
        rooms = s.do("list_channels", "the channel that is described", teamId=found_team["id"])["value"]
        s.do(
            "update_channel",
            "its description",
            teamId=found_team["id"],
            channelId=rooms.where(displayName=room["name"])["id"],
            description=described,
        )
    look.post_notice(
        s,
        found_team,
        f"This team was called {team.row['name']} and is called {name} from today on, at the"
        f" request of {me['name']}.",
        "name the old name in General",
    )
    s.rule(
        "The team has its new name, and no other team has it",
        "SELECT COUNT(*) FROM teams WHERE display_name = :name AND team_id = :id AND NOT soft_delete AND 1 = "
        "(SELECT COUNT(*) FROM teams WHERE display_name = :name)",
        name=name,
        id=team.id,
    )
    look.add_post_rule(s, name, "General names the change of name")
    s.produce("team", found_team, f"the team now called {name}")
    beside.write()
