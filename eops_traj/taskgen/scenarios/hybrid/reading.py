"""Scenarios in which what one system says decides what is written in another: a mail, a chat, a post."""

from eops_traj.taskgen.expressions import holds
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count, text
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.csm.lookups import CASES, DESK, OPEN, STAFF, demote, find_case
from eops_traj.taskgen.scenarios.csm.lookups import find_caller as desk
from eops_traj.taskgen.scenarios.hybrid import boards, extras
from eops_traj.taskgen.scenarios.hybrid import lookups as look
from eops_traj.taskgen.scenarios.itsm.lookups import OURS
from eops_traj.taskgen.scenarios.reasons import MISSING
from eops_traj.taskgen.scene import Scene

_DONE = ["resolved", "closed", "canceled"]
_LETTERS = """SELECT m.id, m.subject, m.from_name, u.email FROM messages m JOIN users u ON u.id = m.user_id
    JOIN message_labels l ON l.message_id = m.id AND l.label_id = 'INBOX' WHERE u.active
    AND m.from_name <> '' AND m.subject NOT LIKE '%"%' AND length(m.subject) > 9
    AND NOT EXISTS (SELECT 1 FROM message_labels x WHERE x.message_id = m.id AND x.label_id = 'STARRED')
    AND (SELECT COUNT(*) FROM messages o WHERE o.user_id = m.user_id AND o.from_name = m.from_name) = 1"""


@family("hybrid", servers=("itsm", "email"), perturbations=("missing_entity",))
def file_mail_by_state(s: Scene) -> None:
    """A mail is put away where its ticket is done with, and marked where the ticket is still open."""
    s.pick_caller(f"SELECT * FROM users WHERE active AND org_id = 'ORG_001' AND {look.ALSO}",
                  also=look.known_addresses(s, _LETTERS, "email"))  # fmt: skip
    letter = s.pick(f"{_LETTERS} AND u.email = :me ORDER BY m.id", "email", me=look.caller_email(s))
    where = "" if s.chance(0.5) else "AND status IN ('resolved', 'closed')"
    ticket = s.pick(f"SELECT number FROM incident WHERE org_id = 'ORG_001' {where}")
    more = besides(
        s,
        *extras.of(
            "email",
            but=(
                extras.make_label,
                extras.count_unread,
            ),
        ),
    )
    s.perturb("missing_entity", "UPDATE incident SET number = 'INC9' || substr(number, 5) WHERE number = :n",
              n=ticket["number"])  # fmt: skip
    s.branches("whether the ticket is done with")
    s.ask(
        """[In my inbox|Among the mail in my inbox] lies "{subject}" from {who}, [which is about|and its
        matter is] {number}. [If that ticket is|Where that ticket has been] resolved, closed or canceled,
        the mail can leave the inbox; [otherwise|as long as it is open] it gets a star and stays.""",
        """[What becomes of|What to do with] the mail of {who}, "{subject}", [depends on|hangs on]
        {number}. [An open ticket|As long as somebody works on it or will] means a star on it, nothing
        else; a ticket that is over, however it ended, [means|calls for] archiving.""",
        """I keep "{subject}" by {who} in the inbox [as a reminder of|because of] {number}. [Look|Find
        out] whether there is still something to wait for: if so, star the message, [if not|else] take it
        out of the inbox, [without deleting it|which is not deleting it].""",
        """[For|On] {number} only one of two things can be right. Either it is [done|finished] (resolved,
        closed or canceled), and then "{subject}" from {who} is archived, or it is [not|open], and then I
        want that mail starred [in|and left in] the inbox.""",
        """{who} sent me "{subject}" [weeks ago|before the holidays], and [nobody told me|I never heard]
        how {number} went on. Archive the mail [in case|if] the desk is through with the ticket, [but
        star|and star] it in case they are not.""",
        """[My inbox shrinks|I make my inbox smaller] by what is [settled|over]. The mail "{subject}",
        sender {who}, goes out of it [on the condition|provided] that {number} is resolved, closed or
        canceled; [failing that|if it is open], a star [makes|will make] me look at it again.""",
        subject=letter["subject"], who=letter["from_name"], number=ticket["number"],
    )  # fmt: skip
    more.say()
    found = s.do("find_incident_by_number", "how far it is", number=ticket["number"])
    s.require_ok(found, f"there is no ticket {ticket['number']}", names=(ticket["number"], MISSING))
    s.do("get_user_profile", "the mailbox is open", userId="me")
    mails = s.do("list_messages", "the mail", userId="me",
                 q=f'in:inbox from:"{letter["from_name"]}" subject:"{letter["subject"]}"')  # fmt: skip
    s.require(mails["resultSizeEstimate"], "==", 1, f"there is no mail {letter['subject']} in your inbox",
              names=(f"{letter['subject']}|{letter['from_name'].split()[0]}", MISSING))  # fmt: skip
    message = s.do("get_message", "what it is about", userId="me", id=mails["messages"][0]["id"])
    more.look()
    s.do_when(holds(found["status"], "in", _DONE), "modify_message", "archive what is settled", userId="me",
              id=message["id"], removeLabelIds=["INBOX"])  # fmt: skip
    s.do_when(holds(found["status"], "not in", _DONE), "modify_message", "it is still of use", userId="me",
              id=message["id"], addLabelIds=["STARRED"])  # fmt: skip
    more.write()


