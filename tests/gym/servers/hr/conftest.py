import json

import pytest

from eops_traj.gym.registry import server


@pytest.fixture
def hr():
    return server("hr")


@pytest.fixture
def database(hr):
    opened = hr.template().open()
    yield opened
    opened.close()


@pytest.fixture
def ask(hr, database):
    """Call a tool, as an admin if nobody else is named by token; returns the reply."""

    def call(name, /, token=None, **arguments):
        return hr.call(database, name, arguments, token)

    return call


@pytest.fixture
def result_of(ask):
    """Call a tool; returns its result, parsed."""

    def call(name, /, token=None, **arguments):
        reply = ask(name, token, **arguments)
        assert not reply.is_error, reply.text
        return json.loads(reply.text)

    return call


@pytest.fixture
def refused(ask):
    """Call a tool that will not; returns the detail of its refusal."""

    def call(name, /, token=None, **arguments):
        reply = ask(name, token, **arguments)
        assert (reply.is_error, reply.changes) == (True, ()), reply.text
        return json.loads(reply.text)["detail"]

    return call


@pytest.fixture
def rows(database):
    """The rows of a query on the same database."""
    return lambda sql: database.run_sql(sql, limit=None).rows
