"""Scenarios of administrators about mail from an older system: put in as it was, or sorted on the way."""

from datetime import UTC, datetime
from email.utils import format_datetime

from eops_traj.taskgen.expressions import length
from eops_traj.taskgen.family import family
from eops_traj.taskgen.scenarios.email import lookups as look
from eops_traj.taskgen.scenarios.email import sending
from eops_traj.taskgen.scenarios.email.mailbox_extras import about_mailbox, perhaps
from eops_traj.taskgen.scenarios.email.mailboxes import (
    SILENT_OWNERS,
    addressed,
    deactivate,
    demote_caller,
    open_mailbox,
    pick_owner,
)
from eops_traj.taskgen.scene import Scene

_LETTERS = (
    ("Heating in the annex", "The boiler was serviced today and runs again."),
    ("Minutes of the spring meeting", "We agreed on two releases and one audit."),
    ("Parking permits", "Permit 14 is yours until further notice."),
    ("Frame order for cables", "The order was signed by both sides this morning."),
    ("Keys of the archive", "Both keys were handed over at the front desk."),
    ("Lease of the warehouse", "The landlord accepts our terms for five years."),
    ("Results of the drill", "Everybody was outside within four minutes."),
)
_WRITERS = ("facilities@oldmail.example", "office@bramleyhouse.example", "lease@stonegate.example",
            "records@oldmail.example", "drill@firewatch.example")  # fmt: skip


def _when(s: Scene) -> str:
    """Pick a time years ago, as the header of a mail gives it."""
    moment = datetime(s.rng.randint(2021, 2024), s.rng.randint(1, 12), s.rng.randint(1, 28),
                      s.rng.randint(7, 17), s.rng.choice((5, 20, 35, 50)), tzinfo=UTC)  # fmt: skip
    return format_datetime(moment)


@family("email", perturbations=("no_right", "inactive_person", "missing_entity"))
def put_in_old_mail(s: Scene) -> None:
    """An administrator puts a mail of the older system into a mailbox, as it was and under a label."""
    look.pick_admin(s)
    row, box, who = pick_owner(s, "SELECT user_id FROM labels WHERE type = 'user'")
    label = s.pick(
        "SELECT id, name FROM labels WHERE user_id = :id AND type = 'user' ORDER BY name", id=row["id"]
    )
    (subject, words), writer, when = s.rng.choice(_LETTERS), s.rng.choice(_WRITERS), _when(s)
    told = look.line(
        s,
        (
            "[A mail from the old system|One old mail] is [back in|now in] your mailbox.",
            "What you [missed|looked for] from the old system [is there now|has come back].",
            "[I found|We have found] the mail that the move [had lost|lost].",
        ),
    )
    more = perhaps(s, *about_mailbox(row, "labels"))
    demote_caller(s)
    deactivate(s, row)
    s.perturb(
        "missing_entity",
        "UPDATE labels SET name = 'Basement' WHERE user_id = :owner AND id = :id",
        owner=row["id"],
        id=label["id"],
    )
    s.duty("moved mail is not altered, and keeps the time of its Date header")
    s.ask(
        """[When we moved|In the move] from the old mail system, {who} lost one mail: from {writer},
        '{subject}', Date: {when}, text '{words}' [Put it back|It has to go back] past all filters, under the
        label {label} alone, and tell {name} by 'Found in the archive': '{told}'""",
        """[A tape|An old tape] gave us a mail that belongs to {who}. [Insert it|Add it] as it is, not by way
        of the filters, with {label} as its only label. From: {writer}. Subject: '{subject}' Date: {when}. It
        reads '{words}' {name} hears '{told}' under 'Found in the archive'.""",
        """'{words}', [wrote|so wrote] {writer} under '{subject}' (Date: {when}), and {who} [wants|would
        like] that mail from the old system [back|again], [untouched by|without going through] filters and
        filed as {label}. Close with 'Found in the archive' to {name}, '{told}'""",
        """[Restoring|We restore] single mails from before our time, {who} is next. The mail is '{subject}'
        by {writer}; Date: {when}; its text: '{words}' Nothing but the label {label} [goes on it|belongs on
        it], no filter acts. Then '{told}' to {name}, titled 'Found in the archive'.""",
        """{who} [refers to|quotes] a mail of the old system that is not in the mailbox: {writer}, Date:
        {when}, '{subject}', with '{words}' as its whole text. [Add it|Place it there], bypassing the
        filters, labelled {label} and nothing else. A mail 'Found in the archive' to {name} says '{told}'""",
        """[For the record|For completeness], one old mail goes into the mailbox of {who} [exactly as|just
        as] it was. Sender {writer}; subject '{subject}'; Date: {when}; body '{words}' {label} is the label,
        filters are left out. '{told}' is what {name} reads in 'Found in the archive'.""",
        who=who,
        name=row["name"],
        writer=writer,
        subject=subject,
        when=when,
        words=words,
        label=label["name"],
        told=told,
    )
    more.say()
    box = box or open_mailbox(s, row)
    labels = s.do("list_labels", f"the id of {label['name']}", userId=box["emailAddress"])["labels"]
    label_id = look.find_label_id(s, label["name"], labels, "the mail cannot be filed there")
    more.look()
    s.do(
        "insert_message",
        "put it in as it was",
        userId=box["emailAddress"],
        labelIds=[label_id],
        internalDateSource="dateHeader",
        payload=_old_mail(writer, row["email"], subject, when, words),
    )
    sending.send_message(s, row["email"], "Found in the archive", told, f"tell {row['name']}")
    more.write()
    s.rule("It arrived when it says it did",
           """SELECT COUNT(*) FROM messages WHERE user_id = :id AND subject = :subject AND from_email =
           :writer AND internal_date <
           1750000000000""", id=row["id"], subject=subject, writer=writer)  # fmt: skip
    sending.rule_sent(s, "Found in the archive")


