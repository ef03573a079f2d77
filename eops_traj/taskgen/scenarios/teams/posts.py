"""Scenarios about messages in channels: those of somebody deleted, deleted ones restored,
one's own corrected."""

from eops_traj.taskgen.expressions import ROW
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.teams import extras
from eops_traj.taskgen.scenarios.teams import lookups as look
from eops_traj.taskgen.scenarios.teams.chat_messages import THINGS
from eops_traj.taskgen.scene import Scene

ROOMS = """SELECT c.channel_id, c.display_name AS name FROM channels c WHERE c.team_id = :team AND NOT
c.soft_delete
AND NOT c.is_archived AND c.membership_type = 'standard' AND 2 <= (SELECT COUNT(*) FROM channel_messages m
    WHERE m.channel_id = c.channel_id AND m.reply_to_id IS NULL AND m.deleted_datetime IS NULL)"""
BUSY = f""" AND EXISTS ({ROOMS.replace(":team", "t.team_id")})"""
_POSTS = """SELECT message_id AS id FROM channel_messages WHERE channel_id = :room AND reply_to_id IS NULL
AND deleted_datetime IS NULL ORDER BY created_datetime, message_id"""
_AUTHORS = f"""{look.PEOPLE}{look.ALONE} AND EXISTS (SELECT 1 FROM channel_messages m WHERE m.channel_id =
:room
AND m.reply_to_id IS NULL AND m.deleted_datetime IS NULL AND m.from_json ->> '$.user.id' = u.user_id)
AND u.user_id <> :me ORDER BY u.user_id"""


def _hide_room(s: Scene, room: dict[str, object]) -> None:
    """Perturb: the channel has another name."""
    s.perturb("missing_entity", "UPDATE channels SET display_name = display_name || ' (old)' WHERE"
                                " channel_id = :id",
              id=room["channel_id"])  # fmt: skip


@family("teams", perturbations=("no_right", "missing_entity", "two_namesakes"), produces="team")
def retract_posts(s: Scene) -> None:
    """An owner has everything deleted that somebody wrote in a channel, and says so there."""
    me = look.pick_owner(s, BUSY)
    team = look.pick_team(s, BUSY)
    room = s.pick(f"{ROOMS} ORDER BY c.display_name", team=team.id)
    who = look.describe_person(s, s.pick(_AUTHORS, room=room["channel_id"], me=me["user_id"]), plain=True)
    words = look.say(s, s.rng.choice((
        "[Some messages were removed here|Messages were taken out of this channel], [they were out of"
        " date|as they were outdated].",
        "[Old drafts are gone|We removed old drafts]; the valid text [follows|comes] on"
                       " {day}.",
        "What was [posted|written] here by mistake has been removed. [Ask me|Write to me] if you need it.",
        "[Figures|Numbers] from this channel were withdrawn; new ones [follow|are out] on {day}.",
    )), day=s.day(2, 12).full)  # fmt: skip
    more = besides(s, *extras.some())
    look.demote(s, team)
    _hide_room(s, room)
    victim = look.add_namesake(s, who, among=_AUTHORS, room=room["channel_id"], me=me["user_id"])
    look.show_namesake(s, who, victim, "channel_messages.from_json", "channel_id = :room",
                       room=room["channel_id"])  # fmt: skip
    s.ask(
        """What {who} has posted in {room}, a channel of {team}, was [meant for|intended for] another project.
        As one who owns the team I want all of it deleted, replies not counted, and [nobody else's messages
        touched|the messages of others left alone]. [Afterwards|Then] put there: '{words}'""",
        """[Delete|Remove] every message by {who} from {room} in {team}, as {who} [asked me to|has asked me on
        the phone]. Whatever others wrote [is kept|stays]; replies do too. '{words}' [explains it|is the
        explanation] for those who read along.""",
        """{who} used {room}, {team}, to [try things out|test a program], and none of [these messages|that]
        should be seen by customers next week. Take the messages out, [all of them|one and all], and post
        '{words}' in the same channel. Replies to others [can stay|may remain].""",
        """[Our lawyers|The legal department] asked me, as an owner of {team}, to have the messages of {who}
        in {room} removed, [however many there are|no matter how many]. Please do so (not the replies), and
        leave the note '{words}' in that channel.""",
        """In {room} of {team} nothing that {who} [started|began] is to remain: every message of {who} there
        [has to go|goes], apart from replies to somebody. I own the team, [so I may ask for it|which gives me
        the right]. [Close with|At the end stands] '{words}' in the channel.""",
        """The channel {room} in {team} [holds|contains] several drafts by {who} that are no longer valid.
        Delete all of {who}'s messages there, but no reply and nothing of anybody else, [then|and then] write
        '{words}'""",
        """A cleanup in {team}, which I own: the channel {room} should be rid of what {who} posted, so
        [remove|take down] each of those messages, not the replies, and nobody else's words. Readers [are
        told|learn] why by '{words}' in the same place.""",
        """Not one message from {who} should be left in {room} of {team}; I am an owner there and {who}
        agrees. Replies under other people's messages are another matter and stay. To finish, [write|place]
        '{words}' in the channel.""",
        who=who, room=room["name"], team=team, words=words,
    )  # fmt: skip
    more.say()
    s.covers("all messages of somebody in the channel")
    found_team, _ = look.find_owned_team(s, team)
    channel = look.find_channel(s, found_team, room["name"], "the channel")
    author = look.find_person(s, who, "who wrote them")
    posts = s.do("list_channel_messages",
                 "what stands there", teamId=found_team["id"], channelId=channel["id"],
                 _top=50)["value"]  # fmt: skip
    more.look()
    s.do_each(posts.every(from__user__id=author["id"], deletedDateTime=None), "soft_delete_channel_message",
              "each of theirs",
              teamId=found_team["id"], channelId=channel["id"], messageId=ROW["id"])  # fmt: skip
    look.post_message(s, found_team, channel, words, "say so")
    s.rule("Nothing that they began is left in the channel",
           """SELECT COUNT(*) FROM channel_messages WHERE channel_id = :room AND reply_to_id IS NULL AND
           deleted_datetime IS NULL AND from_json ->> '$.user.id' = :who""",
           expected=0, room=room["channel_id"], who=who.id)  # fmt: skip
    s.produce("team", found_team, "that same team")
    more.write()


