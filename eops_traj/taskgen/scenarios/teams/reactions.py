"""Scenarios about reactions: another emoji in a chat, and a sign under every important message of a
channel."""

from eops_traj.taskgen.expressions import ROW
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.teams import extras, reasons
from eops_traj.taskgen.scenarios.teams import lookups as look
from eops_traj.taskgen.scenarios.teams.chat_messages import CHATS
from eops_traj.taskgen.scene import Scene

SIGNS = ("👍", "✅", "👀", "🎉", "❤️", "🙏")
_OTHERS = f"""{look.PEOPLE}{look.ALONE} AND u.user_id <> :me AND EXISTS (SELECT 1 FROM chat_messages m
WHERE m.chat_id = :chat AND m.from_json ->> '$.user.id' = u.user_id) ORDER BY u.user_id"""
_REACTED = """UPDATE {table} SET reactions_json = json_array(json_object('reactionType', :sign,
'createdDateTime',
'2026-01-02T10:00:00Z', 'user', json_object('application', NULL, 'device', NULL, 'user', json_object('id',
:me,
'displayName', :name, 'userIdentityType', 'aadUser')))) WHERE message_id = ({which})"""
"""The caller has reacted to a message."""
_LAST = """SELECT message_id FROM chat_messages WHERE chat_id = :chat AND from_json ->> '$.user.id' = :who
ORDER BY created_datetime DESC, message_id DESC LIMIT 1"""
_OLDEST = """SELECT message_id FROM channel_messages WHERE channel_id = :room AND reply_to_id IS NULL
ORDER BY created_datetime, message_id LIMIT 1"""


@family("teams", perturbations=("two_namesakes", "missing_entity"))
def other_sign(s: Scene) -> None:
    """Somebody exchanges the reaction to a colleague's last message in a group chat."""
    me = s.pick_caller(f"{look.PEOPLE}{look.ALONE} AND EXISTS (SELECT 1 FROM chat_members p JOIN chats c"
                       f" USING (chat_id)"
                       " WHERE p.user_id = u.user_id AND c.chat_type = 'group' AND NOT c.soft_delete)"
                       " ORDER BY u.user_id")  # fmt: skip
    chat_row = s.pick(f"{CHATS} ORDER BY c.topic", me=me["user_id"])
    row = s.pick(_OTHERS, chat=chat_row["chat_id"], me=me["user_id"])
    who = look.describe_person(s, row, plain=True)
    old, new = s.rng.sample(SIGNS, 2)
    s.arrange(_REACTED.format(table="chat_messages", which=_LAST), sign=old, me=me["user_id"],
              name=me["name"], chat=chat_row["chat_id"], who=who.id)  # fmt: skip
    words = look.say(s, s.rng.choice((
        "[I had misread that|I misread it at first], thanks.",
        "[Agreed now|Now I agree], after a second look.",
        "[Good point|That is true], I [will look into it|am on it].",
        "[Seen|Read], and [noted|written down].",
    )))  # fmt: skip
    more = besides(s, *extras.some())
    s.perturb("missing_entity", "UPDATE chats SET topic = topic || ' 2024' WHERE chat_id = :id",
              id=chat_row["chat_id"])  # fmt: skip
    victim = look.add_namesake(s, who, among=_OTHERS, chat=chat_row["chat_id"], me=me["user_id"])
    for place in ("chat_messages.from_json", "chat_members.display_name"):
        look.show_namesake(s, who, victim, place, "chat_id = :chat", chat=chat_row["chat_id"])
    s.perturb("two_namesakes", _REACTED.format(table="chat_messages", which=_LAST), sign=old,
              me=me["user_id"], name=me["name"], chat=chat_row["chat_id"],
              who=victim["user_id"])  # fmt: skip
    s.ask(
        """In the group chat '{topic}' I put {old} under the last message of {who}, and that was [a slip|the
        wrong one]. Take it back, [use|put] {new} instead, and write '{words}' [in the chat|there] so that
        {who} [knows|sees] how it was meant.""",
        """{who} [could take|might take] my {old} amiss. It stands under what {who} [wrote last|last wrote] in
        the chat '{topic}'; make it {new}, [only that one|nothing else]. [Afterwards|And then] the chat should
        read '{words}' from me.""",
        """My reaction to the newest message by {who} in '{topic}', a group chat, is {old}, but {new} is what
        I [meant|wanted]. [Exchange|Swap] the two. [Below|With it] goes a line: '{words}'""",
        """Please change my {old} on the latest words of {who} into {new}, [that is in the group chat|the
        group chat is] '{topic}'. So that it is not [overlooked|missed], add the message '{words}' [there|in
        it].""",
        """{new} and not {old}: [that|so] is how I react to the last thing that {who} said in our group chat
        '{topic}'. Correct it, and [tell everybody there|say to all of them] '{words}'""",
        """Under the most recent message of {who}, in the group chat '{topic}', my {old} [should give way
        to|is to be replaced by] {new}, since {who} [has explained the matter|called me about it]. Also send
        '{words}' to that chat.""",
        topic=chat_row["topic"], who=who, old=old, new=new, words=words,
    )  # fmt: skip
    more.say()
    s.indirect("the last message of a colleague")
    chats = s.do("list_chats", "the group chat", _filter=f"topic eq '{chat_row['topic']}'")["value"]
    s.require(
        count(chats), "==", 1, f"you are in no chat {chat_row['topic']}", names=("chat", reasons.NO_CHAT)
    )
    author = look.find_person(s, who, "who wrote it")
    said = s.do("list_chat_messages", "what was written there", chatId=chats[0]["id"], _top=50,
                _orderby="createdDateTime desc")["value"]  # fmt: skip
    meant = said.every(from__user__id=author["id"]).largest("createdDateTime")["id"]
    more.look()
    s.do(
        "unset_chat_message_reaction",
        "not this sign",
        chatId=chats[0]["id"],
        messageId=meant,
        reactionType=old,
    )
    s.do(
        "set_chat_message_reaction", "but this one", chatId=chats[0]["id"], messageId=meant, reactionType=new
    )
    s.do("send_chat_message", "how it was meant", chatId=chats[0]["id"],
         body={"contentType": "text", "content": words})  # fmt: skip
    more.write()


