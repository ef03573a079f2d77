"""Scenarios about one's own messages in chats: taken back, brought back, corrected; and reactions there."""

from eops_traj.taskgen.expressions import ROW
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.teams import extras, reasons
from eops_traj.taskgen.scenarios.teams import lookups as look
from eops_traj.taskgen.scene import Scene

_MINE = """FROM chat_messages m JOIN chats c USING (chat_id) WHERE NOT c.soft_delete
AND m.from_json ->> '$.user.id' = u.user_id"""
_CALLERS = f"""{look.PEOPLE}{look.ALONE} AND EXISTS (SELECT 1 {_MINE} AND c.chat_type = 'oneOnOne'
AND EXISTS (SELECT 1 FROM chat_members o JOIN teams_users v ON v.user_id = o.user_id AND v.org_id = o.org_id
    WHERE o.chat_id = c.chat_id AND v.user_id <> u.user_id AND v.account_enabled AND v.user_type = 'Member'
    AND 1 = (SELECT COUNT(*) FROM teams_users w WHERE w.org_id = v.org_id AND w.display_name = v.display_name
        AND NOT w.soft_deleted))) ORDER BY u.user_id"""
_TO = f"""{look.PEOPLE}{look.ALONE} AND u.user_id <> :me AND EXISTS (SELECT 1 FROM chats c
JOIN chat_members a ON a.chat_id = c.chat_id AND a.user_id = u.user_id JOIN chat_members b ON b.chat_id =
c.chat_id
AND b.user_id = :me JOIN chat_messages m ON m.chat_id = c.chat_id AND m.from_json ->> '$.user.id' = :me
WHERE c.chat_type = 'oneOnOne' AND NOT c.soft_delete) ORDER BY u.user_id"""
BETTER = (
    "[Please forget|Forget] what I wrote last; the [right|valid] date is {day}.",
    "[My last message was meant|The last message was] for somebody else, [sorry|my mistake]. We speak on"
    " {day}.",
    "The figure that I [sent|wrote] was wrong, the [right|correct] one follows on {day}.",
    "[Ignore|Do not act on] my message of before. I will [have|know] the details by {day}.",
)
THINGS = ("the weekly report", "the backup job", "the access review", "the printer on floor 3",
          "invoice run 12", "the release checklist", "the partner list", "the phishing exercise",
          "the van rota", "the portal banner", "the fire drill", "the parking plan")  # fmt: skip


@family("teams", perturbations=("inactive_person",))
def take_back(s: Scene) -> None:
    """Somebody takes back the last message to a colleague, and sends another one instead."""
    me = s.pick_caller(_CALLERS)
    who = look.describe_person(s, s.pick(_TO, me=me["user_id"]), plain=True)
    words = look.say(s, s.rng.choice(BETTER), day=s.day(2, 12).full)
    pinned = s.chance(0.4)
    top = look.say(s, "[Pin it|The new one is pinned] so that it [is seen|cannot be missed]." if pinned else
                   "[Nothing is pinned|There is no need to pin it].")  # fmt: skip
    more = besides(s, *extras.some())
    look.disable_account(s, who)
    s.ask(
        """The last thing that I [wrote|sent] to {who} was [wrong|not fit to be sent], so it should disappear
        from our chat, and [in its place|instead] I want to write there: '{words}' {top}""",
        """[Take|Please take] back my latest message to {who}, in the chat that the two of us have, but leave
        the earlier ones, which are [fine|all right], and [afterwards|then] write '{words}' {top}""",
        """In the chat with {who} my most recent message [contains a mistake|is a mistake] that I would rather
        not leave standing, which means that you remove that one alone and [follow it with|send] '{words}'
        {top}""",
        """'{words}' is what {who} should read from me in our chat, and not [what|the message that] I sent
        last, which is to be [deleted|removed]. {top} [Mind|Take care] that it is a message of mine that goes,
        [not one|and none] of theirs.""",
        """{who} [will be puzzled by|cannot do anything with] my newest message in our chat of two, so delete
        it, [tell them|write] '{words}' and leave the rest of the talk [alone|untouched]. {top}""",
        """Because I [pressed|hit] the wrong key, the newest of my messages to {who} has to go [before it
        causes trouble|before somebody acts on it], while what I [meant|wanted] to write is '{words}'
        {top}""",
        who=who, words=words, top=top,
    )  # fmt: skip
    more.say()
    s.indirect("my last message to a colleague")
    other = look.find_person(s, who, "to whom it went")
    mine = look.find_caller(s)
    more.look()
    chat = s.do(
        "create_chat", "the chat of the two, which is given back", chatType="oneOnOne",
        members=[{"_odata_type": look.MEMBER, "roles": ["owner"], "user_odata_bind": look.user_link(each)}
                 for each in (mine, other)],
    )  # fmt: skip
    said = s.do("list_chat_messages", "what was written there", chatId=chat["id"], _top=50,
                _orderby="createdDateTime desc")["value"]  # fmt: skip
    last = said.every(from__user__id=mine["id"], deletedDateTime=None).largest("createdDateTime")
    s.do("soft_delete_chat_message", "the last one of mine", chatId=chat["id"], messageId=last["id"])
    sent = s.do("send_chat_message", "what is right", chatId=chat["id"],
                body={"contentType": "text", "content": words})  # fmt: skip
    if pinned:
        s.do("pin_chat_message", "so that it is seen", chatId=chat["id"], messageId=sent["id"])
    more.write()


