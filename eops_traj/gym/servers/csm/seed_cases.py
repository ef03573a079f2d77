"""Casework in the seed: articles, cases with their SLAs, interactions, links and notifications."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Any

from eops_traj.gym.servers.csm.seed_catalogue import PROBLEMS, Problem
from eops_traj.gym.servers.csm.seed_draws import NOW, chance, moment, pick, stamps

Row = dict[str, Any]
CASES, CASE_SLAS, INTERACTIONS, ARTICLES, LINKS, NOTIFICATIONS = 1232, 2464, 1232, 369, 527, 733
_CHANNELS = {"email": 30, "web": 26, "phone": 21, "chat": 12, "alert": 5, "community": 4, "social": 2}
_PRIORITIES = {"critical": 9, "high": 24, "moderate": 43, "low": 24}
_REASONS = ("urgency", "vip", "impact", "breach_risk", "customer_request")
_FIRST = datetime(2024, 7, 1, 8, 0, 0)
_OPEN = ("new", "in_progress", "pending")


@dataclass(frozen=True)
class SeedTables:
    """The rows of the tables that cases refer to, and the ids of each group's assignees."""

    contacts: Sequence[Row]
    users: Sequence[Row]
    groups: Sequence[Row]
    assignees: Mapping[int, Sequence[int]]
    products: Sequence[Row]
    installed: Sequence[Row]
    entitlements: Sequence[Row]


def articles(rng: Random, products: Sequence[Row], users: Sequence[Row]) -> list[Row]:
    """Return articles on some of the problems of some of the products, by staff who may have left."""
    subjects = [(product, problem) for product in products for problem in PROBLEMS[product["category"]]]
    authors = [p["user_id"] for p in users if p["role"] in ("agent", "manager")]
    return [
        _article(rng, number, product, problem, rng.choice(authors))
        for number, (product, problem) in enumerate(rng.sample(subjects, ARTICLES), 1)
    ]


def _article(rng: Random, number: int, product: Row, problem: Problem, author: int) -> Row:
    steps = " ".join(f"{n}) {step}." for n, step in enumerate(problem.steps.split("; "), 1))
    return {
        "knowledge_id": number, "kb_number": f"KB-{number:07d}",
        "title": f"{product['name']}: {problem.topic}",
        "body": f"{product['name']}: {problem.symptom}. {problem.cause} What to do: {steps}",
        "state": pick(rng, {"published": 78, "draft": 12, "retired": 10}),
        "visibility": pick(rng, {"external": 60, "internal": 40}),
        "product_id": product["product_id"], "owner_id": author,
    } | stamps(rng)  # fmt: skip


def cases(rng: Random, tables: SeedTables) -> list[Row]:
    """Return cases in the order they came in, ever more of them towards today."""
    span = (NOW - _FIRST).total_seconds()
    opened = sorted(NOW - timedelta(seconds=int(span * rng.random() ** 2)) for _ in range(CASES))
    subjects = _subjects(tables)
    return [_case(rng, number, created, tables, subjects) for number, created in enumerate(opened, 1)]


def _subjects(tables: SeedTables) -> list[tuple[Row, list[tuple[int, int | None]]]]:
    """List each contact as often as it asks, with the products and installed products it may ask about."""
    about: dict[int, list[tuple[int, int | None]]] = {}
    for installed in tables.installed:
        about.setdefault(installed["account_id"], []).append(
            (installed["product_id"], installed["installed_product_id"])
        )
    for entitlement in tables.entitlements:
        if entitlement["product_id"]:
            about.setdefault(entitlement["account_id"], []).append((entitlement["product_id"], None))
    return [
        (contact, about[contact["account_id"]])
        for contact in tables.contacts
        if contact["account_id"] in about
        for _ in range(1 + 3 * contact["is_primary"] + contact["active"])
    ]


def _case(rng: Random, number: int, created: datetime, tables: SeedTables, subjects: Sequence[Any]) -> Row:
    contact, about = rng.choice(subjects)
    product_id, installed_id = rng.choice(about)
    product = tables.products[product_id - 1]
    state = _state(rng, (NOW - created).days)
    group_id, assignee = _assignment(rng, tables, state)
    changed = created if state == "new" else moment(rng, created, min(NOW, created + timedelta(days=21)))
    escalated = chance(rng, 9)
    symptom = rng.choice(PROBLEMS[product["category"]]).symptom
    return {
        "case_id": number, "number": f"CS-{number:07d}", "account_id": contact["account_id"],
        "contact_id": contact["contact_id"], "product_id": product_id, "installed_product_id": installed_id,
        "channel": pick(rng, _CHANNELS), "priority": pick(rng, _PRIORITIES), "state": state,
        "short_description": f"{product['name']}: {symptom}",
        "assignment_group_id": group_id, "assigned_to": assignee,
        "escalation": int(escalated), "escalation_reason": rng.choice(_REASONS) if escalated else None,
        "reopen_count": rng.choice((1, 1, 2)) if state != "new" and chance(rng, 8) else 0,
        "sys_created_on": str(created), "sys_updated_on": str(changed),
        "closed_on": str(changed) if state == "closed" else None,
    }  # fmt: skip


def _state(rng: Random, age: int) -> str:
    """Draw the state of a case of so many days. Some old ones were forgotten."""
    if age > 45:
        return pick(
            rng, {"closed": 83, "resolved": 7, "canceled": 7, "pending": 1, "in_progress": 1, "new": 1}
        )
    if age > 10:
        return pick(
            rng, {"closed": 45, "resolved": 24, "in_progress": 13, "pending": 9, "canceled": 7, "new": 2}
        )
    if age > 1:
        return pick(
            rng, {"in_progress": 48, "resolved": 18, "pending": 15, "closed": 9, "new": 8, "canceled": 2}
        )
    return pick(rng, {"new": 52, "in_progress": 42, "pending": 4, "canceled": 2})


