"""Scenarios about drafts: one sent or reworded, an answer prepared, and those that were never finished."""

from eops_traj.taskgen.expressions import ROW
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios import reasons
from eops_traj.taskgen.scenarios.email import lookups as look
from eops_traj.taskgen.scenarios.email import sending
from eops_traj.taskgen.scenarios.email.answers import ANSWERS
from eops_traj.taskgen.scenarios.email.mailbox_extras import about_own, perhaps
from eops_traj.taskgen.scene import Scene

DRAFTS = """SELECT d.id, m.subject, m.from_name, m.from_email, u.name AS reader FROM drafts d
JOIN messages m ON m.id = d.message_id JOIN users u ON u.email = m.to_emails
WHERE d.user_id = :me AND u.active AND u.id NOT IN (SELECT user_id FROM vacation_settings WHERE
    enable_auto_reply UNION SELECT user_id FROM auto_forwarding WHERE enabled) ORDER BY d.id"""
WITH_DRAFTS = " AND EXISTS (SELECT 1 FROM drafts d WHERE d.user_id = u.id)"
"""The condition that a person has begun to write something."""


_SENT = (  # sent, or changed and unsent, or both at once
    ("Send it as it stands.", "Leave it unsent, only its text is to be '{}' and nothing else.",
     "Send it as it stands, and leave it unsent."),
    ("That one goes out as it is.", "That one does not go out yet, and its text becomes '{}' as a whole.",
     "That one goes out as it is, and does not go out yet."),
    ("It is ready to be sent now.", "It is not sent now; what it says is to be '{}' alone.",
     "It is to be sent now, and is not sent now."),
)  # fmt: skip


@family("email", perturbations=("missing_entity", "two_namesakes", "conflicting_demands"))
def drafts(s: Scene) -> None:
    """Somebody has one draft sent or reworded, and an answer to a mail prepared as another draft."""
    look.pick_user(s, look.WITH_MAIL + WITH_DRAFTS)
    rows = look.received_messages(s)
    existing = s.rows(DRAFTS, me=s.caller["id"])
    draft = look.choose(s, [d for d in existing if len(look.matching(existing, "", d["subject"])) == 1])
    fits = [each for each in look.findable(s, rows)
            if not look.matching(existing, "", look.plain_subject(each["subject"]))]  # fmt: skip
    row = look.choose(s, fits)
    out = s.chance(0.5)
    answer, new_text = s.rng.sample(ANSWERS, 2)
    other = look.choose(s, [each for each in rows if each["id"] != row["id"] and each["day"] != row["day"]])
    more = perhaps(s, *about_own(s.caller))
    look.delete_message(s, "missing_entity", row)
    look.copy_headers(s, "two_namesakes", other, row["subject"], row["from_name"], row["from_email"])
    sent, unsent, both = s.rng.choice(_SENT)
    old = s.phrase("conflicting_demands", sent if out else unsent.format(new_text), both)
    about = look.plain_subject(row["subject"])
    s.ask(
        """[Two|A couple of] drafts need you. [One lies there|The first exists] already, to {reader},
        '{title}'. {old} The [other one is new|second does not]: a reply to {sender} on '{about}' that
        [says|reads] '{words}', only prepared.""",
        """I began to write to {reader} under '{title}' and [never finished|left it at that]. {old} [By the
        way|Beside that], {sender} expects something on '{about}'; [draft|put down] '{words}' as the answer
        in that conversation, I will [look at it again|send it myself].""",
        """[Prepare|Get ready], without sending, the answer '{words}' to what {sender} wrote [on|under]
        '{about}'. The draft [that is there already|from before], for {reader} and called '{title}', [needs
        this|comes next]: {old}""",
        """{sender} and {reader} both [wait for|want] a word from me. For {sender}, on '{about}',
        [leave|store] the reply '{words}' among my drafts, in the conversation it belongs to. For {reader}
        there is a draft '{title}' [at hand|already]. {old}""",
        """[Half-written mail|What is half written] [should not|must not] pile up: '{title}', my draft for
        {reader}. {old} [While there|In the same go], a new draft takes up what {sender} asked as '{about}';
        its whole text is '{words}'""",
        """'{words}', [that much|so much] I know of my answer to {sender} about '{about}', so [keep it|save
        it] as a draft there. [Older than that|Lying there longer] is the draft '{title}' to {reader}.
        {old}""",
        reader=draft["reader"], title=draft["subject"], old=old, sender=row["from_name"], about=about,
        words=answer,
    )  # fmt: skip
    more.say()
    s.refuse("conflicting_demands", "a draft cannot be sent and left unsent at once",
             names=("send|sent", f"unsent|not be sent|remain|{reasons.CONTRADICTORY}"))  # fmt: skip
    look.get_profile(s)
    matches = s.do("list_drafts", "the draft that is there", userId="me", q=f'subject:"{draft["subject"]}"')[
        "drafts"
    ]
    s.require(count(matches), "==", 1, f"there is not exactly one draft about {draft['subject']}",
              names=(draft["subject"], "draft", f"{reasons.MISSING}|{reasons.SEVERAL}"))  # fmt: skip
    draft_ref = s.do("get_draft", "what it says", userId="me", id=matches[0]["id"])
    mail = look.find_message(s, row, "the mail to be answered")
    same = s.do("list_drafts", "no answer begun yet", userId="me", q=f'subject:"{about}"')["drafts"]
    s.require(count(same), "==", 0, f"there is a draft about {about} already")
    more.look()
    if out:
        s.do("send_draft", "send it as it stands", userId="me", id=draft_ref["id"], message={})
    else:
        s.do(
            "update_draft",
            "its new text",
            userId="me", id=draft_ref["id"],
            message={
                "payload": sending.compose(
                    look.header_value(draft_ref["message"], "To"),
                    look.header_value(draft_ref["message"], "Subject"),
                    new_text,
                )
            },
        )  # fmt: skip
    payload = sending.compose(look.header_value(mail, "From"), f"Re: {about}", answer)
    s.do("create_draft", f"prepare the answer to {row['from_name']}", userId="me",
         message={"threadId": mail["threadId"], "payload": payload})  # fmt: skip
    more.write()
    s.rule(
        "The prepared answer is a draft in its conversation, and there is one draft for each purpose",
        """SELECT COUNT(*) FROM drafts d JOIN messages m ON m.id = d.message_id WHERE d.user_id = :me AND
        m.thread_id = :thread AND m.subject LIKE 'Re: %'""",
        me=s.caller["id"], thread=row["thread_id"],
    )  # fmt: skip
    sending.rule_sent(s, draft["subject"]) if out else sending.rule_nothing_sent(s)


