"""Scenarios in which the queue of a group decides what is posted, and who is written to."""

from eops_traj.taskgen.expressions import ROW, length, mapped
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import ResultRef, count, text
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.hybrid import boards, extras
from eops_traj.taskgen.scenarios.hybrid import lookups as look
from eops_traj.taskgen.scenarios.itsm.group_extras import about_group
from eops_traj.taskgen.scenarios.itsm.lookups import MANAGERS, OPEN_STATES, find_group
from eops_traj.taskgen.scenarios.reasons import MISSING
from eops_traj.taskgen.scene import Scene

_BOARDS = ("Incidents", "Alerts", "Escalations", "Releases", "Handover", "Planning")
_OPEN = "i.org_id = 'ORG_001' AND i.status IN ('new', 'in_progress', 'on_hold')"
_QUEUES = f"""SELECT g.name FROM incident i JOIN user_group g ON g.group_id = i.assignment_group WHERE {_OPEN}
    AND g.active GROUP BY g.group_id HAVING COUNT(*) > 2 AND COUNT(DISTINCT i.created_at) = COUNT(*)"""
_OLDEST = f"""SELECT i.number FROM incident i JOIN user_group g ON g.group_id = i.assignment_group
    WHERE {_OPEN} AND g.name = :name ORDER BY i.created_at LIMIT 1"""
_NO_GROUP = "UPDATE user_group SET active = 0 WHERE name = :name"
_OTHER_NAME = "UPDATE user_group SET name = name || ' (old)' WHERE name = :name"


def _find_named_group(s: Scene, name: str, why: str) -> ResultRef:
    """Find a group that may have another name by now, or be inactive."""
    known = s.do("find_group_by_name", why, name=name)
    s.require_ok(known, f"there is no group {name}", names=(name, MISSING))
    return find_group(s, name, why)


@family("hybrid", servers=("itsm", "teams"),
        perturbations=("policy_forbids", "inactive_person", "missing_entity"))  # fmt: skip
def post_the_oldest(s: Scene) -> None:
    """The open ticket that waits longest in a group is named in a channel, louder if it is a bad one."""
    s.pick_caller(f"{MANAGERS} AND {look.ALSO}", also=boards.poster_addresses(s, *_BOARDS))
    board = s.rng.choice(boards.list_channels(s, look.caller_email(s), *_BOARDS))
    group = s.pick(_QUEUES)["name"]
    frame = s.rng.choice(
        (
            f"Waiting longest in {group}: {{}}.",
            f"The oldest open ticket of {group} is {{}}.",
            f"{group}, oldest open ticket: {{}}.",
            f"Longest in the queue of {group}: {{}}.",
        )
    )
    more = besides(s, *about_group(group), *extras.of("itsm", "teams"))
    boards.perturb_channel(s, board, "policy_forbids", "is_archived = 1")
    boards.perturb_channel(s, board, "missing_entity", "display_name = display_name || ' (old)'")
    s.perturb("inactive_person", _NO_GROUP, name=group)
    s.indirect("the oldest open ticket of the group", hidden=[s.pick(_OLDEST, name=group)["number"]])
    s.branches("how bad that ticket is")
    s.ask(
        """[Of all open tickets|Among the open tickets] in {group}, one [has waited longest|is older than
        the rest], and {team} [ought|has] to know which. [Its number|The number of it] goes into {channel}
        there as "{frame}", in the place of N; [the post is|make it] important if that ticket is critical,
        [and normal|but normal] if not.""",
        """"{frame}" is what I want [posted|to read] in {channel} of {team}, N being the number of the
        ticket that {group} [has had open for the longest time|has left open longest]. [Should it be|If it
        happens to be] critical, use high importance, [else|and otherwise] the normal one.""",
        """[Every Monday|At the start of a week] {team} reads in {channel} which open ticket of {group} is
        the oldest, [going by|judged by] when it was created: "{frame}", with its number for N. Only a
        critical one is [announced|marked] with high importance.""",
        """{group} [pushes one ticket along|leaves one ticket lying] since [autumn|long before the
        holidays]. [Find the open one|Look which open one is the one] created first, and [tell|let] {team}
        [about it|know] in {channel} like this, N replaced: "{frame}" High importance is for [a critical
        ticket|a ticket graded critical], normal for any other.""",
        """[I do not remember|I have forgotten] the number of the oldest ticket that is open in {group}.
        [Look it up|Find it] and write in the channel {channel}, team {team}, "{frame}", where N [is
        that|stands for the] number; whether the post is important or normal [depends on|follows from]
        whether the ticket is critical or not.""",
        """[The queue|The list] of {group} [begins with|starts at] an open ticket older than all others.
        [In|For] {team}, channel {channel}, that is worth "{frame}", [the number|its number] put for N, and
        high importance [provided that|as long as] it is critical; normal [will do|is enough] for [the other
        priorities|everything else].""",
        group=group, team=board.team, channel=board.channel, frame=frame.format("N"),
    )  # fmt: skip
    more.say()
    look.only_if_active(s, group)
    target = find_group(s, group, "whose queue it is")
    queue = s.do("get_incidents_assigned_to", "what waits there", assignment_group=target["group_id"])
    first = queue["incidents"].every(("status", "in", OPEN_STATES)).smallest("created_at")
    place, channel = boards.find_channel(s, board)
    more.look(group=target)
    s.do("send_channel_message", "name it to the team", teamId=place["id"], channelId=channel["id"],
         importance=mapped(first["priority"], {"critical": "high"}, "normal"),
         body={"contentType": "text", "content": text(frame, first["number"])})  # fmt: skip
    more.write()


