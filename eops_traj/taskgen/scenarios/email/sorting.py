"""Scenarios about mail that is there: filed, thrown away, fetched back."""

import json

from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios import reasons
from eops_traj.taskgen.scenarios.email import lookups as look
from eops_traj.taskgen.scenarios.email import sending
from eops_traj.taskgen.scenarios.email.mail_extras import about_mail
from eops_traj.taskgen.scenarios.email.mailbox_extras import about_own, perhaps
from eops_traj.taskgen.scene import Row, Scene

LABELS = ("Done 2025", "For the audit", "Keep", "Open points", "Reference", "Hand over", "Closed cases",
          "Quarter one", "Project Alder", "Reading list", "To discuss", "Proofs", "Old requests",
          "Team folder")  # fmt: skip
TRASHED = """SELECT m.id, m.from_name, m.subject FROM messages m JOIN message_labels l ON l.message_id = m.id
WHERE m.user_id = :me AND l.label_id = 'TRASH' ORDER BY m.id"""
INBOX_FROM = """SELECT m.id FROM messages m JOIN message_labels l ON l.message_id = m.id AND l.label_id =
'INBOX' WHERE m.user_id = :me AND m.from_name = :name ORDER BY m.id"""
"""The messages of one sender in the inbox."""
WITH_HEAP = """ AND EXISTS (SELECT 1 FROM messages m JOIN message_labels l ON l.message_id = m.id
    AND l.label_id = 'INBOX' WHERE m.user_id = u.id AND m.from_email <> u.email GROUP BY m.from_name
    HAVING COUNT(*) BETWEEN 2 AND 4)"""
"""The condition that two to four mails of one sender are in the inbox."""
WITH_TRASHED = """ AND EXISTS (SELECT 1 FROM messages m JOIN message_labels l ON l.message_id = m.id WHERE
    m.user_id = u.id AND l.label_id = 'TRASH' AND EXISTS (SELECT 1 FROM messages o JOIN message_labels p ON
    p.message_id = o.id WHERE o.user_id = u.id AND p.label_id = 'INBOX' AND o.from_name = m.from_name))"""
"""The condition that mail was thrown away of a sender of whom there is more in the inbox."""


_ARCHIVE = (
    "They need not stay in the inbox after that, so archive them.",
    "With the label on, they leave the inbox for the archive.", "After that they are archived.",
    "Once labelled, out of the inbox with them.", "They can be archived as soon as they carry it.",
)  # fmt: skip
_TORN = (
    "They need to stay in the inbox after that, and be archived.",
    "With the label on, they go to the archive and stay in the inbox.",
    "After that they are archived in the inbox.",
    "Once labelled, out of the inbox with them, and leave them in it.",
    "They can be archived without leaving it.",
)  # fmt: skip


def _group_by_sender(rows: list[Row], least: int, most: int) -> list[list[Row]]:
    """Return the messages of each sender with this many that a search by name finds alone."""
    heaps = []
    for name in sorted({row["from_name"] for row in rows}):
        heap = look.matching(rows, name)
        if least <= len(heap) <= most and len({row["from_email"] for row in heap}) == 1:
            heaps.append(heap)
    return heaps


