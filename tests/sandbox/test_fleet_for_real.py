"""A fleet on a real Docker engine, with the image of our own gym (``docker/Dockerfile``).

``EOPS_TRAJ_GYM_IMAGE`` names that image as the engine knows it; the engine is the one of ``DOCKER_HOST``.
"""

import os
import signal
import subprocess
import sys
from typing import Any

import pytest

from eops_traj.errors import SandboxError
from eops_traj.sandbox.docker import SERVER, connect
from eops_traj.sandbox.embedded import open_session
from eops_traj.sandbox.fleet import Fleet, FleetSettings
from eops_traj.sandbox.images import ServerImage
from tests.sandbox.test_fleet import CSM, OWNED_ELSEWHERE

IMAGE = "EOPS_TRAJ_GYM_IMAGE"

pytestmark = [
    pytest.mark.docker,
    pytest.mark.skipif(IMAGE not in os.environ, reason=f"{IMAGE} names no image of the gym"),
]


def settings(**more: Any) -> FleetSettings:
    def image(server: str) -> ServerImage:
        return ServerImage(image=os.environ[IMAGE], command=("--server", server, "--port", "8005"))

    return FleetSettings(images={server: image(server) for server in ("csm", "itsm")}, **more)


def containers() -> list[Any]:
    """The containers of every fleet, whatever their state."""
    client = connect()
    try:
        return client.containers.list(all=True, filters={"label": SERVER})
    finally:
        client.close()


def test_sessions_are_those_of_the_embedded_gym_and_nothing_is_left(admin: str) -> None:
    seeds, headers = {"csm": 0, "itsm": 5}, {"x-user-email": admin}
    with Fleet(settings()) as fleet, fleet.open(seeds, headers) as session:
        with open_session(seeds, headers) as embedded:
            call = ("update_case", {"case_id": 7, "reopen_count": 9})
            assert session.call_tool(*call).text == embedded.call_tool(*call).text
            assert session.changes() == embedded.changes()
            assert session.list_tools() == embedded.list_tools()
        for found in containers():
            [published] = filter(None, found.ports.values())
            assert [binding["HostIp"] for binding in published] == ["127.0.0.1"]
    assert containers() == []


def test_worn_and_killed_containers_are_replaced() -> None:
    with Fleet(settings(sessions_in_all=2)) as fleet:
        seen = set()
        for _ in range(5):
            with fleet.open(CSM):
                seen |= {found.id for found in containers()}
        assert len(seen) >= 3
        with fleet.open(CSM) as session:
            for found in containers():
                found.kill()
            with pytest.raises(SandboxError, match="csm: "):
                session.call_tool("list_users", {})
        with fleet.open(CSM) as session:
            assert not session.call_tool("list_users", {}).is_error
    assert containers() == []


def test_what_a_killed_run_left_is_removed_by_the_next() -> None:
    told = [sys.executable, "-c", OWNED_ELSEWHERE, settings().model_dump_json(), "60"]
    with subprocess.Popen(told, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout and other.stdout.readline() == "up\n"
        other.send_signal(signal.SIGKILL)
    assert len(containers()) == 1
    with Fleet(settings()):
        assert containers() == []


def test_a_container_that_ends_says_why() -> None:
    wrong = {"csm": ServerImage(image=os.environ[IMAGE], command=("--server", "nope"))}
    told = pytest.raises(SandboxError, match=r"(?s)csm: its container is exited .*unknown server 'nope'")
    with Fleet(FleetSettings(images=wrong)) as fleet, told:
        fleet.open(CSM)
    assert containers() == []
