"""What looks personal and is made up: by the policy, or since it stands in the gym's own seed databases."""

import functools
import importlib
import json
from collections.abc import Iterable
from fnmatch import fnmatchcase
from random import Random

from eops_traj.errors import UnknownName
from eops_traj.gym.engine.templates import Seed as Make
from eops_traj.privacy.pii import Datum, personal_data
from eops_traj.publish.policy import Allow
from eops_traj.schema import Server

Seed = tuple[str, int]
"""A server's name and the number of the company that its seed describes."""


def seeds(servers: Iterable[Server]) -> frozenset[Seed]:
    """The seeds of the embedded gym among the databases of a task."""
    companies = ((server.name, json.loads(server.details).get("company")) for server in servers)
    return frozenset((name, company) for name, company in companies if isinstance(company, int))


def made_up(datum: Datum, allow: Allow, known: Iterable[Seed]) -> bool:
    """Whether a piece of personal data belongs to nobody."""
    return _allowed(datum, allow) or any(datum in in_seed(seed) for seed in sorted(known))


def _allowed(datum: Datum, allow: Allow) -> bool:
    if datum.kind == "e-mail address":
        domain = datum.value.rpartition("@")[2]
        return any(f".{domain}".endswith(f".{allowed.lower()}") for allowed in allow.email_domains)
    if datum.kind == "telephone number":
        return any(fnmatchcase(datum.value, pattern) for pattern in allow.phones)
    return False


@functools.lru_cache(maxsize=64)
def in_seed(seed: Seed) -> frozenset[Datum]:
    """What looks personal in a seed database, which is made again for this; nothing for a foreign server."""
    from eops_traj.gym.registry import server

    name, company = seed
    try:
        package = server(name).package
    except UnknownName:
        return frozenset()
    make: Make = importlib.import_module(f"{package}.seed").seed
    rows = (row for _, table in make(Random(company)) for row in table)
    values = {value for row in rows for value in row.values() if isinstance(value, str)}
    return frozenset(datum for value in values for datum in personal_data(value))
