"""The company that the Teams server starts with: organizations, people and groups; more is in seed_*.py."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from random import Random

from eops_traj.gym.company.company import Company, Group, Person, company, names
from eops_traj.gym.servers.teams.people import directory_object
from eops_traj.gym.servers.teams.seed_calls import call_tables
from eops_traj.gym.servers.teams.seed_draws import ORG, TENANT, chance, random_uuid, stamps, to_json
from eops_traj.gym.servers.teams.seed_messages import message_tables
from eops_traj.gym.servers.teams.seed_teams import build_teams, team_tables
from eops_traj.gym.tools.call import Row

_LANGUAGES = {"USA": "en-US", "UK": "en-GB", "India": "en-IN", "Japan": "ja-JP", "Australia": "en-AU"}
_COUNTRIES = {"USA": "US", "UK": "GB", "India": "IN", "Japan": "JP", "Australia": "AU"}
_SKILLS = {
    "IT Operations": ("Routing", "Endpoint management", "Backup and restore"),
    "Customer Support": ("Troubleshooting", "Knowledge writing", "Log reading"),
    "Engineering": ("Python", "Distributed systems", "Code review", "Streaming data"),
    "Security": ("Threat hunting", "Forensics", "Awareness training"),
    "Human Resources": ("Interviewing", "Labour law", "Payroll"),
    "Sales": ("Negotiation", "Demonstrations"),
}
_PARTNERS = (  # display name, domain, country, language, how many people
    ("Ostrava Freight", "ostrava-freight.example", "CZ", "cs-CZ", 6),
    ("Lumen Dental Group", "lumen-dental.example", "AU", "en-AU", 5),
    ("Corvane Foundation", "corvane-foundation.example", "US", "en-US", 4),
)
_ROLE_IDS = {
    "Global Administrator": "62e90394-69f5-4237-9190-012177145e10",
    "Teams Administrator": "69091246-20e8-4a56-aa4d-066075b2a7a8",
    "User Administrator": "fe930be7-5e62-47db-91af-98c3a49a38b1",
    "User": "00000000-0000-0000-0000-000000000000",
}
_RESOURCES = {
    "User": ("Read", "ReadWrite"), "Chat": ("Create", "Read", "ReadWrite"), "ChannelMessage": ("Read",
    "Send"),
    "Channel": ("Create", "ReadBasic"), "ChannelSettings": ("Read", "ReadWrite"), "Team": ("Create",
    "ReadBasic"),
    "TeamMember": ("Read", "ReadWrite"), "TeamworkTag": ("Read", "ReadWrite"), "Group": ("Read", "ReadWrite"),
    "VirtualEvent": ("Read", "ReadWrite"), "Calls": ("Initiate",), "CallRecords": ("Read",),
    "Presence": ("Read", "ReadWrite"), "TeamsTab": ("Create", "Read"), "AppCatalog": ("Read",),
}  # fmt: skip
_CONSENT = {"delegated": "in one's own name", "application": "by an application"}
_MODULES = {
    "users": "User", "chats": "Chat", "channels": "Channel", "teamworktag": "TeamworkTag",
    "virtual_events": "VirtualEvent", "answer_call": "Calls",
}  # fmt: skip
_LEFT_OUT = 2  # of those who have left, so many accounts are deleted; the others are only disabled


@dataclass(frozen=True)
class Staff:
    """The company, and the rows of all users by organization and id."""

    company: Company
    users: dict[tuple[str, str], Row]

    def user(self, person: Person) -> Row:
        """Return the user of a person of the company."""
        return self.users[ORG, person.user_name]

    def of(self, org: str) -> list[Row]:
        """Return the users of an organization."""
        return [row for (at, _), row in self.users.items() if at == org]


def seed(rng: Random) -> Iterator[tuple[str, Iterable[Row]]]:
    """Yield tables by name with their rows, parents first. Pure: the same ``rng``, the same rows."""
    corvane = company(rng)
    orgs = list(_orgs(rng))
    staff = Staff(corvane, {(u["org_id"], u["user_id"]): u for u in _users(rng, corvane, orgs)})
    yield "teams_orgs", orgs
    yield "teams_users", staff.users.values()
    yield "teams_user_roles", _roles(staff)
    yield from _permissions(staff)
    groups = [_group(rng, staff, group) for group in corvane.groups] + list(_other_groups(rng, staff))
    yield "groups", groups
    teams = build_teams(rng, corvane, staff.users, orgs)
    yield from team_tables(rng, teams, orgs)
    yield from message_tables(rng, teams, staff.of(ORG))
    yield from call_tables(rng, staff.of(ORG))


def _orgs(rng: Random) -> Iterator[Row]:
    """Yield the company itself, and its partners, one a charity of nearly the same name."""
    yield {
        "org_id": ORG, "tenant_id": TENANT, "display_name": "Corvane Systems",
        "domain_name": "corvane.example",
        "country_letter_code": "US", "preferred_language": "en-US",
    } | stamps(rng)  # fmt: skip
    for number, (name, domain, country, language, _) in enumerate(_PARTNERS, 2):
        yield {
            "org_id": f"{domain.partition('.')[0]}-{number:03d}", "tenant_id": random_uuid(rng),
            "display_name": name,
            "domain_name": domain, "country_letter_code": country, "preferred_language": language,
        } | stamps(rng)  # fmt: skip


def _users(rng: Random, corvane: Company, orgs: list[Row]) -> Iterator[Row]:
    gone = [p.number for p in corvane.people if not p.active][:_LEFT_OUT]
    for person in corvane.people:
        yield _person(rng, person) | {"soft_deleted": int(person.number in gone)}
    fresh = names(rng)
    partners: list[Row] = []
    for org, (_, domain, _, _, count) in zip(orgs[1:], _PARTNERS, strict=True):
        partners += [_partner(rng, org, next(fresh), domain) for _ in range(count)]
    yield from partners
    yield from (_guest(rng, row) for row in partners[::4])
    for name in ("Release Bot", "Service Desk Bot"):
        yield _account(rng, ORG, name.lower().replace(" ", "."), name, "corvane.example") | {
            "user_type": "Application", "employee_type": "Service", "mail": None, "is_resource_account": 1,
        }  # fmt: skip


def _account(rng: Random, org: str, user: str, name: str, domain: str) -> Row:
    first, _, last = name.partition(" ")
    return {
        "org_id": org, "user_id": user, "user_principal_name": f"{user}@{domain}", "display_name": name,
        "mail": f"{user}@{domain}", "given_name": first, "surname": last, "mail_nickname": user,
        "account_enabled": 1, "user_type": "Member", "employee_type": "Employee", "age_group": "Adult",
        "is_resource_account": 0, "on_premises_sync_enabled": 0, "other_mails": "[]",
        "static_token": f"teams-token-{user}-{org}",
    } | stamps(rng)  # fmt: skip


def _person(rng: Random, person: Person) -> Row:
    site = person.site
    skills = list(_SKILLS.get(person.department, ("Planning", "Writing")))
    account = _account(rng, ORG, person.user_name, person.name, "corvane.example")
    return account | {
        "account_enabled": int(person.active), "job_title": person.title, "department": person.department,
        "company_name": "Corvane Systems", "business_phones": to_json([person.phone]), "mobile_phone": None,
        "office_location": f"{site.name}, floor {rng.randint(1, 9)}", "city": site.city, "state": site.state,
        "country": site.country, "street_address": f"{site.plot_no} {site.street}",
        "usage_location": _COUNTRIES[site.country], "preferred_language": _LANGUAGES[site.country],
        "employee_id": f"E{person.number:05d}", "employee_hire_date": f"{person.hired}T00:00:00Z",
        "employee_type": "Contractor" if chance(rng, 8) else "Employee",
        "skills": to_json(rng.sample(skills, rng.randint(1, len(skills)))), "interests": "[]",
        "employee_org_data": to_json({"costCenter": f"CC-{person.department[:3].upper()}",
        "division": person.department}),
    }  # fmt: skip


def _partner(rng: Random, org: Row, pair: tuple[str, str], domain: str) -> Row:
    account = _account(rng, org["org_id"], ".".join(pair).lower(), " ".join(pair), domain)
    return account | {"company_name": org["display_name"], "preferred_language": org["preferred_language"]}


def _guest(rng: Random, partner: Row) -> Row:
    """Return a partner's user as a guest of the company."""
    user = partner["user_principal_name"].replace("@", "_")
    account = _account(rng, ORG, f"guest.{partner['user_id']}", partner["display_name"], "corvane.example")
    return account | {
        "user_principal_name": f"{user}#EXT#@corvane.example", "mail": partner["mail"], "user_type": "Guest",
        "company_name": partner["company_name"],
    }  # fmt: skip


