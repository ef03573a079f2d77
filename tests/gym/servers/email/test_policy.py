import re

from eops_traj.gym.servers.email import SERVER
from eops_traj.gym.servers.email.query import FIELDS


def test_the_policy_is_as_long_as_a_real_one():
    assert len(SERVER.policy.split()) > 1_500


def test_the_policy_names_only_tools_and_values_that_exist():
    columns = [column for table in SERVER.schema.tables.values() for column in table.columns.values()]
    arguments = {argument for tool in SERVER.tools.values() for argument in tool.input_schema["properties"]}
    system = {"UNREAD", "INBOX", "STARRED", "SENT", "DRAFT"}
    known = {word for column in columns for word in (column.name, *column.enum)} | SERVER.tools.keys()
    known |= arguments | system | {"me", "OR", "nextPageToken", "resultSizeEstimate", "hasAttachment"}
    known |= {"unspecified", "Contracts", "Board"} | FIELDS
    assert set(re.findall(r"`(\w+)`", SERVER.policy)) <= known
    searched = re.findall(r"`([a-z_]+):\w*`", SERVER.policy)
    assert searched and set(searched) <= FIELDS


def test_what_the_policy_keeps_for_admins_the_tools_keep_for_them():
    kept = {name for name, tool in SERVER.tools.items() if tool.roles == {"admin"}}
    assert {name for name, tool in SERVER.tools.items() if tool.roles} == kept
    for word in (
        "delegate",
        "forwarding_address",
        "smime_config",
        "cse_identity",
        "cse_keypair",
        "send_as_alias",
    ):
        writes = [n for n in SERVER.tools if word in n and not re.search("get|list|patch|update", n)]
        assert writes and kept.issuperset(writes), word
