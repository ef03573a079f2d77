import json

import pytest


@pytest.fixture
def ask(csm, database, admin):
    """Call a tool as an admin; returns the reply."""

    def call(name, /, **arguments):
        return csm.call(database, name, arguments, admin)

    return call


@pytest.fixture
def result_of(ask):
    """Call a tool as an admin; returns its result, parsed."""

    def call(name, /, **arguments):
        reply = ask(name, **arguments)
        assert not reply.is_error, reply.text
        return json.loads(reply.text)

    return call


@pytest.fixture
def rows(database):
    """The rows of a query on the same database."""
    return lambda sql: database.run_sql(sql, limit=None).rows
