"""SeedFingerprints of databases just seeded: alike for alike seeds, and blind to the clock alone."""

import pytest

from eops_traj.errors import SandboxError
from eops_traj.gym import registry
from eops_traj.sandbox.embedded import open_session
from eops_traj.sandbox.seed_fingerprint import SeedFingerprints, fingerprint_query

PERSON = "INSERT INTO user VALUES (5, '{name}', 'B', 'a@b', NULL, 'agent', NULL, 1, '{at}', '');"


def check(prints: SeedFingerprints, sql: str) -> None:
    with open_session({"csm": sql}) as session:
        prints.check("csm", "seed", lambda query: session.run_sql("csm", query))


def test_another_time_is_the_same_and_another_value_is_not() -> None:
    prints = SeedFingerprints()
    check(prints, PERSON.format(name="Ada", at="2026-01-05 08:00:00"))
    check(prints, PERSON.format(name="Ada", at="2026-11-22 17:30:09"))
    for other in (PERSON.format(name="Adam", at="2026-01-05 08:00:00"), ""):
        with pytest.raises(SandboxError, match="csm: a seed gave another database than before"):
            check(prints, other)
    assert list(prints.by_seed) == ["seed"]


@pytest.mark.parametrize("server", registry.SERVERS)
def test_every_server_can_be_measured_with_two_queries_once_its_columns_are_known(server: str) -> None:
    asked: list[str] = []
    with open_session({server: 0}) as session:
        prints = SeedFingerprints()

        def query(sql: str):  # type: ignore[no-untyped-def]
            asked.append(sql)
            return session.run_sql(server, sql)

        prints.check(server, "0", query)
        first = len(asked)
        prints.check(server, "0", query)
        tables = registry.server(server).schema.tables
        assert first == len(tables) + 2 and len(asked) == first + 2
        counted = {name: n for name, n, _ in session.run_sql(server, asked[-1]).rows}
        assert set(counted) == set(tables)
        assert "LIMIT 1000" in fingerprint_query(list(tables), query)
