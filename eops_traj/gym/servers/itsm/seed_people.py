"""Corvane and the organizations it looks after in the seed, their users, groups and locations."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from random import Random
from typing import Any

from eops_traj.gym.company.company import Company, names
from eops_traj.gym.servers.itsm.seed_catalogue import CatalogueRow, table

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
_CLOSED_LOCATIONS = (  # name, the location whose address it shared
    ("London Office Annex", "London Office"),
    ("Mumbai Delivery Centre (old)", "Mumbai Delivery Centre"),
)


@dataclass
class Staff:
    """The rows of organizations, locations, users, groups and group members."""

    organizations: list[Record] = field(default_factory=list)
    locations: list[Record] = field(default_factory=list)
    users: list[Record] = field(default_factory=list)
    groups: list[Record] = field(default_factory=list)
    members: list[Record] = field(default_factory=list)

    def group(self, name: str) -> Record:
        """Return the group of this name."""
        return next(group for group in self.groups if group["name"] == name)

    def of(self, org_id: str) -> list[Record]:
        """Return the users of an organization."""
        return [user for user in self.users if user["org_id"] == org_id]

    def workers(self, group_id: str) -> list[Record]:
        """Return the members of a group who may work on incidents."""
        member_ids = {m["user_id"] for m in self.members if m["group_id"] == group_id}
        return [user for user in self.users if user["user_id"] in member_ids and user["role"] != "reporter"]


def staff(rng: Random, corvane: Company) -> Staff:
    """Return Corvane's people first, so that USER_007 is person 7; then those of the tenants."""
    staff = Staff([_organization(1, corvane.name, True)])
    for site in corvane.sites:
        staff.locations.append(_location(staff, HOME, site.name, site.plot_no, site.street, site.city,
                                         site.state, site.country, True))  # fmt: skip
    for name, same_address in _CLOSED_LOCATIONS:
        location = next(location for location in staff.locations if location["name"] == same_address)
        staff.locations.append(
            location | {"location_id": _next_id("LOC", staff.locations), "name": name, "active": 0}
        )
    _corvane_users(rng, corvane, staff)
    _corvane_groups(corvane, staff)
    fresh = names(rng)
    for number, tenant in enumerate(table("Tenants"), 2):
        _tenant(rng, staff, number, tenant, fresh)
    return staff


def roles() -> Iterator[tuple[str, list[Record]]]:
    """Yield the tables of roles, of permissions, and of the permissions of each role."""
    permissions = [
        {"perm_id": f"PERM_{n:03d}", "resource": resource, "action": action}
        for n, (resource, action) in enumerate(product(_RESOURCES, ("read", "crud")), 1)
    ]
    writes = {"admin": set(_RESOURCES), "manager": set(_RESOURCES), "agent": _AGENTS_WRITE, "reporter": set()}
    grants = [
        {"role_id": role_id, "perm_id": p["perm_id"]}
        for role, role_id in ROLES.items()
        for p in permissions
        if p["action"] == ("crud" if p["resource"] in writes[role] else "read")
    ]
    yield "role", [{"role_id": role_id, "name": role} for role, role_id in ROLES.items()]
    yield "permission", permissions
    yield "role_permission", grants


def user_roles(users: list[Record]) -> list[Record]:
    """Return the role of every user as a link."""
    return [{"user_id": u["user_id"], "role_id": ROLES[u["role"]], "org_id": u["org_id"]} for u in users]


def _next_id(prefix: str, rows: list[Record]) -> str:
    return f"{prefix}_{len(rows) + 1:03d}"


def _organization(number: int, name: str, active: bool) -> Record:
    stamps = {"created_at": "2023-01-09 08:00:00", "updated_at": "2023-01-09 08:00:00"}
    return {"org_id": f"ORG_{number:03d}", "name": name, "active": int(active)} | stamps


def _location(
    staff: Staff, org_id: str, name: str, plot_no: str, street: str, city: str, state: str, country: str,
    active: bool,
) -> Record:  # fmt: skip
    return {
        "location_id": _next_id("LOC", staff.locations), "name": name, "org_id": org_id, "plot_no": plot_no,
        "street": street, "city": city, "state": state, "country": country, "active": int(active),
        "created_on": "2023-01-10 08:00:00", "updated_on": "2023-01-10 08:00:00",
    }  # fmt: skip


