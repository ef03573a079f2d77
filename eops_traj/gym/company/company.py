"""The organization that all seven seeds describe: its people, groups and sites.

`company` is the first thing a ``seed(rng)`` calls, so that one number gives the same people, addresses,
groups and sites on every server::

    corvane = company(rng)
    rows = [{"user_id": p.number, "email": p.email, "active": p.active} for p in corvane.people]

It is made to be searched with care: two pairs of people share their whole name, three more differ by a
letter or two, and some have left but still stand in a group.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import count
from random import Random

from mimesis import Address, Locale
from mimesis import Person as Someone

from eops_traj.gym.company.names import CITIES, DEPARTMENTS, GROUPS, SITES, Department
from eops_traj.gym.engine import clock

NAME, DOMAIN = "Corvane Systems", "corvane.example"
TODAY = clock.START.date()
_LOCALES = (Locale.EN, Locale.EN_GB, Locale.ES, Locale.IT, Locale.DE, Locale.FR, Locale.PL)
_SPELLINGS = (("Catherine", "Katherine"), ("Stephen", "Steven"), ("Sara", "Sarah"))
_SPELT = {19: (27, 0), 10: (44, 1), 36: (58, 2)}  # number: whose name is spelt like theirs, and how
_NAMESAKES = {31: 16, 66: 22}  # number: whose name they share


@dataclass(frozen=True)
class Site:
    """A place where people work; city and country as people write them ("New York", "USA")."""

    name: str
    plot_no: str
    street: str
    city: str
    state: str
    country: str
    timezone: str


@dataclass(frozen=True)
class Person:
    """Someone who works here, or did. `manager` is a number; only the chief executive has none."""

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
        """The person of this number."""
        return self.people[number - 1]

    def of(self, department: str) -> tuple[Person, ...]:
        """The people of a department, its head first."""
        return tuple(p for p in self.people if p.department == department)


def company(rng: Random) -> Company:
    """The company of this randomness. Called first by every seed, it comes out the same on every server."""
    sites = _sites(rng)
    people = _departed(rng, _people(rng, sites))
    return Company(NAME, DOMAIN, sites, people, tuple(_group(rng, people, *row) for row in GROUPS))


def names(rng: Random) -> Iterator[tuple[str, str]]:
    """First and last names without end, no pair twice; in plain letters, so that addresses spell them."""
    providers = [Someone(locale, seed=rng.getrandbits(32)) for locale in _LOCALES]
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
    """Everyone, department by department, each with a manager who comes before."""
    people: list[Person] = []
    pairs = iter(_namesakes(names(rng)))
    for department in DEPARTMENTS:
        first = len(people) + 1
        for place in range(department.size):
            title, role, boss = _position(department, place, first)
            site = sites[0] if place == 0 else rng.choice(sites)
            people.append(
                _person(rng, len(people) + 1, next(pairs), title, department.name, site, boss, role)
            )
    return people


def _position(department: Department, place: int, first: int) -> tuple[str, str, int | None]:
    """Title, role and manager of the person at a place of a department that starts at number `first`."""
    if place == 0:
        return department.head, department.head_role, None if first == 1 else 1
    if place == 1 or place == 6:  # a lead for every five
        return department.lead, "manager", first
    title = department.titles[place % len(department.titles)]
    role = "admin" if title == "Systems Administrator" and place < 6 else department.role
    return title, role, first + (1 if place < 6 else 6)


def _namesakes(fresh: Iterator[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Names, of which some come again: two exactly, three in another spelling."""
    reserved = {name for spelling in _SPELLINGS for name in spelling}
    given: dict[int, tuple[str, str]] = {}
    for number in count(1):
        pair = next(pair for pair in fresh if pair[0] not in reserved)
        if number in _SPELT:
            late, spelling = _SPELT[number]
            pair, given[late] = ((name, pair[1]) for name in _SPELLINGS[spelling])
        given.setdefault(number, given.get(_NAMESAKES.get(number, 0), pair))
        yield given[number]


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
    """The same people, of whom about one in twelve has left. Nobody who manages others is among them."""
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
