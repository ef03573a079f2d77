import json

import pytest

from eops_traj.gym.registry import server


@pytest.fixture
def itsm():
    return server("itsm")


@pytest.fixture
def database(itsm):
    opened = itsm.template().open()
    yield opened
    opened.close()


@pytest.fixture
def token(database):
    """The token of an active user of this role at home."""

    def find(role):
        query = f"SELECT static_token FROM users WHERE role = '{role}' AND active AND org_id = 'ORG_001'"
        return database.run_sql(f"{query} ORDER BY user_id").rows[0][0]

    return find


@pytest.fixture
def ask(itsm, database, token):
    """Call a tool as an admin; returns the reply."""
    admin = token("admin")
    return lambda name, /, **arguments: itsm.call(database, name, arguments, admin)


@pytest.fixture
def result_of(ask):
    """Call a tool as an admin; returns its result, parsed."""

    def call(name, /, **arguments):
        reply = ask(name, **arguments)
        assert not reply.is_error, reply.text
        return json.loads(reply.text)

    return call


@pytest.fixture
def refused(ask):
    """Call a tool as an admin that refuses; returns the code and the message."""

    def call(name, /, **arguments):
        reply = ask(name, **arguments)
        assert reply.is_error and not reply.changes, reply.text
        detail = json.loads(reply.text)["detail"]
        if isinstance(detail, list):
            return [(d["type"], d["loc"], d.get("ctx", {}).get("error_code")) for d in detail]
        return detail["error_code"], detail["message"]

    return call


@pytest.fixture
def one(database):
    """The single value of a query on the same database."""
    return lambda sql: database.run_sql(sql).rows[0][0]
