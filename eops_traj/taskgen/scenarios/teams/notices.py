"""Scenarios about telling a whole team: in every open channel, where the files are, beside people's names."""

from eops_traj.taskgen.expressions import ROW, holds
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count, text
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.teams import extras, reasons
from eops_traj.taskgen.scenarios.teams import lookups as look
from eops_traj.taskgen.scenarios.teams.closing import ROOMY
from eops_traj.taskgen.scene import Scene

NEWS = (
    "[No releases|No changes at all] between {day} and the end of that week.",
    "The [network|file server] is down for two hours on {day}, [from 18:00 UTC|starting at 18:00 UTC].",
    "[New keys|New badges] are [due|handed out] on {day}; [bring the old one|come in person].",
    "[Please clear|Clear] your desks by {day}, the [painters|electricians] come after that.",
    "Our number for emergencies changes on {day}. The [new|next] one is on the wall.",
    "All orders have to be in by {day}, [later ones wait|what comes later waits] until March.",
)


@family("teams", perturbations=("no_right", "missing_entity"), consumes="team")
def tell_everyone(s: Scene) -> None:
    """An owner has the same words posted in every open standard channel of the team, to be read today."""
    look.pick_owner(s, ROOMY)
    team = look.pick_team(s, ROOMY)
    words = look.say(s, s.rng.choice(NEWS), day=s.day(2, 20).full)
    high = s.chance(0.6)
    how = look.say(s, "[It has to be read today|People have to read it today], [and it should look like"
                      " that|so mark it accordingly]." if high else
                   "[It is nothing pressing|There is no hurry about it], [so it needs no mark|which is why"
                   " it goes out unmarked].")  # fmt: skip
    more = besides(s, *extras.some())
    look.leave_out(s, team)
    if team.record is None:
        look.rename_team(s, team)
    s.ask(
        """People in {team} read one channel and [overlook|skip] the others, so what follows goes into each of
        its open standard channels, [private and shared ones|the private and the shared ones] left out:
        '{words}' {how}""",
        """I want the same lines [to stand|to be read] in all standard channels of {team} which are not
        archived, General [included|as well], and since the wording [is agreed|was agreed], you add nothing to
        it: '{words}' {how}""",
        """As an owner of {team} I [have|am obliged] to reach everybody in it, for which you post the
        following in every standard channel that is [open|still open], one after the other: '{words}'
        {how}""",
        """For {team} there is [the same message|one message], word for word, in each standard channel that
        takes messages, though [not in channels for a few|not in private channels], and it reads '{words}'
        {how}""",
        """[Whichever|Whatever] standard channel of {team} somebody opens, they should [find|see] a message
        there, unless the channel was archived, and [one per channel is|once in each is] enough: '{words}'
        {how}""",
        """{how} What I mean is a message that belongs into all channels of {team} that are standard and not
        archived, so that [nobody is to say|no one is able to say] that they did not see it: '{words}'""",
        """Nobody in {team} may miss this, and since its members look at different channels, each standard one
        that still takes messages [carries|gets] it: '{words}' {how}""",
        """Spread the word in {team}, channel by channel, though only in standard ones and not in what was
        archived: '{words}' {how} [A copy in General|General] counts among them.""",
        team=team, words=words, how=how,
    )  # fmt: skip
    more.say()
    s.covers("all open standard channels of the team")
    found_team = look.find_own_team(s, team)
    rooms = s.do("list_channels", "which are open", teamId=found_team["id"])["value"]
    more.look()
    s.do_each(rooms.every(isArchived=False, membershipType="standard"), "send_channel_message",
              "in each of them",
              teamId=found_team["id"], channelId=ROW["id"], body={"contentType": "text", "content": words},
              importance="high" if high else "normal")  # fmt: skip
    s.rule("Each open standard channel of the team has the message",
           """SELECT COUNT(*) FROM channels c JOIN teams t USING (team_id) WHERE t.display_name = :team AND
           NOT
           t.soft_delete AND NOT c.soft_delete AND NOT c.is_archived AND c.membership_type = 'standard' AND
           NOT EXISTS
           (SELECT 1 FROM channel_messages m WHERE m.channel_id = c.channel_id AND m.body_json ->>
           '$.content' =
           :words)""", expected=0, team=team.row["name"], words=words)  # fmt: skip
    more.write()


