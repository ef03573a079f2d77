"""Incidents of the seed, and the problems and changes behind them."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random

from eops_traj.gym.engine import clock
from eops_traj.gym.servers.itsm.seed_assets import PRIORITIES
from eops_traj.gym.servers.itsm.seed_catalogue import table
from eops_traj.gym.servers.itsm.seed_people import HOME, Record, Staff

NOW = clock.START.replace(tzinfo=None)
_INCIDENTS = 100
_MINUTES = {"critical": 150, "high": 400, "moderate": 1500, "low": 4000, "planning": 9000}
_STATES = (  # minimum age in days, and the states of such incidents
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
class SeedTables:
    """The rows that incidents refer to."""

    staff: Staff
    services: list[Record]
    offerings: list[Record]
    devices: list[Record]
    problems: list[Record]
    changes: list[Record]

    def service(self, name: str) -> Record:
        """Return the service of this name."""
        return next(service for service in self.services if service["name"] == name)

    def offering(self, service_id: str) -> Record:
        """Return the first offering of a service."""
        return next(o for o in self.offerings if o["business_service"] == service_id)


def stamp(moment: datetime) -> str:
    """Format a time as the tables have it."""
    return moment.strftime("%Y-%m-%d %H:%M:%S")


def problems(rng: Random, staff: Staff, services: list[Record], offerings: list[Record]) -> list[Record]:
    """Return problems, their original incidents not yet known."""
    group = staff.group("Network Operations")
    problems = []
    for n, entry in enumerate(table("Problems"), 1):
        service = next(s["service_id"] for s in services if s["name"] == entry["service"])
        offering = next(o["service_offering_id"] for o in offerings if o["business_service"] == service)
        impact, urgency = rng.choice(("high", "medium", "low")), rng.choice(("high", "medium"))
        created = NOW - timedelta(days=110 - 9 * n, hours=3)
        problems.append(
            {"problem_id": f"PRB_{n:03d}", "number": f"PRB{n:07d}", "problem_statement": entry["statement"],
             "short_description": entry["title"], "opened_by": group["manager_id"], "service": service,
             "service_offering": offering, "configuration_item": None,
             "assigned_to": rng.choice(staff.workers(group["group_id"]))["user_id"],
             "assignment_group": group["group_id"], "original_task": None, "org_id": HOME,
             "status": entry["status"], "category": entry["category"], "worknotes": None,
             "workaround": entry["workaround"] or None,
             "fix_notes": entry["fix"] or None, "impact": impact, "urgency": urgency,
             "priority": PRIORITIES[impact, urgency], "created_on": stamp(created),
             "updated_on": stamp(created + timedelta(days=4))}
        )  # fmt: skip
    return problems


def changes(rng: Random, staff: Staff, services: list[Record]) -> list[Record]:
    """Return changes in every state, the older ones closed."""
    group = staff.group("Network Operations")
    managers = [u["user_id"] for u in staff.of(HOME) if u["role"] in ("admin", "manager") and u["active"]]
    changes = []
    workers = staff.workers(group["group_id"])
    for n, (entry, status) in enumerate(zip(table("Changes"), _CHANGES, strict=True), 1):
        risk, impact = (rng.choice(("low", "medium", "high")) for _ in range(2))
        created = NOW - timedelta(days=100 - 4.5 * n)
        closed = status == "closed"
        changes.append(
            {"change_id": f"CHG_{n:03d}", "number": f"CHG{n:07d}", "short_description": entry["title"],
             "requested_by": rng.choice(managers),
             "service": next(s["service_id"] for s in services if s["name"] == entry["service"]),
             "service_offering": None, "configuration_item": None,
             "assigned_to": None if status == "new" else rng.choice(workers)["user_id"],
             "assignment_group": group["group_id"], "org_id": HOME, "status": status,
             "category": entry["category"], "description": None,
             "implementation_plan": entry["implementation"], "testing_plan": entry["testing"],
             "close_notes": "Done as planned." if closed else None, "cab_required": int(risk == "high"),
             "impact": impact, "priority": rng.choice(("critical", "high", "moderate", "low")), "risk": risk,
             "close_code": rng.choice(("successful", "successful", "unsuccessful")) if closed else None,
             "created_on": stamp(created), "updated_on": stamp(created + timedelta(days=3))}
        )  # fmt: skip
    return changes


def incidents(rng: Random, tables: SeedTables) -> list[Record]:
    """Return a hundred incidents of the last four months, in the order in which they came in."""
    ages = sorted((0.2 + 110 * rng.random() ** 2.2 for _ in range(_INCIDENTS)), reverse=True)
    return [_incident(rng, tables, n, NOW - timedelta(days=age)) for n, age in enumerate(ages, 1)]


def _incident(rng: Random, tables: SeedTables, n: int, created: datetime) -> Record:
    caller = rng.choice([u for u in tables.staff.users if u["active"] or rng.random() < 0.1])
    complaint = rng.choice(table("Complaints"))
    home = caller["org_id"] == HOME
    if home:
        service, group = tables.service(complaint["service"]), tables.staff.group(complaint["group"])
    else:
        service = next(s for s in tables.services if s["org_id"] == caller["org_id"])
        group = next(g for g in tables.staff.groups if g["org_id"] == caller["org_id"])
    impact = rng.choice(("low", "low", "medium", "medium", "high"))
    urgency = rng.choice(("low", "medium", "high"))
    by_hand = rng.random() < 0.06  # set by hand, against the policy
    priority = rng.choice(("low", "moderate")) if by_hand else PRIORITIES[impact, urgency]
    status = rng.choice(next(states for days, states in _STATES if (NOW - created).days >= days))
    channel = rng.choice(list(_CHANNELS))
    row: Record = {
        "incident_id": f"INC_{n:03d}", "number": f"INC-{n:06d}", "short_description": complaint["title"],
        "caller_id": caller["user_id"], "service": service["service_id"],
        "service_offering": tables.offering(service["service_id"])["service_offering_id"],
        "configuration_item": _device(tables, caller, complaint["category"]),
        "assigned_to": None, "assignment_group": group["group_id"], "resolved_by": None, "problem": None,
        "change_request": None, "caused_by_change": None, "incident_template": None, "parent_incident": None,
        "org_id": caller["org_id"], "channel": channel, "contact_type": _CHANNELS[channel], "status": status,
        "category": complaint["category"], "description": complaint["details"], "worknotes": None,
        "resolution_notes": None, "close_notes": None, "impact": impact, "urgency": urgency,
        "priority": priority, "resolution_code": None, "on_hold_reason": None, "resolved": None,
        "created_at": stamp(created), "updated_at": stamp(created),
    }  # fmt: skip
    return row | _progress(rng, tables, row, created, complaint["remedy"])


def _device(tables: SeedTables, caller: Record, category: str) -> str | None:
    """Return the id of a device that the caller uses, for a complaint about hardware."""
    owned = [d["configuration_item_id"] for d in tables.devices if d["owner_id"] == caller["user_id"]]
    return owned[0] if owned and category == "hardware" else None


def _progress(rng: Random, tables: SeedTables, row: Record, created: datetime, remedy: str) -> Record:
    """Return the progress of an incident: its assignee, what it waits for, how it was resolved."""
    if row["status"] == "new" and rng.random() < 0.5:
        return {}
    worker = rng.choice(tables.staff.workers(row["assignment_group"]))["user_id"]
    progress: Record = {"assigned_to": worker, "worknotes": "Looked into it; see the notes of the group."}
    if row["status"] == "on_hold":
        progress |= _hold_reason(tables, row)
    if row["status"] in ("resolved", "closed"):
        done = min(created + timedelta(minutes=rng.uniform(0.2, 1.3) * _MINUTES[row["priority"]]), NOW)
        progress |= {"resolved": stamp(done), "resolved_by": worker, "resolution_code": rng.choice(_CODES),
                  "resolution_notes": remedy, "updated_at": stamp(done)}  # fmt: skip
    if row["status"] == "closed":
        progress |= {"close_notes": "Closed; the caller did not come back.",
                  "updated_at": stamp(min(done + timedelta(days=3), NOW))}  # fmt: skip
    return progress


def _hold_reason(tables: SeedTables, row: Record) -> Record:
    """Return what an incident on hold waits for: a problem or a change of its service, or its caller."""
    for problem in tables.problems:
        if problem["service"] == row["service"] and problem["status"] not in ("resolved", "closed"):
            return {"on_hold_reason": "Awaiting Problem", "problem": problem["problem_id"]}
    for change in tables.changes:
        if change["service"] == row["service"] and change["status"] not in ("closed", "canceled"):
            return {"on_hold_reason": "Awaiting Change", "change_request": change["change_id"]}
    return {"on_hold_reason": "Awaiting Caller"}