@family("email", perturbations=("two_namesakes", "conflicting_demands"), produces="label")
def file_mail(s: Scene) -> None:
    """Somebody has the letters of one sender put under a new label and out of the inbox."""
    look.pick_user(s, look.WITH_MAIL + WITH_HEAP)
    rows = look.received_messages(s)
    inbox = [row for row in rows if row["inbox"]]
    heaps = _group_by_sender(inbox, 2, 4)
    if not heaps:
        raise NoMatch("nobody wrote two to four letters")
    heap = s.rng.choice(heaps)
    name, number = heap[0]["from_name"], look.NUMBERS[len(heap)]
    taken_names = {each.lower() for each in look.label_names(s)}
    label = s.rng.choice([each for each in LABELS if each.lower() not in taken_names])
    others = [row for row in inbox if row not in heap]
    other = look.choose(s, others)
    more = perhaps(s, *about_own(s.caller, "labels"))
    look.copy_headers(
        s, "two_namesakes", other, other["subject"], name, f"{heap[0]['from_email'].replace('@', '2@')}"
    )
    beside = sending.pick_side_mail(
        s,
        rows,
        0.5,
        "Tidied up",
        f"What {name} sent me is in one place now, ask me if you need it.",
        f"I have filed the mail of {name}.",
        but=(name, other["from_name"]),
    )
    leave = s.phrase("conflicting_demands", s.rng.choice(_ARCHIVE), s.rng.choice(_TORN))
    s.covers("all mail of one sender in the inbox")
    s.ask(
        """[My inbox is|The inbox is] too full. {name} has written {number} times, and [these mails
        belong|all of that belongs] under a label of their own, which you [create|make] as {label}.
        {leave} I counted, so if you do not [come to|find] {number}, touch nothing. {beside}""",
        """I keep [scrolling past|stumbling over] what {name} sends me. [Gather|Bring together] the {number}
        mails of theirs that are in my inbox under {label}, a label that [does not exist yet|is new]. {leave}
        With another number than {number}, [leave it at that|do nothing]. {beside}""",
        """{label} [is to be|will be] a new label, and under it [go|belong] the {number} mails in my inbox
        that {name} wrote. {leave} [More or fewer|Any other number], or two people of that name, would mean
        that I [mixed something up|am mistaken], so then stop. {beside}""",
        """[For the hand-over|Before the hand-over] I need everything by {name} that is in my inbox, {number}
        mails, in one place: [a fresh label|a new label], {label}. {leave} {beside} [Not {number}?|Is it not
        {number}?] Then [let me look again|I have to look again], and nothing happens.""",
        """[Of what|Out of all that] my inbox holds, {number} mails are from {name}. {leave} First, though,
        they [get|are given] a label that you add for the purpose, {label}. Only do so [if|when] it really is
        {number} [of them|mails]. {beside}""",
        """{beside} [As for|Concerning] {name}, the {number} mails in my inbox [want|need] a home, and a new
        label {label} shall be it. {leave} [The number matters|Mind the number]: with a different one,
        [change nothing|leave everything].""",
        number=number, name=name, label=label, leave=leave, beside=beside,
    )  # fmt: skip
    more.say()
    s.refuse("conflicting_demands", "mail cannot be archived and stay in the inbox at once",
             names=("archiv", "inbox"))  # fmt: skip
    look.get_profile(s)
    labels = s.do("list_labels", "no label of that name yet", userId="me")["labels"]
    s.require(count(labels.every(name=label)), "==", 0, f"there is a label {label} already")
    messages = look.search_messages(s, f'from:"{name}" in:inbox', len(heap), f"the mails from {name}",
                                    f"from {name} in the inbox", reasons.known_as(name))  # fmt: skip
    look.read_each(s, messages, "whether it is meant")
    address = beside.address(s)
    more.look()
    label_ref = s.do("create_label", f"the label {label}", userId="me", name=label)
    s.do("batch_modify_messages", "label and archive them", userId="me", addLabelIds=[label_ref["id"]],
         ids=messages.every()["id"], removeLabelIds=["INBOX"])  # fmt: skip
    beside.write(s, address)
    more.write()
    s.rule(
        "All mails under the new label are archived, and there is one label of that name",
        """SELECT COUNT(*) FROM labels b JOIN message_labels l ON l.label_id = b.id AND l.user_id =
        b.user_id WHERE b.user_id = :me AND b.name = :label AND l.message_id IN (SELECT value FROM
        json_each(:ids)) AND l.message_id NOT IN (SELECT message_id FROM message_labels WHERE label_id =
        'INBOX')""",
        expected=len(heap), me=s.caller["id"], label=label, ids=json.dumps([row["id"] for row in heap]),
    )  # fmt: skip
    s.produce("label", label_ref, label)


