import re
from itertools import pairwise

import pytest

ROLES = {"customer": 7, "agent": 62, "manager": 68, "admin": 89}


def tools_of(csm, role):
    return {name for name, tool in csm.tools.items() if not tool.roles or role in tool.roles}


def test_the_policy_is_as_long_as_a_real_one_and_names_only_what_exists(csm):
    assert len(csm.policy.split()) > 1_500
    columns = [c for t in csm.schema.tables.values() for c in t.columns.values()]
    known = {word for c in columns for word in (c.name, *c.enum)} | csm.tools.keys()
    assert set(re.findall(r"`(\w+)`", csm.policy)) <= known


def test_the_policy_lists_every_enumeration_in_full(csm):
    lists = csm.policy.split("## 13.")[1].replace("\n", " ")
    for table in csm.schema.tables.values():
        for column in table.columns.values():
            missing = [
                word for word in column.enum if word not in lists and word not in ("success", "failed")
            ]
            assert not missing, (column.name, missing)


def test_each_role_may_do_what_the_one_below_may(csm):
    allowed = [tools_of(csm, role) for role in ROLES]
    assert all(less < more for less, more in pairwise(allowed))
    assert {role: len(tools_of(csm, role)) for role in ROLES} == ROLES


def test_customers_only_read_and_only_the_catalogue(csm):
    for name in tools_of(csm, "customer"):
        assert csm.tools[name].table.name in ("product", "sla_definition", "knowledge")
        assert csm.tools[name].statement is None or not csm.tools[name].statement.writes


@pytest.mark.parametrize("role", ["customer", "agent", "manager"])
def test_what_a_role_may_not_do_is_refused_when_permissions_are_strict(csm, database, role):
    who = database.run_sql(f"SELECT email FROM user WHERE role = '{role}' AND active").rows[0][0]
    barred = csm.tools.keys() - tools_of(csm, role)
    for name in barred:
        reply = csm.call(database, name, {}, who, strict_permissions=True)
        assert (reply.text, reply.is_error) == (f"API Error [{name}]: role '{role}' may not use {name}", True)
    assert not csm.call(database, "find_sla_definitions", {}, who, strict_permissions=True).is_error
