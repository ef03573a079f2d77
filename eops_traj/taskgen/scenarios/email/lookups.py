"""Parts that the scenarios of Email share: queries, pickers and look-ups."""

import re
from collections.abc import Iterable, Sequence

from eops_traj.gym.servers.email import mime
from eops_traj.gym.servers.email.search import words
from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.expressions import ROW
from eops_traj.taskgen.result_ref import ResultRef, count
from eops_traj.taskgen.scenarios.reasons import MISSING, SEVERAL, known_as, so_many
from eops_traj.taskgen.scene import Row, Scene
from eops_traj.taskgen.wording import vary

PEOPLE = "SELECT u.id, u.name, u.email, u.role, u.department FROM users u WHERE u.active"
NO_AUTOMATION = """ AND u.id NOT IN (SELECT user_id FROM vacation_settings WHERE enable_auto_reply
    UNION SELECT user_id FROM auto_forwarding WHERE enabled)"""
"""The condition that a mailbox answers and forwards nothing by itself."""
UNIQUE_NAME = " AND 1 = (SELECT COUNT(*) FROM users v WHERE v.name = u.name)"
WITH_MAIL = " AND 8 <= (SELECT COUNT(*) FROM messages m WHERE m.user_id = u.id)"
"""The condition that there is mail in the mailbox."""
NO_ADMIN = " AND u.role <> 'admin'"
"""The condition that a person may not open the mailboxes of others to repair their settings."""
RECEIVED = """SELECT m.id, m.thread_id, m.subject, m.from_name, m.from_email, m.body, m.raw, m.automatic,
    date(m.internal_date / 1000, 'unixepoch') AS day,
    EXISTS (SELECT 1 FROM message_labels l WHERE l.message_id = m.id AND l.label_id = 'INBOX') AS inbox,
    EXISTS (SELECT 1 FROM message_labels l WHERE l.message_id = m.id AND l.label_id = 'STARRED') AS starred
FROM messages m WHERE m.user_id = :me AND m.from_email <> :own AND NOT EXISTS (SELECT 1 FROM message_labels l
    WHERE l.message_id = m.id AND l.label_id IN ('TRASH', 'SPAM', 'DRAFT', 'SENT')) ORDER BY m.id"""
"""The messages that a mailbox received and has not thrown away."""
NUMBERS = {1: "one", 2: "two", 3: "three", 4: "four"}


# what an answer that declines has to say, beside `reasons`

ADMINS_ONLY = (
    "admin",
    "only|role|rights|right to|no right|permi|authori|denied|refused|privilege|reserve|restricted|entitle"
    "|requires an admin|require an admin|takes an admin|must be an admin|needs an admin|need an admin"
    "|admin has to|admin must"
    "|admin is required|not an|isn't an|aren't an|not allowed|isn't allowed|aren't allowed|allowed to|may not"
    "|lack",
)
"""The policy wants the role named that would be allowed to do it."""
NOT_YOURS = (
    "not yours|isn't yours|not your own|own mailbox|your own|only the owner|owner|delegat|permi|right|admin"
    "|not allowed|someone else|somebody else|another person|other people|authori|may not|no access|not open"
)
"""A mailbox belongs to somebody else."""


# who asks, and which messages are meant


def pick_user(s: Scene, having: str = WITH_MAIL) -> Row:
    """Pick a caller who works here, with mail in the mailbox."""
    return s.pick_caller(f"{PEOPLE}{having} ORDER BY u.id")


def pick_admin(s: Scene) -> Row:
    """Pick a caller who is an administrator."""
    return s.pick_caller(f"{PEOPLE} AND u.role = 'admin' ORDER BY u.id")


def line(s: Scene, lines: Sequence[str]) -> str:
    """Pick what a mail says: one of these, which may hold alternatives."""
    return vary(s.rng, s.rng.choice(lines))


def phrase(s: Scene, kind: str, usual: str, perturbed: str) -> str:
    """Choose a phrase of the request, each with as many alternatives, so that chance goes on alike."""
    return vary(s.rng, s.phrase(kind, usual, perturbed))


def received_messages(s: Scene) -> list[Row]:
    """Return the messages that the caller received."""
    return s.rows(RECEIVED, me=s.caller["id"], own=s.caller["email"])


def label_names(s: Scene) -> set[str]:
    """Return the names of the labels in the caller's mailbox."""
    return {row["name"] for row in s.rows("SELECT name FROM labels WHERE user_id = :me", me=s.caller["id"])}


def plain_subject(subject: str) -> str:
    """Strip what replies put before a subject."""
    return re.sub(r"^(?:(?:Re|Fwd): )+", "", subject)