CHATS = """SELECT c.chat_id, c.topic FROM chats c JOIN chat_members p USING (chat_id) WHERE c.chat_type =
'group'
AND NOT c.soft_delete AND p.user_id = :me AND 1 = (SELECT COUNT(*) FROM chats o JOIN chat_members q USING
(chat_id)
    WHERE o.topic = c.topic AND q.user_id = :me AND NOT o.soft_delete)"""
_WROTE = """ AND {least} <= (SELECT COUNT(*) FROM chat_messages m WHERE m.chat_id = c.chat_id
    AND m.from_json ->> '$.user.id' = :me)"""
_IN_CHAT = """SELECT message_id AS id FROM chat_messages WHERE chat_id = :chat AND from_json ->> '$.user.id'
= :who
ORDER BY message_id"""
_WRITERS = f"""{look.PEOPLE}{look.ALONE} AND EXISTS (SELECT 1 {_MINE} AND c.chat_type = 'group'
AND (SELECT COUNT(*) FROM chat_messages n WHERE n.chat_id = c.chat_id AND n.from_json ->> '$.user.id' =
u.user_id)
    >= {{least}} AND EXISTS (SELECT 1 FROM chat_members p WHERE p.chat_id = c.chat_id AND p.user_id =
    u.user_id))
ORDER BY u.user_id"""


@family("teams", perturbations=("missing_entity",))
def mend_chat(s: Scene) -> None:
    """Somebody brings back what they deleted in a group chat, and corrects the last message that stands."""
    me = s.pick_caller(_WRITERS.format(least=2))
    chat_row = s.pick(f"{CHATS}{_WROTE.format(least=2)} ORDER BY c.topic", me=me["user_id"])
    removed = s.pick(_IN_CHAT, chat=chat_row["chat_id"], who=me["user_id"])
    s.arrange("UPDATE chat_messages SET deleted_datetime = '2026-01-04T18:20:00Z' WHERE message_id = :id",
              id=removed["id"])  # fmt: skip
    words = look.say(s, s.rng.choice((
        "{thing} is [moved|put off] to {day}.", "I take care of {thing} [myself|on my own], until {day}.",
        "For {thing} we still need [one|a] signature, due on {day}.",
        "{thing} [comes|is up] next, on the agenda of {day}.",
    )), thing=s.rng.choice(THINGS), day=s.day(2, 14).full)  # fmt: skip
    words = words[0].upper() + words[1:]
    more = besides(s, *extras.some())
    s.perturb("missing_entity", "UPDATE chats SET topic = topic || ' 2024' WHERE chat_id = :id",
              id=chat_row["chat_id"])  # fmt: skip
    s.ask(
        """Whatever of my own messages [is|was] deleted in the group chat '{topic}' went by mistake, so bring
        [it|all of it] back. The newest one of mine that still stands there [has an error|is out of date]: it
        should read '{words}' [from now on|instead].""",
        """In '{topic}', a chat of several of us, I [got rid of|deleted] too much. Restore every message that
        I wrote and that is gone. [At the same time|Then], the last of mine that was left there [becomes|is
        changed to] '{words}'""",
        """[Two repairs|There are two repairs] in the chat '{topic}'. One: all deleted messages of mine
        return. Two: my most recent message [among those that were never deleted|that is still visible] is
        replaced by '{words}', [same message, new text|in the same message].""",
        """'{words}' ought to stand where the latest visible message of mine is in the group chat '{topic}';
        edit it [accordingly|so]. What I had deleted in that chat [was needed after all|turned out to be
        needed], please get it back, [all of it|completely].""",
        """My colleagues in '{topic}' [miss|have asked for] things that I wrote and deleted there.
        [Undo|Reverse] that for each of my deleted messages in the group chat. And [correct|change] the newest
        one that I [left|had left] standing to '{words}'""",
        """The [minutes|record] of the group chat '{topic}' should be complete. That takes two things: my own
        deleted messages [have to be restored|come back], every one, and the last undeleted one of mine is
        corrected to '{words}'""",
        topic=chat_row["topic"], words=words,
    )  # fmt: skip
    more.say()
    s.covers("all messages that one deleted in the chat")
    s.indirect("the newest message of one's own that stands")
    mine = look.find_caller(s)
    chats = s.do("list_chats", "the group chat", _filter=f"topic eq '{chat_row['topic']}'")["value"]
    s.require(
        count(chats), "==", 1, f"you are in no chat {chat_row['topic']}", names=("chat", reasons.NO_CHAT)
    )
    chat = chats[0]
    said = s.do("list_chat_messages", "what was written there", chatId=chat["id"], _top=50,
                _orderby="createdDateTime desc")["value"]  # fmt: skip
    gone = said.every(("deletedDateTime", "!=", None), from__user__id=mine["id"])
    standing = said.every(from__user__id=mine["id"], deletedDateTime=None)
    more.look()
    s.do_each(gone, "undo_soft_delete_chat_message",
              "bring it back", chatId=chat["id"], messageId=ROW["id"])  # fmt: skip
    s.do("update_chat_message", "the last one that stands", chatId=chat["id"],
         messageId=standing.largest("createdDateTime")["id"],
         body={"contentType": "text", "content": words})  # fmt: skip
    s.rule("Nothing of one's own is deleted in the chat any more",
           """SELECT COUNT(*) FROM chat_messages WHERE chat_id = :id AND from_json ->> '$.user.id' = :me AND
           deleted_datetime IS NOT NULL""", expected=0, id=chat_row["chat_id"], me=me["user_id"])  # fmt: skip
    more.write()
