"""The company that the CSM server starts with: about 10,600 rows, the same for the same number.

Ids run from 1 without gaps. What makes look-ups hard is there on purpose: namesakes, sites and products that
differ in a letter, people and groups that are no longer active, contracts that have run out, forgotten cases.
"""

from collections.abc import Iterable, Iterator
from random import Random
from typing import Any

from eops_traj.gym.company.company import company
from eops_traj.gym.engine.templates import Row
from eops_traj.gym.servers.csm import seed_assets, seed_cases, seed_customers
from eops_traj.gym.servers.csm.seed_cases import World


def seed(rng: Random) -> Iterator[tuple[str, Iterable[Row]]]:
    """Tables by name with their rows, parents first. Pure: the same ``rng``, the same rows."""
    corvane = company(rng)
    owners = seed_customers.accounts(rng, corvane)
    locations, sites = seed_customers.locations(rng, corvane, owners)
    people, staff = seed_customers.users(rng, corvane, owners, sites)
    yield from (("location", locations), ("user", people))
    teams = seed_customers.groups(rng, corvane)
    members = seed_customers.members(rng, corvane, teams, people)
    yield from (("user_group", teams), ("user_group_member", members))
    contacts = seed_customers.contacts(rng, owners, staff)
    goods = seed_assets.products(rng)
    yield from (("account", owners), ("contact", contacts), ("product", goods))
    pieces = seed_assets.installed(rng, owners, goods, sites)
    contracts = seed_assets.contracts(rng, owners)
    rights = seed_assets.entitlements(rng, contracts, goods, pieces)
    yield from (("installed_product", pieces), ("contract", contracts), ("entitlement", rights))
    world = World(owners, contacts, people, teams, _workers(members, people), goods, pieces, rights)
    yield from _work(rng, world)


def _work(rng: Random, world: World) -> Iterator[tuple[str, Iterable[Row]]]:
    definitions = seed_assets.sla_definitions(rng)
    articles = seed_cases.articles(rng, world.goods, world.people)
    cases = seed_cases.cases(rng, world)
    links = seed_cases.case_knowledge(rng, cases, articles)
    yield from (("sla_definition", definitions), ("customer_case", cases))
    yield "case_sla", seed_cases.case_slas(rng, cases, definitions)
    yield "interaction", seed_cases.interactions(rng, cases, world)
    yield from (("knowledge", articles), ("case_knowledge", links))
    yield "notification", seed_cases.notifications(rng, cases, links, world)


def _workers(members: Iterable[dict[str, Any]], people: Iterable[dict[str, Any]]) -> dict[int, list[int]]:
    """The members of each group who may be given cases."""
    staff = {person["user_id"] for person in people if person["role"] in ("agent", "manager")}
    found: dict[int, list[int]] = {}
    for member in members:
        if member["user_id"] in staff:
            found.setdefault(member["group_id"], []).append(member["user_id"])
    return found
