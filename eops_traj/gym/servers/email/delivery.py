"""The way of a message: out of one mailbox, to everyone inside the company whom it is addressed to.

It arrives unread in the inbox, filters sort it, forwarding sends it on, a vacation responder may answer it.
What a machine wrote is never answered, and no mailbox forwards one message twice, so that every way ends.
An address of the company that nobody has sends a failure notice back; what goes outside simply leaves.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from email.message import Message
from email.utils import format_datetime, formataddr
from typing import Any, Final

from eops_traj.gym.api_styles.google import error
from eops_traj.gym.servers.email import mime, store
from eops_traj.gym.servers.email.composing import letter
from eops_traj.gym.servers.email.filters import Effect, sort
from eops_traj.gym.servers.email.mime import MimeError
from eops_traj.gym.servers.email.search import milliseconds
from eops_traj.gym.tools.call import Call, Row

_ARRIVING: Final = frozenset({"INBOX", "UNREAD"})
_LEFT: Final[Mapping[str, tuple[frozenset[str], frozenset[str]]]] = {
    "leaveInInbox": (frozenset(), frozenset()),
    "archive": (frozenset(), frozenset({"INBOX"})),
    "trash": (frozenset({"TRASH"}), frozenset({"INBOX"})),
    "markRead": (frozenset(), frozenset({"UNREAD"})),
}
"""What a disposition adds to the labels of the copy that stays, and takes from them."""
_QUIET_MS: Final = 4 * 24 * 3600 * 1000
"""How long a sender who got a vacation reply gets no second one."""


@dataclass(frozen=True)
class Trip:
    """A message on its way: its bytes, and who sent it."""

    raw: bytes
    sender: str
    address: str = ""

    @property
    def message(self) -> Message:
        """The message, parsed."""
        return mime.parse(self.raw)


def send(call: Call, raw: bytes, thread: str = "", labels: Iterable[str] = ()) -> str:
    """Send a message from the call's mailbox; the id of the copy in Sent."""
    owner = call.arguments["userId"]
    raw = outgoing(call, raw, thread)
    recipients = _recipients(mime.parse(raw))
    sent = store.put(call, owner, raw, {"SENT", *labels}, thread)
    trip = Trip(mime.edited(raw, drop=("Bcc",)), owner)
    for address in recipients:
        _deliver(call, replace(trip, address=address), sent)
    return sent


def outgoing(call: Call, raw: bytes, thread: str = "") -> bytes:
    """The message with the headers that every message leaves with; a reply names what it answers."""
    message = mime.parse(raw)
    added = {"From": _sender(call, message)}
    if not mime.date_of(message):
        added["Date"] = format_datetime(call.database.now())
    if not message.get("Message-ID"):
        added["Message-ID"] = f"<{store.new_id(call)}@mail.{added['From'].rpartition('@')[2].strip('>')}>"
    if thread and not mime.references(message):
        added |= _answering(call, thread)
    return mime.edited(raw, add=added)


def _answering(call: Call, thread: str) -> dict[str, str]:
    """The headers of an answer to the latest message of a conversation; a draft cannot be answered."""
    sql = """SELECT rfc822_message_id AS parent FROM messages m WHERE thread_id = :thread
        AND NOT EXISTS (SELECT 1 FROM message_labels WHERE message_id = m.id AND label_id = 'DRAFT')
        AND parent IS NOT NULL ORDER BY internal_date DESC, id DESC LIMIT 1"""
    found = call.row(sql, thread=thread)
    return {"In-Reply-To": found["parent"], "References": found["parent"]} if found else {}


def _sender(call: Call, message: Message) -> str:
    """The address that the mailbox may send as, if the message names one; or its default."""
    sql = """SELECT send_as_email, coalesce(nullif(display_name, ''), u.name) AS name, is_default
        FROM send_as s JOIN users u ON u.id = s.user_id WHERE s.user_id = :userId
        AND (is_primary OR verification_status = 'accepted') ORDER BY is_default DESC, is_primary DESC"""
    rows = call.rows(sql)
    named = {address: name for name, address in mime.people(message, "From")}
    chosen = next((row for row in rows if row["send_as_email"].lower() in named), rows[0])
    return formataddr((named.get(chosen["send_as_email"].lower()) or chosen["name"], chosen["send_as_email"]))


def _recipients(message: Message) -> list[str]:
    for name in ("To", "Cc", "Bcc"):
        if not all(mime.is_address(address) for _, address in mime.people(message, name)):
            raise error("INVALID_ARGUMENT", f"Invalid {name} header", "invalidArgument")
    found = [address for _, address in mime.people(message, "To", "Cc", "Bcc")]
    if not found:
        raise error("INVALID_ARGUMENT", "Recipient address required", "invalidArgument")
    return list(dict.fromkeys(found))


# arriving


