"""What the scenarios of Email look up, and the small steps that many of them share."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from eops_traj.gym.servers.email import mime
from eops_traj.gym.servers.email.search import words
from eops_traj.plan import Text
from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.result_ref import Found, count, text
from eops_traj.taskgen.scene import Row, Scene

PEOPLE = "SELECT u.id, u.name, u.email, u.role, u.department FROM users u WHERE u.active"
QUIET = """ AND u.id NOT IN (SELECT user_id FROM vacation_settings WHERE enable_auto_reply
    UNION SELECT user_id FROM auto_forwarding WHERE enabled)"""
"""Of people: that their mailbox answers and forwards nothing by itself."""
ALONE = " AND 1 = (SELECT COUNT(*) FROM users v WHERE v.name = u.name)"
MAILED = " AND 8 <= (SELECT COUNT(*) FROM messages m WHERE m.user_id = u.id)"
"""Of people: that there is something in their mailbox."""
LETTERS = """SELECT m.id, m.thread_id, m.subject, m.from_name, m.from_email, m.body, m.raw, m.automatic,
    date(m.internal_date / 1000, 'unixepoch') AS day,
    EXISTS (SELECT 1 FROM message_labels l WHERE l.message_id = m.id AND l.label_id = 'INBOX') AS inbox,
    EXISTS (SELECT 1 FROM message_labels l WHERE l.message_id = m.id AND l.label_id = 'STARRED') AS starred
FROM messages m WHERE m.user_id = :me AND m.from_email <> :own AND NOT EXISTS (SELECT 1 FROM message_labels l
    WHERE l.message_id = m.id AND l.label_id IN ('TRASH', 'SPAM', 'DRAFT', 'SENT')) ORDER BY m.id"""
"""What somebody has got and not thrown away."""
WHOLE = (
    "It only makes sense as a whole.", "All of it or nothing, please.", "Do not do it by halves.",
    "If one part cannot be done, leave the rest as well.", "The parts belong together.",
)  # fmt: skip
"""What a request says that is not to be done in part."""
NUMBERS = {1: "one", 2: "two", 3: "three", 4: "four"}


# who asks, and which messages are meant


def user(s: Scene, having: str = MAILED) -> Row:
    """Somebody who works here, with mail in the mailbox."""
    return s.caller(f"{PEOPLE}{having} ORDER BY u.id")


def admin(s: Scene) -> Row:
    """An administrator."""
    return s.caller(f"{PEOPLE} AND u.role = 'admin' ORDER BY u.id")


def letters(s: Scene) -> list[Row]:
    """What the caller has got, by the caller's own mailbox."""
    return s.rows(LETTERS, me=s.speaker["id"], own=s.speaker["email"])


def plain(subject: str) -> str:
    """A subject without what replies put before it."""
    return re.sub(r"^(?:(?:Re|Fwd): )+", "", subject)


def whole(s: Scene) -> str:
    """That the request is not to be done in part."""
    return s.rng.choice(WHOLE)


def found_by(rows: Iterable[Row], sender: str, subject: str = "") -> list[Row]:
    """The letters that a search for a sender and a subject finds."""
    asked, about = words(sender), words(subject)
    return [
        row
        for row in rows
        if (not sender or asked in words(f"{row['from_name']} {row['from_email']}"))
        and (not subject or about in words(row["subject"]))
    ]


def single(s: Scene, rows: Sequence[Row]) -> list[Row]:
    """The letters of colleagues that sender and subject tell from all others."""
    able = {row["email"] for row in s.rows(PEOPLE + QUIET)}
    return [
        row
        for row in rows
        if row["from_email"] in able
        and not row["automatic"]
        and len(found_by(rows, row["from_name"], plain(row["subject"]))) == 1
    ]


def choose(s: Scene, rows: Sequence[Row]) -> Row:
    """One of the rows, by chance. Raises NoMatch where there is none."""
    if not rows:
        raise NoMatch("no such message")
    return s.rng.choice(rows)


def correspondents(s: Scene, rows: Sequence[Row], *but: str) -> list[Row]:
    """Colleagues of whom the mailbox has exactly one letter, and whose name is nobody else's."""
    able = {row["email"] for row in s.rows(PEOPLE + QUIET + ALONE)}
    return [
        row
        for row in rows
        if row["from_email"] in able
        and row["from_name"] not in but
        and len(found_by(rows, row["from_name"])) == 1
    ]


def recast(s: Scene, kind: str, other: Row, subject: str, name: str, address: str) -> None:
    """The twist by which another letter has this subject and this sender too."""
    raw = mime.edited(mime.decode(other["raw"]), add={"From": f"{name} <{address}>", "Subject": subject})
    s.twist(
        kind,
        "UPDATE messages SET raw = :raw, subject = :subject, from_name = :name, from_email = :address"
        " WHERE id = :id",
        raw=mime.encode(raw), subject=subject, name=name, address=address, id=other["id"],
    )  # fmt: skip


