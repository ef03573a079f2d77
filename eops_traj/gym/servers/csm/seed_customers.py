"""Accounts, users of the company and of its customers, groups, contacts and locations in the seed."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from random import Random
from typing import Any

from mimesis import Address, Locale

from eops_traj.gym.company.company import Company, Person, Site, names
from eops_traj.gym.servers.csm.seed_draws import chance, pick, portions, stamps

Row = dict[str, Any]
ACCOUNTS, USERS, LOCATIONS, GROUPS, MEMBERS, CONTACTS = 52, 802, 906, 80, 959, 124
_PARTNERS, _SIBLINGS = 9, 7

_TRADES = {  # what a company does: the kinds of its sites
    "Foods": ("Plant", "Warehouse"), "Logistics": ("Depot", "Office"), "Textiles": ("Mill", "Warehouse"),
    "Insurance": ("Office", "Branch"), "Pharma": ("Lab", "Plant"), "Retail": ("Store", "Warehouse"),
    "Hotels": ("Hotel", "Office"), "Energy": ("Station", "Office"), "Motors": ("Workshop", "Plant"),
    "Clinics": ("Clinic", "Lab"), "Media": ("Studio", "Office"), "Shipping": ("Terminal", "Office"),
}  # fmt: skip
_BRANCHES = ("International", "Holdings", "Asia Pacific", "Group", "Americas", "Partners", "Services")
_SERVICES = ("Field Support", "IT Partners", "Technical Services")
_CITIES = {"new_york": "usa", "london": "uk", "mumbai": "india", "tokyo": "japan", "sydney": "australia"}
_PREFIXES = {"new_york": "+1212", "london": "+4420", "mumbai": "+9122", "tokyo": "+8133", "sydney": "+6125"}
_QUEUES = {  # work that every region has a group for: the type of those groups
    "Case Triage": "support", "Billing Questions": "backoffice", "Returns Desk": "backoffice",
    "Hardware Repair": "field", "Onsite Dispatch": "field", "Escalation Desk": "support",
    "Contract Renewals": "backoffice", "Knowledge Review": "backoffice", "Network Support": "support",
    "Storage Support": "support", "Database Support": "support", "Cloud Support": "support",
    "Portal Support": "support", "Customer Onboarding": "backoffice", "Warranty Claims": "backoffice",
    "Night Shift": "vendor", "Contracted Repair": "vendor",
}  # fmt: skip
_REGIONS = ("Americas", "Europe", "Asia", "Pacific")
_DEPARTMENT_TYPES = {"Customer Support": "support", "IT Operations": "support", "Field Services": "field"}


def slug(name: str) -> str:
    """Turn a name into part of a domain."""
    return re.sub(r"\W", "", name.lower())


def token(words: str) -> str:
    """Spell words as the enumerations do: "New York" is new_york."""
    return words.lower().replace(" ", "_")


def accounts(rng: Random, corvane: Company) -> list[Row]:
    """Return the company itself, its partners and its customers, some of them branches of others."""
    fresh = names(rng)
    partners = _distinct_names(_PARTNERS, lambda n: f"{next(fresh)[1]} {_SERVICES[n % len(_SERVICES)]}")
    count = ACCOUNTS - 1 - _PARTNERS - _SIBLINGS
    businesses = _distinct_names(count, lambda _: f"{next(fresh)[1]} {rng.choice(list(_TRADES))}")
    branches = [f"{business} {_BRANCHES[n]}" for n, business in enumerate(rng.sample(businesses, _SIBLINGS))]
    customers = businesses + branches
    rng.shuffle(customers)
    kinds = [(corvane.name, "internal")]
    kinds += [(n, "partner") for n in partners] + [(n, "customer") for n in customers]
    return [_account(rng, number, name, kind) for number, (name, kind) in enumerate(kinds, 1)]


def _distinct_names(count: int, name: Callable[[int], str]) -> list[str]:
    """Draw so many names, all different: people of one family name may run two companies of one trade."""
    drawn: list[str] = []
    while len(drawn) < count:
        candidate = name(len(drawn))
        drawn += [candidate] * (candidate not in drawn)
    return drawn


def _account(rng: Random, number: int, name: str, kind: str) -> Row:
    domain = "corvane.example" if kind == "internal" else f"{slug(name)}.example"
    active = kind != "customer" or chance(rng, 92)
    return {
        "account_id": number, "name": name, "account_type": kind,
        "email_domain": domain if kind != "customer" or chance(rng, 95) else None, "active": int(active),
    } | stamps(rng)  # fmt: skip


def locations(
    rng: Random, corvane: Company, accounts: Sequence[Row]
) -> tuple[list[Row], dict[int, list[Row]]]:
    """Return all locations, and the locations of each account."""
    address = Address(Locale.EN_GB, seed=rng.getrandbits(32))
    own = [_company_location(rng, number, site) for number, site in enumerate(corvane.sites, 1)]
    all_locations, by_account = list(own), {1: own}
    counts = portions(rng, LOCATIONS - len(own), len(accounts) - 1, least=4)
    for account, count in zip(accounts[1:], counts, strict=True):
        by_account[account["account_id"]] = [
            _location(rng, len(all_locations) + n, name, city, address)
            for n, (name, city) in enumerate(islice(_location_names(rng, account["name"]), count), 1)
        ]
        all_locations += by_account[account["account_id"]]
    return all_locations, by_account


def _company_location(rng: Random, number: int, site: Site) -> Row:
    return {
        "location_id": number, "name": site.name, "plot_no": site.plot_no, "street": site.street,
        "city": token(site.city), "country": token(site.country), "active": 1,
    } | stamps(rng)  # fmt: skip


def _location_names(rng: Random, account_name: str) -> Iterator[tuple[str, str]]:
    """Yield names of locations with their cities; those that would be the same are numbered."""
    kinds = next((k for trade, k in _TRADES.items() if trade in account_name), ("Office",))
    seen: dict[str, int] = {}
    while True:
        city = rng.choice(list(_CITIES))
        title, kind = city.replace("_", " ").title(), rng.choice(kinds)
        seen[kind + city] = number = seen.get(kind + city, 0) + 1
        yield f"{account_name} {kind}{f' {number}' if number > 1 else ''} - {title}", city


def _location(rng: Random, number: int, name: str, city: str, address: Address) -> Row:
    return {
        "location_id": number, "name": name,
        "plot_no": f"Plot {rng.randint(1, 990)}" if chance(rng, 60) else None,
        "street": f"{address.street_name()} {address.street_suffix()}" if chance(rng, 90) else None,
        "city": city, "country": _CITIES[city], "active": int(chance(rng, 94)),
    } | stamps(rng)  # fmt: skip


def users(
    rng: Random, corvane: Company, accounts: Sequence[Row], locations: dict[int, list[Row]]
) -> tuple[list[Row], dict[int, list[Row]]]:
    """Return all users, and those of each account. The company's own people keep their numbers as ids."""
    site_names = [site.name for site in corvane.sites]
    own = [_company_user(rng, person, site_names) for person in corvane.people]
    all_users, by_account, taken = list(own), {1: own}, {person["email"] for person in own}
    counts = portions(rng, USERS - len(own), len(accounts) - 1, least=6)
    full_names = _full_names(rng, names(rng), corvane)
    for account, count in zip(accounts[1:], counts, strict=True):
        by_account[account["account_id"]] = account_users = [
            _user(rng, len(all_users) + n, next(full_names), account, locations[account["account_id"]], taken)
            for n in range(1, count + 1)
        ]
        all_users += account_users
    return all_users, by_account