def _roles(staff: Staff) -> Iterator[Row]:
    """Yield directory roles: the head of IT holds the highest, the administrators below share the others."""
    admins = [p for p in staff.company.people if p.role == "admin"]
    held = {admins[0].user_name: "Global Administrator"}
    held |= {p.user_name: "Teams Administrator" for p in admins[1:2]}
    held |= {p.user_name: "User Administrator" for p in staff.company.of("Human Resources")[:1]}
    for user in staff.of(ORG):
        if user["user_type"] == "Member" and user["account_enabled"]:
            name = held.get(user["user_id"], "User")
            yield {
                "org_id": ORG, "user_id": user["user_id"], "role_id": _ROLE_IDS[name], "role_name": name,
                "assigned_at": user["created_at"], "assigned_by": admins[0].user_name,
            }  # fmt: skip


def _permissions(staff: Staff) -> Iterator[tuple[str, Iterable[Row]]]:
    """Yield permissions, the modules that need them, and the users who hold them."""
    catalog = [
        {
            "id": f"{resource}.{operation}{end}:{kind}", "name": f"{resource}.{operation}{end}", "type": kind,
            "admin_consent_required": int(kind == "application"), "resource": resource,
            "operation": operation,
            "description": f"{operation} for {resource}, {_CONSENT[kind]}.",
            "constraint": end[1:] or None, "constraint_scope": "self" if kind == "delegated" else "all",
            "permission_level_rank": 10 + 10 * rank,
        }
        for resource, operations in _RESOURCES.items()
        for rank, operation in enumerate(operations)
        for kind, end in (("delegated", ""), ("application", ".All"))
    ]  # fmt: skip
    yield "permissions_catalog", catalog
    yield "module_permissions", [
        {"module_name": module, "permission_id": row["id"]}
        for module, resource in _MODULES.items() for row in catalog if row["resource"] == resource
    ]  # fmt: skip
    common = [r["id"] for r in catalog if r["type"] == "delegated" and r["permission_level_rank"] == 10]
    everything = [r["id"] for r in catalog if r["type"] == "application"]
    yield "user_permissions", [
        {"org_id": ORG, "user_id": user["user_id"], "permission_id": permission}
        for user in staff.of(ORG) if user["account_enabled"] and user["user_type"] != "Guest"
        for permission in (everything if user["user_type"] == "Application" else common)
    ]  # fmt: skip


