import json

import pytest

from eops_traj.gym.registry import server
from tests.gym.servers.teams.world import people, small


@pytest.fixture
def teams():
    return server("teams")


@pytest.fixture
def database(teams):
    """A small organization: Ana administers, Ben and Cem work in one team, Dia is of another organization."""
    opened = small(teams).open()
    yield opened
    opened.close()


@pytest.fixture
def ask(teams, database):
    """Call a tool as Ana, or as whoever ``caller`` names; returns the reply."""

    def call(name, /, *, caller="ana", **arguments):
        return teams.call(database, name, arguments, people[caller])

    return call


@pytest.fixture
def result_of(ask):
    """Call a tool; returns its result, parsed."""

    def call(name, /, **arguments):
        reply = ask(name, **arguments)
        assert not reply.is_error, reply.text
        return json.loads(reply.text) if reply.text[0] in "{[0123456789" else reply.text

    return call


@pytest.fixture
def refused(ask):
    """Call a tool that refuses; returns its message."""

    def call(name, /, **arguments):
        reply = ask(name, **arguments)
        assert reply.is_error and not reply.changes, reply.text
        return reply.text

    return call


@pytest.fixture
def one(database):
    """The single value of a query on the same database."""
    return lambda sql: database.run_sql(sql).rows[0][0]
