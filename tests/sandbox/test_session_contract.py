"""Every kind of session keeps the protocol: what one does by an agent's calls, every other does too."""

from collections.abc import Iterator
from inspect import signature
from typing import TYPE_CHECKING

import pytest

from eops_traj.errors import UnknownName
from eops_traj.gym import registry
from eops_traj.sandbox.change_tracking import ChangeTrackingSession
from eops_traj.sandbox.embedded import open_session
from eops_traj.sandbox.remembering import RememberingSession, State
from eops_traj.sandbox.remote import open_remote
from eops_traj.sandbox.session import Session
from tests.serving import served

KINDS = ("embedded", "remote", "change_tracking", "remembering")
METHODS = [name for name, member in vars(Session).items() if callable(member) and not name.startswith("_")]
COUNT = "SELECT count(*) FROM customer_case WHERE reopen_count = 9"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A served tool server."""
    with served(registry.server("csm")) as urls:
        yield urls["csm"]


@pytest.fixture(params=KINDS)
def session(request: pytest.FixtureRequest, admin: str) -> Iterator[Session]:
    """A session of each kind on the default company, for an admin."""
    headers = {"x-user-email": admin}
    if request.param == "embedded":
        opened: Session = open_session({"csm": 0}, headers)
    elif request.param == "remembering":
        server = registry.server("csm")
        opened = RememberingSession({"csm": State(server, server.template(0).open)}, headers)
    else:
        url = request.getfixturevalue("url")
        opened = open_remote({"sn-csm-server": url}, {"sn-csm-server": 0}, headers)
        opened = ChangeTrackingSession(opened) if request.param == "change_tracking" else opened
    yield opened
    opened.close()


def test_its_methods_are_called_as_the_protocol_says(session: Session) -> None:
    for name in METHODS:
        assert [*signature(getattr(session, name)).parameters] == [
            *signature(getattr(Session, name)).parameters
        ][1:], name


def test_tools_are_listed_once_with_their_owner_and_another_name_is_the_agents_mistake(
    session: Session,
) -> None:
    names, server = [tool["name"] for tool in session.list_tools()], registry.server("csm")
    assert sorted(names) == sorted(server.tools)
    assert {session.owner(name) for name in names} <= {server.name, server.gym_name}
    assert session.owner("fly") is None
    assert session.call_tool("fly", {}).is_error and session.call_tool("update_case", {}).is_error
    with pytest.raises(UnknownName):
        session.run_sql("nope", "SELECT 1")


def test_a_write_shows_in_its_own_rows_and_changes_and_in_no_fork_from_before(session: Session) -> None:
    before = session.fork()
    assert not session.call_tool("update_case", {"case_id": 1, "reopen_count": 9}).is_error
    after = session.fork()
    after.call_tool("update_case", {"case_id": 2, "reopen_count": 9})
    counts = [one.run_sql("sn-csm-server", COUNT).rows[0][0] for one in (before, session, after)]
    assert [count - counts[0] for count in counts] == [0, 1, 2]
    assert len({bytes(next(iter(one.changes().values()), b"")) for one in (before, session, after)}) == 3
    for fork in (before, after):
        fork.close()


if TYPE_CHECKING:  # mypy says where a class leaves the protocol
    from eops_traj.sandbox.embedded import EmbeddedSession
    from eops_traj.sandbox.remote import RemoteSession

    KEEPERS: tuple[type[Session], ...] = (
        EmbeddedSession, RemoteSession, ChangeTrackingSession, RememberingSession
    )  # fmt: skip
