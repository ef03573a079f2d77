"""The meaning of ``q``: a test that a message passes or not; and the messages of a mailbox that pass.

Words match whole words, whatever their case: ``report`` finds "Report:" but not "reporting". An address is
the words between its signs, so ``from:amy`` finds amy@x.org. Days begin at midnight UTC.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Final

from dateutil.relativedelta import relativedelta

from eops_traj.gym.api_styles.google import invalid
from eops_traj.gym.servers.email import query
from eops_traj.gym.servers.email.query import Joined, Node, Not, QuerySyntaxError, Term
from eops_traj.gym.tools.call import Call

HIDDEN: Final = frozenset({"SPAM", "TRASH"})
"""Labels whose messages match only when they are asked for."""

_WORD: Final = re.compile(r"[^\W_]+")
_SIZES: Final = {"": 1, "b": 1, "k": 1024, "kb": 1024, "m": 1024**2, "mb": 1024**2}
_UNITS: Final = {"h": "hours", "d": "days", "m": "months", "y": "years"}
_STATES: Final = {
    "unread": "UNREAD", "starred": "STARRED", "important": "IMPORTANT", "sent": "SENT", "draft": "DRAFT",
    "chat": "CHAT",
}  # fmt: skip
_PLACES: Final = {
    "inbox": "INBOX", "sent": "SENT", "draft": "DRAFT", "drafts": "DRAFT", "spam": "SPAM", "trash": "TRASH",
    "unread": "UNREAD", "starred": "STARRED", "important": "IMPORTANT", "chats": "CHAT",
}  # fmt: skip
_CATEGORIES: Final = {
    "primary": "CATEGORY_PERSONAL", "personal": "CATEGORY_PERSONAL", "social": "CATEGORY_SOCIAL",
    "promotions": "CATEGORY_PROMOTIONS", "updates": "CATEGORY_UPDATES", "forums": "CATEGORY_FORUMS",
}  # fmt: skip


@dataclass(frozen=True)
class Candidate:
    """A message as searches see it: its row, the ids of its labels, the names of its files."""

    row: Mapping[str, Any]
    labels: frozenset[str]
    files: tuple[str, ...] = ()

    @cached_property
    def texts(self) -> dict[str, str]:
        """The words of each of its fields, between blanks."""
        row = self.row
        texts = {field: words(row[f"{field}_emails"]) for field in ("to", "cc", "bcc")}
        texts |= {"from": words(f"{row['from_name']} {row['from_email']}"), "subject": words(row["subject"])}
        texts["filename"] = words(" ".join(self.files))
        texts[""] = "".join(texts.values()) + words(row["body"])
        texts["to"] += texts["cc"] + texts["bcc"]
        return texts


Predicate = Callable[[Candidate], bool]


@dataclass(frozen=True)
class Mailbox:
    """The context of a query: the time, and the ids of labels by the names that queries use."""

    now: datetime
    labels: Mapping[str, str]


def words(text: str) -> str:
    """Return the words of a text in lower case, a blank around each."""
    return f" {' '.join(_WORD.findall(text.lower()))} "


def load_mailbox(call: Call, owner: str) -> Mailbox:
    """Return the mailbox of this owner, as it is now."""
    rows = call.rows("SELECT id, name FROM labels WHERE user_id = :owner", owner=owner)
    return Mailbox(call.database.now(), {_dashed(row["name"]): row["id"] for row in rows})


def _dashed(name: str) -> str:
    """Return a label as queries name it: ``Vendor Contracts/2025`` is ``vendor-contracts-2025``."""
    return re.sub(r"[\s/&()]+", "-", name.strip().lower())


# tests


def compile_query(text: str, mailbox: Mailbox) -> Predicate:
    """Return the test of a query, or raise `QuerySyntaxError`; an empty query passes everything."""
    return _test(query.parse(text), mailbox) if text.strip() else lambda candidate: True


def _test(node: Node, mailbox: Mailbox) -> Predicate:
    if isinstance(node, Not):
        inner = _test(node.term, mailbox)
        return lambda candidate: not inner(candidate)
    if isinstance(node, Joined):
        tests = [_test(term, mailbox) for term in node.terms]
        together = all if node.word == "and" else any
        return lambda candidate: together(test(candidate) for test in tests)
    return _MEANINGS.get(node.field, _with_phrase)(node, mailbox)


def _with_phrase(term: Term, mailbox: Mailbox) -> Predicate:
    phrase, field = words(term.value), "to" if term.field == "deliveredto" else term.field
    if not phrase.strip():
        raise QuerySyntaxError(f"{term.value!r} has no word to look for")
    return lambda candidate: phrase in candidate.texts[field]


def _with_label(term: Term, mailbox: Mailbox) -> Predicate:
    label = mailbox.labels.get(_dashed(term.value), "")
    return lambda candidate: label in candidate.labels


def _in_place(term: Term, mailbox: Mailbox) -> Predicate:
    value = term.value.lower()
    if value == "anywhere":
        return lambda candidate: True
    if value == "archive":
        return lambda candidate: candidate.labels.isdisjoint({"INBOX", "SENT", "DRAFT", *HIDDEN})
    return _with_label_id(_PLACES[value]) if value in _PLACES else _with_label(term, mailbox)


def _is(term: Term, mailbox: Mailbox) -> Predicate:
    value = term.value.lower()
    if value == "read":
        return lambda candidate: "UNREAD" not in candidate.labels
    return _with_label_id(_choice(_STATES, value, term))


def _with_label_id(label: str) -> Predicate:
    return lambda candidate: label in candidate.labels


def _has(term: Term, mailbox: Mailbox) -> Predicate:
    value = term.value.lower()
    if value not in ("attachment", "userlabels", "nouserlabels"):
        raise QuerySyntaxError(f"has:{term.value} is not known")
    if value == "attachment":
        return lambda candidate: bool(candidate.files)
    own = frozenset(id for id in mailbox.labels.values() if id.startswith("Label_"))
    return lambda candidate: candidate.labels.isdisjoint(own) == (value == "nouserlabels")


def _filename(term: Term, mailbox: Mailbox) -> Predicate:
    value = term.value.lower()
    return lambda candidate: any(
        value in (name.lower(), name.lower().rpartition(".")[2]) or words(value) in words(name)
        for name in candidate.files
    )


def _message_id(term: Term, mailbox: Mailbox) -> Predicate:
    value = term.value.strip("<>")
    return lambda candidate: (candidate.row["rfc822_message_id"] or "").strip("<>") == value


def _size(term: Term, mailbox: Mailbox) -> Predicate:
    match = re.fullmatch(r"(\d{1,12})([a-z]*)", term.value.lower(), re.ASCII)
    if match is None or match[2] not in _SIZES:
        raise QuerySyntaxError(f"{term.value!r} is no size")
    size, smaller = int(match[1]) * _SIZES[match[2]], term.field == "smaller"
    return lambda candidate: (candidate.row["size_estimate"] < size) == smaller


def _dated(term: Term, mailbox: Mailbox) -> Predicate:
    limit, after = _day(term.value), term.field in ("after", "newer")
    return lambda candidate: (candidate.row["internal_date"] >= limit) == after


def _day(text: str) -> int:
    """Return the first moment of a day, or a number of seconds since 1970, in milliseconds."""
    year_first = re.fullmatch(r"(\d{4})[/-](\d{1,2})[/-](\d{1,2})", text, re.ASCII)
    year_last = re.fullmatch(r"(\d{1,2})/(\d{1,2})/(\d{4})", text, re.ASCII)
    if re.fullmatch(r"\d{5,11}", text, re.ASCII):
        return int(text) * 1000
    if not year_first and not year_last:
        raise QuerySyntaxError(f"{text!r} is no date")
    year, month, day = (
        year_first.groups()
        if year_first
        else (year_last[3], year_last[1], year_last[2])
        if year_last
        else ("", "", "")
    )
    try:
        return milliseconds(datetime(int(year), int(month), int(day), tzinfo=UTC))
    except ValueError:
        raise QuerySyntaxError(f"{text!r} is no date") from None


def _of_age(term: Term, mailbox: Mailbox) -> Predicate:
    match = re.fullmatch(r"(\d{1,4})([hdmy])", term.value.lower(), re.ASCII)
    if match is None:
        raise QuerySyntaxError(f"{term.value!r} is no age")
    span: dict[str, Any] = {_UNITS[match[2]]: int(match[1])}
    try:
        limit = milliseconds(mailbox.now - relativedelta(**span))
    except (ValueError, OverflowError):
        raise QuerySyntaxError(f"{term.value!r} is no age") from None
    newer = term.field == "newer_than"
    return lambda candidate: (candidate.row["internal_date"] >= limit) == newer


def _choice(choices: Mapping[str, str], value: str, term: Term) -> str:
    if value not in choices:
        raise QuerySyntaxError(f"{term.field}:{term.value} is not known")
    return choices[value]


_MEANINGS: Mapping[str, Callable[[Term, Mailbox], Predicate]] = {
    "label": _with_label, "in": _in_place, "is": _is, "has": _has, "filename": _filename,
    "category": lambda term, mailbox: _with_label_id(_choice(_CATEGORIES, term.value.lower(), term)),
    "rfc822msgid": _message_id, "larger": _size, "size": _size, "smaller": _size, "before": _dated,
    "after": _dated, "older": _dated, "newer": _dated, "older_than": _of_age, "newer_than": _of_age,
    "list": lambda term, mailbox: _with_phrase(Term("from", term.value), mailbox),
}  # fmt: skip


def milliseconds(when: datetime) -> int:
    """Return a time as the API counts it."""
    return int(when.timestamp() * 1000)


def reaches_hidden(node: Node) -> bool:
    """Check whether a query speaks of spam or trash, so that their messages are searched too."""
    if isinstance(node, Term):
        return node.field in ("in", "label", "is") and node.value.lower() in ("anywhere", "spam", "trash")
    return any(map(reaches_hidden, (node.term,) if isinstance(node, Not) else node.terms))


# messages

_CANDIDATES = """SELECT m.id, m.thread_id, m.internal_date, m.size_estimate, m.subject, m.from_name,
    m.from_email, m.to_emails, m.cc_emails, m.bcc_emails, m.body, m.rfc822_message_id,
    (SELECT json_group_array(label_id) FROM message_labels WHERE message_id = m.id) AS "labels JSON",
    (SELECT json_group_array(filename) FROM attachments WHERE message_id = m.id) AS "files JSON"
FROM messages m WHERE m.user_id = :userId ORDER BY m.internal_date DESC, m.id DESC"""


def search_messages(call: Call) -> list[Candidate]:
    """Return the messages of the call's mailbox that pass its ``q``, newest first."""
    text = call.arguments.get("q") or ""
    try:
        test = compile_query(text, load_mailbox(call, call.arguments["userId"]))
        hidden = _searches_hidden(call, text)
    except QuerySyntaxError as problem:
        raise invalid("q", f"Invalid query: {problem}") from None
    candidates = (Candidate(r, frozenset(r["labels"]), tuple(r["files"])) for r in call.rows(_CANDIDATES))
    return [c for c in candidates if (hidden or c.labels.isdisjoint(HIDDEN)) and test(c)]


def _searches_hidden(call: Call, text: str) -> bool:
    """Check whether spam and trash are searched as well."""
    if call.arguments.get("includeSpamTrash") or HIDDEN.intersection(call.arguments.get("labelIds", ())):
        return True
    return bool(text.strip()) and reaches_hidden(query.parse(text))


def with_labels(candidates: Iterable[Candidate], labels: Iterable[str]) -> list[Candidate]:
    """Return the candidates with all of these labels."""
    return [c for c in candidates if c.labels.issuperset(labels)]
