"""Assets of the seed: services and their offerings, devices, SLAs, templates, articles."""

from random import Random

from eops_traj.gym.servers.itsm.seed_catalogue import split_cell, table
from eops_traj.gym.servers.itsm.seed_people import HOME, Record, Staff

_STAMPS = {"created_on": "2024-03-04 10:00:00", "updated_on": "2024-03-04 10:00:00"}
_TARGETS = {"critical": (15, 240), "high": (30, 480), "moderate": (120, 1440), "low": (480, 4320)}
_IN_SHOPS = {"Printer", "Switch", "Access Point", "Server"}
_COPIED = ("used_for", "status", "service_classification", "business_criticality", "owned_by", "org_id")
"""The columns that an offering has from its service."""

_CI_STATES = ("in_use",) * 15 + ("maintenance",) * 2 + ("in_stock",) * 2 + ("retired", "disposed")


def services(rng: Random, staff: Staff) -> list[Record]:
    """Return all services in production, the first of them in other stages too, and one for each tenant."""
    owners = [user for user in staff.of(HOME) if user["role"] in ("admin", "manager") and user["active"]]
    services: list[Record] = []
    for position, entry in enumerate(table("Services")):
        for variant in table("Variants")[: 4 if position < 6 else 1]:
            name = f"{entry['name']} {variant['suffix']}".strip()
            services.append(
                _service(services, name, rng.choice(owners), entry["purpose"])
                | {"used_for": variant["used_for"], "status": rng.choice(split_cell(variant["states"])),
                   "service_classification": entry["classification"],
                   "business_criticality": entry["criticality"]}
            )  # fmt: skip
    for organization in staff.organizations[1:]:
        owner = staff.of(organization["org_id"])[0]
        services.append(
            _service(services, f"{organization['name']} Workplace", owner, "Everything on the desks.")
        )
    return services


def _service(services: list[Record], name: str, owner: Record, description: str) -> Record:
    return {
        "service_id": f"SVC_{len(services) + 1:03d}", "name": name, "owned_by": owner["user_id"],
        "org_id": owner["org_id"], "used_for": "production", "status": "operational",
        "service_classification": "business", "business_criticality": "critical", "description": description,
    } | _STAMPS  # fmt: skip


def offerings(services: list[Record]) -> list[Record]:
    """Return the offerings of each service: all of them in production, the first alone for testing."""
    offered = {entry["name"]: split_cell(entry["offerings"]) for entry in table("Services")}
    offerings: list[Record] = []
    for service in services:
        base, _, stage = service["name"].partition(" (")
        if stage not in ("", "Test)"):
            continue
        for name in offered.get(base, ["Support"])[: 1 if stage else 3]:
            title = f"{name} ({stage}" if stage else name if base in offered else f"{base} {name}"
            offerings.append(
                {"service_offering_id": f"SVCOFF_{len(offerings) + 1:03d}", "name": title,
                 "short_description": f"{name} of {base}", "business_service": service["service_id"],
                 "description": service["description"]} | {key: service[key] for key in _COPIED} | _STAMPS
            )  # fmt: skip
    return offerings


def devices(rng: Random, staff: Staff) -> list[Record]:
    """Return a hundred configuration items: what people use, and what stands in the offices."""
    kinds = table("Devices")
    weights = [int(kind["weight"]) for kind in kinds]
    technicians = [user for user in staff.of(HOME) if user["role"] in ("admin", "agent")]
    devices: list[Record] = []
    for n in range(1, 101):
        (kind,) = rng.choices(kinds, weights)
        owner = rng.choice(technicians if kind["kind"] in _IN_SHOPS else staff.users)
        status = rng.choice(_CI_STATES)
        devices.append(
            {"configuration_item_id": f"CI_{n:03d}", "name": f"{kind['kind']} {n:03d} {owner['last_name']}",
             "serial_number": f"CV-{kind['letters']}-{10_000 + 37 * n}", "owner_id": owner["user_id"],
             "location_id": owner["location_id"], "org_id": owner["org_id"], "status": status,
             "cost": rng.randrange(int(kind["from"]), int(kind["to"])) + 0.5 * rng.randrange(2)} | _STAMPS
        )  # fmt: skip
    return devices


def sla_definitions(staff: Staff) -> list[Record]:
    """Return two for each priority at home, a retired one, and some of the same names with two tenants."""
    definitions: list[Record] = []

    def add(org_id: str, name: str, metric: str, minutes: int, priority: str, active: bool = True) -> None:
        definitions.append(
            {"sla_def_id": f"SLA_{len(definitions) + 1:03d}", "name": name, "metric": metric,
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
    return definitions


def templates(services: list[Record], offerings: list[Record], caller: Record) -> list[Record]:
    """Return templates for incidents of one kind."""
    templates = []
    for n, entry in enumerate(table("Templates"), 1):
        service = next(s["service_id"] for s in services if s["name"] == entry["service"])
        offering = next(o for o in offerings if o["business_service"] == service)
        templates.append(
            {"incident_template_id": f"TMPL_{n:03d}", "name": entry["name"],
             "active": int(entry["active"] == "yes"), "caller_id": caller["user_id"],
             "channel": entry["channel"], "short_description": entry["title"],
             "category": entry["category"], "impact": entry["impact"], "urgency": entry["urgency"],
             "priority": PRIORITIES[entry["impact"], entry["urgency"]], "configuration_item": None,
             "service": service, "service_offering": offering["service_offering_id"], "org_id": HOME,
             "created_at": "2024-05-06 09:00:00", "updated_at": "2024-05-06 09:00:00"}
        )  # fmt: skip
    return templates


def articles(rng: Random, staff: Staff) -> list[Record]:
    """Return knowledge articles, owned by those who work with them; some owners have left."""
    owners = [user for user in staff.of(HOME) if user["role"] in ("agent", "manager")]
    articles = []
    for n, entry in enumerate(table("Articles"), 1):
        day = f"2025-{1 + n % 11:02d}-{1 + 3 * n % 27:02d}"
        articles.append(
            {"knowledge_id": f"KB_{n:03d}", "kb_number": f"KB{n:07d}", "title": entry["title"],
             "short_description": None, "body": entry["body"], "state": entry["state"],
             "visibility": entry["visibility"], "owner_id": rng.choice(owners)["user_id"], "org_id": HOME,
             "created_on": f"{day} 10:00:00", "updated_on": f"{day} 15:30:00"}
        )  # fmt: skip
    return articles


PRIORITIES = {
    ("high", "high"): "critical", ("high", "medium"): "high", ("high", "low"): "moderate",
    ("medium", "high"): "high", ("medium", "medium"): "moderate", ("medium", "low"): "low",
    ("low", "high"): "moderate", ("low", "medium"): "low", ("low", "low"): "planning",
}  # fmt: skip
"""The priority that the policy prescribes, by impact and urgency."""
