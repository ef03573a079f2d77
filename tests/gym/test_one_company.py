"""The default seeds of all servers describe one organization."""

from random import Random

import pytest

from eops_traj.gym.company.company import company
from eops_traj.gym.registry import SERVERS, server


@pytest.mark.parametrize("number", [0, 3])
@pytest.mark.parametrize("name", SERVERS)
def test_everyone_of_the_company_is_on_every_server(name: str, number: int) -> None:
    database = server(name).template(number).open()
    columns = [(table, column) for table in database.schema.tables.values() for column in table.columns]
    addresses: set[str] = set()
    for table, column in columns:
        if column in ("email", "mail"):
            addresses |= {
                row[0] for row in database.connection.execute(f'SELECT "{column}" FROM "{table.name}"')
            }
    assert {p.email for p in company(Random(number)).people if p.active} <= addresses


@pytest.mark.parametrize("name", SERVERS)
def test_a_seed_is_pure_and_its_references_hold(name: str) -> None:
    from importlib import import_module

    from eops_traj.gym.engine.templates import from_rows

    make = import_module(f"{server(name).package}.seed").seed
    first, second = (from_rows(server(name).schema, make(Random(5))) for _ in range(2))
    assert first.image == second.image
    assert list(first.open().connection.execute("PRAGMA foreign_key_check")) == []


def test_each_server_knows_its_caller_by_a_header_of_its_own() -> None:
    headers = [server(name).identity.header for name in SERVERS if server(name).identity]
    assert len(headers) == len(set(headers)) == len(SERVERS)
