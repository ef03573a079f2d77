"""Scenarios about whole conversations: filed, thrown away, taken out of the trash, deleted for good."""

from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios import reasons
from eops_traj.taskgen.scenarios.email import lookups as look
from eops_traj.taskgen.scenarios.email.mail_extras import about_mail
from eops_traj.taskgen.scenarios.email.mailbox_extras import about_own, perhaps
from eops_traj.taskgen.scene import Row, Scene

OUTSIDERS = {
    "status@kestrelcloud.example": "Kestrel Cloud Status", "bookings@atlastravel.example": "Atlas Travel",
    "digest@opsdigest.example": "Ops Digest", "news@ledgerweekly.example": "Ledger Weekly",
    "sales@quarryoffice.example": "Quarry Office Supplies", "noreply@pineforum.example": "Pine Forum",
}  # fmt: skip
"""Senders outside whose mail nobody has to keep."""
_LONG = """ AND EXISTS (SELECT 1 FROM messages m WHERE m.user_id = u.id GROUP BY m.thread_id HAVING COUNT(*) >
1)"""
WITH_NOTICES = f""" AND EXISTS (SELECT 1 FROM messages m WHERE m.user_id = u.id AND m.from_email IN
    ({", ".join(f"'{each}'" for each in OUTSIDERS)}) AND EXISTS (SELECT 1 FROM message_labels l WHERE
    l.message_id = m.id AND l.label_id = 'INBOX'))"""


def pick_conversation(s: Scene) -> Row:
    """Pick a received mail of a conversation of several that a search for sender and subject finds alone."""
    long = {row["id"] for row in s.rows("SELECT thread_id AS id FROM messages WHERE user_id = :me GROUP BY 1"
                                        " HAVING COUNT(*) > 1", me=s.caller["id"])}  # fmt: skip
    rows = look.received_messages(s)
    able = {row["email"] for row in s.rows(look.PEOPLE)}
    fits = []
    for row in rows:
        about = look.plain_subject(row["subject"])
        found = look.matching(rows, row["from_name"], about)
        if (
            row["thread_id"] in long
            and row["from_email"] in able
            and {r["thread_id"] for r in found} == {row["thread_id"]}
        ):
            fits.append(row)
    return look.choose(s, fits)


