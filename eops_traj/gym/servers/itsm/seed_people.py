"""Who the seed has: Corvane and the organizations it looks after, their users, groups and locations."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from random import Random
from typing import Any

from eops_traj.gym.company.company import Company, names
from eops_traj.gym.servers.itsm.seed_catalogue import table

Record = dict[str, Any]
HOME = "ORG_001"
ROLES = {"admin": "ROLE_001", "manager": "ROLE_002", "agent": "ROLE_003", "reporter": "ROLE_004"}
_RESOURCES = (
    "users", "groups", "services", "service_offerings", "configuration_items", "incident_templates",
    "problems", "changes", "notifications", "notification_analysis", "sla_definitions", "sla_metrics",
    "incidents", "knowledge", "locations", "change_mappings", "incident_affected_cis", "incident_slas",
)  # fmt: skip
_AGENTS_WRITE = {"configuration_items", "problems", "changes", "incidents", "knowledge", "locations"}
_TYPES = {
    "Service Desk": "Service Desk",
    "Field Dispatch": "Field Support Technicians",
    **dict.fromkeys(
        ("Network Operations", "Platform Engineering", "Security Response"), "Infrastructure Problem Team"
    ),
}
_TENANT_ROLES = ("manager", "agent", "admin", "reporter", "reporter", "reporter")
_CLOSED = (
    ("London Office Annex", "London Office"),
    ("Mumbai Delivery Centre (old)", "Mumbai Delivery Centre"),
)


@dataclass
class Staff:
    """Everybody, as rows, and who works where."""

    organizations: list[Record] = field(default_factory=list)
    locations: list[Record] = field(default_factory=list)
    users: list[Record] = field(default_factory=list)
    groups: list[Record] = field(default_factory=list)
    members: list[Record] = field(default_factory=list)

    def group(self, name: str) -> Record:
        """The group of this name."""
        return next(group for group in self.groups if group["name"] == name)

    def of(self, org_id: str) -> list[Record]:
        """The users of an organization."""
        return [user for user in self.users if user["org_id"] == org_id]

    def workers(self, group_id: str) -> list[Record]:
        """The members of a group who may work on incidents."""
        inside = {m["user_id"] for m in self.members if m["group_id"] == group_id}
        return [user for user in self.users if user["user_id"] in inside and user["role"] != "reporter"]


def staff(rng: Random, corvane: Company) -> Staff:
    """Corvane's people first, so that USER_007 is person 7; then those of the tenants."""
    found = Staff([_organization(1, corvane.name, True)])
    for site in corvane.sites:
        found.locations.append(_location(found, HOME, site.name, site.plot_no, site.street, site.city,
                                         site.state, site.country, True))  # fmt: skip
    for name, like in _CLOSED:
        old = next(place for place in found.locations if place["name"] == like)
        found.locations.append(old | {"location_id": _id("LOC", found.locations), "name": name, "active": 0})
    _corvane_users(rng, corvane, found)
    _corvane_groups(corvane, found)
    fresh = names(rng)
    for number, words in enumerate(table("Tenants"), 2):
        _tenant(rng, found, number, words, fresh)
    return found


def roles() -> Iterator[tuple[str, list[Record]]]:
    """Roles, what there is to be permitted, and what is permitted to whom."""
    permissions = [
        {"perm_id": f"PERM_{n:03d}", "resource": resource, "action": action}
        for n, (resource, action) in enumerate(product(_RESOURCES, ("read", "crud")), 1)
    ]
    writes = {"admin": set(_RESOURCES), "manager": set(_RESOURCES), "agent": _AGENTS_WRITE, "reporter": set()}
    granted = [
        {"role_id": role_id, "perm_id": p["perm_id"]}
        for role, role_id in ROLES.items()
        for p in permissions
        if p["action"] == ("crud" if p["resource"] in writes[role] else "read")
    ]
    yield "role", [{"role_id": role_id, "name": role} for role, role_id in ROLES.items()]
    yield "permission", permissions
    yield "role_permission", granted


def user_roles(users: list[Record]) -> list[Record]:
    """The role of every user once more, as a link."""
    return [{"user_id": u["user_id"], "role_id": ROLES[u["role"]], "org_id": u["org_id"]} for u in users]


def _id(prefix: str, rows: list[Record]) -> str:
    return f"{prefix}_{len(rows) + 1:03d}"


