"""What happened in the seed: incidents, and the problems and changes behind them."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Any

from eops_traj.gym.engine import clock
from eops_traj.gym.servers.itsm.seed_assets import PRIORITIES
from eops_traj.gym.servers.itsm.seed_catalogue import table
from eops_traj.gym.servers.itsm.seed_people import HOME, Record, Staff

NOW = clock.START.replace(tzinfo=None)
_INCIDENTS = 100
_MINUTES = {"critical": 150, "high": 400, "moderate": 1500, "low": 4000, "planning": 9000}
_STATES = (  # days old at least, and what such incidents have come to
    (25, ("resolved",) * 5 + ("closed", "closed", "canceled")),
    (10, ("resolved", "resolved", "resolved", "on_hold", "in_progress", "in_progress", "new")),
    (0, ("new", "new", "new", "in_progress", "in_progress", "on_hold", "resolved")),
)
_CHANNELS = {  # and what contact_type calls them
    "self-service": "portal", "email": "email", "phone": "phone", "chat": "chat", "walk-in": "walk_in",
    "web": "api",
}  # fmt: skip
_CHANGES = ("closed",) * 7 + (
    "canceled", "review", "review", "implement", "implement", "scheduled", "scheduled", "scheduled",
    "authorize", "authorize", "assess", "new", "new",
)  # fmt: skip
_CODES = ("Solution Provided",) * 5 + (
    "Workaround Provided",
    "Resolved By Caller",
    "User error",
    "Known Error",
)


@dataclass(frozen=True)
class Assets:
    """What incidents are about."""

    staff: Staff
    services: list[Record]
    offerings: list[Record]
    devices: list[Record]
    problems: list[Record]
    changes: list[Record]

    def service(self, name: str) -> Record:
        """The service of this name."""
        return next(service for service in self.services if service["name"] == name)

    def offering(self, service_id: str) -> Record:
        """The first offering of a service."""
        return next(o for o in self.offerings if o["business_service"] == service_id)


def stamp(moment: datetime) -> str:
    """A time as the tables have it."""
    return moment.strftime("%Y-%m-%d %H:%M:%S")


def problems(rng: Random, staff: Staff, services: list[Record], offerings: list[Record]) -> list[Record]:
    """Problems, their incidents not yet known."""
    group = staff.group("Network Operations")
    found = []
    for n, words in enumerate(table("Problems"), 1):
        service = next(s["service_id"] for s in services if s["name"] == words["service"])
        offering = next(o["service_offering_id"] for o in offerings if o["business_service"] == service)
        impact, urgency = rng.choice(("high", "medium", "low")), rng.choice(("high", "medium"))
        made = NOW - timedelta(days=110 - 9 * n, hours=3)
        found.append(
            {"problem_id": f"PRB_{n:03d}", "number": f"PRB{n:07d}", "problem_statement": words["statement"],
             "short_description": words["title"], "opened_by": group["manager_id"], "service": service,
             "service_offering": offering, "configuration_item": None,
             "assigned_to": rng.choice(staff.workers(group["group_id"]))["user_id"],
             "assignment_group": group["group_id"], "original_task": None, "org_id": HOME,
             "status": words["status"], "category": words["category"], "worknotes": None,
             "workaround": words["workaround"] or None,
             "fix_notes": words["fix"] or None, "impact": impact, "urgency": urgency,
             "priority": PRIORITIES[impact, urgency], "created_on": stamp(made),
             "updated_on": stamp(made + timedelta(days=4))}
        )  # fmt: skip
    return found


def changes(rng: Random, staff: Staff, services: list[Record]) -> list[Record]:
    """Changes in every state, the older ones closed."""
    group = staff.group("Network Operations")
    managers = [u["user_id"] for u in staff.of(HOME) if u["role"] in ("admin", "manager") and u["active"]]
    found = []
    workers = staff.workers(group["group_id"])
    for n, (words, status) in enumerate(zip(table("Changes"), _CHANGES, strict=True), 1):
        risk, impact = (rng.choice(("low", "medium", "high")) for _ in range(2))
        made = NOW - timedelta(days=100 - 4.5 * n)
        closed = status == "closed"
        found.append(
            {"change_id": f"CHG_{n:03d}", "number": f"CHG{n:07d}", "short_description": words["title"],
             "requested_by": rng.choice(managers),
             "service": next(s["service_id"] for s in services if s["name"] == words["service"]),
             "service_offering": None, "configuration_item": None,
             "assigned_to": None if status == "new" else rng.choice(workers)["user_id"],
             "assignment_group": group["group_id"], "org_id": HOME, "status": status,
             "category": words["category"], "description": None,
             "implementation_plan": words["implementation"], "testing_plan": words["testing"],
             "close_notes": "Done as planned." if closed else None, "cab_required": int(risk == "high"),
             "impact": impact, "priority": rng.choice(("critical", "high", "moderate", "low")), "risk": risk,
             "close_code": rng.choice(("successful", "successful", "unsuccessful")) if closed else None,
             "created_on": stamp(made), "updated_on": stamp(made + timedelta(days=3))}
        )  # fmt: skip
    return found


def incidents(rng: Random, assets: Assets) -> list[Record]:
    """A hundred incidents of the last four months, in the order in which they came in."""
    ages = sorted((0.2 + 110 * rng.random() ** 2.2 for _ in range(_INCIDENTS)), reverse=True)
    return [_incident(rng, assets, n, NOW - timedelta(days=age)) for n, age in enumerate(ages, 1)]


def _incident(rng: Random, assets: Assets, n: int, made: datetime) -> Record:
    caller = rng.choice([u for u in assets.staff.users if u["active"] or rng.random() < 0.1])
    words = rng.choice(table("Complaints"))
    home = caller["org_id"] == HOME
    service = assets.service(words["service"]) if home else _own_service(assets, caller["org_id"])
    group = assets.staff.group(words["group"]) if home else _own_group(assets, caller["org_id"])
    impact, urgency = (
        rng.choice(("low", "low", "medium", "medium", "high")),
        rng.choice(("low", "medium", "high")),
    )
    wrong = rng.random() < 0.06  # set by hand, against the policy
    priority = rng.choice(("low", "moderate")) if wrong else PRIORITIES[impact, urgency]
    status = rng.choice(next(states for days, states in _STATES if (NOW - made).days >= days))
    channel = rng.choice(list(_CHANNELS))
    row: Record = {
        "incident_id": f"INC_{n:03d}", "number": f"INC-{n:06d}", "short_description": words["title"],
        "caller_id": caller["user_id"], "service": service["service_id"],
        "service_offering": assets.offering(service["service_id"])["service_offering_id"],
        "configuration_item": _device(assets, caller, words["category"]),
        "assigned_to": None, "assignment_group": group["group_id"], "resolved_by": None, "problem": None,
        "change_request": None, "caused_by_change": None, "incident_template": None, "parent_incident": None,
        "org_id": caller["org_id"], "channel": channel, "contact_type": _CHANNELS[channel], "status": status,
        "category": words["category"], "description": words["details"], "worknotes": None,
        "resolution_notes": None, "close_notes": None, "impact": impact, "urgency": urgency,
        "priority": priority, "resolution_code": None, "on_hold_reason": None, "resolved": None,
        "created_at": stamp(made), "updated_at": stamp(made),
    }  # fmt: skip
    return row | _progress(rng, assets, row, made, words["remedy"])


def _own_service(assets: Assets, org_id: str) -> Record:
    return next(service for service in assets.services if service["org_id"] == org_id)


def _own_group(assets: Assets, org_id: str) -> Record:
    return next(group for group in assets.staff.groups if group["org_id"] == org_id)


def _device(assets: Assets, caller: Record, category: str) -> str | None:
    """What the caller uses, for a complaint about hardware."""
    owned = [d["configuration_item_id"] for d in assets.devices if d["owner_id"] == caller["user_id"]]
    return owned[0] if owned and category == "hardware" else None


def _progress(rng: Random, assets: Assets, row: Record, made: datetime, remedy: str) -> Record:
    """What has become of an incident: who has it, what it waits for, how it was resolved."""
    if row["status"] == "new" and rng.random() < 0.5:
        return {}
    worker = rng.choice(assets.staff.workers(row["assignment_group"]))["user_id"]
    found: dict[str, Any] = {
        "assigned_to": worker,
        "worknotes": "Looked into it; see the notes of the group.",
    }
    if row["status"] == "on_hold":
        found |= _wait(rng, assets, row)
    if row["status"] in ("resolved", "closed"):
        done = min(made + timedelta(minutes=rng.uniform(0.2, 1.3) * _MINUTES[row["priority"]]), NOW)
        found |= {"resolved": stamp(done), "resolved_by": worker, "resolution_code": rng.choice(_CODES),
                  "resolution_notes": remedy, "updated_at": stamp(done)}  # fmt: skip
    if row["status"] == "closed":
        found |= {"close_notes": "Closed; the caller did not come back.",
                  "updated_at": stamp(min(done + timedelta(days=3), NOW))}  # fmt: skip
    return found


def _wait(rng: Random, assets: Assets, row: Record) -> Record:
    """What an incident on hold waits for: a change or a problem of its service, or its caller."""
    for problem in assets.problems:
        if problem["service"] == row["service"] and problem["status"] not in ("resolved", "closed"):
            return {"on_hold_reason": "Awaiting Problem", "problem": problem["problem_id"]}
    for change in assets.changes:
        if change["service"] == row["service"] and change["status"] not in ("closed", "canceled"):
            return {"on_hold_reason": "Awaiting Change", "change_request": change["change_id"]}
    return {"on_hold_reason": "Awaiting Caller"}