@family("email", perturbations=("missing_entity", "two_namesakes"), consumes="label")
def file_conversation(s: Scene) -> None:
    """Somebody has a whole conversation put under a label and out of the inbox."""
    me = look.pick_user(
        s,
        f"{look.WITH_MAIL}{_LONG} AND u.id IN (SELECT user_id FROM labels WHERE type = 'user')",
    )
    earlier = s.consume("label")
    row = pick_conversation(s)
    label = (
        {"id": "", "name": earlier.words}
        if earlier
        else s.pick(
            """SELECT id, name FROM labels l WHERE user_id = :me AND type = 'user'
            AND 1 = (SELECT COUNT(*) FROM
        labels c WHERE c.user_id = l.user_id AND c.name LIKE l.name || '%') AND NOT EXISTS (SELECT 1 FROM
        message_labels x WHERE x.label_id = l.id AND x.user_id = :me AND x.message_id IN (SELECT id FROM
        messages WHERE thread_id = :thread)) ORDER BY name""",
            me=me["id"],
            thread=row["thread_id"],
        )
    )
    other = look.choose(
        s, [each for each in look.received_messages(s) if each["thread_id"] != row["thread_id"]]
    )
    star = s.chance(0.5)
    more = perhaps(s, *about_own(me, "labels"), *about_mail(row["from_name"]))
    s.perturb(
        "missing_entity",
        "UPDATE labels SET name = 'Basement' WHERE user_id = :me AND id = :id",
        me=me["id"],
        id=label["id"],
    )
    look.copy_headers(s, "two_namesakes", other, row["subject"], row["from_name"], row["from_email"])
    also = (
        s.rng.choice(
            (
                "All of it gets a star as well.",
                "Star every part of it, too.",
                "Each mail in it should be starred.",
            )
        )
        if star
        else s.rng.choice(
            ("Stars and the like stay.", "No star is added.", "Apart from that it stays as it is.")
        )
    )
    s.covers("all mails of a conversation")
    s.ask(
        """What {sender} and I wrote to each other about '{about}' is [finished|closed], so [file|put away]
        the whole conversation, my own mails included, under {label} and [take it out of|clear it from] the
        inbox. {also}""",
        """[The conversation|The exchange] with {sender} on '{about}' [belongs under|should be filed as]
        {label}, from its first mail to its last, and [no longer|not] in my inbox. {also} [If there are two
        such|Should you find two], leave both.""",
        """[Nothing is open|There is nothing left to do] between {sender} and me on '{about}'. {also} Archive
        that conversation as one, with {label} on [every single mail of it|each of its mails].""",
        """{label} is where I [look for|keep] [settled matters|what is over]. '{about}', [the one
        conversation that {sender} takes part in|which {sender} and I have discussed], is [settled|over]
        [now|at last]: [label it as a whole and archive it|it gets that label throughout and is archived].
        {also}""",
        """[Find|There is] one conversation '{about}' with mail from {sender}. {also} It should carry {label}
        [all through|throughout] and [leave|be gone from] the inbox, [not just|and not only] its latest
        mail.""",
        """[Half of it|A part of it] filed is no good to me: every mail of the conversation '{about}', in
        which {sender} writes, goes under {label} and [out of|leaves] the inbox. {also}""",
        """{also} [When I search for|Searching for] '{about}' I want to see {label} on whatever {sender} or I
        [said|wrote] there, [and none of it|nothing of it] in the inbox.""",
        """[Close|Let us close] the matter with {sender}: '{about}', every mail from either side, [is
        moved|moves] out of the inbox to {label}. {also}""",
        sender=row["from_name"], about=look.plain_subject(row["subject"]), label=label["name"], also=also,
    )  # fmt: skip
    more.say()
    about = look.plain_subject(row["subject"])
    look.get_profile(s)
    if earlier:
        label_id = earlier.record["id"]
    else:
        labels = s.do("list_labels", f"the id of {label['name']}", userId="me")["labels"]
        label_id = look.find_label_id(s, label["name"], labels, "the conversation cannot be filed there")
    threads = s.do("list_threads", "which conversation it is", userId="me",
                   q=f'from:"{row["from_name"]}" subject:"{about}"')["threads"]  # fmt: skip
    s.require(count(threads), "<=", 1, f"there is more than one such conversation with {row['from_name']}",
              names=(reasons.known_as(row["from_name"]), f"{reasons.SEVERAL}|two|2"))  # fmt: skip
    s.require(count(threads), ">=", 1, "there is no such conversation")
    thread = s.do("get_thread", "what is in it", userId="me", id=threads[0]["id"], format="metadata")
    more.look()
    s.do("modify_thread", "file all of it", userId="me", id=thread["id"],
         addLabelIds=[label_id, *["STARRED"] * star], removeLabelIds=["INBOX"])  # fmt: skip
    more.write()
    s.rule("Nothing of the conversation is in the inbox, and all of it is under the label",
           """SELECT COUNT(*) FROM messages m WHERE m.thread_id = :thread AND (EXISTS (SELECT 1 FROM
           message_labels l WHERE l.message_id = m.id AND l.label_id = 'INBOX') OR NOT EXISTS (SELECT 1 FROM
           message_labels l JOIN labels b ON b.id = l.label_id AND b.user_id = l.user_id WHERE l.message_id =
           m.id AND b.name = :label))""",
           expected=0, thread=row["thread_id"], label=label["name"])  # fmt: skip