ROOMS = """SELECT c.channel_id, c.display_name AS name FROM channels c WHERE c.team_id = :team AND NOT
c.soft_delete
AND NOT c.is_archived AND c.membership_type = 'standard' AND 2 <= (SELECT COUNT(*) FROM channel_messages m
    WHERE m.channel_id = c.channel_id AND m.reply_to_id IS NULL AND m.deleted_datetime IS NULL)"""
BUSY = f""" AND EXISTS ({ROOMS.replace(":team", "t.team_id")})"""


@family("teams", perturbations=("missing_entity",), ood=True)
def sign_off(s: Scene) -> None:
    """Somebody marks all important messages of a channel as read, and takes a sign off the oldest message."""
    me = look.pick_owner(s, BUSY)
    team = look.pick_team(s, BUSY)
    room = s.pick(f"{ROOMS} ORDER BY c.display_name", team=team.id)
    posts = s.pick_some("SELECT message_id AS id FROM channel_messages WHERE channel_id = :room AND"
                        " reply_to_id IS NULL"
                        " AND deleted_datetime IS NULL ORDER BY created_datetime DESC, message_id", 2,
                        room=room["channel_id"])  # fmt: skip
    old, new = s.rng.sample(SIGNS, 2)
    for post in posts:
        s.arrange("UPDATE channel_messages SET importance = 'high' WHERE message_id = :id", id=post["id"])
    s.arrange(_REACTED.format(table="channel_messages", which=_OLDEST), sign=old, me=me["user_id"],
              name=me["name"], room=room["channel_id"])  # fmt: skip
    more = besides(s, *extras.some())
    s.perturb("missing_entity", "UPDATE channels SET display_name = display_name || ' (old)' WHERE"
                                " channel_id = :id",
              id=room["channel_id"])  # fmt: skip
    s.ask(
        """All messages of high importance in {room}, a channel of {team}, [have been read|are read] by me,
        and [people should see that|that should show]: put {new} from me under each of them. [In return|At the
        same time], my {old} under the oldest message there [is to go|disappears].""",
        """[In the channel|For the channel] {room} of {team} we agreed that an owner signs whatever is marked
        as high importance. So react with {new}, in my name, to every [such message|one of these]. The {old}
        that I [left|once left] under the very first message there [has had its day|is outdated], take it
        back.""",
        """My {old} on the oldest message of {room} ({team}) [was a joke|no longer fits] and should be
        removed. More [important|to the point]: everything that is marked high there gets a {new} from me,
        [without exception|one and all].""",
        """{new} is [the sign for|how we say] "taken note of" in {team}. Set it for me under each message of
        high importance in {room}, replies [aside|not counted]. [Then|After that] remove the {old} that I have
        on the first message that was ever [written|posted] there.""",
        """The auditors [look|will look] at {room} in {team} and [expect|want] a {new} from its owner at every
        message that was sent with high importance. [Take care of|See to] that, and withdraw my {old} from the
        earliest message of the channel.""",
        """In {room}, {team}, no important message should [stay|remain] without a {new} of mine; important
        means [marked as high|high importance], nothing else. [And|Besides] the {old} from me at the oldest
        message there [has to be undone|is undone].""",
        room=room["name"], team=team, old=old, new=new,
    )  # fmt: skip
    more.say()
    s.covers("all messages of high importance in the channel")
    s.indirect("the oldest message of the channel")
    found_team = look.find_team(s, team)
    channel = look.find_channel(s, found_team, room["name"], "the channel")
    posts_there = s.do("list_channel_messages",
                       "what stands in it", teamId=found_team["id"], channelId=channel["id"],
                       _top=50)["value"]  # fmt: skip
    more.look()
    s.do_each(posts_there.every(importance="high", deletedDateTime=None), "set_channel_message_reaction",
              "each important one", teamId=found_team["id"], channelId=channel["id"], messageId=ROW["id"],
              reactionType=new)  # fmt: skip
    s.do("unset_channel_message_reaction",
         "under the oldest", teamId=found_team["id"], channelId=channel["id"],
         messageId=posts_there.smallest("createdDateTime")["id"], reactionType=old)  # fmt: skip
    more.write()