_HANDS = f"""SELECT i.number, coalesce(w.email, l.email) AS email, i.assigned_to FROM ({OURS}) i
    JOIN user_group g ON g.group_id = i.assignment_group JOIN users l ON l.user_id = g.manager_id
    LEFT JOIN users w ON w.user_id = i.assigned_to WHERE l.active AND coalesce(w.active, 1)
    AND l.email <> :me AND w.email IS NOT :me"""
_CHATTERS = """SELECT user_principal_name AS email FROM teams_users WHERE account_enabled
    AND user_type = 'Member' AND org_id = 'corvane-001'"""
_LINK = "https://graph.microsoft.com/v1.0/users('{}')"
_MEMBER = "#microsoft.graph.aadUserConversationMember"


@family("hybrid", servers=("itsm", "teams"), perturbations=("missing_entity",))
def ask_whoever_has_it(s: Scene) -> None:
    """A question on a ticket goes into a chat with whoever has it, or with the head of its group."""
    s.pick_caller(f"SELECT * FROM users WHERE active AND org_id = 'ORG_001' AND {look.ALSO}",
                  also=look.known_addresses(s, _CHATTERS, "teams"))  # fmt: skip
    me = look.caller_email(s)
    free = " AND i.assigned_to IS NULL" if s.chance(0.5) else ""
    row = s.pick(f"{_HANDS}{free}", me=me)
    words = s.rng.choice((
        f"When do you expect {row['number']} to be solved?", f"What is {row['number']} waiting for?",
        f"Could you tell me how far {row['number']} is?", f"Is there anything I can do for {row['number']}?",
    ))  # fmt: skip
    more = besides(s, *extras.of("teams", but=(extras.set_status,)))
    s.perturb("missing_entity", "UPDATE incident SET number = 'INC9' || substr(number, 5) WHERE number = :n",
              n=row["number"])  # fmt: skip
    s.branches("whether somebody is assigned to the ticket")
    s.indirect("whoever has the ticket, or leads its group", hidden=[row["email"]])
    s.ask(
        """[My question on|What I want to ask about] {number} is "{words}", and it [belongs|should go]
        into a chat of two with [the person assigned|whoever is assigned], or, while nobody is, with the
        manager of the group that has the ticket.""",
        """[Nobody answers|There is no answer on] the phone about {number}. [Write|Send] "{words}" to its
        assignee in Teams, just the two of us; [if it has none|if nobody has taken it], whoever leads the
        group in charge [gets|is the one to get] that message instead.""",
        """"{words}" [is for|goes to] one person only, in our own chat: the one {number} is assigned to.
        [Failing that|Without an assignee], take [the lead|whoever is in charge] of its assignment group.""",
        """[Somebody has|There must be somebody who has] {number}, be it a person or [merely|only] a
        group. The person, or else the manager of that group, [reads|is to read] from me, in a chat
        between us: "{words}\"""",
        """[I am asked for|People ask me for] news of {number}. [So|Therefore] chat with the colleague
        working on it, and [where|if] the ticket waits in a group without one, with that group's lead, in
        my name: "{words}\"""",
        """{number} is [with|in the hands of] someone I do not know. [Find out|See] who it is assigned
        to, or for want of an assignee who leads its group, and [put|ask] this in a one-on-one chat:
        "{words}\"""",
        number=row["number"], words=words,
    )  # fmt: skip
    more.say()
    found = s.do("find_incident_by_number", "who has it", number=row["number"])
    s.require_ok(found, f"there is no ticket {row['number']}", names=(row["number"], MISSING))
    someone, none = holds(found["assigned_to"], "!=", None), holds(found["assigned_to"], "==", None)
    hands = s.do_when(someone, "get_user", "who works on it",
                      user_id=found["assigned_to"])  # fmt: skip
    groups = s.do_when(none, "list_user_groups", "who leads its group", group_id=found["assignment_group"])
    lead = s.do_when(none, "get_user", "the head of the group",
                     user_id=groups["user_groups"][0]["manager_id"])  # fmt: skip
    more.look()
    for here, who in ((someone, hands), (none, lead)):
        chat = s.do_when(here, "create_chat", "the chat of the two", chatType="oneOnOne",
                         members=[{"_odata_type": _MEMBER, "roles": ["owner"], "user_odata_bind": link}
                                  for link in (_LINK.format(me), text(_LINK, who["email"]))])  # fmt: skip
        s.do_when(here, "send_chat_message", "the question", chatId=chat["id"],
                  body={"contentType": "text", "content": words})  # fmt: skip
    more.write()


