"""Filters: their criteria, and their effect on a message that arrives."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from eops_traj.gym.api_styles.google import error, invalid
from eops_traj.gym.servers.email import mime, store
from eops_traj.gym.servers.email.query import QuerySyntaxError
from eops_traj.gym.servers.email.resources import Resource
from eops_traj.gym.servers.email.search import (
    Candidate,
    Mailbox,
    Predicate,
    compile_query,
    load_mailbox,
    words,
)
from eops_traj.gym.tools.call import Call
from eops_traj.gym.tools.tool import tool

_PHRASES = ("from", "to", "subject")
_MOST = 1000


@dataclass(frozen=True)
class FilterEffect:
    """The effect of all filters on a message: the labels that it gets, and the addresses it is sent on to."""

    labels: frozenset[str]
    forwards: tuple[str, ...] = ()


def apply_filters(call: Call, owner: str, raw: bytes, labels: frozenset[str]) -> FilterEffect:
    """Return the effect of the filters of a mailbox on a message that arrives with these labels."""
    rows = call.rows(
        "SELECT criteria_json, action_json FROM filters WHERE user_id = :owner ORDER BY rowid", owner=owner
    )
    message, mailbox = mime.parse(raw), load_mailbox(call, owner)
    names = tuple(name for _, name, _, _ in mime.attachments(message))
    candidate = Candidate(mime.columns(raw, message) | {"internal_date": 0}, labels, names)
    actions = [row["action_json"] for row in rows if _matches(row["criteria_json"], candidate, mailbox)]
    added = {label for action in actions for label in action.get("addLabelIds", ())}
    removed = {label for action in actions for label in action.get("removeLabelIds", ())}
    added &= store.known_labels(call, owner)  # a label may be gone since
    if "TRASH" in added:
        removed.add("INBOX")
    forwards = tuple(action["forward"] for action in actions if action.get("forward"))
    return FilterEffect((labels | added) - removed, forwards)


def _matches(criteria: Mapping[str, Any], candidate: Candidate, mailbox: Mailbox) -> bool:
    try:
        return all(test(candidate) for test in _tests(criteria, mailbox))
    except QuerySyntaxError:  # a seed may hold what no tool would have taken
        return False


def _tests(criteria: Mapping[str, Any], mailbox: Mailbox) -> list[Predicate]:
    """Return the tests of a filter; criteria that are empty, false or zero have none."""
    phrases = [(field, criteria[field]) for field in _PHRASES if criteria.get(field)]
    tests = [_alternatives(field, text) for field, text in phrases]
    if criteria.get("query"):
        tests.append(compile_query(criteria["query"], mailbox))
    if criteria.get("negatedQuery"):
        unwanted = compile_query(criteria["negatedQuery"], mailbox)
        tests.append(lambda candidate: not unwanted(candidate))
    if criteria.get("hasAttachment"):
        tests.append(lambda candidate: bool(candidate.files))
    if (comparison := criteria.get("sizeComparison")) in ("smaller", "larger") and criteria.get("size"):
        size = criteria["size"]
        tests.append(lambda candidate: (candidate.row["size_estimate"] < size) == (comparison == "smaller"))
    return tests


def _alternatives(field: str, text: str) -> Predicate:
    """Return the test for a phrase in a field; ``OR`` or a bar between several means any of them."""
    phrases = [words(part) for part in text.replace(" OR ", "|").split("|")]
    return lambda candidate: any(phrase in candidate.texts[field] for phrase in phrases)


@tool
def create_filter(call: Call) -> Resource:
    """(userId!, criteria!, action!) -> row of filters

    Sort incoming mail from now on: what the criteria fit is labelled, unlabelled or forwarded. Messages that
    are there already stay as they are.
    """
    arguments, action = call.arguments["criteria"], call.arguments["action"]
    _check_criteria(call, arguments)
    _check_action(call, action)
    criteria = {
        name: value for name, value in arguments.items() if value not in ("", 0, False, "unspecified")
    }
    action = {name: value for name, value in action.items() if value}
    columns = {"criteria_json": json.dumps(criteria), "action_json": json.dumps(action)}
    same_sql = """SELECT 1 FROM filters
        WHERE user_id = :userId AND criteria_json = :criteria_json AND action_json = :action_json"""
    if call.row(same_sql, **columns):
        raise error("ALREADY_EXISTS", "Filter already exists")
    sql = """INSERT INTO filters (id, user_id, criteria_json, action_json, created_at)
        VALUES ('ANe1Bm' || new_hex(), :userId, :criteria_json, :action_json, :now)
        RETURNING id, criteria_json AS criteria, action_json AS action"""
    return call.rows(sql, **columns)[0]


def _check_criteria(call: Call, criteria: Mapping[str, Any]) -> None:
    try:
        tests = _tests(criteria, load_mailbox(call, call.arguments["userId"]))
    except QuerySyntaxError as problem:
        raise invalid("criteria", f"Invalid query: {problem}") from None
    if not tests or criteria["size"] < 0:
        raise invalid("criteria", "Filter criteria ask for nothing")
    row = call.row("SELECT count(*) AS n FROM filters WHERE user_id = :userId")
    if row and row["n"] >= _MOST:
        raise error("FAILED_PRECONDITION", f"A mailbox holds at most {_MOST} filters")


def _check_action(call: Call, action: Mapping[str, Any]) -> None:
    labels = [*action.get("addLabelIds", ()), *action.get("removeLabelIds", ())]
    if not labels and not action.get("forward"):
        raise invalid("action", "Filter action does nothing")
    store.check_labels(call, labels, "action")
    if fixed := sorted(store.SYSTEM_LABELS.intersection(labels)):
        raise invalid("action", f"Filters cannot use the label {fixed[0]}")
    verified = """SELECT 1 FROM forwarding_addresses
        WHERE user_id = :userId AND forwarding_email = :forward AND verification_status = 'accepted'"""
    if action.get("forward") and not call.row(verified, forward=action["forward"]):
        raise error("FAILED_PRECONDITION", f"Unrecognized forwarding address {action['forward']}")
