"""A scenario about drafts: one that is there, and one to be prepared."""

from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.email import lookups as look
from eops_traj.taskgen.scenarios.email.writing import ANSWERS
from eops_traj.taskgen.scene import Scene

DRAFTED = """SELECT d.id, m.subject, m.from_name, m.from_email, u.name AS reader FROM drafts d
JOIN messages m ON m.id = d.message_id JOIN users u ON u.email = m.to_emails
WHERE d.user_id = :me AND u.active AND u.id NOT IN (SELECT user_id FROM vacation_settings WHERE
    enable_auto_reply UNION SELECT user_id FROM auto_forwarding WHERE enabled) ORDER BY d.id"""
DRAFTING = " AND EXISTS (SELECT 1 FROM drafts d WHERE d.user_id = u.id)"
"""Of people: that they have begun to write something."""


@family("email", twists=("missing_entity", "two_namesakes", "conflicting_demands"))
def drafts(s: Scene) -> None:
    """Somebody has one draft sent or reworded, and an answer to a mail prepared as another draft."""
    look.user(s, look.MAILED + DRAFTING)
    rows = look.letters(s)
    begun_ones = s.rows(DRAFTED, me=s.speaker["id"])
    draft = look.choose(s, [d for d in begun_ones if len(look.found_by(begun_ones, "", d["subject"])) == 1])
    row = look.choose(s, [each for each in look.single(s, rows)
                          if not look.found_by(begun_ones, "", look.plain(each["subject"]))])  # fmt: skip
    out = s.chance(0.5)
    answer, text_ = s.rng.sample(ANSWERS, 2)
    other = look.choose(s, [each for each in rows if each["id"] != row["id"] and each["day"] != row["day"]])
    look.drop(s, "missing_entity", row)
    look.recast(s, "two_namesakes", other, row["subject"], row["from_name"], row["from_email"])
    old = s.phrase(
        "conflicting_demands",
        "Send it as it stands." if out else f"Its text is to be '{text_}' and nothing else, unsent.",
        "Send it as it stands, and leave it unsent.",
    )
    s.ask(
        """two things about my drafts. There is one to {reader} with the subject '{title}'. {old} And
        prepare an answer to the mail from {sender} on '{about}' as a draft: '{words}' One without the other
        is no help to me.""",
        """in my mailbox lies a draft for {reader}, '{title}'. {old} Besides, {sender} has written about
        '{about}'; please draft the reply '{words}' in that conversation, I will send it myself. Both,
        please, or neither.""",
        """could you look after my drafts? The one to {reader} ('{title}') first. {old} Then a new one, in
        reply to {sender} about '{about}': '{words}' It stays a draft. If either cannot be done, do
        neither.""",
        """drafts. Existing: to {reader}, '{title}'. {old} To be prepared: a reply to the mail of {sender},
        '{about}', which reads '{words}' Leave both alone if one does not work out.""",
        """I began to write to {reader} about '{title}' and never finished. {old} While you are at it, write
        a draft, not more, that answers {sender} on '{about}' with '{words}' They go together, so all or
        nothing.""",
        """please prepare the answer '{words}' to what {sender} wrote about '{about}', and keep it as a
        draft. As for the draft that is there already, the one for {reader} on '{title}': {old} Do not do
        just one of the two.""",
        reader=draft["reader"], title=draft["subject"], old=old, sender=row["from_name"],
        about=look.plain(row["subject"]), words=answer,
    )  # fmt: skip
    s.refuse("conflicting_demands", "a draft cannot be sent and left unsent")
    look.profile(s)
    listed = s.do("list_drafts", "the draft that is there", userId="me", q=f'subject:"{draft["subject"]}"')[
        "drafts"
    ]
    s.require(count(listed), "==", 1, f"there is not exactly one draft about {draft['subject']}")
    begun = s.do("get_draft", "what it says", userId="me", id=listed[0]["id"])
    mail = look.letter(s, row, "the mail to be answered")
    same = s.do(
        "list_drafts", "no answer begun yet", userId="me", q=f'subject:"{look.plain(row["subject"])}"'
    )["drafts"]
    s.require(count(same), "==", 0, f"there is a draft about {look.plain(row['subject'])} already")
    if out:
        s.do("send_draft", "send it as it stands", userId="me", id=begun["id"], message={})
    else:
        s.do(
            "update_draft",
            "its new text",
            userId="me",
            id=begun["id"],
            message={
                "payload": look.composed(
                    look.header(begun["message"], "To"), look.header(begun["message"], "Subject"), text_
                )
            },
        )
    s.do("create_draft", f"prepare the answer to {row['from_name']}", userId="me", message={
        "threadId": mail["threadId"],
        "payload": look.composed(look.header(mail, "From"), look.answering(mail, row), answer)})  # fmt: skip
    s.rule(
        "The prepared answer is a draft in its conversation, and there is one draft for each purpose",
        """SELECT COUNT(*) FROM drafts d JOIN messages m ON m.id = d.message_id WHERE d.user_id = :me AND
        m.thread_id = :thread AND m.subject LIKE 'Re: %'""",
        me=s.speaker["id"],
        thread=row["thread_id"],
    )
    look.sent_once(s, draft["subject"]) if out else look.unsent(s)
