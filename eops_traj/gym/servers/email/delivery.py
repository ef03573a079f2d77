"""Delivery of a message from one mailbox to everyone inside the company to whom it is addressed.

It arrives unread in the inbox, filters sort it, forwarding sends it on, a vacation responder may answer it.
Automatic messages are never answered, and no mailbox forwards one message twice, so that delivery ends.
An address of the company that no one has sends a failure notice back; what goes outside simply leaves.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from email.message import Message
from email.utils import format_datetime, formataddr
from typing import Any, Final

from eops_traj.gym.api_styles.google import error
from eops_traj.gym.servers.email import mime, store
from eops_traj.gym.servers.email.composing import text_message
from eops_traj.gym.servers.email.filters import FilterEffect, apply_filters
from eops_traj.gym.servers.email.mime import MimeError
from eops_traj.gym.servers.email.search import milliseconds
from eops_traj.gym.tools.call import Call, Row

_ARRIVAL_LABELS: Final = frozenset({"INBOX", "UNREAD"})
_DISPOSITIONS: Final[Mapping[str, tuple[frozenset[str], frozenset[str]]]] = {
    "leaveInInbox": (frozenset(), frozenset()),
    "archive": (frozenset(), frozenset({"INBOX"})),
    "trash": (frozenset({"TRASH"}), frozenset({"INBOX"})),
    "markRead": (frozenset(), frozenset({"UNREAD"})),
}
"""The labels that a disposition adds to the copy that stays, and takes from it."""
_QUIET_MS: Final = 4 * 24 * 3600 * 1000
"""The time in which a sender who got a vacation reply gets no second one."""


@dataclass(frozen=True)
class MailInTransit:
    """A message in transit: its bytes, its sender, and the address it goes to."""

    raw: bytes
    sender: str
    address: str = ""

    @property
    def message(self) -> Message:
        """The parsed message."""
        return mime.parse(self.raw)


def send(call: Call, raw: bytes, thread: str = "", labels: Iterable[str] = ()) -> str:
    """Send a message from the call's mailbox; return the id of the copy in Sent."""
    owner = call.arguments["userId"]
    raw = with_own_headers(call, raw, thread)
    recipients = _recipients(mime.parse(raw))
    sent = store.add_message(call, owner, raw, {"SENT", *labels}, thread)
    mail = MailInTransit(mime.edited(raw, drop=("Bcc",)), owner)
    for address in recipients:
        _deliver(call, replace(mail, address=address), sent)
    return sent


def with_own_headers(call: Call, raw: bytes, thread: str = "") -> bytes:
    """Return the message with the headers that every message leaves with; a reply names what it answers."""
    message = mime.parse(raw)
    added = {"From": _from_header(call, message)}
    if not mime.date_of(message):
        added["Date"] = format_datetime(call.database.now())
    if not message.get("Message-ID"):
        added["Message-ID"] = f"<{store.new_id(call)}@mail.{added['From'].rpartition('@')[2].strip('>')}>"
    if thread and not mime.references(message):
        added |= _reply_headers(call, thread)
    return mime.edited(raw, add=added)


def _reply_headers(call: Call, thread: str) -> dict[str, str]:
    """Return the headers of an answer to the latest message of a conversation; a draft cannot be answered."""
    sql = """SELECT rfc822_message_id AS parent FROM messages m WHERE thread_id = :thread
        AND NOT EXISTS (SELECT 1 FROM message_labels WHERE message_id = m.id AND label_id = 'DRAFT')
        AND parent IS NOT NULL ORDER BY internal_date DESC, id DESC LIMIT 1"""
    row = call.row(sql, thread=thread)
    return {"In-Reply-To": row["parent"], "References": row["parent"]} if row else {}


def _from_header(call: Call, message: Message) -> str:
    """Return the address that the mailbox may send as, if the message names one; or its default."""
    sql = """SELECT send_as_email, coalesce(nullif(display_name, ''), u.name, '') AS name, is_default
        FROM send_as_aliases s JOIN users u ON u.id = s.user_id WHERE s.user_id = :userId
        AND (is_primary OR verification_status = 'accepted') ORDER BY is_default DESC, is_primary DESC"""
    rows = call.rows(sql)
    named = {address: name for name, address in mime.people(message, "From")}
    chosen = next((row for row in rows if row["send_as_email"].lower() in named), rows[0])
    name = named.get(chosen["send_as_email"].lower()) or " ".join(chosen["name"].split())
    return formataddr((name, chosen["send_as_email"]))


def _recipients(message: Message) -> list[str]:
    for name in ("To", "Cc", "Bcc"):
        if not all(mime.is_address(address) for _, address in mime.people(message, name)):
            raise error("INVALID_ARGUMENT", f"Invalid {name} header", "invalidArgument")
    addresses = [address for _, address in mime.people(message, "To", "Cc", "Bcc")]
    if not addresses:
        raise error("INVALID_ARGUMENT", "Recipient address required", "invalidArgument")
    return list(dict.fromkeys(addresses))


# arriving


def _deliver(call: Call, mail: MailInTransit, sent: str = "") -> None:
    """Deliver to everyone who has the address, as their own or as an alias; `sent` is the sender's copy."""
    sql = """SELECT id FROM users WHERE lower(email) = :address AND active
        UNION SELECT s.user_id FROM send_as_aliases s JOIN users u ON u.id = s.user_id
        WHERE lower(send_as_email) = :address AND treat_as_alias AND active
        AND verification_status = 'accepted'"""
    owners = [row["id"] for row in call.rows(sql, address=mail.address)]
    for owner in owners:
        if owner == mail.sender and sent:
            store.change_labels(call, _message_row(call, sent), _ARRIVAL_LABELS, ())
        else:
            _receive(call, mail, owner)
    if not owners and sent and _is_company_address(call, mail.address):
        _bounce(call, mail, _message_row(call, sent))


