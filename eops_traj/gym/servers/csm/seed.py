"""The company that the CSM server starts with: about 10,600 rows, the same for the same seed number.

Ids run from 1 without gaps. What makes look-ups hard is there on purpose: namesakes, sites and products that
differ in a letter, people and groups that are no longer active, contracts that have run out, forgotten cases.
"""

from collections.abc import Iterable, Iterator
from random import Random
from typing import Any

from eops_traj.gym.company.company import company
from eops_traj.gym.engine.templates import Row
from eops_traj.gym.servers.csm import seed_assets, seed_cases, seed_customers
from eops_traj.gym.servers.csm.seed_cases import SeedTables


def seed(rng: Random) -> Iterator[tuple[str, Iterable[Row]]]:
    """Yield tables by name with their rows, parents first. Pure: the same ``rng``, the same rows."""
    corvane = company(rng)
    accounts = seed_customers.accounts(rng, corvane)
    locations, locations_by_account = seed_customers.locations(rng, corvane, accounts)
    users, users_by_account = seed_customers.users(rng, corvane, accounts, locations_by_account)
    yield from (("location", locations), ("user", users))
    groups = seed_customers.groups(rng, corvane)
    members = seed_customers.members(rng, corvane, groups, users)
    yield from (("user_group", groups), ("user_group_member", members))
    contacts = seed_customers.contacts(rng, accounts, users_by_account)
    products = seed_assets.products(rng)
    yield from (("account", accounts), ("contact", contacts), ("product", products))
    installed = seed_assets.installed_products(rng, accounts, products, locations_by_account)
    contracts = seed_assets.contracts(rng, accounts)
    entitlements = seed_assets.entitlements(rng, contracts, products, installed)
    yield from (("installed_product", installed), ("contract", contracts), ("entitlement", entitlements))
    assignees = _assignees_by_group(members, users)
    tables = SeedTables(contacts, users, groups, assignees, products, installed, entitlements)
    yield from _case_tables(rng, tables)


def _case_tables(rng: Random, tables: SeedTables) -> Iterator[tuple[str, Iterable[Row]]]:
    definitions = seed_assets.sla_definitions(rng)
    articles = seed_cases.articles(rng, tables.products, tables.users)
    cases = seed_cases.cases(rng, tables)
    links = seed_cases.case_knowledge(rng, cases, articles)
    yield from (("sla_definition", definitions), ("customer_case", cases))
    yield "case_sla", seed_cases.case_slas(rng, cases, definitions)
    yield "interaction", seed_cases.interactions(rng, cases, tables)
    yield from (("knowledge", articles), ("case_knowledge", links))
    yield "notification", seed_cases.notifications(rng, cases, links, tables)


def _assignees_by_group(
    members: Iterable[dict[str, Any]], users: Iterable[dict[str, Any]]
) -> dict[int, list[int]]:
    """Return the members of each group who may be given cases."""
    staff = {user["user_id"] for user in users if user["role"] in ("agent", "manager")}
    by_group: dict[int, list[int]] = {}
    for member in members:
        if member["user_id"] in staff:
            by_group.setdefault(member["group_id"], []).append(member["user_id"])
    return by_group