def _deliver(call: Call, trip: Trip, sent: str = "") -> None:
    """To everyone who has the address, as their own or as an alias; `sent` is the sender's copy."""
    sql = """SELECT id FROM users WHERE lower(email) = :address AND active
        UNION SELECT s.user_id FROM send_as s JOIN users u ON u.id = s.user_id
        WHERE lower(send_as_email) = :address AND treat_as_alias AND active
        AND verification_status = 'accepted'"""
    owners = [row["id"] for row in call.rows(sql, address=trip.address)]
    for owner in owners:
        if owner == trip.sender and sent:
            store.relabel(call, _row(call, sent), _ARRIVING, ())
        else:
            _receive(call, trip, owner)
    if not owners and sent and _ours(call, trip.address):
        _bounce(call, trip, _row(call, sent))


def _row(call: Call, message_id: str) -> Row:
    found = call.row("SELECT * FROM messages WHERE id = :message", message=message_id)
    assert found is not None
    return found


def _ours(call: Call, address: str) -> bool:
    """Whether an address is in a domain of the company's."""
    sql = "SELECT 1 FROM users WHERE lower(substr(email, instr(email, '@') + 1)) = :domain"
    return call.row(sql, domain=address.rpartition("@")[2]) is not None


def _receive(call: Call, trip: Trip, owner: str) -> None:
    effect = sort(call, owner, trip.raw, _ARRIVING)
    forwarding = _forwarding(call, owner)
    labels = effect.labels
    if forwarding:
        added, removed = _LEFT[forwarding["disposition"]]
        labels = (labels | added) - removed
    store.put(call, owner, trip.raw, labels)
    _forward(call, trip, owner, [*effect.forwards, *([forwarding["email_address"]] if forwarding else [])])
    _answer(call, trip, owner, effect)


def _forwarding(call: Call, owner: str) -> Row | None:
    sql = "SELECT * FROM auto_forwarding WHERE user_id = :owner AND enabled AND email_address IS NOT NULL"
    return call.row(sql, owner=owner)


def _forward(call: Call, trip: Trip, owner: str, addresses: Iterable[str]) -> None:
    passed = (trip.message.get("X-Forwarded-For") or "").split()
    if owner in passed:
        return
    raw = mime.edited(trip.raw, add={"X-Forwarded-For": " ".join([*passed, owner])})
    for address in dict.fromkeys(addresses):
        _deliver(call, replace(trip, raw=raw, address=address.lower()))


def arrive(call: Call, raw: bytes, labels: Iterable[str]) -> frozenset[str]:
    """The labels of an imported message: those given, or unread in the inbox; then the filters'."""
    return sort(call, call.arguments["userId"], raw, frozenset(labels) or _ARRIVING).labels


# answers of machines


def _answer(call: Call, trip: Trip, owner: str, effect: Effect) -> None:
    """Reply for someone who is away, if the settings want it and the sender has had none lately."""
    away = call.row("SELECT v.*, u.email, u.name FROM vacation_settings v JOIN users u ON u.id = v.user_id"
                    " WHERE user_id = :owner AND enable_auto_reply", owner=owner)  # fmt: skip
    message = trip.message
    columns = mime.columns(trip.raw, message)
    if away is None or columns["automatic"] or not _wanted(call, away, columns["from_email"]):
        return
    html = away["response_body_html"]
    reply = letter(
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
    store.put(call, owner, reply, {"SENT"})
    _deliver(call, Trip(reply, owner, columns["from_email"]))


def _wanted(call: Call, away: Row, sender: str) -> bool:
    """Whether the settings have this sender answered, now."""
    began, ends = away["start_time"] or "", away["end_time"] or "9999"
    if not began <= call.now < ends or not mime.is_address(sender):
        return False
    if away["restrict_to_domain"] and sender.rpartition("@")[2] != away["email"].rpartition("@")[2]:
        return False
    sql = """SELECT coalesce(max(internal_date) FILTER (WHERE automatic), 0) AS answered,
        coalesce(sum(NOT automatic), 0) AS written FROM messages WHERE user_id = :owner
        AND from_email = :own AND instr(to_emails || ', ' || cc_emails, :sender)"""
    past: dict[str, Any] = call.rows(sql, owner=away["user_id"], own=away["email"], sender=sender)[0]
    known = past["written"] or not away["restrict_to_contacts"]
    return bool(known) and milliseconds(call.database.now()) - past["answered"] > _QUIET_MS


def _bounce(call: Call, trip: Trip, sent: Row) -> None:
    domain = trip.address.rpartition("@")[2]
    notice = letter(
        {
            "From": f"Mail Delivery Subsystem <mailer-daemon@{domain}>",
            "To": sent["from_email"],
            "Subject": "Delivery Status Notification (Failure)",
            "Date": format_datetime(call.database.now()),
            "Message-ID": f"<{store.new_id(call)}@mail.{domain}>",
            "In-Reply-To": sent["rfc822_message_id"] or "",
            "Auto-Submitted": "auto-replied",
        },
        f"Your message to {trip.address} was not delivered: nobody at {domain} has this address.\n",
    )
    store.put(call, trip.sender, notice, _ARRIVING, sent["thread_id"])


def reading(problem: MimeError, location: str = "raw") -> Exception:
    """The refusal of what is no message."""
    return error("INVALID_ARGUMENT", f"Invalid value at '{location}': {problem}", "invalidArgument", location)
