"""Scenarios about calls: a round of calls now, and what is made of one that is over."""

from eops_traj.taskgen.expressions import ROW, holds
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.teams import extras, reasons
from eops_traj.taskgen.scenarios.teams import lookups as look
from eops_traj.taskgen.scene import Scene

SUBJECTS = ("Stock count", "Storm damage", "Contract check", "Press question", "Route change",
            "Late delivery", "Door codes", "Open invoices", "Sick cover", "Server noise",
            "Missing pallets", "Price error", "Export papers", "Lost badge")  # fmt: skip
AWAKE = " AND u.city IN ('London', 'Mumbai', 'Tokyo')"
"""Where it is neither evening nor night at 09:00 UTC."""
_ASLEEP = (
    "night|evening|asleep|New York|20:00|07:00|7:00|04:00|4:00|4 am|4 a.m.|4am|7 am|7 a.m.|7am|local time"
    "|too early|early morning|own site's time|time of their site|calling hours|quiet hours"
)


@family("teams", perturbations=("policy_forbids", "inactive_person", "two_namesakes"), ood=True)
def call_round(s: Scene) -> None:
    """Somebody has colleagues called together, with a status message meanwhile and perhaps a chat."""
    me = look.pick_colleague(s)
    subject = s.rng.choice(SUBJECTS)
    rows = look.pick_several(s, look.PEOPLE + AWAKE, s.rng.randint(3, 4))
    people = [look.describe_person(s, row, plain=place == 0) for place, row in enumerate(rows)]
    seen, until = s.chance(0.4), s.rng.randint(10, 12)
    status = look.say(s, "[On a call about|Talking about|In a round on] {subject}.", subject=subject.lower())
    notes = s.chance(0.6)
    beside = besides(s, *extras.some(extras.own_status))
    s.perturb(
        "policy_forbids",
        "UPDATE teams_users SET city = 'New York', state = 'NY', country = 'USA' WHERE user_id = :id",
        id=people[0].id,
    )
    look.disable_account(s, people[0])
    look.add_namesake(s, *people)
    written = look.say(s, "[Open|Start] a group chat '{subject} notes' with these people and me, too, and"
                          " write 'Notes go"
                       " here.' in it." if notes else "[Nobody has to|There is no need to] take notes.",
                       subject=subject)  # fmt: skip
    s.ask(
        """{people} [know about|have seen] '{subject}' and I have not, so let us ring them up, {kind}, in a
        single call with that subject. {notes} Whoever looks for me until {until}:00 UTC reads '{status}' If
        anyone of them must not be called at this hour, call nobody.""",
        """[Something came up|A customer complained], '{subject}', and I need {people} on the line at once,
        {kind}. [My status says|Set my status to] '{status}' until {until}:00 UTC. {notes} It is a talk for
        the whole round, so all or none.""",
        """The matter of '{subject}' [cannot be solved|is not solved] by mail. Get {people} into one call with
        me, under that subject; {kind}. {notes} Beside my name [put|goes] '{status}', till {until}:00 UTC.
        Should one of them be out of reach by our rules, let it be.""",
        """[Half an hour|Twenty minutes] with {people}, all together and now, should [do for|settle]
        '{subject}', which is the subject of the call; {kind}. My status until {until}:00 UTC reads '{status}'
        {notes} One missing, and I wait for another day.""",
        """[Until|Up to] {until}:00 UTC I am busy with '{subject}', as my status is to say: '{status}' The
        reason is a call to {people}, {kind}, under [that|the same] subject, which you [place|make] for me.
        {notes} No call to half of them, please.""",
        """Would {people} be [available|there] for a call, {kind}? '{subject}' is what it is about, and its
        subject. If our hours for calls [rule out|exclude] one of them, give up the idea; if not, call them
        all. Then let my status be '{status}' until {until}:00 UTC. {notes}""",
        people=look.join_words(people), subject=subject, until=until, status=status,
        kind="with video" if seen else "sound is enough", notes=written,
    )  # fmt: skip
    beside.say()
    s.duty("nobody is called at night; the callback address and who carries the media")
    users = []
    for who in people:
        each = look.find_person(s, who, "whom to call")
        s.require(each["city"], "in", ["London", "Mumbai", "Tokyo"],
                  f"it is night or evening where {who} works",
                  names=(who.names, _ASLEEP))  # fmt: skip
        users.append(each)
    mine = look.find_caller(s)
    if notes:
        chats = s.do("list_chats", "no such chat yet", _expand="members")["value"]
        s.require(
            count(chats.every(topic=f"{subject} notes")), "==", 0, "there is already a chat for the notes"
        )
    beside.look()
    s.do(
        "create_call", "call them", callbackUri="https://calls.corvane.example/events", subject=subject,
        targets=[{"identity": {"user": {"id": each["id"]}}} for each in users],
        requestedModalities=["video" if seen else "audio"],
        mediaConfig={"_odata_type": "#microsoft.graph.serviceHostedMediaConfig"},
    )  # fmt: skip
    s.do(
        "set_user_status_message", "say so beside the name", user_id=mine["id"],
        statusMessage={"message": {"content": status, "contentType": "text"},
                       "expiryDateTime": {"dateTime": f"2026-01-05T{until}:00:00", "timeZone": "UTC"}},
    )  # fmt: skip
    if notes:
        chat = s.do(
            "create_chat", "a chat for the notes", chatType="group", topic=f"{subject} notes",
            members=[{"_odata_type": look.MEMBER, "roles": ["owner"], "user_odata_bind": look.user_link(who)}
                     for who in (mine, *users)],
        )  # fmt: skip
        s.do("send_chat_message", "the first line", chatId=chat["id"],
             body={"contentType": "text", "content": "Notes go here."})  # fmt: skip
    s.rule("Only people who are awake are called, five at most, and not the one who asks",
           """SELECT COUNT(*) FROM calls c, json_each(c.targets) t JOIN teams_users u ON u.org_id = c.org_id
           AND u.user_id = t.value ->> '$.identity.user.id' AND coalesce(t.value ->>
           '$.identity.user.displayName', u.display_name) = u.display_name WHERE c.subject = :subject AND
           c.created_at >= '2026-01-05' AND u.account_enabled AND u.city IN ('London', 'Mumbai', 'Tokyo')
           AND u.user_id <> :me""",
           expected=len(people), subject=subject, me=me["user_id"])  # fmt: skip
    beside.write()