@family("email", perturbations=("missing_entity", "two_namesakes"), ood=True)
def restore_conversation(s: Scene) -> None:
    """Somebody has a whole conversation taken out of the trash and put back where it was."""
    look.pick_user(s, look.WITH_MAIL + _LONG)
    row = pick_conversation(s)
    about = look.plain_subject(row["subject"])
    other = look.choose(
        s, [each for each in look.received_messages(s) if each["thread_id"] != row["thread_id"]]
    )
    s.arrange(
        """DELETE FROM message_labels WHERE label_id = 'INBOX' AND message_id IN (SELECT id FROM messages
        WHERE thread_id = :thread); INSERT INTO message_labels (message_id, user_id, label_id) SELECT id,
        user_id, 'TRASH' FROM messages WHERE thread_id = :thread""",
        thread=row["thread_id"],
    )
    more = perhaps(s, *about_own(s.caller), *about_mail(row["from_name"]))
    s.perturb("missing_entity", "DELETE FROM messages WHERE thread_id = :thread", thread=row["thread_id"])
    s.perturb("two_namesakes", """INSERT INTO message_labels (message_id, user_id, label_id) SELECT id,
              user_id, 'TRASH' FROM messages WHERE id = :id""", id=other["id"])  # fmt: skip
    look.copy_headers(s, "two_namesakes", other, row["subject"], row["from_name"], row["from_email"])
    s.covers("all mails of a conversation")
    s.duty("what is restored is in the inbox, too")
    s.ask(
        """I [emptied my desk|tidied up] and threw away a conversation that I need: '{about}', with mail from
        {sender}. [Restore it|It is to be restored] from the trash, [all its mails|the whole of it]; there
        should be [only one|just the one].""",
        """[In the trash|My trash] lies what {sender} and I wrote about '{about}'. [Please restore|Restore]
        that conversation [entirely|in full], so that we can [go on with it|take it up again]; if there are
        two, ask me.""",
        """'{about}' is not [over|settled] after all, says {sender}. The conversation is in the trash and
        [has to be|needs to be] restored as one, [each mail of it|every one of its mails].""",
        """{sender} wants to [come back to|return to] '{about}', and I deleted that conversation [last
        week|in December]. Get it restored, from the first mail on, [provided|as long as] there is one such
        conversation in my trash.""",
        """[What was I thinking|A mistake of mine]: the exchange with {sender} under '{about}' went into the
        trash. It should be [restored as a whole|restored, none of its mails missing].""",
        """[Restore|Have restored] one thrown-away conversation, '{about}', to which {sender}
        [contributed|wrote]. All parts of it [matter|are needed]. [Two of that name|More than one] would be a
        surprise, so [then let me choose|tell me then].""",
        about=about, sender=row["from_name"],
    )  # fmt: skip
    more.say()
    look.get_profile(s)
    found = s.do("list_threads", "which conversation was thrown away", userId="me",
                 q=f'in:trash from:"{row["from_name"]}" subject:"{about}"')["threads"]  # fmt: skip
    s.require(count(found), ">=", 1, "there is no such conversation in the trash",
              names=(f"{reasons.known_as(row['from_name'])}|trash", reasons.MISSING))  # fmt: skip
    s.require(count(found), "<=", 1, f"there is more than one such conversation with {row['from_name']}",
              names=(reasons.known_as(row["from_name"]), f"{reasons.SEVERAL}|two|2"))  # fmt: skip
    s.do("get_thread", "what is in it", userId="me", id=found[0]["id"], format="metadata")
    more.look()
    s.do("untrash_thread", "out of the trash", userId="me", id=found[0]["id"])
    s.do("modify_thread", "and back into the inbox", userId="me", id=found[0]["id"], addLabelIds=["INBOX"])
    more.write()
    s.rule("All of it is in the inbox, none in the trash",
           """SELECT COUNT(*) FROM messages m WHERE m.thread_id = :thread AND (EXISTS (SELECT 1 FROM
           message_labels l WHERE l.message_id = m.id AND l.label_id = 'TRASH') OR NOT EXISTS (SELECT 1 FROM
           message_labels l WHERE l.message_id = m.id AND l.label_id =
           'INBOX'))""", expected=0, thread=row["thread_id"])  # fmt: skip
