"""What the scenarios over several servers share: who is known where, and mails."""

import json
from typing import Any

from eops_traj.taskgen.result_ref import ResultRef
from eops_traj.taskgen.scene import Row, Scene

ALSO = "email IN (SELECT value FROM json_each(:also))"
"""The address of a row is one of those found on another server (`known`)."""

STAFF = "email LIKE '%@corvane.example'"


def known(s: Scene, sql: str, server: str, **values: Any) -> str:
    """The addresses in a query of another server, for `ALSO`."""
    return json.dumps([row["email"] for row in s.rows(sql, server, **values)])


def mine(s: Scene) -> str:
    """The address of the one who asks."""
    return str(s.caller["email"])


def mail(s: Scene, to: ResultRef, subject: str, words: str, why: str, **conversation: ResultRef) -> ResultRef:
    """Send a plain message from the mailbox of the one who asks; ``threadId`` makes it an answer."""
    headers = [{"name": "To", "value": to}, {"name": "Subject", "value": subject}]
    return s.do(
        "send_message", why, userId="me", **conversation,
        payload={"headers": headers, "body": {"data": words, "size": len(words)}},
    )  # fmt: skip


def sent_once(s: Scene, subject: str, to: str) -> None:
    """The rule that the message went to this address alone, and once."""
    s.rule(
        "The message went out once, to that address alone and with no copies",
        """SELECT COUNT(*) FROM messages m JOIN users u ON u.id = m.user_id JOIN message_labels l ON
        l.message_id = m.id AND l.label_id = 'SENT' WHERE u.email = :me AND m.subject = :subject AND
        m.to_emails = :to AND m.cc_emails = '' AND m.bcc_emails = ''""",
        server="email", me=mine(s), subject=subject, to=to,
    )  # fmt: skip


def named(person: Row) -> str:
    """First and last name."""
    return f"{person['first_name']} {person['last_name']}"
