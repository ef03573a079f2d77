"""The organization that all seven seeds describe: its people, groups and sites.

`company` is the first thing a ``seed(rng)`` calls, so that one number gives the same people, addresses,
groups and sites on every server::

    corvane = company(rng)
    rows = [{"user_id": p.number, "email": p.email, "active": p.active} for p in corvane.people]

Searching it takes care: two pairs of people share their whole name, three more differ by a
letter or two, and some have left but still stand in a group.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import count
from random import Random

from mimesis import Address, Locale
from mimesis import Person as NameProvider

from eops_traj.gym.company.names import CITIES, DEPARTMENTS, GROUPS, SITES, Department
from eops_traj.gym.engine import clock

NAME, DOMAIN = "Corvane Systems", "corvane.example"
TODAY = clock.START.date()
_LOCALES = (Locale.EN, Locale.EN_GB, Locale.ES, Locale.IT, Locale.DE, Locale.FR, Locale.PL)
_SPELLINGS = (("Catherine", "Katherine"), ("Stephen", "Steven"), ("Sara", "Sarah"))
_SPELT = {19: (27, 0), 10: (44, 1), 36: (58, 2)}  # number: who has a similar name, and which
_NAMESAKES = {31: 16, 66: 22}  # number: who has the same name


@dataclass(frozen=True)
class Site:
    """A workplace; city and country as people write them ("New York", "USA")."""

    name: str
    plot_no: str
    street: str
    city: str
    state: str
    country: str
    timezone: str


@dataclass(frozen=True)
class Person:
    """A present or past employee. `manager` is a number; only the chief executive has none."""

    number: int
    first_name: str
    last_name: str
    email: str
    user_name: str
    phone: str
    title: str
    department: str
    site: Site
    manager: int | None
    role: str
    active: bool
    hired: date
    left: date | None

    @property
    def name(self) -> str:
        """First and last name."""
        return f"{self.first_name} {self.last_name}"


@dataclass(frozen=True)
class Group:
    """A team with an address of its own. Its manager is one of its members, who are numbers of people."""

    name: str
    department: str
    email: str
    manager: int
    members: tuple[int, ...]
    description: str


@dataclass(frozen=True)
class Company:
    """The organization. A person's number is their place in `people`, counted from 1."""

    name: str
    domain: str
    sites: tuple[Site, ...]
    people: tuple[Person, ...]
    groups: tuple[Group, ...]

    def person(self, number: int) -> Person:
        """Return the person of this number."""
        return self.people[number - 1]

    def of(self, department: str) -> tuple[Person, ...]:
        """Return the people of a department, its head first."""
        return tuple(p for p in self.people if p.department == department)


def company(rng: Random) -> Company:
    """Generate the company. Called first by every seed, it is the same on every server."""
    sites = _sites(rng)
    people = _departed(rng, _people(rng, sites))
    return Company(NAME, DOMAIN, sites, people, tuple(_group(rng, people, *row) for row in GROUPS))


def names(rng: Random) -> Iterator[tuple[str, str]]:
    """Yield first and last names without end, no pair twice; in plain letters, for the addresses."""
    providers = [NameProvider(locale, seed=rng.getrandbits(32)) for locale in _LOCALES]
    seen: set[tuple[str, str]] = set()
    while True:
        provider = rng.choice(providers)
        pair = provider.first_name(), provider.last_name()
        if pair not in seen and all(re.fullmatch(r"[A-Z][a-z]{1,11}", word) for word in pair):
            seen.add(pair)
            yield pair


def _sites(rng: Random) -> tuple[Site, ...]:
    address = Address(Locale.EN_GB, seed=rng.getrandbits(32))
    streets = [f"{address.street_name()} {address.street_suffix()}" for _ in SITES]
    return tuple(
        Site(name, address.street_number(400), street, city, *CITIES[city][:3])
        for (name, city), street in zip(SITES, streets, strict=True)
    )


def _people(rng: Random, sites: tuple[Site, ...]) -> list[Person]:
    """Return everyone, department by department, each after their manager."""
    people: list[Person] = []
    pairs = iter(_namesakes(names(rng)))
    for department in DEPARTMENTS:
        first = len(people) + 1
        for rank in range(department.size):
            title, role, boss = _position(department, rank, first)
            site = sites[0] if rank == 0 else rng.choice(sites)
            people.append(
                _person(rng, len(people) + 1, next(pairs), title, department.name, site, boss, role)
            )
    return people


def _position(department: Department, rank: int, first: int) -> tuple[str, str, int | None]:
    """Return title, role and manager by rank in a department whose head is number `first`."""
    if rank == 0:
        return department.head, department.head_role, None if first == 1 else 1
    if rank == 1 or rank == 6:  # a lead for every five
        return department.lead, "manager", first
    title = department.titles[rank % len(department.titles)]
    role = "admin" if title == "Systems Administrator" and rank < 6 else department.role
    return title, role, first + (1 if rank < 6 else 6)


def _namesakes(fresh: Iterator[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield names, of which some come again: two exactly, three in another spelling."""
    reserved = {name for spelling in _SPELLINGS for name in spelling}
    assigned: dict[int, tuple[str, str]] = {}
    for number in count(1):
        pair = next(pair for pair in fresh if pair[0] not in reserved)
        if number in _SPELT:
            late, spelling = _SPELT[number]
            pair, assigned[late] = ((name, pair[1]) for name in _SPELLINGS[spelling])
        assigned.setdefault(number, assigned.get(_NAMESAKES.get(number, 0), pair))
        yield assigned[number]


def _person(
    rng: Random, number: int, pair: tuple[str, str], title: str, department: str, site: Site,
    manager: int | None, role: str,
) -> Person:  # fmt: skip
    user_name = ".".join(pair).lower() + ("2" if number in _NAMESAKES else "")
    phone = f"{CITIES[site.city][3]}-{1000 + 97 * number % 9000:04d}"
    hired = date(2012, 1, 9) + timedelta(weeks=rng.randrange(13 * 52))
    email = f"{user_name}@{DOMAIN}"
    return Person(
        number, *pair, email, user_name, phone, title, department, site, manager, role, True, hired, None
    )


def _departed(rng: Random, people: list[Person]) -> tuple[Person, ...]:
    """Return the same people, about one in twelve of whom, but no manager, has left."""
    managers = {p.manager for p in people}
    leavers = {p.number for p in rng.sample([p for p in people if p.number not in managers], 6)}
    return tuple(_leave(rng, p) if p.number in leavers else p for p in people)


def _leave(rng: Random, person: Person) -> Person:
    days = (TODAY - person.hired).days
    left = person.hired + timedelta(days=rng.randint(days // 2, days - 10))
    return replace(person, active=False, left=left)


def _group(
    rng: Random, people: tuple[Person, ...], name: str, department: str, step: int, description: str
) -> Group:
    staff = [p for p in people if p.department == department]
    manager = staff[1] if step == 1 else staff[0]
    members = {manager.number, *(p.number for p in staff[1::step])}
    guest = rng.choice([p for p in people if p.department != department and p.active])
    email = f"{name.lower().replace(' ', '-')}@{DOMAIN}"
    return Group(name, department, email, manager.number, (*sorted(members), guest.number), description)