def _message_row(call: Call, message_id: str) -> Row:
    row = call.row("SELECT * FROM messages WHERE id = :message", message=message_id)
    assert row is not None
    return row


def _is_company_address(call: Call, address: str) -> bool:
    """Check whether an address is in a domain of the company's."""
    sql = "SELECT 1 FROM users WHERE lower(substr(email, instr(email, '@') + 1)) = :domain"
    return call.row(sql, domain=address.rpartition("@")[2]) is not None


def _receive(call: Call, mail: MailInTransit, owner: str) -> None:
    effect = apply_filters(call, owner, mail.raw, _ARRIVAL_LABELS)
    sql = "SELECT * FROM auto_forwarding WHERE user_id = :owner AND enabled AND email_address IS NOT NULL"
    forwarding = call.row(sql, owner=owner)
    labels = effect.labels
    if forwarding:
        added, removed = _DISPOSITIONS[forwarding["disposition"]]
        labels = (labels | added) - removed
    store.add_message(call, owner, mail.raw, labels)
    _forward(call, mail, owner, [*effect.forwards, *([forwarding["email_address"]] if forwarding else [])])
    _auto_reply(call, mail, owner, effect)


def _forward(call: Call, mail: MailInTransit, owner: str, addresses: Iterable[str]) -> None:
    passed = (mail.message.get("X-Forwarded-For") or "").split()
    if owner in passed:
        return
    raw = mime.edited(mail.raw, add={"X-Forwarded-For": " ".join([*passed, owner])})
    for address in dict.fromkeys(addresses):
        _deliver(call, replace(mail, raw=raw, address=address.lower()))


def arrival_labels(call: Call, raw: bytes, labels: Iterable[str]) -> frozenset[str]:
    """Return the labels of an imported message: those given, or unread in the inbox; then the filters'."""
    return apply_filters(call, call.arguments["userId"], raw, frozenset(labels) or _ARRIVAL_LABELS).labels


# automatic replies


def _auto_reply(call: Call, mail: MailInTransit, owner: str, effect: FilterEffect) -> None:
    """Reply for someone who is away, if the settings want it and the sender has had none lately."""
    away = call.row("SELECT v.*, u.email, u.name FROM vacation_settings v JOIN users u ON u.id = v.user_id"
                    " WHERE user_id = :owner AND enable_auto_reply", owner=owner)  # fmt: skip
    message = mail.message
    columns = mime.columns(mail.raw, message)
    if away is None or columns["automatic"] or not _should_reply(call, away, columns["from_email"]):
        return
    html = away["response_body_html"]
    reply = text_message(
        {
            "From": formataddr((away["name"], away["email"])),
            "To": columns["from_email"],
            "Subject": f"{away['response_subject'] or ''} Re: {columns['subject']}".strip(),
            "Date": format_datetime(call.database.now()),
            "Message-ID": f"<{store.new_id(call)}@mail.{away['email'].rpartition('@')[2]}>",
            "In-Reply-To": columns["rfc822_message_id"] or "",
            "Auto-Submitted": "auto-replied",
        },
        html or away["response_body_plain_text"] or "",
        "html" if html else "plain",
    )
    store.add_message(call, owner, reply, {"SENT"})
    _deliver(call, MailInTransit(reply, owner, columns["from_email"]))


def _should_reply(call: Call, away: Row, sender: str) -> bool:
    """Check whether the settings have this sender answered now."""
    began, ends = away["start_time"] or "", away["end_time"] or "9999"
    if not began <= call.now < ends or not mime.is_address(sender):
        return False
    if away["restrict_to_domain"] and sender.rpartition("@")[2] != away["email"].rpartition("@")[2]:
        return False
    sql = """SELECT coalesce(max(internal_date) FILTER (WHERE automatic), 0) AS answered,
        coalesce(sum(NOT automatic), 0) AS written FROM messages WHERE user_id = :owner
        AND from_email = :own
        AND instr(', ' || to_emails || ', ' || cc_emails || ', ', ', ' || :sender || ', ')"""
    past: dict[str, Any] = call.rows(sql, owner=away["user_id"], own=away["email"], sender=sender)[0]
    known = past["written"] or not away["restrict_to_contacts"]
    return bool(known) and milliseconds(call.database.now()) - past["answered"] > _QUIET_MS


def _bounce(call: Call, mail: MailInTransit, sent: Row) -> None:
    domain = mail.address.rpartition("@")[2]
    notice = text_message(
        {
            "From": f"Mail Delivery Subsystem <mailer-daemon@{domain}>",
            "To": sent["from_email"],
            "Subject": "Delivery Status Notification (Failure)",
            "Date": format_datetime(call.database.now()),
            "Message-ID": f"<{store.new_id(call)}@mail.{domain}>",
            "In-Reply-To": sent["rfc822_message_id"] or "",
            "Auto-Submitted": "auto-replied",
        },
        f"Your message to {mail.address} was not delivered: nobody at {domain} has this address.\n",
    )
    store.add_message(call, mail.sender, notice, _ARRIVAL_LABELS, sent["thread_id"])


def mime_refusal(problem: MimeError, location: str = "raw") -> Exception:
    """Return the refusal of bytes that are not a message."""
    return error("INVALID_ARGUMENT", f"Invalid value at '{location}': {problem}", "invalidArgument", location)
