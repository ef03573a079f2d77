"""What the seed has to look after: services and their offerings, devices, SLAs, templates, articles."""

from random import Random

from eops_traj.gym.servers.itsm.seed_catalogue import several, table
from eops_traj.gym.servers.itsm.seed_people import HOME, Record, Staff

_STAMPS = {"created_on": "2024-03-04 10:00:00", "updated_on": "2024-03-04 10:00:00"}
_TARGETS = {"critical": (15, 240), "high": (30, 480), "moderate": (120, 1440), "low": (480, 4320)}
_IN_SHOPS = {"Printer", "Switch", "Access Point", "Server"}
_CI_STATES = ("in_use",) * 15 + ("maintenance",) * 2 + ("in_stock",) * 2 + ("retired", "disposed")


def services(rng: Random, staff: Staff) -> list[Record]:
    """Every service in production, the first of them in other stages too, and one for each tenant."""
    owners = [user for user in staff.of(HOME) if user["role"] in ("admin", "manager") and user["active"]]
    found: list[Record] = []
    for place, words in enumerate(table("Services")):
        for variant in table("Variants")[: 4 if place < 6 else 1]:
            name = f"{words['name']} {variant['suffix']}".strip()
            found.append(
                _service(found, name, rng.choice(owners), words["purpose"])
                | {"used_for": variant["used_for"], "status": rng.choice(several(variant["states"])),
                   "service_classification": words["classification"],
                   "business_criticality": words["criticality"]}
            )  # fmt: skip
    for organization in staff.organizations[1:]:
        owner = staff.of(organization["org_id"])[0]
        found.append(_service(found, f"{organization['name']} Workplace", owner, "Everything on the desks."))
    return found


def _service(found: list[Record], name: str, owner: Record, description: str) -> Record:
    return {
        "service_id": f"SVC_{len(found) + 1:03d}", "name": name, "owned_by": owner["user_id"],
        "org_id": owner["org_id"], "used_for": "production", "status": "operational",
        "service_classification": "business", "business_criticality": "critical", "description": description,
    } | _STAMPS  # fmt: skip


def offerings(services: list[Record]) -> list[Record]:
    """What is offered of each service: all of it in production, the first alone for testing."""
    offered = {words["name"]: several(words["offerings"]) for words in table("Services")}
    found: list[Record] = []
    for service in services:
        base, _, stage = service["name"].partition(" (")
        kept = ("used_for", "status", "service_classification", "business_criticality", "owned_by", "org_id")
        if stage not in ("", "Test)"):
            continue
        for name in offered.get(base, ["Support"])[: 1 if stage else 3]:
            title = f"{name} ({stage}" if stage else name if base in offered else f"{base} {name}"
            found.append(
                {"service_offering_id": f"SVCOFF_{len(found) + 1:03d}", "name": title,
                 "short_description": f"{name} of {base}", "business_service": service["service_id"],
                 "description": service["description"]} | {key: service[key] for key in kept} | _STAMPS
            )  # fmt: skip
    return found


def devices(rng: Random, staff: Staff) -> list[Record]:
    """A hundred configuration items: what people use, and what stands in the offices."""
    kinds = table("Devices")
    weights = [int(words["weight"]) for words in kinds]
    technicians = [user for user in staff.of(HOME) if user["role"] in ("admin", "agent")]
    found: list[Record] = []
    for n in range(1, 101):
        (words,) = rng.choices(kinds, weights)
        owner = rng.choice(technicians if words["kind"] in _IN_SHOPS else staff.users)
        status = rng.choice(_CI_STATES)
        found.append(
            {"configuration_item_id": f"CI_{n:03d}", "name": f"{words['kind']} {n:03d} {owner['last_name']}",
             "serial_number": f"CV-{words['letters']}-{10_000 + 37 * n}", "owner_id": owner["user_id"],
             "location_id": owner["location_id"], "org_id": owner["org_id"], "status": status,
             "cost": rng.randrange(int(words["from"]), int(words["to"])) + 0.5 * rng.randrange(2)} | _STAMPS
        )  # fmt: skip
    return found


def sla_definitions(staff: Staff) -> list[Record]:
    """Two for each priority at home, one no longer used, and some of the same names with two tenants."""
    found: list[Record] = []

    def add(org_id: str, name: str, metric: str, minutes: int, priority: str, active: bool = True) -> None:
        found.append(
            {"sla_def_id": f"SLA_{len(found) + 1:03d}", "name": name, "metric": metric,
             "target_mins": minutes, "pause_on_pending": int(metric == "resolution"),
             "applies_to_priority": priority,
             "active": int(active), "schedule": "24x7" if priority == "critical" else "8-5 Weekdays",
             "org_id": org_id} | _STAMPS
        )  # fmt: skip

    for priority, targets in _TARGETS.items():
        for metric, minutes in zip(("response", "resolution"), targets, strict=True):
            add(HOME, f"{priority.title()} {metric.title()}", metric, minutes, priority)
    add(HOME, "Critical Resolution (until 2024)", "resolution", 480, "critical", False)
    for organization in staff.organizations[1:3]:
        for priority in ("critical", "high"):
            minutes = 2 * _TARGETS[priority][1]
            add(organization["org_id"], f"{priority.title()} Resolution", "resolution", minutes, priority)
    return found


def templates(services: list[Record], offerings: list[Record], caller: Record) -> list[Record]:
    """Templates for incidents of one kind."""
    found = []
    for n, words in enumerate(table("Templates"), 1):
        service = next(s["service_id"] for s in services if s["name"] == words["service"])
        offering = next(o for o in offerings if o["business_service"] == service)
        found.append(
            {"incident_template_id": f"TMPL_{n:03d}", "name": words["name"],
             "active": int(words["active"] == "yes"), "caller_id": caller["user_id"],
             "channel": words["channel"], "short_description": words["title"],
             "category": words["category"], "impact": words["impact"], "urgency": words["urgency"],
             "priority": PRIORITIES[words["impact"], words["urgency"]], "configuration_item": None,
             "service": service, "service_offering": offering["service_offering_id"], "org_id": HOME,
             "created_at": "2024-05-06 09:00:00", "updated_at": "2024-05-06 09:00:00"}
        )  # fmt: skip
    return found


def articles(rng: Random, staff: Staff) -> list[Record]:
    """Knowledge articles, owned by those who work with them; some owners have left."""
    owners = [user for user in staff.of(HOME) if user["role"] in ("agent", "manager")]
    found = []
    for n, words in enumerate(table("Articles"), 1):
        day = f"2025-{1 + n % 11:02d}-{1 + 3 * n % 27:02d}"
        found.append(
            {"knowledge_id": f"KB_{n:03d}", "kb_number": f"KB{n:07d}", "title": words["title"],
             "short_description": None, "body": words["body"], "state": words["state"],
             "visibility": words["visibility"], "owner_id": rng.choice(owners)["user_id"], "org_id": HOME,
             "created_on": f"{day} 10:00:00", "updated_on": f"{day} 15:30:00"}
        )  # fmt: skip
    return found


PRIORITIES = {
    ("high", "high"): "critical", ("high", "medium"): "high", ("high", "low"): "moderate",
    ("medium", "high"): "high", ("medium", "medium"): "moderate", ("medium", "low"): "low",
    ("low", "high"): "moderate", ("low", "medium"): "low", ("low", "low"): "planning",
}  # fmt: skip
"""The priority that the policy asks for, by impact and urgency."""
