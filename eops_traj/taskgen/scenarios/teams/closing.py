"""Scenarios about what is done with: channels that are closed, a team that has ended, one that goes into
another."""

from eops_traj.taskgen.expressions import ROW, holds, mapped
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.teams import extras, reasons
from eops_traj.taskgen.scenarios.teams import lookups as look
from eops_traj.taskgen.scenarios.teams.channels import OPEN
from eops_traj.taskgen.scene import Scene

ROOMY = """ AND 2 <= (SELECT COUNT(*) FROM channels c WHERE c.team_id = t.team_id AND NOT c.soft_delete
    AND NOT c.is_archived AND c.display_name <> 'General' AND c.membership_type = 'standard')"""
"""Of teams: that they have more than one open channel besides General."""
_OLDER = f"{OPEN} AND membership_type = 'standard' AND created_date_time < '2026-01-01' ORDER BY name"
_NEVER = (
    "never|not be archived|not be closed|can't be archived|can't be closed|isn't archived|is not archived"
    "|neither|not archivable|forbid|prohibit|not allowed|not permitted|protected|except|exempt|must stay"
    "|has to stay|stays open|must remain|all but|rename or archive|to archive General|archiving General"
    "|archive the General"
)
_GOES_ON = (
    "go on in|goes on in|going on in|continu|carry on|carries on|talk|conversation|discussion|takes no"
    "|takes over|point to|points to|same channel|write in|new place"
)
_SHARED = "shared channel|is shared|are shared|shared with|a shared|shares|membershipType"


@family(
    "teams",
    perturbations=("no_right", "policy_forbids", "missing_entity", "conflicting_demands"),
    consumes="team",
)
def close_channels(s: Scene) -> None:
    """An owner has channels closed that are done with; the talk goes on in another one."""
    me = look.pick_owner(s, ROOMY)
    team = look.pick_team(s, ROOMY)
    rooms = s.pick_some(_OLDER, 2, team=team.id)
    alone = s.chance(0.5)
    shut = rooms[:1] if alone else rooms
    heir = rooms[1]["name"] if alone and s.chance(0.5) else "General"
    beside = besides(s, *extras.some(extras.team_channels))
    look.demote(s, team)
    s.perturb("missing_entity", "UPDATE channels SET display_name = display_name || ' 2024' WHERE channel_id"
                                " = :id",
              id=shut[0]["channel_id"])  # fmt: skip
    names = look.join_words([room["name"] for room in shut])
    closed = s.phrase("policy_forbids", names, "General")
    goes_on = s.phrase("conflicting_demands", heir, names)
    when = look.say(s, s.rng.choice((
        "[Nothing is to be lost|Nothing may get lost] of what stands there.",
        "The files [stay|remain] where they are.",
        "It has been agreed with everyone who [wrote|still wrote] there.",
        "[The other owners know|All owners know] about it.",
    )))  # fmt: skip
    s.ask(
        """I counted the messages in {team}, and [the time has come|it is time] to archive {closed}, though
        only after a note there that sends [people|everyone] to {heir}. {when} [Only the complete list makes
        sense to me|Should one of the names be wrong, I would rather have nothing touched].""",
        """While {team} [is being tidied up|gets tidied up], the channels to be archived are these: {closed}.
        Whoever still opens them should read in the last message, before it shuts, that {heir} is the place to
        write in [instead|from now on]. {when} I want all that I named or nothing.""",
        """[As far as I can see|It seems that] nobody is writing in {closed} of {team} any more, so archive
        the lot after a last message that [points to|names] {heir}. {when} Since half of it helps nobody, [do
        it as a whole|do not split it] or leave it.""",
        """In the team that I own, {team}, [I want to shut|I would like to shut] {closed}, which begins with a
        word of farewell there and the hint that {heir} takes over, [and ends in|and is followed by] the
        archive. {when} If a name is not to be found or not to be closed, close nothing.""",
        """{when} With that [said|settled], archive {closed} in {team}, where whoever looks in later has to
        learn from the last message that the talk goes on in {heir}. If it cannot be done for all of them, [do
        not do it in part|leave them all open].""",
        """The owners of {team}, [of whom I am one|me among them], [decided on|agreed on] fewer channels, so
        [archive|close] {closed} and send the people who write there to {heir} with a message [on the spot|in
        the channel itself] beforehand. {when} It is all of this or none of it.""",
        closed=closed, team=team, heir=goes_on, when=when,
    )  # fmt: skip
    beside.say()
    s.duty("a notice in General about the channels")
    s.refuse("policy_forbids", "General is never archived", names=("General", _NEVER))
    s.refuse("conflicting_demands", "talk cannot go on in a channel that is archived",
             names=("archiv|clos|shut", _GOES_ON))  # fmt: skip
    found_team, _ = look.find_owned_team(s, team)
    channels = s.do("list_channels", "the channels to close", teamId=found_team["id"])["value"]
    for room in shut:
        s.require(count(channels.every(displayName=room["name"], isArchived=False)), "==", 1,
                  f"there is no open channel {room['name']} in {team}",
                  names=(room["name"], reasons.MISSING))  # fmt: skip
    s.require(
        count(channels.every(displayName=heir, isArchived=False)), "==", 1, f"{heir} is not open for writing"
    )
    beside.look()
    for room in shut:
        shutting = channels.where(displayName=room["name"])
        look.post_message(s, found_team, shutting,
                          f"This channel closes today. Please write in {heir} instead.",
                          f"say in {room['name']} where the talk goes on")  # fmt: skip
        s.do("archive_channel", f"close {room['name']}", teamId=found_team["id"], channelId=shutting["id"])
    look.post_notice(
        s,
        found_team,
        f"Closed from today on: {names}. The talk goes on in {heir}; {me['name']} asked for it.",
    )
    s.rule("Every channel that was closed says where the talk goes on, and General is open",
           """SELECT COUNT(*) FROM channels c WHERE c.team_id = :team AND c.is_archived AND c.display_name
           <> 'General' AND EXISTS (SELECT 1 FROM channel_messages m WHERE m.channel_id = c.channel_id AND
           m.created_datetime >= '2026-01-05' AND m.from_json ->> '$.user.id' = :me)""",
           expected=len(shut), team=team.id, me=me["user_id"])  # fmt: skip
    look.add_post_rule(s, team.row["name"])
    beside.write()


