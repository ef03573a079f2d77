import json
from dataclasses import replace

import pytest

from eops_traj.errors import UnknownName
from eops_traj.gym.registry import server
from eops_traj.sandbox.embedded import EmbeddedSession, open_session


@pytest.fixture
def session(admin):
    with open_session({"csm": 0}, {"X-User-Email": admin}) as opened:
        yield opened


def test_tools_are_listed_and_routed(session, admin):
    assert "find_user" in [tool["name"] for tool in session.list_tools()]
    assert not session.call_tool("find_user_by_email", {"email": admin}).is_error


@pytest.mark.parametrize("header", ["x-user-email", "X-User-Email"])
def test_a_servers_header_is_read_however_it_is_written(header, admin):
    csm = server("csm")
    own = replace(csm, identity=replace(csm.identity, header=header))
    for caller, refused in ((admin, False), ("nobody@x.example", True)):
        databases = {"csm": (own, own.template().open())}
        with EmbeddedSession(databases, {"X-USER-Email": caller}, strict_permissions=False) as opened:
            assert opened.call_tool("find_user_by_email", {"email": admin}).is_error == refused


def test_an_unknown_tool_is_a_refusal_and_an_unknown_server_an_error(session):
    assert session.call_tool("fly", {}).text == "Unknown tool: fly"
    with pytest.raises(UnknownName):
        session.run_sql("nope", "SELECT 1")


def test_servers_answer_to_both_names(session):
    query = "SELECT count(*) FROM account"
    assert session.run_sql("sn-csm-server", query).rows == session.run_sql("csm", query).rows


def test_a_fork_starts_where_the_session_is(session):
    session.call_tool("update_case", {"case_id": 1, "reopen_count": 9})
    fork = session.fork()
    fork.call_tool("update_case", {"case_id": 2, "reopen_count": 9})
    assert [len(s.changed_rows()) for s in (session, fork)] == [1, 2]
    assert fork.changes()["csm"] != session.changes()["csm"]


def test_a_session_starts_from_sql_text():
    seed = "INSERT INTO user VALUES (5, 'A', 'B', 'a@b', NULL, 'agent', NULL, 1, '', '');"
    with open_session({"sn-csm-server": seed}, {"x-user-email": "a@b"}) as session:
        assert '"user_id": 5' in session.call_tool("find_user", {"name": "A B"}).text


def test_strict_permissions_are_a_switch(agent):
    with open_session({"csm": 0}, {"x-user-email": agent}, strict_permissions=True) as session:
        assert "may not use delete_case_slas" in session.call_tool("delete_case_slas", {"case_id": 1}).text
        assert not session.call_tool("list_users", {}).is_error


def test_a_hybrid_session_gives_one_list_of_changes():
    seeds = dict.fromkeys(("itsm", "hr", "teams", "drive", "email", "calendar"), 0)
    with open_session(seeds) as session:
        session.call_tool("update_incident", {"incident_id": "INC_002", "impact": "low"})
        session.call_tool("create_label", {"userId": "me", "name": "Onboarding"})
        changes = session.changed_rows()
    changed = {(c.server, c.table) for c in changes}
    assert changed >= {("gym-itsm-mcp", "incident"), ("gym-email-mcp", "labels")}
    update = next(c for c in changes if c.table == "incident")
    assert json.loads(update.key) == {"incident_id": "INC_002"}
    assert json.loads(update.before or "")["impact"] == "high"
    assert json.loads(update.after or "")["impact"] == "low"


def test_quirks_are_repeated_only_where_they_are_asked_for():
    start = {"dateTime": "2026-02-02T10:00:00", "timeZone": "UTC"}
    end = start | {"dateTime": "2026-02-02T11:00:00"}
    town_hall = {"displayName": "All hands", "startDateTime": start, "endDateTime": end}
    town_hall |= {"description": {"contentType": "text", "content": "News."}, "audience": "organization"}
    for quirks, refused in ((), False), (["townhall_reply"], True):
        with open_session({"teams": 0}, quirks=quirks) as session:
            reply = session.call_tool("create_virtual_event_townhall", town_hall)
            assert reply.is_error is refused and reply.changes, reply.text
    with pytest.raises(UnknownName, match="empty_team, townhall_reply"):
        open_session({"teams": 0}, quirks=["nope"])
