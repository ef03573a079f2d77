"""Who there is: accounts, the people of the company and of its customers, groups, contacts and sites."""

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
    """A name as part of a domain."""
    return re.sub(r"\W", "", name.lower())


def token(words: str) -> str:
    """Words as the enumerations spell them: "New York" is new_york."""
    return words.lower().replace(" ", "_")


def accounts(rng: Random, corvane: Company) -> list[Row]:
    """The company itself, its partners and its customers, some of them branches of others."""
    fresh = names(rng)
    partners = _unlike(_PARTNERS, lambda n: f"{next(fresh)[1]} {_SERVICES[n % len(_SERVICES)]}")
    others = ACCOUNTS - 1 - _PARTNERS - _SIBLINGS
    owners = _unlike(others, lambda _: f"{next(fresh)[1]} {rng.choice(list(_TRADES))}")
    branches = [f"{owner} {_BRANCHES[n]}" for n, owner in enumerate(rng.sample(owners, _SIBLINGS))]
    customers = owners + branches
    rng.shuffle(customers)
    kinds = [(corvane.name, "internal")]
    kinds += [(n, "partner") for n in partners] + [(n, "customer") for n in customers]
    return [_account(rng, number, name, kind) for number, (name, kind) in enumerate(kinds, 1)]


def _unlike(count: int, name: Callable[[int], str]) -> list[str]:
    """So many names, no two alike: people of one family name may run two companies of one trade."""
    found: list[str] = []
    while len(found) < count:
        drawn = name(len(found))
        found += [drawn] * (drawn not in found)
    return found


def _account(rng: Random, number: int, name: str, kind: str) -> Row:
    domain = "corvane.example" if kind == "internal" else f"{slug(name)}.example"
    active = kind != "customer" or chance(rng, 92)
    return {
        "account_id": number, "name": name, "account_type": kind,
        "email_domain": domain if kind != "customer" or chance(rng, 95) else None, "active": int(active),
    } | stamps(rng)  # fmt: skip


def locations(rng: Random, corvane: Company, owners: Sequence[Row]) -> tuple[list[Row], dict[int, list[Row]]]:
    """Every site, and the sites of each account."""
    address = Address(Locale.EN_GB, seed=rng.getrandbits(32))
    own = [_own_site(rng, number, site) for number, site in enumerate(corvane.sites, 1)]
    sites, of = list(own), {1: own}
    counts = portions(rng, LOCATIONS - len(own), len(owners) - 1, least=4)
    for owner, count in zip(owners[1:], counts, strict=True):
        of[owner["account_id"]] = [
            _site(rng, len(sites) + n, name, city, address)
            for n, (name, city) in enumerate(islice(_site_names(rng, owner["name"]), count), 1)
        ]
        sites += of[owner["account_id"]]
    return sites, of


def _own_site(rng: Random, number: int, site: Site) -> Row:
    return {
        "location_id": number, "name": site.name, "plot_no": site.plot_no, "street": site.street,
        "city": token(site.city), "country": token(site.country), "active": 1,
    } | stamps(rng)  # fmt: skip


def _site_names(rng: Random, owner: str) -> Iterator[tuple[str, str]]:
    """Names of sites with their cities; those that would be the same are numbered."""
    kinds = next((k for trade, k in _TRADES.items() if trade in owner), ("Office",))
    seen: dict[str, int] = {}
    while True:
        city = rng.choice(list(_CITIES))
        place, kind = city.replace("_", " ").title(), rng.choice(kinds)
        seen[kind + city] = number = seen.get(kind + city, 0) + 1
        yield f"{owner} {kind}{f' {number}' if number > 1 else ''} - {place}", city


def _site(rng: Random, number: int, name: str, city: str, address: Address) -> Row:
    return {
        "location_id": number, "name": name,
        "plot_no": f"Plot {rng.randint(1, 990)}" if chance(rng, 60) else None,
        "street": f"{address.street_name()} {address.street_suffix()}" if chance(rng, 90) else None,
        "city": city, "country": _CITIES[city], "active": int(chance(rng, 94)),
    } | stamps(rng)  # fmt: skip


def users(
    rng: Random, corvane: Company, owners: Sequence[Row], sites: dict[int, list[Row]]
) -> tuple[list[Row], dict[int, list[Row]]]:
    """Everyone, and the people of each account. The company's own people keep their numbers as ids."""
    places = [site.name for site in corvane.sites]
    own = [_own_user(rng, person, places) for person in corvane.people]
    people, of, taken = list(own), {1: own}, {person["email"] for person in own}
    counts = portions(rng, USERS - len(own), len(owners) - 1, least=6)
    pairs = _borrowed(rng, names(rng), corvane)
    for owner, count in zip(owners[1:], counts, strict=True):
        of[owner["account_id"]] = staff = [
            _user(rng, len(people) + n, next(pairs), owner, sites[owner["account_id"]], taken)
            for n in range(1, count + 1)
        ]
        people += staff
    return people, of