@family("teams", perturbations=("no_right", "missing_entity"))
def retire_team(s: Scene) -> None:
    """An owner winds a team up whose contents stay: every channel but General says so and is archived."""
    me = look.pick_owner(s, ROOMY)
    team = look.pick_team(s, ROOMY)
    words = look.say(s, s.rng.choice((
        "[The work is done|This work is finished]. [Questions go to|Ask in] General.",
        "[We close|We are closing] this channel today. [General stays open|General remains open for"
        " questions].",
        "Thank you all. [Whatever comes up later|What is left to say] belongs into General.",
        "[This place is read-only from now on|Nothing new is written here]. Please use General.",
    )))  # fmt: skip
    since = look.say(s, "[The last delivery went out in December|Its budget ended with the year|The final"
                        " report was"
                     " accepted on Friday|The sponsor closed the book on it|All its aims have been"
                     " met]")  # fmt: skip
    more = besides(s, *extras.some(extras.team_channels, extras.team_members))
    look.demote(s, team)
    look.rename_team(s, team)
    s.ask(
        """{since}, so {team} [has served its purpose|is finished], although [nothing of it may be deleted|its
        contents have to be kept]. Wind it up the way our rules [foresee|provide for], and let every channel
        that closes say '{words}' [before it does|as its last message].""",
        """We are [done|through] with {team}, because {lower}, but [people will want to|everybody may still]
        look things up there, which is why it is not to be deleted. What remains is to [close|archive] its
        open channels as the policy says, each of them after the words '{words}'""",
        """[Please retire|Retire] {team}, which I own and which nobody needs any more as {lower}, in a way
        that keeps what was written there [readable|for later]. '{words}' is the last [thing|message] to
        appear in each channel that you archive, and you archive those that our rules want archived.""",
        """{since}, and for {team} that means that [nobody writes in its channels|its channels are closed] any
        more, except where a team must [always|at all times] have one. Post '{words}' in each of them
        [first|beforehand], then archive it, so that [no content|nothing] goes away.""",
        """Of all my teams {team} is the one that is [merely finished|over], for {lower}, and I want to keep
        [what is in it|everything]. So archive whatever standard channels are still open, save the one that
        [may not|cannot] be, [after|once] '{words}' [stands|was posted] in each.""",
        """{team} [comes|has come] to its end, as {lower}, [but do not delete it|yet it is not to be deleted]:
        close it down in the milder way, channel by channel, and [in each|in every one] post '{words}' as a
        last message.""",
        since=since, lower=since[0].lower() + since[1:], team=team, words=words,
    )  # fmt: skip
    more.say()
    s.covers("all open standard channels of the team but General")
    s.duty("which channels are archived, the message before, the notice in General")
    found_team, _ = look.find_owned_team(s, team)
    rooms = s.do("list_channels", "what is still open", teamId=found_team["id"])["value"]
    ending = rooms.every(("displayName", "!=", "General"), isArchived=False, membershipType="standard")
    more.look()
    s.do_each(ending, "send_channel_message", "say that it closes, and where the talk goes on",
              teamId=found_team["id"], channelId=ROW["id"], body={"contentType": "text", "content": words},
              importance="normal")  # fmt: skip
    s.do_each(ending, "archive_channel", "close it", teamId=found_team["id"], channelId=ROW["id"])
    look.post_notice(
        s,
        found_team,
        f"All standard channels but this one are closed from today on, at the request of {me['name']}.",
    )
    s.rule("Each open standard channel is archived, with a message before, and General is not",
           """SELECT COUNT(*) FROM channels c WHERE c.team_id = :team AND c.membership_type = 'standard' AND
           NOT c.soft_delete AND NOT c.is_archived""", team=team.id)  # fmt: skip
    look.add_post_rule(s, team.row["name"])
    more.write()


