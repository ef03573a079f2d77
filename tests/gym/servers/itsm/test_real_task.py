"""The benchmark's own ITSM task, on its own seed: the verifiers tell the right calls from half of them."""

import json

import pytest

from eops_traj.sandbox.embedded import open_session
from eops_traj.tasks import load_task
from eops_traj.verify.verifiers import verify

UPDATE = ("update_incident", {"incident_id": "INC_003", "impact": "high", "priority": "high"})
LINK = (
    "link_new_incident_sla",
    {"incident_id": "INC_003", "sla_def_id": "SLA_002", "start_time": "2026-01-05T09:00:00Z"},
)


@pytest.fixture
def task(shared):
    (path,) = (shared / "eog/tasks").glob("*e6427839_47076c15.json")
    return load_task(path)


@pytest.fixture
def session(task, shared):
    (server,) = task.servers
    seed = (shared / "eog/seeds" / server.seed.rpartition("/")[2]).read_text()
    with open_session({server.name: seed}, json.loads(server.context)) as opened:
        yield opened


def verdicts(task, session):
    outcomes = verify(
        task.verifiers, session, "", [], servers=[server.name for server in task.servers], request=""
    )
    return [(v.passed_parity, v.passed_strict) for v in outcomes]


@pytest.mark.parametrize(
    ("calls", "passed"),
    [
        ([], [(False, False)] * 2),
        ([UPDATE], [(True, True), (False, False)]),
        ([LINK], [(False, False), (True, True)]),
        ([UPDATE, LINK], [(True, True)] * 2),
    ],
)
def test_each_write_is_needed_and_both_are_enough(task, session, calls, passed):
    incident = json.loads(session.call_tool("find_incident_by_number", {"number": "INC0000003"}).text)
    assert (incident["incident_id"], incident["urgency"]) == ("INC_003", "medium")
    for name, arguments in calls:
        reply = session.call_tool(name, arguments)
        assert not reply.is_error, reply.text
    assert verdicts(task, session) == passed


def test_the_seed_loads_as_it_is(session):
    counts = {"incident": 23, "incident_sla": 10, "users": 10, "permission": 36, "role_permission": 72}
    for table, count in counts.items():
        assert session.run_sql("gym-itsm-mcp", f"SELECT count(*) FROM {table}").rows == ((count,),)


def test_ids_and_numbers_go_on_from_the_seed(session):
    created = json.loads(
        session.call_tool("create_incident", {"caller_id": "USER_010", "short_description": "x"}).text
    )
    assert (created["incident_id"], created["number"]) == ("INC_024", "INC-000024")
    org = session.run_sql("itsm", "SELECT org_id FROM incident WHERE incident_id = 'INC_024'").rows
    assert org == (("ORG_002",),)  # the caller's, not that of whoever writes it down
    change = {"short_description": "x", "status": "new", "impact": "low", "risk": "low", "priority": "low"}
    created = json.loads(session.call_tool("create_change", change).text)
    assert (created["change_id"], created["number"], created["requested_by"]) == (
        "CHG_004",
        "CHG0000003",
        "USER_001",
    )


def test_a_seed_may_hold_what_no_tool_takes():
    text = (
        "INSERT INTO organization (org_id, name, active) VALUES ('ORG_1', 'A', 1);"
        "INSERT INTO change (change_id, number, short_description, requested_by, org_id, status, category,"
        " impact, priority, risk) VALUES ('CHG_001', 'C', 'x', 'U', 'ORG_1', 'new', 'database', 'low',"
        " 'medium', 'low');"
    )
    with open_session({"itsm": text}) as session:
        reply = session.call_tool("update_change", {"change_id": "CHG_001", "status": "assess"})
        assert json.loads(reply.text)["priority"] == "medium"