def _company_user(rng: Random, person: Person, site_names: list[str]) -> Row:
    return {
        "user_id": person.number, "first_name": person.first_name, "last_name": person.last_name,
        "email": person.email, "phone": person.phone,
        "role": "customer" if person.role == "employee" else person.role,
        "location_id": site_names.index(person.site.name) + 1, "active": int(person.active),
    } | stamps(rng)  # fmt: skip


def _full_names(rng: Random, fresh: Iterator[tuple[str, str]], corvane: Company) -> Iterator[tuple[str, str]]:
    """Yield new names, one in thirty of which someone else has already."""
    used = [(p.first_name, p.last_name) for p in corvane.people]
    while True:
        used.append(rng.choice(used) if chance(rng, 3) else next(fresh))
        yield used[-1]


def _user(
    rng: Random, number: int, full_name: tuple[str, str], account: Row, locations: list[Row], taken: set[str]
) -> Row:
    partner = account["account_type"] == "partner"
    role = pick(rng, {"agent": 80, "manager": 6, "customer": 14}) if partner else "customer"
    location = rng.choice(locations)
    prefix = _PREFIXES[location["city"]]
    return {
        "user_id": number, "first_name": full_name[0], "last_name": full_name[1],
        "email": _address(full_name, slug(account["name"]), taken),
        "phone": f"{prefix}{rng.randint(2_000_000, 9_899_999)}" if chance(rng, 88) else None,
        "role": role, "location_id": location["location_id"] if chance(rng, 95) else None,
        "active": int(chance(rng, 93)),
    } | stamps(rng)  # fmt: skip