@family("email", perturbations=("missing_entity", "two_namesakes"), produces="mail")
def fetch_back(s: Scene) -> None:
    """Somebody has a mail fetched back from the trash, starred, and a colleague told about it."""
    look.pick_user(s, WITH_TRASHED)
    gone = s.rows(TRASHED, me=s.caller["id"])
    rows = look.received_messages(s)
    fits = [row for row in gone if sum(each["from_name"] == row["from_name"] for each in gone) == 1
            and s.rows(INBOX_FROM, me=s.caller["id"], name=row["from_name"])]  # fmt: skip
    row, aides = look.choose(s, fits), look.correspondents(s, rows)
    aide = look.choose(s, aides)
    above = s.rng.choice(s.rows(INBOX_FROM, me=s.caller["id"], name=row["from_name"]))
    about = look.plain_subject(aide["subject"])
    words = s.rng.choice((
        f"The mail from {row['from_name']} has turned up again, you can ignore my question.",
        f"I have found what {row['from_name']} sent, more on it tomorrow.",
        f"You were right about {row['from_name']}. I have the mail back now.",
    ))  # fmt: skip
    more = perhaps(s, *about_own(s.caller), *about_mail(row["from_name"], aide["from_name"]))
    look.delete_message(s, "missing_entity", row)
    s.perturb(
        "two_namesakes",
        "UPDATE message_labels SET label_id = 'TRASH' WHERE message_id = :id AND label_id = 'INBOX'",
        id=above["id"],
    )
    s.duty("what is restored is in the inbox, too")
    s.ask(
        """[By mistake I threw away|I threw away by mistake] a mail from {sender}, [the only one|one] in the
        trash of my mailbox. [Restore it|It has to be restored], then write to {aide}, who [sent me|wrote]
        '{about}': subject '{title}', text '{words}'""",
        """{aide} was [looking for|asking about] what {sender} sent, and I had [deleted|trashed] it.
        [Get|Fetch] that mail out of my trash and restore it, then tell {aide} (the address is in '{about}')
        '{words}' under '{title}'.""",
        """[Somewhere in|In] my trash there should be one mail from {sender}, which [is wanted again|I want
        back], restored as it was. [The second thing|What follows] is '{title}', a mail with '{words}' to
        {aide}, [known from|see] '{about}'.""",
        """'{words}' [is what|is the news that] {aide} gets from me as '{title}', at the address in the mail
        on '{about}'. [For that to be true|First], the mail of {sender} that lies in my trash [has to be|must
        be] restored.""",
        """[Is the mail|I hope the mail] from {sender} [still in my trash? If so,|is still in my trash;]
        restore it, and let {aide}, of '{about}', know. That message is called '{title}' and [says|goes]
        '{words}'""",
        """[Too quick with the delete key|I was too quick], I lost what {sender} had written; it [sits|is] in
        the trash, so restore it. [Afterwards|Next] comes a line to {aide} (I have their address from
        '{about}'): '{title}', '{words}'""",
        sender=row["from_name"], title=f"Found: {row['from_name']}", aide=aide["from_name"], about=about,
        words=words,
    )  # fmt: skip
    more.say()
    look.get_profile(s)
    trashed = look.search_messages(
        s, f'in:trash from:"{row["from_name"]}"', 1, "what was thrown away",
        f"from {row['from_name']} in the trash", reasons.known_as(row["from_name"]),
    )[0]  # fmt: skip
    mail = look.read_message(s, trashed, "whether it is the one")
    other = look.find_message(s, aide, f"where the address of {aide['from_name']} stands")
    more.look()
    s.do("untrash_message", "out of the trash", userId="me", id=trashed["id"])
    s.do("modify_message", "back into the inbox", userId="me", id=trashed["id"], addLabelIds=["INBOX"])
    sending.send_message(
        s, look.header_value(other, "From"), f"Found: {row['from_name']}", words, f"tell {aide['from_name']}"
    )
    more.write()
    s.rule(
        "What was restored is in the inbox and not in the trash",
        """SELECT group_concat(label_id) FROM message_labels WHERE message_id = :id AND label_id IN
        ('INBOX', 'TRASH')""",
        expected="INBOX", id=row["id"],
    )  # fmt: skip
    sending.rule_sent(s, f"Found: {row['from_name']}")
    s.produce("mail", mail, f"the mail from {row['from_name']} that you restored")
