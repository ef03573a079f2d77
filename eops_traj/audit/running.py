"""Defects that show on a task's own databases: who acts there, and whether doing nothing passes."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from eops_traj.audit.findings import Finding, finding
from eops_traj.gym import registry
from eops_traj.gym.server import Server
from eops_traj.sandbox.embedded import EmbeddedSession
from eops_traj.schema import Task, Verdict, Verifier
from eops_traj.verify.outcome import labels
from eops_traj.verify.verifier_kinds import KINDS
from eops_traj.verify.verifiers import verify

_MAILBOXES = {"email": ("user_id", "id")}
"""The column by which rows belong to one person alone, and what it holds of the caller."""
_ADDRESS = "SELECT email FROM users WHERE id = ?"
_OPEN_MAILBOX = "get_user_profile"
_ARRIVING = frozenset({"threads", "messages", "message_labels", "attachments", "history"})
"""The tables in which mail that arrives leaves rows, whoever sent it."""
_TABLES = re.compile(r"\b(?:from|join)\s+[\"`]?(\w+)", re.IGNORECASE)
_CHANGE = re.compile(
    r"\b(?!shared (?:drive|mailbox))(?:"
    r"(?:add|assign|cancel|grant|link|post|register|reject|upload)(?:s|ed|ing)?|cancell(?:ed|ing|ation)"
    r"|(?:approv|chang|creat|delet|escalat|invit|mov|remov|renam|resolv|schedul|shar|updat)(?:e[sd]?|ing)"
    r"|clos(?:e[sd]?|ure)|sen(?:ds?|t|ding)|set|modif(?:y|ie[sd]|ying)"
    r"|(?:creat|delet|escalat|invitat|modificat|reject)ions?|(?:approv|remov)als?|assignments?"
    r")\b",
    re.IGNORECASE,
)
"""Words for something done, each to its end: an address is nothing that was added."""
_NEGATION = re.compile(
    r"\b(?:no|not|never|without|unchanged|remains?|still|only|untouched|intact|kept|as it was|as they were)\b"
    r"|n't",
    re.IGNORECASE,
)


def callers(task: Task, session: EmbeddedSession) -> Iterator[Finding]:
    """Yield the acting users that the databases lack, and verifiers of what belongs to another."""
    for placed in task.servers:
        server = registry.server(placed.name)
        headers = {name.lower(): str(value) for name, value in json.loads(placed.context).items()}
        identity = server.identity
        value = headers.get(identity.header.lower()) if identity else None
        if identity is None or (value is None and not identity.required):
            continue
        caller = server.find_caller(session.database(placed.name), value)
        if caller is None:
            said = f"{identity.header}: " + ("not given" if value is None else f"{value!r} is nobody there")
            yield finding(task.task_id, "no_caller", f"{placed.name}: {said}")
        else:
            yield from _others(task, server, caller, session)


def untouched(task: Task, session: EmbeddedSession) -> Iterator[Finding]:
    """Yield a finding where doing nothing passes, though a verifier says that something was done.

    Of a task that has to be declined, and of one whose verifiers look at the answer too, nothing is said.
    """
    if task.feasible is False or not all(_reads_state(v) for v in task.verifiers) or not task.verifiers:
        return
    names = [server.name for server in task.servers]
    verdicts = verify(task.verifiers, session, "", (), servers=names, request=task.user_prompt)
    if not labels(verdicts).success_parity or not any(v.passed_parity for v in verdicts):
        return
    claims = [v.name for v in verdicts if _claims_change(v)]
    if claims:
        said = f"all {len(verdicts)} verifiers pass at the seed, among them {', '.join(claims[:3])}"
        yield finding(task.task_id, "passes_untouched", said)


def _others(
    task: Task, server: Server, caller: Mapping[str, Any], session: EmbeddedSession
) -> Iterator[Finding]:
    """Yield the verifiers that look for a row of another tenant or mailbox, which the caller cannot make.

    Nothing is said of a mailbox that the caller may open, nor of rows that mail to its owner makes.
    """
    column, own = _MAILBOXES.get(server.name, (server.scope, server.scope))
    if not column or caller.get(own) is None:
        return
    named = re.compile(rf"\b{column}\s*=\s*(?:'([^']*)'|(\d+))", re.IGNORECASE)
    for number, verifier in enumerate(task.verifiers):
        query = str(json.loads(verifier.config).get("query", ""))
        of_server = verifier.server in (None, server.name, server.gym_name)
        values = {quoted or plain for quoted, plain in named.findall(query)}
        if not of_server or not values or str(caller[own]) in values or _expects_nothing(verifier):
            continue
        if server.name in _MAILBOXES and _in_reach(values, query, server, session):
            continue
        servers = [server.name for server in task.servers]
        verdicts = verify([verifier], session, "", (), servers=servers, request=task.user_prompt)
        if not all(verdict.passed_parity for verdict in verdicts):
            said = f"{column} = {', '.join(sorted(values))}, but {caller[own]} acts: {query}"
            yield finding(task.task_id, "other_caller", said, verifier, number)


def _in_reach(owners: Iterable[str], query: str, server: Server, session: EmbeddedSession) -> bool:
    """Check whether a query is about mail that arrives, or the caller may open one of the mailboxes."""
    if not _ARRIVING.isdisjoint(name.lower() for name in _TABLES.findall(query)):
        return True
    users = session.database(server.name).connection
    addresses = [users.execute(_ADDRESS, (owner,)).get for owner in owners]
    opened = [session.call_tool(_OPEN_MAILBOX, {"userId": address}) for address in addresses if address]
    return not all(result.is_error for result in opened)


def _reads_state(verifier: Verifier) -> bool:
    return verifier.kind in KINDS and KINDS[verifier.kind].needs_query


def _expects_nothing(verifier: Verifier) -> bool:
    return json.loads(verifier.config).get("expected_value") in (0, "0", [], None)


def _claims_change(verdict: Verdict) -> bool:
    """Check whether a verifier says, in its name or description, that something is there that was not."""
    said = f"{verdict.name} {verdict.description or ''}".replace("_", " ")
    nothing = verdict.expected in (None, "0", "[]", '"0"')
    return bool(_CHANGE.search(said)) and not _NEGATION.search(said) and not nothing