_LINK = "https://graph.microsoft.com/v1.0/users('{}')"
_MEMBER = "#microsoft.graph.aadUserConversationMember"
_BUSY_HANDS = """SELECT g.name, COUNT(DISTINCT i.assigned_to) AS hands FROM incident i JOIN user_group g
    ON g.group_id = i.assignment_group JOIN users u ON u.user_id = i.assigned_to JOIN user_group_member m
    ON m.group_id = g.group_id AND m.user_id = u.user_id WHERE i.org_id = 'ORG_001'
    AND i.status = 'in_progress' AND u.active AND g.active AND u.email <> :me AND g.group_id NOT IN
        (SELECT group_id FROM user_group_member JOIN users USING (user_id) WHERE email = :me)
    GROUP BY g.group_id HAVING hands BETWEEN 2 AND 5"""
_HANDS = """SELECT DISTINCT u.email FROM incident i JOIN users u ON u.user_id = i.assigned_to
    JOIN user_group g ON g.group_id = i.assignment_group WHERE g.name = :name AND i.status = 'in_progress'"""
_QUESTIONS = (
    "Please bring your work notes up to date by noon.", "How long will it take? A guess is enough.",
    "Do you need a second pair of hands this week?", "Please check the category of what you work on.",
    "Is the caller of your ticket informed?", "Tell me if anything keeps you from finishing.",
)  # fmt: skip


@family("hybrid", servers=("itsm", "teams"), perturbations=("inactive_person", "missing_entity"))
def chat_with_workers(s: Scene) -> None:
    """Whoever in a group works on a ticket at present gets the same words, each in a chat of their own."""
    s.pick_caller(f"{MANAGERS} AND {look.STAFF}")
    me = look.caller_email(s)
    group, words = s.pick(_BUSY_HANDS, me=me)["name"], s.rng.choice(_QUESTIONS)
    more = besides(s, *about_group(group), *extras.of("itsm", "teams"))
    s.perturb("inactive_person", _NO_GROUP, name=group)
    s.perturb("missing_entity", _OTHER_NAME, name=group)
    s.covers("every member of the group with a ticket in progress")
    s.indirect("who works on tickets of the group", hidden=[r["email"] for r in s.rows(_HANDS, name=group)])
    s.ask(
        """[Each|Every one] of the people in {group} who [has a ticket in progress|is at work on a ticket]
        there should hear "{words}" from me, [one by one|one after the other], in [our own chat|a chat of us
        two] and [not in a channel|in no channel].""",
        """[In the stand-up|This morning] nobody of {group} [spoke up|said a word]. So send "{words}" in
        Teams to those [members|of its members] to whom a ticket of that group in progress is assigned,
        [everybody separately|a chat for each].""",
        """"{words}" [is a question|is meant] for some of {group} only: [the members|its members] with a
        ticket of the group that is in progress. [Write it|Put it] into the chat that I have with each of
        them, [and make that chat|making the chat] where there is none.""",
        """[Whoever|Anybody who] belongs to {group} and [has been given|holds] one of its tickets, in
        progress, [is to get|gets] a message of mine in a chat of two, [worded|with the words]
        "{words}\"""",
        """[Some|A few] in {group} [are busy|have work] and others are not. [To the busy ones|To those who
        are], that is the members to whom tickets of the group in progress are assigned, [I want to
        say|please say] "{words}" in a one-on-one chat [each|apiece].""",
        """The tickets of {group} that are in progress [have|each have] somebody who works on them. As far
        as these are members of the group, [chat with|write to] each of them alone, [once and not|but not
        once] per ticket, [saying|the text being] "{words}\"""",
        group=group, words=words,
    )  # fmt: skip
    more.say()
    look.only_if_active(s, group)
    target = _find_named_group(s, group, "whose people are meant")
    seats = s.do("list_group_members", "who is in it", group_id=target["group_id"])["group_members"]
    queue = s.do("get_incidents_assigned_to", "who works on what", assignment_group=target["group_id"])
    busy = queue["incidents"].every(status="in_progress")
    people = s.do_each(seats.every(("user_id", "in", busy["assigned_to"])), "get_user", "their addresses",
                       user_id=ROW["user_id"])  # fmt: skip
    more.look(group=target)
    chats = s.do_each(
        people.every(active=True), "create_chat", "the chat of the two", chatType="oneOnOne",
        members=[{"_odata_type": _MEMBER, "roles": ["owner"], "user_odata_bind": link}
                 for link in (_LINK.format(me), text(_LINK, ROW["email"]))],
    )  # fmt: skip
    s.do_each(chats, "send_chat_message", "the words", chatId=ROW["id"],
              body={"contentType": "text", "content": words})  # fmt: skip
    more.write()