def _group(rng: Random, staff: Staff, group: Group) -> Row:
    users = {number: staff.user(staff.company.person(number)) for number in group.members}
    return {
        "org_id": ORG, "group_id": f"group_corvane_{group.name.lower().replace(' ', '_')}",
        "display_name": group.name, "description": group.description, "mail": group.email,
        "mail_nickname": group.email.partition("@")[0], "visibility": "Private", "group_types": '["Unified"]',
        "security_enabled": 0, "mail_enabled": 1, "classification": rng.choice(("Internal", "Confidential",
        None)),
        "members": to_json([directory_object(user) for user in users.values()]),
        "owners": to_json([directory_object(users[group.manager])]), "soft_delete": 0,
    } | stamps(rng, "created_date_time", "updated_date_time")  # fmt: skip


def _other_groups(rng: Random, staff: Staff) -> Iterator[Row]:
    """Yield groups behind no team, for rights and for mail; two of them have names that mislead."""
    active = [staff.user(p) for p in staff.company.people if p.active]
    for name, secure, mailed, gone in (
        ("All Employees", 0, 1, 0), ("VPN Users", 1, 0, 0), ("Payroll Archive", 0, 1, 0),
        ("Payroll (former)", 0, 1, 1), ("Security Responders", 1, 0, 0),
    ):  # fmt: skip
        slug = "-".join(name.lower().translate({40: None, 41: None}).split())
        people = active if name == "All Employees" else rng.sample(active, 7)
        yield {
            "org_id": ORG, "group_id": f"group_corvane_{slug.replace('-', '_')}", "display_name": name,
            "description": None, "mail": f"{slug}@corvane.example" if mailed else None, "mail_nickname": slug,
            "visibility": "Private", "group_types": "[]", "security_enabled": secure, "mail_enabled": mailed,
            "classification": None, "members": to_json([directory_object(u) for u in people]),
            "owners": to_json([directory_object(people[0])]), "soft_delete": gone,
        } | stamps(rng, "created_date_time", "updated_date_time")  # fmt: skip