WITH_OLD_DRAFTS = """ AND EXISTS (SELECT 1 FROM drafts d JOIN messages m ON m.id = d.message_id
    WHERE d.user_id = u.id AND m.internal_date < 1767225600000)"""
"""The condition that a draft of last year is there."""


@family("email", perturbations=("conflicting_demands", "missing_entity"))
def clear_drafts(s: Scene) -> None:
    """Somebody has all drafts of last year thrown away, and an answer prepared instead."""
    look.pick_user(s, look.WITH_MAIL + WITH_OLD_DRAFTS)
    rows = look.received_messages(s)
    existing = s.rows(DRAFTS, me=s.caller["id"])
    row = look.choose(
        s,
        [
            each
            for each in look.findable(s, rows)
            if not look.matching(existing, "", look.plain_subject(each["subject"]))
        ],
    )
    words, about = s.rng.choice(ANSWERS), look.plain_subject(row["subject"])
    more = perhaps(s, *about_own(s.caller))
    look.delete_message(s, "missing_entity", row)
    fate = look.phrase(
        s,
        "conflicting_demands",
        "[Not one of those drafts has to be kept.|I need none of them any more.|All of them may be lost.]",
        "[Not one of those drafts may be lost.|I need all of them as before.|All of them have to be kept.]",
    )  # fmt: skip
    s.covers("all drafts of last year")
    s.ask(
        """[What I began to write last year|Mail that I began in 2025] and never sent is [of no use
        now|stale], so [discard|throw out] those drafts, every one from before 1 January 2026. {fate} In
        their place I [want|need] one fresh draft, the answer to {sender} on '{about}': '{words}'""",
        """A new year, and old drafts [are still|still] lying about. {fate} [Anything dated|All of them from]
        2025 or earlier can be deleted; after that [prepare|write] '{words}' for {sender} in the conversation
        '{about}', as a draft [that I send later|for me to send].""",
        """{sender} [should get|is owed] an answer on '{about}', which I would like to find as a draft saying
        '{words}'. [Make room|Clear the place] first: unsent mail of [last year|2025], without exception, is
        to be deleted. {fate}""",
        """[Look through|Go through] my drafts. The ones I left unfinished before this year began [go|have to
        go], however many [they are|there may be]. {fate} Then '{words}' is what a new draft to {sender}
        says, [as a reply|in reply] to '{about}'.""",
        """[A new draft|One more draft] should be there to be finished by me: '{words}', in answer to
        {sender} about '{about}'. [Create it, and|Put it there and] get rid of whatever draft dates from [the
        old year|before New Year]. {fate}""",
        """Before 1 January 2026 I [started|began] more mails than I [finished|sent]. {fate} [Delete|Remove]
        all such drafts. As to '{about}', where {sender} [is waiting|waits] for me, leave the reply '{words}'
        in drafts, unsent.""",
        fate=fate, sender=row["from_name"], about=about, words=words,
    )  # fmt: skip
    more.say()
    s.refuse("conflicting_demands", "drafts cannot be deleted and kept at once",
             names=("draft", "lost|lose|keep|kept|delet|discard"))  # fmt: skip
    look.get_profile(s)
    mail = look.find_message(s, row, "the mail to be answered")
    old = s.do("list_drafts", "what was begun last year", userId="me", q="before:2026-01-01")["drafts"]
    s.do_each(old, "get_draft", "what it is about", userId="me", id=ROW["id"], format="metadata")
    more.look()
    s.do_each(old, "delete_draft", "it is of no use", userId="me", id=ROW["id"])
    payload = sending.compose(look.header_value(mail, "From"), f"Re: {about}", words)
    s.do("create_draft", f"prepare the answer to {row['from_name']}", userId="me",
         message={"threadId": mail["threadId"], "payload": payload})  # fmt: skip
    more.write()
    s.rule("No draft of last year is left",
           """SELECT COUNT(*) FROM drafts d JOIN messages m ON m.id = d.message_id WHERE d.user_id = :me AND
           m.internal_date < 1767225600000""", expected=0, me=s.caller["id"])  # fmt: skip
    sending.rule_nothing_sent(s)
