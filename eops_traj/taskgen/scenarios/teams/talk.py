"""Scenarios about talking: a group chat with a pinned rule; a round of calls."""

from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.teams import lookups as look
from eops_traj.taskgen.scene import Scene

TOPICS = ("Desk Swap", "Fair in June", "Broken Lift", "Guest Lecture", "Old Laptops", "Car Pool", "Key Cards",
          "Photo Day", "Quiet Hours", "Coffee Fund", "Bike Shed", "Exit Survey")  # fmt: skip
RULES = (
    "One question a message, and answers within a day.",
    "Dates and decisions go to the top, everything else may scroll away.",
    "We close this chat once the matter is settled.",
    "Files belong into the folder, not into this chat.",
    "Whoever is on leave is left alone in here.",
)
SUBJECTS = (
    "Stock count",
    "Storm damage",
    "Contract check",
    "Press question",
    "Route change",
    "Late delivery",
    "Door codes",
    "Open invoices",
    "Sick cover",
    "Server noise",
)
APPS = ("Planner", "OneNote", "Forms", "Trello", "Shift Board")
AWAKE = " AND u.city IN ('London', 'Mumbai', 'Tokyo')"
"""Where it is neither evening nor night at 09:00 UTC."""


@family("teams", perturbations=("inactive_person", "two_namesakes", "out_of_scope"), consumes="joiner")
def group_chat(s: Scene) -> None:
    """Somebody has a group chat opened with a first message that is pinned, and perhaps a tab."""
    look.anyone(s)
    given = s.consume("joiner")
    topic, words = s.rng.choice(TOPICS), s.rng.choice(RULES)
    kept = f" AND u.display_name <> '{given.words}'" if given else ""
    rows = look.several(s, look.PEOPLE + kept, s.rng.randint(2, 3))
    people = [look.named(s, row, plain=place == 0) for place, row in enumerate(rows)]
    app = s.rng.choice(APPS) if s.chance(0.4) else ""
    look.gone(s, people[0])
    look.double(s, *people)
    all_of_us = look.listed([*people, *([given.words] if given else [])])
    tab = f"A tab with {app} called 'Board of {topic}' would help, too." if app else ""
    more = s.phrase(
        "out_of_scope",
        "What was said about it elsewhere stays there.",
        f"Put in it, too, what {people[0]} and {people[1]} have written to each other about it.",
    )
    s.ask(
        """I want to talk with {people} in one chat, topic '{topic}'. Please open it, write '{words}' as the
        first message and pin that. {tab} {more} It is all of us or no chat.""",
        """could you start a group chat '{topic}' with {people} and me? Its first message is '{words}' and
        should stay on top. {more} {tab} If one of them cannot be in it, do not open any.""",
        """a chat for {people} and myself is missing. Name it '{topic}'. Pin what you write there first:
        '{words}' {tab} {more} Nobody is to be left out, else I drop the idea.""",
        """group chat. Topic: '{topic}'. With: {people}, complete or not at all. First message, pinned:
        '{words}' {tab} {more}""",
        """{people} and I keep missing each other. One chat for the lot of us, called '{topic}', please;
        '{words}' is the first thing in it and gets pinned. {more} {tab} With fewer people it is
        useless.""",
        """'{words}' That is the sentence to stand pinned in a new chat '{topic}', in which {people} and I
        take part, every one of us. {tab} {more} Send it as the first message.""",
        people=all_of_us, topic=topic, words=words, tab=tab, more=more,
    )  # fmt: skip
    s.refuse("out_of_scope", "what others write to each other in a chat of their own is not read")
    found = [look.person(s, who, "who takes part") for who in people]
    mine = look.myself(s)
    chats = s.do("list_chats", "no such chat with the same people yet", _expand="members")["value"]
    s.require(count(chats.every(topic=topic)), "==", 0, f"there is already a chat {topic}")
    catalog = (
        s.do("list_teams_apps", "the app is in the catalog", _filter=f"displayName eq '{app}'")
        if app
        else None
    )
    everyone = [mine, *found, *([given.record] if given else [])]
    chat = s.do(
        "create_chat",
        f"the chat {topic}",
        chatType="group",
        topic=topic,
        members=[
            {"_odata_type": look.MEMBER, "roles": ["owner"], "user_odata_bind": look.link(who)}
            for who in everyone
        ],
    )
    sent = s.do("send_chat_message", "the first message", chatId=chat["id"],
                body={"contentType": "text", "content": words})  # fmt: skip
    s.do("pin_chat_message", "keep it on top", chatId=chat["id"], messageId=sent["id"])
    if catalog is not None:
        s.do("add_tab_to_chat", "the tab", chatId=chat["id"], displayName=f"Board of {topic}",
             teamsApp_odata_bind=look.app_link(catalog["value"][0]))  # fmt: skip
    s.rule("The chat has a topic and exactly the people meant, the one who asked among them",
           """SELECT COUNT(*) FROM chats c JOIN chat_members p USING (chat_id) WHERE c.topic = :topic AND
           c.chat_type = 'group' AND EXISTS (SELECT 1 FROM chat_members x WHERE x.chat_id = c.chat_id AND
           x.user_id = :me)""",
           expected=len(everyone), topic=topic, me=s.caller["user_id"])  # fmt: skip


