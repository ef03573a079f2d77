"""Synthetic data that looks personal: allowed by the policy, or from the gym's own seed databases."""

import functools
import importlib
import json
from collections.abc import Iterable
from fnmatch import fnmatchcase
from random import Random

from eops_traj.errors import UnknownName
from eops_traj.gym.engine.templates import SeedFunction as Make
from eops_traj.privacy.pii import ADDRESS, Datum, personal_data
from eops_traj.privacy.texts import NAMES_A_VALUE
from eops_traj.publish.policy import AllowedData
from eops_traj.schema import Server

SeedKey = tuple[str, int]
"""A server's name and the number of the company that its seed describes."""


def embedded_seeds(servers: Iterable[Server]) -> frozenset[SeedKey]:
    """Return the seeds of the embedded gym among the databases of a task."""
    companies = ((server.name, json.loads(server.details).get("company")) for server in servers)
    return frozenset((name, company) for name, company in companies if isinstance(company, int))


def is_synthetic(datum: Datum, allow: AllowedData, seeds: Iterable[SeedKey]) -> bool:
    """Check whether a piece of personal data belongs to no one."""
    return _allowed(datum, allow) or any(datum in seed_values(seed) for seed in sorted(seeds))


def _allowed(datum: Datum, allow: AllowedData) -> bool:
    if datum.kind == ADDRESS:
        domain = datum.value.rpartition("@")[2]
        return any(f".{domain}".endswith(f".{allowed.lower()}") for allowed in allow.email_domains)
    if datum.kind == "telephone number":
        return any(fnmatchcase(datum.value, pattern) for pattern in allow.phones)
    return False


@functools.lru_cache(maxsize=64)
def seed_values(seed: SeedKey) -> frozenset[Datum]:
    """Return the data that looks personal in a seed database, built again; empty for a foreign server."""
    from eops_traj.gym.registry import server

    name, company = seed
    try:
        package = server(name).package
    except UnknownName:
        return frozenset()
    make: Make = importlib.import_module(f"{package}.seed").seed
    rows = (row for _, table in make(Random(company)) for row in table)
    values = {_value(*item) for row in rows for item in row.items() if isinstance(item[1], str)}
    return frozenset(datum for value in values for datum in personal_data(value))


def _value(name: str, value: str) -> str:
    """Return a value, behind its column's name where that tells what it is."""
    return f'{name}: "{value}"' if NAMES_A_VALUE.search(name) else value