def _organization(number: int, name: str, active: bool) -> Record:
    stamps = {"created_at": "2023-01-09 08:00:00", "updated_at": "2023-01-09 08:00:00"}
    return {"org_id": f"ORG_{number:03d}", "name": name, "active": int(active)} | stamps


def _location(
    found: Staff, org_id: str, name: str, plot_no: str, street: str, city: str, state: str, country: str,
    active: bool,
) -> Record:  # fmt: skip
    return {
        "location_id": _id("LOC", found.locations), "name": name, "org_id": org_id, "plot_no": plot_no,
        "street": street, "city": city, "state": state, "country": country, "active": int(active),
        "created_on": "2023-01-10 08:00:00", "updated_on": "2023-01-10 08:00:00",
    }  # fmt: skip


def _user(
    rng: Random, found: Staff, org_id: str, pair: tuple[str, str], email: str, phone: str, role: str,
    active: bool, location_id: str, created: str, updated: str,
) -> Record:  # fmt: skip
    return {
        "user_id": _id("USER", found.users), "user_name": email.partition("@")[0], "first_name": pair[0],
        "last_name": pair[1], "email": email, "phone": phone, "role": role, "active": int(active),
        "static_token": f"token_{rng.getrandbits(128):032x}", "org_id": org_id, "location_id": location_id,
        "created_on": created, "updated_on": updated,
    }  # fmt: skip


def _corvane_users(rng: Random, corvane: Company, found: Staff) -> None:
    places = {place["name"]: place["location_id"] for place in found.locations}
    for p in corvane.people:
        role = "reporter" if p.role == "employee" else p.role
        created, updated = f"{p.hired} 09:00:00", f"{p.left or p.hired} 17:00:00"
        pair = p.first_name, p.last_name
        found.users.append(_user(rng, found, HOME, pair, p.email, p.phone, role, p.active,
                                 places[p.site.name], created, updated))  # fmt: skip


def _corvane_groups(corvane: Company, found: Staff) -> None:
    for group in corvane.groups:
        manager = found.users[group.manager - 1]["user_id"]
        _group(found, HOME, group.name, _TYPES.get(group.name, "IT Support"), group.email, group.description,
               manager, [found.users[number - 1]["user_id"] for number in group.members])  # fmt: skip


def _group(
    found: Staff, org_id: str, name: str, kind: str, email: str, description: str, manager: str,
    members: list[str],
) -> None:  # fmt: skip
    stamps = {"created_on": "2023-02-01 08:00:00", "updated_on": "2023-02-01 08:00:00"}
    group_id = _id("GROUP", found.groups)
    found.groups.append(
        {"group_id": group_id, "name": name, "type": kind, "active": 1, "email": email,
         "description": description, "manager_id": manager, "org_id": org_id} | stamps
    )  # fmt: skip
    for user_id in members:
        member_id = _id("MEMBER", found.members)
        found.members.append(
            {"member_id": member_id, "group_id": group_id, "user_id": user_id, "org_id": org_id} | stamps
        )


def _tenant(
    rng: Random, found: Staff, number: int, words: dict[str, str], fresh: Iterator[tuple[str, str]]
) -> None:
    """An organization with an office, users and a desk; its first reporter has the name of a Corvane user."""
    org_id, active = f"ORG_{number:03d}", words["active"] == "yes"
    found.organizations.append(_organization(number, words["name"], active))
    name, plot = f"{words['name']} Head Office", str(rng.randrange(1, 300))
    office = _location(found, org_id, name, plot, "High Street", words["city"], words["state"],
                       words["country"], active)  # fmt: skip
    found.locations.append(office)
    first = len(found.users)
    for role in _TENANT_ROLES[: 6 if number < 4 else 5]:
        pair = next(fresh)
        if role == "reporter" and len(found.users) == first + 3:
            twin = found.users[10 * number]
            pair = twin["first_name"], twin["last_name"]
        email, phone = (
            f"{'.'.join(pair).lower()}@{words['domain']}",
            f"{words['phone']}-{9000 + len(found.users)}",
        )
        joined = f"2024-{number:02d}-15 09:00:00"
        found.users.append(_user(rng, found, org_id, pair, email, phone, role, active,
                                 office["location_id"], joined, joined))  # fmt: skip
    manager, agent = (found.users[first + place]["user_id"] for place in (0, 1))
    _group(found, org_id, f"{words['name']} Desk", "Service Desk", f"desk@{words['domain']}",
           "First contact of the tenant.", manager, [manager, agent])  # fmt: skip