_WAITING = f"""SELECT g.name, i.priority, COUNT(*) AS tickets FROM incident i JOIN user_group g
    ON g.group_id = i.assignment_group JOIN users u ON u.user_id = i.caller_id WHERE {_OPEN} AND g.active
    AND u.email <> :me GROUP BY 1, 2 HAVING tickets BETWEEN 2 AND 3 AND SUM(u.active) = tickets
    AND COUNT(DISTINCT u.user_id) = tickets
    AND tickets = (SELECT COUNT(*) FROM incident o WHERE o.assignment_group = i.assignment_group
        AND o.priority = i.priority AND o.status IN ('new', 'in_progress', 'on_hold'))"""


@family("hybrid", servers=("itsm", "email"), perturbations=("inactive_person", "missing_entity"))
def letters_to_callers(s: Scene) -> None:
    """Everybody with an open ticket of one priority in a group gets a letter that names their own ticket."""
    s.pick_caller(f"{MANAGERS} AND {look.STAFF}")
    me = look.caller_email(s)
    queue = s.pick(_WAITING, me=me)
    until = s.day(2, 9)
    subject = s.rng.choice(("Your open ticket", "News of your ticket", "Why your ticket takes longer",
                            "Where your ticket stands"))  # fmt: skip
    frame = s.rng.choice((
        f"Your ticket {{}} is not forgotten. We expect to be done by {until.full}.",
        f"We still work on {{}} and hope to close it by {until.full}.",
        f"About {{}}: somebody of {queue['name']} will ring you by {until.full}.",
        f"{{}} takes longer than we thought. You hear from {queue['name']} by {until.full}.",
    ))  # fmt: skip
    more = besides(s, *about_group(queue["name"]), *extras.of("itsm", "email"))
    s.perturb("inactive_person", _NO_GROUP, name=queue["name"])
    s.perturb("missing_entity", _OTHER_NAME, name=queue["name"])
    s.covers(f"everybody with an open {queue['priority']} ticket in the group")
    s.indirect("whose tickets these are")
    s.ask(
        """[Those|All those] who wait for {group} with an open ticket of {priority} priority [deserve|should
        get] a letter of mine, [each their own|one apiece]: subject "{subject}", text "{frame}", where N is
        the number of the ticket [they reported|of theirs].""",
        """"{subject}" is the [heading|subject] of a mail that goes from my mailbox to every caller whose
        {priority} ticket is open in {group}. [It reads|Its text is] "{frame}", [N being|and N is] their own
        ticket number, so [no two letters are alike|write them singly].""",
        """[Complaints come in|I hear complaints] about the {priority} tickets of {group}. [Write|Send a
        mail] to the caller of each one that is still open, with [that|the] ticket's number in the place of
        N: "{frame}", headed "{subject}".""",
        """{group} has open tickets of {priority} priority, and [behind each|behind every one] there is a
        caller who [has heard nothing|knows nothing]. From me they [get|receive] "{frame}" (N: the number of
        their ticket) under the subject "{subject}", [nobody copied|with no copies].""",
        """[Take|Go through] the tickets with {priority} priority that {group} has open, and [mail|write to]
        the person who reported it in each case, as "{subject}", with [these words|this text], N to be
        filled in: "{frame}\"""",
        """[No mass mail|Not one mail for all], please, but one letter for each caller of an open {priority}
        ticket in {group}: its subject "{subject}", its body "{frame}", and [instead|in the place] of N
        [what their ticket is numbered|the ticket's number].""",
        group=queue["name"], priority=queue["priority"], subject=subject, frame=frame.format("N"),
    )  # fmt: skip
    more.say()
    look.only_if_active(s, queue["name"])
    target = _find_named_group(s, queue["name"], "whose callers wait")
    found = s.do("list_incidents", "which tickets are meant", assignment_group=target["group_id"],
                 priority=queue["priority"])["incidents"].every(("status", "in", OPEN_STATES))  # fmt: skip
    s.require(count(found), ">=", 1, f"nobody waits for {queue['name']} with such a ticket")
    people = s.do_each(found, "get_user", "where to write to", user_id=ROW["caller_id"])
    more.look(group=target)
    to, body = people.where(user_id=ROW["caller_id"])["email"], text(frame, ROW["number"])
    s.do_each(found, "send_message", "a letter to each", userId="me",
              payload={"headers": [{"name": "To", "value": to}, {"name": "Subject", "value": subject}],
                       "body": {"data": body, "size": length(body)}})  # fmt: skip
    more.write()