@family("teams", perturbations=("no_right", "missing_entity"))
def restore_posts(s: Scene) -> None:
    """An owner has all deleted messages of a channel brought back, and may forbid deleting."""
    look.pick_owner(s, BUSY)
    team = look.pick_team(s, BUSY)
    room = s.pick(f"{ROOMS} ORDER BY c.display_name", team=team.id)
    for post in s.pick_some(_POSTS, 2, room=room["channel_id"]):
        s.arrange("UPDATE channel_messages SET deleted_datetime = '2026-01-04T17:05:00Z' WHERE message_id ="
                  " :id",
                  id=post["id"])  # fmt: skip
    strict = s.chance(0.6)
    more = besides(s, *extras.some())
    look.demote(s, team)
    _hide_room(s, room)
    rule = look.say(
        s,
        "[From now on|In future] members of the team may not delete their own messages any more."
        if strict
        else "[The settings of the team|The team's settings] [stay as they are|are not to be changed].",
    )
    words = look.say(s, s.rng.choice((
        "[Deleted messages are back|All messages are back], [sorry for the trouble|with apologies].",
        "[Everything that was missing here|What was missing] [has returned|is here again].",
        "The record of this channel is [complete|whole] again. [Please keep it so|Let it stay so].",
    )))  # fmt: skip
    s.ask(
        """[Over the weekend|On Sunday] somebody deleted messages in {room} of {team} that we need as
        evidence, so bring all deleted ones back, [whoever wrote them|no matter by whom], and [tell the
        channel|say in the channel] '{words}' {rule}""",
        """The record in {room} of {team} has [gaps|holes], which is why every message there that was deleted
        [is to be restored|should be restored], replies aside, and I ask for that as an owner. {rule} Then
        [post|write] '{words}' there.""",
        """{rule} [More urgent|What comes first] is the channel {room} of {team}, where deleted messages [must
        return|have to come back], each and every one, and where '{words}' [is to stand|stands] [as soon
        as|when] they are there again.""",
        """As an owner of {team} I [saw|noticed] that {room} has lost messages, so restore what was deleted
        [there|in that channel] (I mean messages, not replies), and leave '{words}' as a note. {rule}""",
        """Nobody [should have|had the right to] delete anything in {room}, yet it [happened|was done], and I
        want it undone for all deleted messages of that channel in {team}. {rule} '{words}' is what the others
        [are to read|should read] there afterwards.""",
        """[The auditors|Our auditors] want to see {room} in {team} with nothing missing, so undelete whatever
        was deleted there, without [sending|posting] anything a second time, and finish with '{words}' in the
        channel. {rule}""",
        room=room["name"], team=team, rule=rule, words=words,
    )  # fmt: skip
    more.say()
    s.covers("all deleted messages of the channel")
    found_team, _ = look.find_owned_team(s, team)
    channel = look.find_channel(s, found_team, room["name"], "the channel")
    posts = s.do("list_channel_messages",
                 "what was deleted there", teamId=found_team["id"], channelId=channel["id"],
                 _top=50)["value"]  # fmt: skip
    more.look()
    s.do_each(posts.every(("deletedDateTime", "!=", None)), "undo_soft_delete_channel_message",
              "bring it back",
              teamId=found_team["id"], channelId=channel["id"], messageId=ROW["id"])  # fmt: skip
    if strict:
        s.do("update_team", "members delete nothing any more", teamId=found_team["id"],
             messagingSettings={"allowUserDeleteMessages": False})  # fmt: skip
    look.post_message(s, found_team, channel, words, "say so")
    s.rule("No message of the channel is deleted",
           """SELECT COUNT(*) FROM channel_messages WHERE channel_id = :room AND reply_to_id IS NULL AND
           deleted_datetime IS NOT NULL""", expected=0, room=room["channel_id"])  # fmt: skip
    more.write()