_PLAIN_TEAM = """ AND NOT EXISTS (SELECT 1 FROM channels c WHERE c.team_id = t.team_id AND NOT c.soft_delete
    AND c.membership_type = 'shared') AND t.display_name NOT IN ('New Joiners', 'Leadership Circle',
    'Quarter Close', 'Finance Approvals') AND json_array_length(t.members) < 12"""


@family("teams", perturbations=("policy_forbids", "missing_entity", "no_right"), ood=True)
def merge_teams(s: Scene) -> None:
    """An administrator has one team's people taken into another one, and the former team deleted."""
    me = s.pick_caller(f"{look.PEOPLE}{look.ALONE} AND r.role IN ('admin', 'teams_admin') ORDER BY r.role")
    pair = s.pick_some(f"{look.TEAMS}{_PLAIN_TEAM} ORDER BY t.team_id", 2)
    old, new = (look.team_row(row, s.rng) for row in pair)
    room = s.pick(f"{OPEN} AND membership_type = 'standard' ORDER BY name", team=old.id)
    more = besides(s, *extras.some(extras.team_members, extras.team_channels, extras.team_tags))
    s.perturb("policy_forbids", "UPDATE channels SET membership_type = 'shared' WHERE channel_id = :id",
              id=room["channel_id"])  # fmt: skip
    look.rename_team(s, old)
    other = s.pick(f"{look.PEOPLE}{look.ALONE} AND r.role = 'member' ORDER BY u.user_id")
    mine = look.say_role(s)
    hat = s.phrase("no_right", mine, look.say_plain(s, other["name"]))  # fmt: skip
    s.ask(
        """{old} and {new} [do the same work|work on the same things], so one of them goes. Take everybody
        from {old} into {new}, [guests as guests|in the role of a guest where they are guests], all others as
        plain members; whoever is [in both|there already] keeps the role. Then delete {old}, [whose contents
        may go|its contents may go]. {hat}""",
        """{hat} {old} is [dissolved|to be dissolved], and nobody [needs|will miss] what stands in it: it may
        be deleted, contents and all. [Before that|First] its people move to {new}, those of them who are [not
        in it|missing there], as members, or as guests if that is what they are now.""",
        """After the [reorganisation|new plan of departments] only {new} is left of two teams. The people of
        {old} [join it|come in] without owning anything ([guests remain guests|a guest stays a guest]), unless
        they are in it. The old team is deleted [afterwards|after that]; I confirm that its contents can go.
        {hat}""",
        """{new} [absorbs|takes over] {old}. That has two parts: [add|bring in] each person of {old} who is
        not in {new} yet, owners too, as a plain member and guests as guests; [and delete|then delete] {old}
        for good, with all that was written there. {hat}""",
        """The contents of {old} [have been copied|were saved] elsewhere and may go, so [delete the team|the
        team can be deleted] as soon as all of its people [are found|have a place] in {new}. They are plain
        members there, guests are guests, and [those|people] who belong to both [are left alone|need no
        change]. {hat}""",
        """{hat} [There is no use in|Nobody sees the use of] two teams, {old} and {new}. Keep the second. From
        the first add who is missing, [as a member, or as a guest|as a guest, or else as a member], according
        to what they are. The first is then deleted, [whatever it holds|contents included].""",
        old=old, new=new, hat=hat,
    )  # fmt: skip
    more.say()
    s.covers("everybody in the former team")
    s.branches("who is in the other team already")
    s.duty("people who have left are passed over, and the notice in General")
    s.refuse(
        "no_right",
        f"{other['name']} is a plain member and may not delete teams",
        names=(reasons.PLAIN_MEMBER,),
    )
    going, staying = (
        look.find_team(s, old, "the team that goes"),
        look.find_team(s, new, "the team that stays"),
    )
    rooms = s.do("list_channels", "nothing of it is shared", teamId=going["id"])["value"]
    s.require(count(rooms.every(membershipType="shared")), "==", 0,
              f"{old} has a shared channel, and is not deleted", names=(_SHARED,))  # fmt: skip
    people = s.do("list_team_members", "whom to take over", teamId=going["id"])["value"]
    there = s.do("list_team_members", "who is there already", teamId=staying["id"])["value"]
    accounts = s.do("list_users", "who works here, and as what", _filter="accountEnabled eq true", _top=999,
                    _select="id,displayName,accountEnabled,userType")["value"]  # fmt: skip
    more.look()
    s.do_each(
        accounts, "add_team_member", "who is in the one and not in the other",
        when=holds(count(people.every(userId=ROW["id"])), ">", count(there.every(userId=ROW["id"]))),
        teamId=staying["id"], roles=[mapped(ROW["userType"], {"Guest": "guest", "Member": "member"})],
        user_odata_bind=look.user_link(ROW),
    )  # fmt: skip
    look.post_notice(
        s, staying, f"The people of {old.row['name']} belong to this team from today on, at the request of"
        f" {me['name']}."
    )  # fmt: skip
    s.do("delete_team", "the former team", teamId=going["id"])
    s.rule("The former team is deleted, and each of its people who works here is in the other",
           """SELECT COUNT(*) FROM teams o, json_each(o.members) m JOIN teams_users u ON u.user_id = m.value
           ->>
           'userId' AND u.org_id = o.org_id WHERE o.team_id = :old AND o.soft_delete AND u.account_enabled
           AND NOT
           EXISTS (SELECT 1 FROM teams n, json_each(n.members) x WHERE n.team_id = :new AND x.value ->>
           'userId' =
           u.user_id)""", expected=0, old=old.id, new=new.id)  # fmt: skip
    look.add_post_rule(s, new.row["name"])
    more.write()