def _address(full_name: tuple[str, str], domain: str, taken: set[str]) -> str:
    """Return an address that no one has yet, and mark it as taken."""
    tail = f"@{domain}.example"
    name = local_part = ".".join(full_name).lower()
    number = 1
    while local_part + tail in taken:
        number += 1
        local_part = f"{name}{number}"
    taken.add(local_part + tail)
    return local_part + tail


def groups(rng: Random, corvane: Company) -> list[Row]:
    """Return the company's groups, and a group of every region for every queue."""
    kinds = [(g.name, _DEPARTMENT_TYPES.get(g.department, "backoffice"), True) for g in corvane.groups]
    kinds += [
        (f"{queue} {region}", kind, chance(rng, 95)) for queue, kind in _QUEUES.items() for region in _REGIONS
    ]
    return [
        {"group_id": number, "name": name, "type": kind, "active": int(active)} | stamps(rng)
        for number, (name, kind, active) in enumerate(kinds, 1)
    ]


def members(rng: Random, corvane: Company, groups: Sequence[Row], users: Sequence[Row]) -> list[Row]:
    """Return the members of groups. Vendor groups are the partners' own, the others are mixed."""
    pairs = [(number, member) for number, g in enumerate(corvane.groups, 1) for member in g.members]
    staff = [p["user_id"] for p in users if p["role"] in ("agent", "manager")]
    partners = [number for number in staff if number > len(corvane.people)]
    queues = groups[len(corvane.groups) :]
    counts = portions(rng, MEMBERS - len(pairs), len(queues), least=6, spread=4)
    for queue, count in zip(queues, counts, strict=True):
        pool = partners if queue["type"] == "vendor" else staff
        pairs += [(queue["group_id"], member) for member in sorted(rng.sample(pool, count))]
    return [
        {"member_id": number, "group_id": group, "user_id": user}
        | {"sys_created_on": stamps(rng)["sys_created_on"]}
        for number, (group, user) in enumerate(pairs, 1)
    ]


def contacts(rng: Random, accounts: Sequence[Row], users_by_account: dict[int, list[Row]]) -> list[Row]:
    """Return the contacts of accounts: the first of each is primary, though not always active any more."""
    portal = {
        account["account_id"]: [p for p in users_by_account[account["account_id"]] if p["role"] == "customer"]
        for account in accounts
    }
    primary = {number: rng.choice(staff)["user_id"] for number, staff in portal.items() if staff}
    others = [(n, p["user_id"]) for n, staff in portal.items() for p in staff if p["user_id"] != primary[n]]
    chosen = [*primary.items(), *rng.sample(others, CONTACTS - len(primary))]
    active = {
        p["user_id"]
        for account in accounts
        if account["active"]
        for p in portal[account["account_id"]]
        if p["active"]
    }
    return [
        {"contact_id": number, "account_id": account_id, "portal_user_id": user,
         "active": int(user in active and chance(rng, 94)), "is_primary": int(primary[account_id] == user),
         **stamps(rng)}
        for number, (account_id, user) in enumerate(sorted(chosen), 1)
    ]  # fmt: skip