def _assignment(rng: Random, tables: SeedTables, state: str) -> tuple[int | None, int | None]:
    """Draw a group and one of its members; a new case has often neither yet."""
    if state == "new" and chance(rng, 70):
        return None, None
    group_id = rng.choice([g["group_id"] for g in tables.groups if g["type"] != "backoffice"])
    return group_id, rng.choice(tables.assignees[group_id]) if chance(rng, 88) else None


def case_slas(rng: Random, cases: Sequence[Row], definitions: Sequence[Row]) -> list[Row]:
    """Return the response and the resolution SLA of each case, by its priority."""
    by_priority = {(d["metric"], d["applies_to_priority"]): d for d in definitions if d["active"]}
    pairs = [(c, by_priority[metric, c["priority"]]) for c in cases for metric in ("response", "resolution")]
    return [_case_sla(rng, number, *pair) for number, pair in enumerate(pairs, 1)]


def _case_sla(rng: Random, number: int, case: Row, definition: Row) -> Row:
    start = datetime.fromisoformat(case["sys_created_on"])
    breach = start + timedelta(minutes=definition["target_mins"])
    running = case["state"] in _OPEN and (definition["metric"] == "resolution" or case["state"] == "new")
    used = pick(rng, {"0.3": 35, "0.6": 30, "0.9": 21, "1.4": 14})
    done = min(NOW, start + timedelta(minutes=int(definition["target_mins"] * float(used))))
    stage = "canceled" if case["state"] == "canceled" else "in_progress" if running else "completed"
    paused = running and case["state"] == "pending" and definition["pause_on_pending"]
    late = (NOW if stage == "in_progress" else done) > breach and not paused
    return {
        "case_sla_id": number, "case_id": case["case_id"], "sla_def_id": definition["sla_def_id"],
        "stage": "paused" if paused else stage, "start_time": str(start), "breach_time": str(breach),
        "has_breached": int(late), "completed_time": str(done) if stage == "completed" else None,
    }  # fmt: skip


def interactions(rng: Random, cases: Sequence[Row], tables: SeedTables) -> list[Row]:
    """Return interactions about cases, and some that never became a case."""
    return [
        _interaction(rng, number, rng.choice(cases), rng.choice(tables.contacts), chance(rng, 93))
        for number in range(1, INTERACTIONS + 1)
    ]


def _interaction(rng: Random, number: int, case: Row, contact: Row, about_case: bool) -> Row:
    opened = datetime.fromisoformat(case["sys_created_on"])
    start = moment(rng, opened, min(NOW, opened + timedelta(days=6)))
    end = start + timedelta(minutes=rng.randint(2, 55))
    about = case if about_case else contact
    status = "open" if end > NOW or chance(rng, 4) else pick(rng, {"handled": 45, "closed": 55})
    return {
        "interaction_id": number, "channel": case["channel"], "account_id": about["account_id"],
        "contact_id": about["contact_id"], "case_id": case["case_id"] if about_case else None,
        "interacted_user": case["assigned_to"], "status": status, "started_at": str(start),
        "ended_at": None if status == "open" else str(end), "sys_created_on": str(start),
    }  # fmt: skip


def case_knowledge(rng: Random, cases: Sequence[Row], articles: Sequence[Row]) -> list[Row]:
    """Return links to articles used for cases about the same product."""
    by_product: dict[int, list[int]] = {}
    for article in articles:
        by_product.setdefault(article["product_id"], []).append(article["knowledge_id"])
    pairs = [(c["case_id"], article) for c in cases for article in by_product.get(c["product_id"], ())]
    return [
        {"case_kb_id": number, "case_id": case, "knowledge_id": article,
         "used_as": pick(rng, {"suggested": 45, "applied": 30, "resolution": 25})}
        for number, (case, article) in enumerate(sorted(rng.sample(pairs, LINKS)), 1)
    ]  # fmt: skip


def notifications(rng: Random, cases: Sequence[Row], links: Sequence[Row], tables: SeedTables) -> list[Row]:
    """Return notifications to the contacts of cases, some of them with an article."""
    addresses = {p["user_id"]: p["email"] for p in tables.users}
    reader = {c["contact_id"]: addresses[c["portal_user_id"]] for c in tables.contacts}
    linked = {link["case_id"]: link["knowledge_id"] for link in links}
    chosen = sorted(rng.choices(cases, k=NOTIFICATIONS), key=lambda case: case["case_id"])
    return [
        _notification(rng, number, case, reader[case["contact_id"]], linked.get(case["case_id"]))
        for number, case in enumerate(chosen, 1)
    ]


def _notification(rng: Random, number: int, case: Row, email: str, article: int | None) -> Row:
    types = {"update": 40, "next_steps": 15, "reminder": 15, "alert": 10, "report": 10, "other": 10}
    kind = "solution_proposal" if article and chance(rng, 60) else pick(rng, types)
    sent = moment(
        rng, datetime.fromisoformat(case["sys_created_on"]), datetime.fromisoformat(case["sys_updated_on"])
    )
    return {
        "notification_id": number, "case_id": case["case_id"],
        "knowledge_id": article if kind == "solution_proposal" else None, "email": email, "type": kind,
        "status": "success" if chance(rng, 96) else "failed", "sys_created_on": str(sent),
    }  # fmt: skip