def _own_user(rng: Random, person: Person, places: list[str]) -> Row:
    return {
        "user_id": person.number, "first_name": person.first_name, "last_name": person.last_name,
        "email": person.email, "phone": person.phone,
        "role": "customer" if person.role == "employee" else person.role,
        "location_id": places.index(person.site.name) + 1, "active": int(person.active),
    } | stamps(rng)  # fmt: skip


def _borrowed(rng: Random, fresh: Iterator[tuple[str, str]], corvane: Company) -> Iterator[tuple[str, str]]:
    """New names, one in thirty of which somebody else has already."""
    given = [(p.first_name, p.last_name) for p in corvane.people]
    while True:
        given.append(rng.choice(given) if chance(rng, 3) else next(fresh))
        yield given[-1]


def _user(
    rng: Random, number: int, pair: tuple[str, str], owner: Row, sites: list[Row], taken: set[str]
) -> Row:
    partner = owner["account_type"] == "partner"
    role = pick(rng, {"agent": 80, "manager": 6, "customer": 14}) if partner else "customer"
    site = rng.choice(sites)
    return {
        "user_id": number, "first_name": pair[0], "last_name": pair[1],
        "email": _address(pair, slug(owner["name"]), taken),
        "phone": f"{_PREFIXES[site['city']]}{rng.randint(2_000_000, 9_899_999)}" if chance(rng, 88) else None,
        "role": role, "location_id": site["location_id"] if chance(rng, 95) else None,
        "active": int(chance(rng, 93)),
    } | stamps(rng)  # fmt: skip


def _address(pair: tuple[str, str], domain: str, taken: set[str]) -> str:
    """An address that nobody has yet."""
    tail = f"@{domain}.example"
    name = found = ".".join(pair).lower()
    number = 1
    while found + tail in taken:
        number += 1
        found = f"{name}{number}"
    taken.add(found + tail)
    return found + tail


def groups(rng: Random, corvane: Company) -> list[Row]:
    """The company's groups, and a group of every region for every queue."""
    kinds = [(g.name, _DEPARTMENT_TYPES.get(g.department, "backoffice"), True) for g in corvane.groups]
    kinds += [
        (f"{queue} {region}", kind, chance(rng, 95)) for queue, kind in _QUEUES.items() for region in _REGIONS
    ]
    return [
        {"group_id": number, "name": name, "type": kind, "active": int(active)} | stamps(rng)
        for number, (name, kind, active) in enumerate(kinds, 1)
    ]


def members(rng: Random, corvane: Company, teams: Sequence[Row], people: Sequence[Row]) -> list[Row]:
    """Who is in which group. Vendor groups are the partners' own, the others are mixed."""
    pairs = [(number, member) for number, g in enumerate(corvane.groups, 1) for member in g.members]
    staff = [p["user_id"] for p in people if p["role"] in ("agent", "manager")]
    partners = [number for number in staff if number > len(corvane.people)]
    queues = teams[len(corvane.groups) :]
    counts = portions(rng, MEMBERS - len(pairs), len(queues), least=6, spread=4)
    for team, count in zip(queues, counts, strict=True):
        pool = partners if team["type"] == "vendor" else staff
        pairs += [(team["group_id"], member) for member in sorted(rng.sample(pool, count))]
    return [
        {"member_id": number, "group_id": group, "user_id": user}
        | {"sys_created_on": stamps(rng)["sys_created_on"]}
        for number, (group, user) in enumerate(pairs, 1)
    ]


def contacts(rng: Random, owners: Sequence[Row], people: dict[int, list[Row]]) -> list[Row]:
    """Who speaks for an account: the first of each is primary, though not always active any more."""
    portal = {
        o["account_id"]: [p for p in people[o["account_id"]] if p["role"] == "customer"] for o in owners
    }
    first = {number: rng.choice(staff)["user_id"] for number, staff in portal.items() if staff}
    others = [(n, p["user_id"]) for n, staff in portal.items() for p in staff if p["user_id"] != first[n]]
    chosen = [*first.items(), *rng.sample(others, CONTACTS - len(first))]
    active = {p["user_id"] for o in owners if o["active"] for p in portal[o["account_id"]] if p["active"]}
    return [
        {"contact_id": number, "account_id": owner, "portal_user_id": user,
         "active": int(user in active and chance(rng, 94)), "is_primary": int(first[owner] == user),
         **stamps(rng)}
        for number, (owner, user) in enumerate(sorted(chosen), 1)
    ]  # fmt: skip