def matching(rows: Iterable[Row], sender: str, subject: str = "") -> list[Row]:
    """Return the messages that a search for a sender and a subject finds."""
    sender_words, subject_words = words(sender), words(subject)
    return [
        row
        for row in rows
        if (not sender or sender_words in words(f"{row['from_name']} {row['from_email']}"))
        and (not subject or subject_words in words(row["subject"]))
    ]


def findable(s: Scene, rows: Sequence[Row]) -> list[Row]:
    """Return the messages of colleagues that no other shares sender and subject with."""
    able = {row["email"] for row in s.rows(PEOPLE + NO_AUTOMATION)}
    return [
        row
        for row in rows
        if row["from_email"] in able
        and not row["automatic"]
        and len(matching(rows, row["from_name"], plain_subject(row["subject"]))) == 1
    ]


def choose(s: Scene, rows: Sequence[Row]) -> Row:
    """Pick one of the rows. Raises NoMatch where there is none."""
    if not rows:
        raise NoMatch("no such message")
    return s.rng.choice(rows)


def correspondents(s: Scene, rows: Sequence[Row], *but: str) -> list[Row]:
    """Return the only messages of colleagues who wrote exactly one and have a unique name."""
    able = {row["email"] for row in s.rows(PEOPLE + NO_AUTOMATION + UNIQUE_NAME)}
    return [
        row
        for row in rows
        if row["from_email"] in able
        and row["from_name"] not in but
        and len(matching(rows, row["from_name"])) == 1
    ]


def copy_headers(s: Scene, kind: str, other: Row, subject: str, name: str, address: str) -> None:
    """Give another message this subject and this sender too, as a perturbation."""
    raw = mime.edited(mime.decode(other["raw"]), add={"From": f"{name} <{address}>", "Subject": subject})
    s.perturb(
        kind,
        "UPDATE messages SET raw = :raw, subject = :subject, from_name = :name, from_email = :address"
        " WHERE id = :id",
        raw=mime.encode(raw), subject=subject, name=name, address=address, id=other["id"],
    )  # fmt: skip


def delete_message(s: Scene, kind: str, row: Row) -> None:
    """Delete a message, as a perturbation."""
    s.perturb(kind, "DELETE FROM messages WHERE id = :id", id=row["id"])


# looking


def get_profile(s: Scene, whose: str = "me") -> ResultRef:
    """Look up a mailbox, which shows that it is open."""
    return s.do("get_user_profile", "which mailbox it is, and that it is open", userId=whose)


def search_messages(
    s: Scene, query: str, number: int, why: str, which: str, *names: str
) -> ResultRef:  # fmt: skip
    """Search the mailbox; require that it finds exactly this many messages.

    ``which`` says which mails are meant, as in "from Ana Ruiz about Budget"; an answer that declines has to
    give these ``names`` and that there is another number of them.
    """
    messages = s.do("list_messages", why, userId="me", q=query)["messages"]
    many = f"{NUMBERS[number]} mail{'s' * (number > 1)}"
    there = so_many(found := len(messages.value), NUMBERS.get(found, str(found)))
    s.require(count(messages), ">=", number,
              f"there is no mail {which}" if number == 1 else f"there are fewer than {many} {which}",
              names=(*names, f"{MISSING}|{there}"))  # fmt: skip
    s.require(count(messages), "<=", number,
              f"there {'is' if number == 1 else 'are'} more than {many} {which}",
              names=(*names, f"{SEVERAL}|{there}"))  # fmt: skip
    return messages


def find_message(s: Scene, row: Row, why: str) -> ResultRef:
    """Find the one message of a sender and subject, and read it."""
    sender, about = row["from_name"], plain_subject(row["subject"])
    messages = search_messages(
        s, f'from:"{sender}" subject:"{about}"', 1, why, f"from {sender} about {about}", known_as(sender)
    )
    return read_message(s, messages[0], "read it")


def read_message(s: Scene, listed: ResultRef, why: str) -> ResultRef:
    """Read a message that a list names."""
    return s.do("get_message", why, userId="me", id=listed["id"])


def read_each(s: Scene, messages: ResultRef, why: str) -> ResultRef:
    """Read every message that a list names."""
    return s.do_each(messages, "get_message", why, userId="me", id=ROW["id"])


def header_value(message: ResultRef, name: str) -> ResultRef:
    """Return the value of a header of a message."""
    return message["payload"]["headers"].where(name=name)["value"]


def find_label_id(s: Scene, name: str, labels: ResultRef, why: str) -> ResultRef:
    """Find the id of a label by its whole name; require that it exists."""
    s.require(count(labels.every(name=name)), "==", 1, f"there is no label {name}: {why}",
              names=(name, MISSING))  # fmt: skip
    return labels.where(name=name)["id"]
