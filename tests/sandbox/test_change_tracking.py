"""A remote session of a server of ours records as an embedded one does, and repeats what was lost."""

import pytest

from eops_traj.errors import SandboxError
from eops_traj.gym import registry
from eops_traj.sandbox import change_tracking as module
from eops_traj.sandbox.change_tracking import ChangeTrackingSession, reports_changes
from eops_traj.sandbox.embedded import open_session
from eops_traj.sandbox.remote import open_remote
from tests.serving import served

CALLS = [
    ("find_user", {"name": "A B"}),
    ("update_case", {"case_id": 7, "reopen_count": 9}),
    ("update_case", {"case_id": 7, "state": "nope"}),
    ("update_case", {"case_id": 7, "reopen_count": 3}),
    ("register_new_interaction", {"case_id": 7, "channel": "phone", "status": "open", "handled_by": 1}),
]


@pytest.fixture(scope="module")
def url():
    with served(registry.server("csm")) as urls:
        yield urls["csm"]


@pytest.fixture
def session(url, admin):
    opened = open_remote({"sn-csm-server": url}, {"sn-csm-server": 0}, {"x-user-email": admin})
    yield ChangeTrackingSession(opened)
    opened.close()


def test_it_tells_what_each_call_changed(session, admin):
    with open_session({"csm": 0}, {"x-user-email": admin}) as embedded:
        for tool, arguments in CALLS:
            theirs, ours = session.call_tool(tool, arguments), embedded.call_tool(tool, arguments)
            assert (theirs.text, theirs.changes) == (ours.text, ours.changes), tool
        assert session.changed_rows() == embedded.changed_rows() and session.changed_rows()
        assert session.changes() == embedded.changes()
        assert session.owner("update_case") == embedded.owner("update_case") == "csm"
        assert session.owner("fly") is None


def test_a_tool_whose_name_hides_that_it_writes_tells_its_changes():
    with served(registry.server("drive")) as urls, open_remote(urls, {"drive": 0}) as remote:
        reply = ChangeTrackingSession(remote).call_tool("generate_files_Ids", {"count": 2})
        assert {change.table for change in reply.changes} == {"id_pool"} and len(reply.changes) == 2


def test_a_fork_records_from_where_it_stands(session):
    session.call_tool(*CALLS[1])
    fork = session.fork()
    assert len(fork.call_tool(*CALLS[3]).changes) == 1
    assert len(fork.changed_rows()) == len(session.changed_rows()) == 1
    fork.close()


@pytest.fixture
def losing(session, monkeypatch):
    """Lets the answers of so many calls be lost, before or after they took effect."""
    monkeypatch.setattr(module, "_PAUSES", (0.0, 0.0, None))
    call, left = session._session.call_tool, {}

    def lost(name, arguments):
        if left.get("times"):
            left["times"] -= 1
            if left["after"]:
                call(name, arguments)
            raise SandboxError("the answer is lost")
        return call(name, arguments)

    def lose(times, after):
        left.update(times=times, after=after)
        monkeypatch.setattr(session._session, "call_tool", lost)

    return lose


def test_a_write_that_had_no_effect_is_made_again(session, losing):
    losing(2, after=False)
    assert len(session.call_tool(*CALLS[1]).changes) == 1
    losing(3, after=False)
    with pytest.raises(SandboxError, match="lost"):
        session.call_tool(*CALLS[3])


def test_a_write_that_may_have_had_one_is_not(session, losing):
    losing(1, after=True)
    with pytest.raises(SandboxError, match="lost"):
        session.call_tool(*CALLS[1])


def test_servers_that_are_ours_tell_their_changes(url, monkeypatch):
    with open_remote({"csm": url}, {"csm": 0}) as remote:
        assert reports_changes(remote)
        monkeypatch.setattr(remote, "changeset", lambda server: None)
        assert not reports_changes(remote)
        monkeypatch.setattr(type(remote), "servers", ("somebody",))
        assert not reports_changes(remote)