_BOARDS = ("Escalations", "Handover", "Pipeline", "Routes", "Incidents", "Alerts")
_READ_UP = f"""{CASES} AND c.state IN {OPEN} AND (SELECT COUNT(DISTINCT sys_created_on) FROM knowledge k
    WHERE k.product_id = c.product_id AND k.state = 'published') > 1
    AND NOT EXISTS (SELECT 1 FROM case_knowledge x WHERE x.case_id = c.case_id)"""


@family("hybrid", servers=("csm", "teams"), ood=True, perturbations=("no_right", "policy_forbids"))
def share_article(s: Scene) -> None:
    """The latest article on the product of a case is linked to it, and pointed to in a channel."""
    s.pick_caller(f"{DESK} AND {look.ALSO}", also=boards.poster_addresses(s, *_BOARDS))
    boards_here = boards.list_channels(s, look.caller_email(s), *_BOARDS)
    board = s.rng.choice(boards_here)
    record = s.pick(_READ_UP)
    (latest,) = s.rows("SELECT * FROM knowledge WHERE product_id = :id AND state = 'published'"
                       " ORDER BY sys_created_on DESC LIMIT 1", id=record["product_id"])  # fmt: skip
    frame = s.rng.choice(("Worth reading before the next call: {}", "Newest article on this product: {}",
                          "Please look at {} if you get such cases."))  # fmt: skip
    more = besides(s, *extras.of("csm", "teams"))
    demote(s, "customer")
    boards.perturb_channel(s, board, "policy_forbids", "is_archived = 1")
    s.indirect("our latest article on the product", hidden=[latest["kb_number"], latest["title"]])
    s.ask(
        """[There is an article|We have an article] that would help with {number}, namely the one
        published on its product that was written last. [Link|Attach] it there as suggested, and let
        {team} know in {channel}: "{words}", with the number of the article [in the place of|for] KB.""",
        """{number} has no article yet. [Of what is|Of all that is] published on that product the
        [newest|most recent] one fits, [as a suggestion|as suggested]; and [since others|because others]
        have such cases, post "{words}" in {channel} of {team}, KB being its number.""",
        """"{words}" [goes|is meant to go] into the channel {channel} of the team {team}, where KB is the
        number of our latest published article on the product of {number}. The case itself
        [gets|receives] a link to it, [of the kind|marked] suggested.""",
        """[Whoever takes|The one who takes] {number} should start from the last article that we
        published on the product, by the date it was made. So link it, suggested, and [spread the
        word|tell the team] {team} in {channel} with "{words}" (KB: [its|the article's] number).""",
        """[In|Under] {channel} the colleagues of {team} [like|want] to hear of new articles. The
        [latest|most recent] on the product of {number}, published ones only, is to be [announced|named]
        there as "{words}", its number in KB's place, and to be suggested on that case.""",
        """[Suggest|As a suggestion, link] to {number} the youngest of the published articles about its
        product. [By the same token|For the others], {team} reads "{words}" in {channel}; [put|write] the
        article's number where it says KB.""",
        number=record["number"], team=board.team, channel=board.channel, words=frame.format("KB"),
    )  # fmt: skip
    more.say()
    desk(s, *STAFF)
    case = find_case(s, record["number"], "new", "in_progress", "pending")
    articles = s.do("retrieve_knowledge", "what is published on it", product_id=case["product_id"],
                    state="published")  # fmt: skip
    newest = articles.every(state="published").largest("sys_created_on")
    there = s.do("find_case_knowledge_linkages", "what is linked already", case_id=case["case_id"])
    s.require(count(there.every(knowledge_id=newest["knowledge_id"])), "==", 0, "it is linked already")
    team, channel = boards.find_channel(s, board)
    more.look()
    s.do("link_case_knowledge", "it may help", case_id=case["case_id"], knowledge_id=newest["knowledge_id"],
         used_as="suggested")  # fmt: skip
    s.do("send_channel_message", "tell the team", teamId=team["id"], channelId=channel["id"],
         importance="normal",
         body={"contentType": "text", "content": text(frame, newest["kb_number"])})  # fmt: skip
    more.write()