def _user(
    rng: Random, staff: Staff, org_id: str, full_name: tuple[str, str], email: str, phone: str, role: str,
    active: bool, location_id: str, created: str, updated: str,
) -> Record:  # fmt: skip
    return {
        "user_id": _next_id("USER", staff.users), "user_name": email.partition("@")[0],
        "first_name": full_name[0], "last_name": full_name[1], "email": email,
        "phone": phone, "role": role, "active": int(active),
        "static_token": f"token_{rng.getrandbits(128):032x}", "org_id": org_id, "location_id": location_id,
        "created_on": created, "updated_on": updated,
    }  # fmt: skip


def _corvane_users(rng: Random, corvane: Company, staff: Staff) -> None:
    locations = {location["name"]: location["location_id"] for location in staff.locations}
    for p in corvane.people:
        role = "reporter" if p.role == "employee" else p.role
        created, updated = f"{p.hired} 09:00:00", f"{p.left or p.hired} 17:00:00"
        full_name = p.first_name, p.last_name
        staff.users.append(_user(rng, staff, HOME, full_name, p.email, p.phone, role, p.active,
                                 locations[p.site.name], created, updated))  # fmt: skip


def _corvane_groups(corvane: Company, staff: Staff) -> None:
    for group in corvane.groups:
        manager = staff.users[group.manager - 1]["user_id"]
        _group(staff, HOME, group.name, _TYPES.get(group.name, "IT Support"), group.email, group.description,
               manager, [staff.users[number - 1]["user_id"] for number in group.members])  # fmt: skip


def _group(
    staff: Staff, org_id: str, name: str, kind: str, email: str, description: str, manager: str,
    members: list[str],
) -> None:  # fmt: skip
    stamps = {"created_on": "2023-02-01 08:00:00", "updated_on": "2023-02-01 08:00:00"}
    group_id = _next_id("GROUP", staff.groups)
    staff.groups.append(
        {"group_id": group_id, "name": name, "type": kind, "active": 1, "email": email,
         "description": description, "manager_id": manager, "org_id": org_id} | stamps
    )  # fmt: skip
    for user_id in members:
        member_id = _next_id("MEMBER", staff.members)
        staff.members.append(
            {"member_id": member_id, "group_id": group_id, "user_id": user_id, "org_id": org_id} | stamps
        )


def _tenant(
    rng: Random, staff: Staff, number: int, tenant: CatalogueRow, fresh: Iterator[tuple[str, str]]
) -> None:
    """Add an organization with an office, users and a desk; its first reporter has a Corvane namesake."""
    org_id, active = f"ORG_{number:03d}", tenant["active"] == "yes"
    staff.organizations.append(_organization(number, tenant["name"], active))
    name, plot = f"{tenant['name']} Head Office", str(rng.randrange(1, 300))
    office = _location(staff, org_id, name, plot, "High Street", tenant["city"], tenant["state"],
                       tenant["country"], active)  # fmt: skip
    staff.locations.append(office)
    first_index = len(staff.users)
    for role in _TENANT_ROLES[: 6 if number < 4 else 5]:
        full_name = next(fresh)
        if role == "reporter" and len(staff.users) == first_index + 3:
            namesake = staff.users[10 * number]
            full_name = namesake["first_name"], namesake["last_name"]
        email = f"{'.'.join(full_name).lower()}@{tenant['domain']}"
        phone = f"{tenant['phone']}-{9000 + len(staff.users)}"
        joined = f"2024-{number:02d}-15 09:00:00"
        staff.users.append(_user(rng, staff, org_id, full_name, email, phone, role, active,
                                 office["location_id"], joined, joined))  # fmt: skip
    manager, agent = (staff.users[first_index + index]["user_id"] for index in (0, 1))
    _group(staff, org_id, f"{tenant['name']} Desk", "Service Desk", f"desk@{tenant['domain']}",
           "First contact of the tenant.", manager, [manager, agent])  # fmt: skip