_FILED = """ AND EXISTS (SELECT 1 FROM channel_files_folders f JOIN channels c USING (channel_id)
    WHERE f.team_id = t.team_id AND c.display_name = 'General')"""


@family("teams", perturbations=("no_right", "missing_entity"), consumes="team")
def point_to_files(s: Scene) -> None:
    """An owner has the link to the files of General posted in every other channel that the team can see."""
    look.pick_owner(s, _FILED)
    team = look.pick_team(s, _FILED)
    note = look.say(s, s.rng.choice((
        "[Papers|Files] get lost when everybody keeps their own copy.",
        "[New people|Newcomers] ask for it every week.",
        "[Old links|The links of last year] no longer work.",
        "[The folder was tidied up|We tidied the folder up] in December.",
    )))  # fmt: skip
    more = besides(s, *extras.some())
    look.leave_out(s, team)
    look.rename_team(s, team)
    s.ask(
        """{note} So look up where the files of General in {team} [are kept|lie], and post the link to that
        folder in each [open|unarchived] channel that the team can see, those that other teams share with it
        included, but not in General. [Tell me the link|Let me have the link], too.""",
        """Where [do|can] people find the files of General in {team}? Tell me the [address|link] of the
        folder, and write it into every open channel of the team, [also|and] those that come from other teams;
        General itself [knows it|does without]. {note}""",
        """In {team} nobody [finds|can find] the folder with the files of General. {note} Its link [should
        stand|belongs] in all open channels that the team has or that are shared with it, General excepted,
        and I [need|want] it as well.""",
        """I [want|would like] to have the link to the folder of General in {team}. The same link [goes|is to
        go] into each other channel that is open there, whether it is the team's own or [shared with us|shared
        by another team]. {note}""",
        """{note} [As a remedy|To help], every channel that {team} sees (its own and [shared|foreign] ones),
        apart from General and from archived ones, gets a message with the link to the files folder of
        General. What is the link? [Report it to me|Say so in your answer].""",
        """The files of {team} are [in one place|all together], in the folder that belongs to General. {note}
        [Send|Post] the link to it to all its other open channels, own or shared, and [give|tell] me the link
        when you answer.""",
        team=team, note=note,
    )  # fmt: skip
    more.say()
    s.covers("all open channels that the team can see but General")
    found_team = look.find_own_team(s, team)
    general = s.do("get_primary_channel", "General of the team", teamId=found_team["id"])
    folder = s.do("get_files_folder", "where its files are", teamId=found_team["id"], channelId=general["id"])
    rooms = s.do("list_all_channels", "its own and those shared with it", teamId=found_team["id"])["value"]
    more.look()
    s.do_each(
        rooms.every(("id", "!=", general["id"]), isArchived=False), "send_channel_message", "the link",
        teamId=found_team["id"], channelId=ROW["id"], importance="normal",
        body={"contentType": "text", "content": text("The files of General are here: {}", folder["webUrl"])},
    )  # fmt: skip
    s.answer("the link to the folder", folder["webUrl"])
    more.write()


WHERE = {"New York": "[in New York|at headquarters]", "London": "[in London|in the UK]",
         "Mumbai": "[in Mumbai|in India]", "Tokyo": "[in Tokyo|in Japan]",
         "Sydney": "[in Sydney|in Australia]"}  # fmt: skip