_OWN = f"""{look.PEOPLE}{look.ALONE} AND r.role = 'member' AND EXISTS (SELECT 1 FROM channel_messages m JOIN
channels c
USING (channel_id) JOIN teams t ON t.team_id = c.team_id WHERE m.from_json ->> '$.user.id' = u.user_id
AND m.reply_to_id IS NULL AND m.deleted_datetime IS NULL AND NOT c.is_archived AND NOT t.is_archived
AND NOT t.soft_delete AND c.membership_type = 'standard' AND t.org_id = u.org_id) ORDER BY u.user_id"""
_WHERE = """SELECT DISTINCT t.team_id, t.display_name AS name, t.members, c.channel_id, c.display_name AS room
FROM channel_messages m JOIN channels c USING (channel_id) JOIN teams t ON t.team_id = c.team_id
WHERE m.from_json ->> '$.user.id' = :me AND m.reply_to_id IS NULL AND m.deleted_datetime IS NULL
AND NOT c.is_archived AND NOT t.is_archived AND NOT t.soft_delete AND c.membership_type = 'standard'
ORDER BY t.team_id, c.display_name"""


@family("teams", perturbations=("missing_entity",))
def correct_post(s: Scene) -> None:
    """Somebody corrects the last message that they posted in a channel."""
    me = s.pick_caller(_OWN)
    row = s.pick(_WHERE, me=me["user_id"])
    team, room = look.team_row(row, s.rng), row["room"]
    thing, day = s.rng.choice(THINGS), s.day(2, 14).full
    words = look.say(s, s.rng.choice((
        "{thing} [is due on|comes on] {day}, not [earlier|before].",
        "{thing} [is closed|ends] on {day}; nothing [comes in|is taken] later.",
        "{thing} is [with me|in my hands] until {day}.", "{thing} [has to wait|waits] for {day}, sorry.",
    )), thing=thing, day=day)  # fmt: skip
    words = words[0].upper() + words[1:]
    subject = look.say(s, "[Correction|Corrected]: {thing}", thing=thing.removeprefix("the "))
    high = s.chance(0.5)
    how = look.say(s, "[It has to be read today|Everybody has to read it today], [so the importance goes"
                      " up|and should be marked like that]." if high else
                   "[It is not pressing|Nobody has to read it at once], so [leave its importance|its"
                   " importance stays] as it is.")  # fmt: skip
    _hide_room(s, row)
    more = besides(s, *extras.some())
    s.ask(
        """My [last|latest] message in {room}, a channel of {team}, has the wrong date in it, so [edit|change]
        it until it says '{words}' and has the subject '{subject}'. {how} I do not want [a second one|another
        message] below it.""",
        """In {room} of {team} the newest of my messages should [read|say] '{words}' under the subject
        '{subject}', [whereas|while] what others wrote stays, and so do my older ones. {how}""",
        """'{words}' is [what I meant|how it should have been] when I wrote in {room} of {team} most recently,
        and I would like that very message [of mine|there] to be corrected and given the subject '{subject}',
        [with nothing new|without anything new] sent. {how}""",
        """Somebody [pointed out|has pointed out] that the latest thing I posted in the channel {room} of
        {team} is wrong, and therefore the message [gets|receives] the subject '{subject}' and the text
        '{words}' {how}""",
        """[Please put right|Put right] what I posted last in the channel {room} of {team} by giving it the
        subject '{subject}' and, as its text, '{words}' {how} It must be [the same|that same] message, so that
        the [link|old link] to it still works.""",
        """{team} has a message from me in {room}, the most recent one of mine there, that I [have to
        correct|must correct] because a customer relied on it: [now|from now on] it is headed '{subject}' and
        reads '{words}' {how}""",
        room=room, team=team, words=words, subject=subject, how=how,
    )  # fmt: skip
    more.say()
    s.indirect("one's own last message in a channel")
    found_team = look.find_team(s, team)
    channel = look.find_channel(s, found_team, room, "the channel")
    mine = look.find_caller(s)
    posts = s.do("list_channel_messages",
                 "what stands there", teamId=found_team["id"], channelId=channel["id"],
                 _top=50)["value"]  # fmt: skip
    own = posts.every(from__user__id=mine["id"], deletedDateTime=None)
    s.require(count(own), ">=", 1, "you have no message in that channel")
    more.look()
    s.do("update_channel_message", "the text, the subject, how pressing it is", teamId=found_team["id"],
         channelId=channel["id"], messageId=own.largest("createdDateTime")["id"], subject=subject,
         body={"contentType": "text", "content": words},
         **({"importance": "high"} if high else {}))  # fmt: skip
    more.write()