def drop(s: Scene, kind: str, row: Row) -> None:
    """The twist by which a letter is no longer there."""
    s.twist(kind, "DELETE FROM messages WHERE id = :id", id=row["id"])


# looking


def profile(s: Scene, whose: str = "me") -> Found:
    """Which mailbox it is, and that it is open."""
    return s.do("get_user_profile", "which mailbox it is, and that it is open", userId=whose)


def search(s: Scene, query: str, number: int, why: str) -> Found:
    """The messages that a search finds: so many, or the task is not what it seems."""
    found = s.do("list_messages", why, userId="me", q=query)["messages"]
    many = f"{NUMBERS[number]} mail{'s' * (number > 1)}"
    s.require(
        count(found), "==", number, f"there should be exactly {many} that fit{'s' * (number == 1)}: {why}"
    )
    return found


def letter(s: Scene, row: Row, why: str) -> Found:
    """A letter by its sender and subject, read."""
    query = f'from:"{row["from_name"]}" subject:"{plain(row["subject"])}"'
    return read(s, search(s, query, 1, why)[0], "read it")


def read(s: Scene, listed: Found, why: str) -> Found:
    """A message that a list names."""
    return s.do("get_message", why, userId="me", id=listed["id"])


def header(message: Found, name: str) -> Found:
    """What a header of a message says."""
    return message["payload"]["headers"].where(name=name)["value"]


def answering(message: Found, row: Row) -> Found | Text:
    """The subject of an answer: one ``Re:`` before it."""
    said = header(message, "Subject")
    return said if row["subject"].startswith("Re: ") else text("Re: {}", said)


def label_of(s: Scene, name: str, labels: Found, why: str) -> Found:
    """The id of a label by its whole name."""
    s.require(count(labels.every(name=name)), "==", 1, f"there is no label {name}: {why}")
    return labels.where(name=name)["id"]


# writing


def composed(to: Any, subject: Any, body: Any, own: Any = None) -> dict[str, Any]:
    """A message of plain words, as the tools are given it."""
    sender = [{"name": "From", "value": own}] if own is not None else []
    return {
        "headers": [*sender, {"name": "To", "value": to}, {"name": "Subject", "value": subject}],
        "body": {"data": body, "size": len(body) if isinstance(body, str) else 0},
    }


def send(s: Scene, to: Any, subject: Any, body: Any, why: str, own: Any = None, **more: Any) -> Found:
    """Send a message of plain words from one's own mailbox."""
    return s.do("send_message", why, userId="me", payload=composed(to, subject, body, own), **more)


@dataclass(frozen=True)
class Aside:
    """A line to a colleague beside the matter itself; `aide` is a letter of theirs, None for no such line."""

    aide: Row | None
    title: str
    words: str
    own: bool = False
    """Whether the request says that it comes from one's own address."""

    def __str__(self) -> str:
        if self.aide is None:
            return ""
        about = plain(self.aide["subject"])
        address = " from my own address" if self.own else ""
        return (
            f"{self.aide['from_name']}, who wrote about '{about}', gets a mail{address}, too, '{self.title}':"
            f" '{self.words}'"
        )

    def write(self, s: Scene, address: Found | None, own: Found | None = None) -> None:
        """Send it, from this address of one's own if it is given."""
        if self.aide is not None and address is not None:
            send(s, address, self.title, self.words, f"tell {self.aide['from_name']}", own)

    def address(self, s: Scene) -> Found | None:
        """Look up whom it goes to."""
        if self.aide is None:
            return None
        return header(letter(s, self.aide, f"where the address of {self.aide['from_name']} stands"), "From")


def aside(
    s: Scene,
    rows: Sequence[Row],
    share: float,
    title: str,
    *lines: str,
    but: Sequence[str] = (),
    own: bool = False,
) -> Aside:
    """In this share of cases, a line to a colleague who has written exactly one letter."""
    aides = correspondents(s, rows, *but)
    wanted = s.chance(share)
    words = s.rng.choice(lines)
    return Aside(s.rng.choice(aides) if wanted and aides else None, title, words, own)


_SENT = """SELECT COUNT(*) FROM messages m
JOIN message_labels l ON l.message_id = m.id AND l.label_id = 'SENT'
WHERE m.user_id = :me AND m.internal_date >= 1767571200000"""


def sent_once(s: Scene, subject: str, number: int = 1) -> None:
    """The rule that so many messages of this subject went out, from the mailbox's own address."""
    s.rule(
        f"Mail about {subject} went out as often as asked, and from the own address",
        f"{_SENT} AND m.from_email = :own AND m.subject = :subject",
        expected=number, me=s.speaker["id"], own=s.speaker["email"], subject=subject,
    )  # fmt: skip


def unsent(s: Scene) -> None:
    """The rule that nothing went out."""
    s.rule("Nothing was sent", _SENT, expected=0, me=s.speaker["id"])