_SITES = """SELECT u.city, t.team_id, t.display_name AS name, t.members FROM teams t, json_each(t.members) m
JOIN teams_users u ON u.user_id = m.value ->> 'userId' AND u.org_id = t.org_id WHERE t.org_id = 'corvane-001'
AND NOT t.soft_delete AND NOT t.is_archived AND u.account_enabled AND u.city IS NOT NULL
GROUP BY t.team_id, u.city HAVING COUNT(*) BETWEEN 2 AND 5 ORDER BY t.team_id, u.city"""
STATUSES = (
            "[Office closed|Our office is closed], back on {day}.",
            "[At the stocktaking|Counting stock], reachable on {day}.",
            "[Moving desks|Desks are being moved]; mail me until {day}.",
            "[No phones here|Our phones are out] until {day}.",
            "[In training|At a course] this week, [answers on|I answer on] {day}.")  # fmt: skip


@family("teams", perturbations=("no_right", "missing_entity"), ood=True)
def site_status(s: Scene) -> None:
    """An administrator sets the status message of all members of a team who work at a site."""
    s.pick_caller(f"{look.PEOPLE}{look.ALONE} AND r.role IN ('admin', 'teams_admin') ORDER BY r.role")
    row = s.pick(_SITES)
    team, city = look.team_row(row, s.rng), row["city"]
    until = s.day(2, 10)
    status = look.say(s, s.rng.choice(STATUSES), day=f"{until.date:%-d %B}")
    where = look.say(s, WHERE[city])
    other = s.pick(f"{look.PEOPLE}{look.ALONE} AND r.role = 'member' ORDER BY u.user_id")
    more = besides(s, *extras.some(extras.own_status))
    look.rename_team(s, team)
    mine = look.say_role(s)
    hat = s.phrase("no_right", mine, look.say_plain(s, other["name"]))  # fmt: skip
    s.ask(
        """[Customers|People] keep writing to colleagues of {team} {where} who [cannot answer|do not see it],
        so put '{status}' beside the name of each member of that team who [works|is] there, until the end of
        {until} (23:59 UTC). {hat}""",
        """{hat} All members of {team} {where} should [show|have] '{status}' as their status, which
        [ends|expires] on {until} at 23:59 UTC, while [members elsewhere|those of the team who sit elsewhere]
        keep what they have.""",
        """Until {until}, 23:59 UTC, the status of whoever belongs to {team} and [is based|works] {where}
        [reads|is] as follows: '{status}' [They know about it|They have been asked], so [no message|no further
        word] is needed. {hat}""",
        """'{status}' is to be the status message of the people of {team} {where}, [and of no others|and no
        one else's], [valid|shown] until {until}, 23:59 UTC, for which you go by [their accounts|what the
        directory says] and not by the channel they write in. {hat}""",
        """For the part of {team} that works {where}, please set a status that [disappears|goes away] on
        {until} at 23:59 UTC and says '{status}' [Members at our other sites are left out|Skip members at our
        other sites]. {hat}""",
        """{team} has members {where}, and it is [their|these people's] status message that I want
        [changed|set], to '{status}' with an end on {until}, 23:59 UTC, and [nothing else about them|nothing
        else] changes. {hat}""",
        team=team, where=where, status=status, until=f"{until.date:%-d %B}", hat=hat,
    )  # fmt: skip
    more.say()
    s.covers("all members of the team at a site")
    s.duty("people who have left are passed over")
    s.refuse("no_right", f"{other['name']} is a plain member and may not set the status of others",
             names=(reasons.PLAIN_MEMBER,))  # fmt: skip
    found_team = look.find_team(s, team)
    members = s.do("list_team_members", "who is in it", teamId=found_team["id"])["value"]
    people = s.do("list_users", "who works there", _filter=f"city eq '{city}' and accountEnabled eq true",
                  _select="id,displayName,city,accountEnabled")["value"]  # fmt: skip
    more.look()
    s.do_each(
        people, "set_user_status_message", "those of them who are in the team",
        when=holds(count(members.every(userId=ROW["id"])), "==", 1), user_id=ROW["id"],
        statusMessage={"message": {"content": status, "contentType": "text"},
                       "expiryDateTime": {"dateTime": f"{until.iso}T23:59:00", "timeZone": "UTC"}},
    )  # fmt: skip
    more.write()