HOSTS = f"""{look.PEOPLE}{look.ALONE} AND u.user_id <> :me AND EXISTS (SELECT 1 FROM call_records c
    WHERE c.organizer ->> '$.user.id' = u.user_id AND c.type = 'groupCall') ORDER BY u.user_id"""
_ADMIN_ONLY = (
    f"{reasons.PLAIN_MEMBER}|administrators only|for administrators|an administrator|only administrators"
)


@family("teams", perturbations=("no_right", "two_namesakes"))
def after_call(s: Scene) -> None:
    """An administrator writes to all who took part in a colleague's last group call, one by one."""
    me = s.pick_caller(f"{look.PEOPLE}{look.ALONE} AND r.role IN ('admin', 'teams_admin') ORDER BY r.role")
    who = look.describe_person(s, s.pick(HOSTS, me=me["user_id"]), plain=True)
    more = besides(s, *extras.some())
    other = s.pick(f"{look.PEOPLE}{look.ALONE} AND r.role = 'member' ORDER BY u.user_id")
    victim = look.add_namesake(s, who, among=HOSTS, me=me["user_id"])
    for column in ("organizer", "participants"):
        look.show_namesake(s, who, victim, f"call_records.{column}", "organizer ->> '$.user.id' = :id")
    words = look.say(s, s.rng.choice((
        "[Please|Would you please] fill in the short survey on sound quality [by Friday|this week].",
        "[Which|What] headset do you use? [We are replacing|IT replaces] the old ones [this month|in"
        " January].",
        "Did your line drop [last time|in your last call]? [Tell me|Let me know] by {day}.",
        "[Your calls are moved|We move your calls] to the new bridge on {day}. [Nothing to do|There is"
        " nothing to do] for you.",
    )), day=s.day(2, 12).full)  # fmt: skip
    mine = look.say_role(s)
    hat = s.phrase("no_right", mine, look.say_plain(s, other["name"]))  # fmt: skip
    s.ask(
        """[There were complaints|People complained] about the sound in calls of {who}, which is why I want to
        know who took part in the most recent group call that {who} organized: each of them, [except
        myself|but not I], gets '{words}' in a chat with me. {hat} [Besides|In your answer], tell me when that
        call ended.""",
        """{hat} [For|About] the latest group call which {who} [had organized|organized], I need [the moment
        at which it ended|to know when it ended], and [the people who were in it|its participants] should hear
        from me, [one by one and each in a chat of our own|everybody in a chat of ours]: '{words}' [Leave me
        out|I need no message], [should I have been there myself|in case I was in it].""",
        """Whoever was in the [last|latest] group call of {who} (the one who organized it included) is to get
        a personal line from me, for which [you look the people up|the people are to be looked up] in the
        records of calls: '{words}' {hat} [I would like to|Let me] know, too, when the call came to its
        end.""",
        """'{words}' That goes [to each|to every] participant of the group call that {who} organized most
        recently, separately, in the chat that I have with them. {hat} [For me alone|For myself] I would also
        like to know [at what time|when] that call was over.""",
        """We are [testing|replacing] the conference bridge, and as a sample I take the newest group call with
        {who} as its organizer: write '{words}' to all who were in it, everybody in a chat for two with me,
        [myself excepted|apart from me]. {hat} [Report|Say], moreover, when the call ended [as the records
        have it|by the record].""",
        """[What I need|What I am after] is the end of the last group call organized by {who}, and then a
        message to each of its participants, in a chat with me, that reads '{words}' {hat} I am no addressee
        [of it|of that] myself, of course.""",
        who=who, words=words, hat=hat,
    )  # fmt: skip
    more.say()
    s.indirect("the latest group call that somebody organized")
    s.covers("all who took part in it")
    s.duty("people who have left are passed over")
    s.refuse("no_right", f"{other['name']} is a plain member, and call records are for administrators",
             names=(_ADMIN_ONLY,))  # fmt: skip
    host = look.find_person(s, who, "who organized it")
    myself = look.find_caller(s)
    records = s.do("list_call_records", "the calls that are over", _filter="type eq 'groupCall'")["value"]
    meant = records.every(organizer__user__id=host["id"]).largest("startDateTime")
    record = s.do("get_call_record", "who took part", id=meant["id"], _expand="participants_v2")
    s.do("list_call_sessions", "how they were connected", id=meant["id"])
    people = s.do("list_users", "who works here", _filter="accountEnabled eq true", _top=999,
                  _select="id,displayName,accountEnabled")["value"]  # fmt: skip
    more.look()
    chats = s.do_each(
        people.every(("id", "!=", myself["id"])), "create_chat", "a chat with each who took part",
        when=holds(count(record["participants_v2"].every(id=ROW["id"])), "==", 1), chatType="oneOnOne",
        members=[{"_odata_type": look.MEMBER, "roles": ["owner"], "user_odata_bind": look.user_link(one)}
                 for one in (myself, ROW)],
    )  # fmt: skip
    s.do_each(chats, "send_chat_message", "write to them", chatId=ROW["id"],
              body={"contentType": "text", "content": words})  # fmt: skip
    s.answer("when the call ended", record["endDateTime"])
    more.write()