def _old_mail(writer: str, reader: str, subject: str, when: str, words: str) -> dict[str, object]:
    """Build the payload of a mail of long ago."""
    headers = {"From": writer, "To": reader, "Subject": subject, "Date": when}
    return {
        "headers": [{"name": name, "value": value} for name, value in headers.items()],
        "body": {"data": words, "size": length(words)},
    }


@family("email", perturbations=("no_right", "inactive_person"), ood=True)
def import_late_mail(s: Scene) -> None:
    """An administrator imports a mail that got stuck, and says how the filters sorted it."""
    me = look.pick_admin(s)
    row = s.pick(
        f"""SELECT u.*, f.criteria_json ->> 'subject' AS word, l.name AS label FROM ({SILENT_OWNERS}) u JOIN
        filters f ON f.user_id = u.id JOIN labels l ON l.user_id = u.id AND l.id = f.action_json ->>
        '$.addLabelIds[0]' WHERE 1 = (SELECT COUNT(*) FROM filters x WHERE x.user_id = u.id AND
        x.criteria_json = f.criteria_json) ORDER BY u.id, 6""",
        me=me["id"],
    )  # fmt: skip
    (_, words), writer, when = s.rng.choice(_LETTERS), s.rng.choice(_WRITERS), _when(s)
    subject = f"{row['word']} of the old system"
    more = perhaps(s, *about_mailbox(row, "labels"))
    demote_caller(s)
    deactivate(s, row)
    s.indirect("the label under which filters put a mail", hidden=[])
    s.ask(
        """[One mail|A mail] to {who} got stuck in the old system: '{subject}', from {writer}, Date: {when},
        text '{words}' Let it come in [like any other|as others do], so that the filters [act|see it], unread
        in the inbox unless they say otherwise, at the time it gives. [Which of|Tell me which of] their own
        labels has it now?""",
        """[The old system|Our old system] kept back what {writer} sent {who}. Import it with the Date it
        has, and let filters sort it: Subject '{subject}' Date: {when} Text '{words}' [I would like to
        know|Report to me] the name of the label that the filters [gave it|put on it].""",
        """'{subject}' from {writer}, [dated|Date:] {when}, saying '{words}', never reached {who}. [Bring it
        in|Have it arrive] now through the filters of that mailbox and without any label of your own choice,
        then [say|tell me] what it was filed under.""",
        """{who} [misses|never got] a mail of long ago. [It is all here|I have it here]: sender {writer},
        subject '{subject}', Date: {when}, text '{words}' Import rather than insert it, as filters matter,
        and let me know the label it [ends up with|got from them].""",
        """[For|Into the mailbox of] {who} import what our archive still holds, from {writer}, '{subject}',
        '{words}', with {when} as its Date and [that time|the same] as its arrival. [How was it sorted|Under
        what label was it sorted]? The name [will do|is enough].""",
        """[Filters should|Their filters should] see this mail to {who}, so import it, labels to be decided
        by nobody else: {writer} wrote '{words}' under '{subject}', Date: {when}. [Afterwards|Then] look
        which label of theirs it [carries|bears], and tell me.""",
        who=addressed(s, row), writer=writer, subject=subject, when=when, words=words,
    )  # fmt: skip
    more.say()
    box = open_mailbox(s, row)
    labels = s.do("list_labels", "what the labels are called", userId=box["emailAddress"])["labels"]
    more.look()
    new = s.do(
        "import_message",
        "let it come in through the filters",
        userId=box["emailAddress"],
        internalDateSource="dateHeader",
        payload=_old_mail(writer, row["email"], subject, when, words),
    )
    mail = s.do(
        "get_message", "how it was sorted", userId=box["emailAddress"], id=new["id"], format="minimal"
    )
    own = labels.every(("id", "in", mail["labelIds"]), type="user")
    s.answer("the label that the filters gave it", own[0]["name"])
    more.write()
    s.rule(
        "It arrived when it says it did, and was sorted",
        """SELECT COUNT(*) FROM messages m JOIN message_labels l ON l.message_id = m.id JOIN labels b ON
           b.id = l.label_id AND b.user_id = m.user_id WHERE m.user_id = :id AND m.subject = :subject AND
           b.name = :label AND m.internal_date <
           1750000000000""",
        id=row["id"],
        subject=subject,
        label=row["label"],
    )