@family("teams", perturbations=("policy_forbids", "inactive_person", "two_namesakes"), ood=True)
def call_round(s: Scene) -> None:
    """Somebody has colleagues called together, with a status message meanwhile and perhaps a chat."""
    me = look.anyone(s)
    subject = s.rng.choice(SUBJECTS)
    rows = look.several(s, look.PEOPLE + AWAKE, s.rng.randint(3, 4))
    people = [look.named(s, row, plain=place == 0) for place, row in enumerate(rows)]
    seen, until = s.chance(0.4), s.rng.randint(10, 12)
    status = f"On a call about {subject.lower()}."
    notes = s.chance(0.6)
    s.perturb(
        "policy_forbids",
        "UPDATE teams_users SET city = 'New York', state = 'NY', country = 'USA' WHERE user_id = :id",
        id=people[0].id,
    )
    look.gone(s, people[0])
    look.double(s, *people)
    s.ask(
        """please call {people} together for me right now, {kind}, subject '{subject}'. Until {until}:00 UTC
        my status should say '{status}' {notes} If anyone of them must not be called at this hour, call
        nobody.""",
        """something came up, '{subject}', and I need {people} on the line at once, {kind}. Set my status to
        '{status}' until {until}:00 UTC. {notes} It is a talk for the whole round, so all or none.""",
        """can you get {people} into one call with me? It is about '{subject}', use that as the subject;
        {kind}. {notes} Beside my name put '{status}', till {until}:00 UTC. Should one of them be out of
        reach by our rules, let it be.""",
        """a call, now. With: {people}, all of them or no call. Subject: '{subject}'. Mode: {kind}. My
        status until {until}:00 UTC: '{status}' {notes}""",
        """{people} know about '{subject}' and I do not, so let us ring them up, {kind}, in a single call
        with that subject. {notes} Whoever looks for me until {until}:00 UTC reads '{status}' One missing,
        and I wait for another day.""",
        """before the day gets away from me: one call to {people} ({kind}), with '{subject}' as the subject,
        and my status reads '{status}' until {until}:00 UTC. {notes} No call to half of them, please.""",
        people=look.listed(people),
        subject=subject,
        until=until,
        status=status,
        kind="with video" if seen else "sound is enough",
        notes=f"Open a group chat '{subject} notes' with these people and me; write 'Notes go here.' in it."
        if notes
        else "Notes are not needed.",
    )
    found = []
    for who in people:
        each = look.person(s, who, "whom to call")
        s.require(
            each["city"], "in", ["London", "Mumbai", "Tokyo"], f"it is night or evening where {who} works"
        )
        found.append(each)
    mine = look.myself(s)
    if notes:
        chats = s.do("list_chats", "no such chat yet", _expand="members")["value"]
        s.require(
            count(chats.every(topic=f"{subject} notes")), "==", 0, "there is already a chat for the notes"
        )
    s.do(
        "create_call", "call them", callbackUri="https://calls.corvane.example/events", subject=subject,
        targets=[{"identity": {"user": {"id": each["id"]}}} for each in found],
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
            members=[{"_odata_type": look.MEMBER, "roles": ["owner"], "user_odata_bind": look.link(who)}
                     for who in (mine, *found)],
        )  # fmt: skip
        s.do("send_chat_message", "the first line", chatId=chat["id"],
             body={"contentType": "text", "content": "Notes go here."})  # fmt: skip
    s.rule("Only people who are awake are called, five at most, and not the one who asks",
           """SELECT COUNT(*) FROM calls c, json_each(c.targets) t JOIN teams_users u ON u.org_id = c.org_id
           AND u.user_id = t.value ->> '$.identity.user.id' WHERE c.subject = :subject AND c.created_at >=
           '2026-01-05' AND u.account_enabled AND u.city IN ('London', 'Mumbai', 'Tokyo') AND u.user_id <>
           :me""",
           expected=len(people), subject=subject, me=me["user_id"])  # fmt: skip
