"""Shared look-ups of the scenarios over several servers: addresses, mails, and HR cases."""

import json
from typing import Any

from eops_traj.gym.servers.hr.seed_catalogue import CATEGORIES, GROUP_OF, SERVICES
from eops_traj.taskgen.expressions import length
from eops_traj.taskgen.result_ref import ResultRef, text
from eops_traj.taskgen.scenarios.besides import Sentence
from eops_traj.taskgen.scenarios.hr.lookups import (
    OPEN_STATES,
    UNIQUE_NAME,
)
from eops_traj.taskgen.scene import Row, Scene
from eops_traj.taskgen.wording import vary

ALSO = "email IN (SELECT value FROM json_each(:also))"
"""The address of a row is one of those found on another server (`known_addresses`)."""

STAFF = "email LIKE '%@corvane.example'"


STILL_CLEAR = """NOT EXISTS (SELECT 1 FROM hr_profile c JOIN user v USING (user_id) WHERE
    c.manager = p.hr_profile_id AND c.employment_end_date IS NOT NULL AND v.active)"""
"""Nobody whose account is open reports to the profile `p` on a contract with a last day, over or to come."""


def known_addresses(s: Scene, sql: str, server: str, **values: Any) -> str:
    """Return the addresses in a query of another server, for `ALSO`."""
    return json.dumps([row["email"] for row in s.rows(sql, server, **values)])


def caller_email(s: Scene) -> str:
    """Return the email address of the caller."""
    return str(s.caller["email"])


def send_mail(
    s: Scene, to: ResultRef, subject: str, words: str, why: str, **conversation: ResultRef
) -> ResultRef:
    """Send a plain message from the caller's mailbox; ``threadId`` makes it an answer."""
    headers = [{"name": "To", "value": to}, {"name": "Subject", "value": subject}]
    return s.do(
        "send_message", why, userId="me", **conversation,
        payload={"headers": headers, "body": {"data": words, "size": length(words)}},
    )  # fmt: skip


def add_mail_rule(s: Scene, subject: str, to: str) -> None:
    """Add the rule that the message went to this address alone, and once."""
    s.rule(
        "The message went out once, to that address alone and with no copies",
        """SELECT COUNT(*) FROM messages m JOIN users u ON u.id = m.user_id JOIN message_labels l ON
        l.message_id = m.id AND l.label_id = 'SENT' WHERE u.email = :me AND m.subject = :subject AND
        m.to_emails = :to AND m.cc_emails = '' AND m.bcc_emails = ''""",
        server="email", me=caller_email(s), subject=subject, to=to,
    )  # fmt: skip


def say(s: Scene, wording: str, **slots: str) -> str:
    """Fill in a phrase, with one of each of its alternatives."""
    return vary(s.rng, wording).format(**slots)


_ACTIVE_ONLY = (
    "[Do nothing of all this|Leave all of this] if {group} [is inactive by now|has been made inactive].",
    "[Check|See] first whether {group} is still active; if it is not, [do nothing|nothing is to be done].",
    "We do nothing [for|about] inactive groups, so [stop|leave it all] if {group} is one.",
    "[All that|All of this] [presupposes|takes] that {group} is still an active group; if not, drop it.",
    "[In case {group} is|Should {group} be] inactive [by now|meanwhile], [nothing happens|drop it all].",
    "{group} has to be an active group [for this|for all that]; if it is inactive, [change|do] nothing.",
)  # fmt: skip


def only_if_active(s: Scene, group: str) -> None:
    """Let the request, just worded, rule all of it out where a group is inactive, which no policy does."""
    s.say_more(Sentence(_ACTIVE_ONLY, {"group": group}).say)


_CONTACT_ONLY = (
    "[Leave it all|Do nothing of it] if {who} is no longer an active contact of that customer.",
    "[All that|All of it] presupposes that {who} is an active contact there; if not, drop it.",
    "[Check|See] first that {who} is still an active contact of the customer; if not, change nothing.",
    "If {who} is not an active contact of theirs [any more|by now], nothing [is to be|may be] done.",
    "{who} has to be an active contact of the customer [for this|for all that]; otherwise let it be.",
    "[Stop here|Let it all be] in case {who} is not an active contact on their side [any more|by now].",
)  # fmt: skip


def only_if_contact(s: Scene, who: str) -> None:
    """Let the request, just worded, rule all of it out for an inactive contact, which no policy does."""
    s.say_more(Sentence(_CONTACT_ONLY, {"who": who}).say)


def capital(words: str) -> str:
    """Begin words with a capital letter, for the start of a sentence."""
    return words[:1].upper() + words[1:]


def full_name(person: Row) -> str:
    """Return first and last name."""
    return f"{person['first_name']} {person['last_name']}"


_COE = {known.name: CATEGORIES[known.category] for known in SERVICES}
FREE = f"""{UNIQUE_NAME} AND u.user_id NOT IN (SELECT opened_for FROM hr_case JOIN hr_service h
    ON h.hr_service_id = hr_service WHERE h.service_name = :service AND status IN {OPEN_STATES})"""
"""A person `u` with a name of their own, and no open case of that service."""
SAME_NAME = """UPDATE user SET first_name = :first, last_name = :last WHERE user_id = (SELECT user_id FROM
    user WHERE active AND role = 'employee' AND user_id <> :user AND email <> :me ORDER BY user_id LIMIT 1)"""
"""Another active person comes to have the same name."""


def open_case(
    s: Scene, user: ResultRef, offer: tuple[ResultRef, ResultRef], service_name: str, matter: str,
    priority: str, way: str
) -> ResultRef:  # fmt: skip
    """Open a case of a service for a person."""
    service, topic = offer
    return s.do(
        "create_new_hr_case",
        f"the case {matter}",
        status="ready",
        opened_for=user["email"],
        priority=priority,
        hr_service=text("{}", service["hr_service_id"]),
        source=way,
        short_description=matter,
        coe_type=topic["topic_category"]["coe_type"],
        assignment_group=GROUP_OF[_COE[service_name]],
    )


def add_case_rule(s: Scene, service_name: str, matter: str, email: str) -> None:
    """Add the rule that a person has one case of a service, in the right group, and was notified."""
    s.rule(
        "The person has one case of that service, in the group of its centre, and was told of it",
        """SELECT COUNT(*) FROM hr_case c JOIN hr_service h ON h.hr_service_id = c.hr_service JOIN
        user_group g ON g.group_id = c.assignment_group JOIN user u ON u.user_id = c.opened_for JOIN
        hr_profile p ON p.user_id = u.user_id JOIN notification n ON n.hr_case_id = c.hr_case_id AND n.email
        = p.personal_email AND n.type = 'update' WHERE h.service_name = :service AND u.email = :email AND
        c.short_description = :matter AND g.name = :team""",
        service=service_name, email=email, matter=matter, team=GROUP_OF[_COE[service_name]],
    )  # fmt: skip
