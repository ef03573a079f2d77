"""A fleet on a stand-in for the Docker engine, whose containers are real processes of our gym."""

import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from eops_traj.errors import FormatError, InputError, SandboxError, UnknownName
from eops_traj.gym import registry
from eops_traj.sandbox import docker, mcp_client
from eops_traj.sandbox.container_pool import ContainerPool
from eops_traj.sandbox.docker import FLEET, OWNER, connect, process_label
from eops_traj.sandbox.embedded import open_session
from eops_traj.sandbox.fleet import Fleet, FleetSettings
from eops_traj.sandbox.images import BENCHMARK_IMAGES, ServerImage
from eops_traj.sandbox.remote import open_remote
from eops_traj.sandbox.session import Session
from tests.sandbox.docker_stand_in import DockerStandIn, digest, engine

KINDS = ("gym", "leaky", "changing", "deaf", "dud", "cannot-start")
CSM = {"csm": 0}
OWNED_ELSEWHERE = """
import sys, time
from eops_traj.sandbox.fleet import Fleet, FleetSettings
settings = FleetSettings.model_validate_json(sys.argv[1])
fleet = Fleet(settings)
fleet.open({"csm": 0})
print("up", flush=True)
time.sleep(float(sys.argv[2]))
"""


@pytest.fixture
def served() -> Iterator[DockerStandIn]:
    """The engine; the path of a socket has to be short."""
    names = {f"{kind}/{server}" for kind in KINDS for server in ("csm", "itsm")}
    with tempfile.TemporaryDirectory(prefix="eops-") as folder, engine(Path(folder), names) as running:
        yield running


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wire does not try for long, and a container is looked at often."""
    monkeypatch.setattr(mcp_client, "_PAUSES", (0.05, None))
    monkeypatch.setattr(docker, "_POLL", 0.02)


def settings(served: DockerStandIn, kind: str = "gym", **more: object) -> FleetSettings:
    images = {
        name: ServerImage(image=f"{kind}/{name}@{digest(f'{kind}/{name}')}") for name in ("csm", "itsm")
    }
    return FleetSettings.model_validate({"images": images, "docker_host": served.url, **more})


def fleet(served: DockerStandIn, kind: str = "gym", **more: object) -> Fleet:
    return Fleet(settings(served, kind, **more))


def test_a_session_is_one_of_the_embedded_gym_on_both_servers(served: DockerStandIn, admin: str) -> None:
    seeds, headers = {"sn-csm-server": 0, "itsm": 5}, {"x-user-email": admin}
    with fleet(served) as tools, tools.open(seeds, headers) as session:
        kept: Session = session
        with open_session({"csm": 0, "itsm": 5}, headers) as embedded:
            assert kept.list_tools() == embedded.list_tools()
            call = ("update_case", {"case_id": 7, "reopen_count": 9})
            assert session.call_tool(*call).text == embedded.call_tool(*call).text
            assert session.changes() == embedded.changes()
        with session.fork() as fork:
            assert fork.changes() == session.changes()
        assert tools.facts()["csm"]["image"] == f"gym/csm@{digest('gym/csm')}"
    assert served.containers == {}


def test_an_image_is_pulled_by_its_digest_once(served: DockerStandIn) -> None:
    tagged = {"csm": ServerImage(image="gym/csm:latest")}
    for _ in range(2):
        with Fleet(FleetSettings(images=tagged, docker_host=served.url)) as tools:
            tools.open(CSM).close()
            assert tools.facts()["csm"]["image"] == f"gym/csm@{digest('gym/csm')}"
    assert served.asked.count("POST /images/create") == 1
    assert [c.body["Image"] for c in served.created] == [f"gym/csm@{digest('gym/csm')}"] * 2


@pytest.mark.parametrize("image", ["gym/nope:latest", f"gym/nope@{digest('gym/nope')}"])
def test_an_image_that_is_not_to_be_had_is_an_input_error(served: DockerStandIn, image: str) -> None:
    with Fleet(FleetSettings(images={"csm": ServerImage(image=image)}, docker_host=served.url)) as tools:
        with pytest.raises(InputError, match=f"no image '{re.escape(image)}': .*"):
            tools.start(CSM)
        with pytest.raises(UnknownName, match=r"unknown server 'sap'; choose from calendar, csm"):
            tools.start(["sap"])


def test_no_engine_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no Docker engine answers at unix://.*nobody\.sock"):
        connect(f"unix://{tmp_path}/nobody.sock")


def test_containers_are_published_on_loopback_only_and_labelled(served: DockerStandIn) -> None:
    with fleet(served, open_files=500) as tools:
        tools.open(CSM).close()
        [made] = served.created
        assert made.body["HostConfig"]["PortBindings"]["8005/tcp"][0]["HostIp"] == "127.0.0.1"
        assert made.body["HostConfig"]["SecurityOpt"] == ["no-new-privileges:true"]
        assert made.body["Labels"][OWNER] == process_label() and made.body["Labels"][FLEET]
        assert made.body["HostConfig"]["Ulimits"] == [{"Name": "nofile", "Soft": 500, "Hard": 500}]


def test_sessions_spread_over_containers_and_wait_for_room(served: DockerStandIn) -> None:
    with fleet(served, containers=2, sessions_at_once=1) as tools, ThreadPoolExecutor(1) as thread:
        first, second = tools.open(CSM), tools.open(CSM)
        assert len(served.running()) == 2
        third = thread.submit(tools.open, CSM)
        time.sleep(0.2)
        assert not third.done()
        first.close()
        third.result(120).close()
        second.close()
        assert len(served.created) == 2


def test_a_leaking_server_dies_alone_and_a_fleet_replaces_it_before(served: DockerStandIn) -> None:
    with fleet(served, "leaky", open_files=100, sessions_in_all=6) as tools:
        for _ in range(20):
            with tools.open(CSM) as session:
                assert session.run_sql("csm", "SELECT 1 AS one").rows == ((1,),)
            assert len(served.running()) <= 2
        assert len(served.created) in (4, 5)
        left = {"csm": f"http://127.0.0.1:{served.running()[-1].port}"}
        with pytest.raises(SandboxError):
            for _ in range(30):
                open_remote(left, CSM, timeout=2).close()


def test_a_container_that_dies_fails_its_session_and_not_the_next(served: DockerStandIn) -> None:
    with fleet(served) as tools:
        with tools.open(CSM) as session:
            served.created[0].end()
            with pytest.raises(SandboxError, match="csm: "):
                session.call_tool("list_users", {})
        with tools.open(CSM) as session:
            assert not session.call_tool("list_users", {}).is_error
        served.created[1].end()
        with tools.open(CSM) as session:  # nobody had noticed
            assert not session.call_tool("list_users", {}).is_error
        assert len(served.created) == 3 and len(served.containers) == 1


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (
            "dud",
            r"(?s)csm: its container is exited and does not answer .*; its log ends:.*nothing to run in dud",
        ),
        ("deaf", r"csm: its container is running and does not answer"),
        ("cannot-start", r"csm: cannot-start/csm@sha256:\w+ does not start: .*exec: not found"),
    ],
)
def test_a_container_that_does_not_come_up_says_why(served: DockerStandIn, kind: str, message: str) -> None:
    with fleet(served, kind, ready_seconds=0.5 if kind == "deaf" else 60) as tools:
        with pytest.raises(SandboxError, match=message):  # one that ended is not waited for
            tools.open(CSM)
        assert served.containers == {}


def test_why_a_container_did_not_start_is_told_where_it_cannot_be_removed_either(
    served: DockerStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stuck(*_: object) -> None:
        raise SandboxError("cannot remove container")

    with fleet(served, "cannot-start") as tools:
        with monkeypatch.context() as patched, pytest.raises(SandboxError, match="exec: not found"):
            patched.setattr(docker, "_remove", stuck)
            tools.open(CSM)
        assert len(served.containers) >= 1
    assert served.containers == {}


def test_a_seed_that_is_refused_is_not_the_containers_fault(served: DockerStandIn) -> None:
    with fleet(served) as tools:
        with pytest.raises(FormatError, match="csm: "):
            tools.open({"csm": "INSERT INTO nobody VALUES (1);"})
        tools.open(CSM).close()
        assert len(served.created) == 1


def test_a_seed_has_one_fingerprint_on_every_container(served: DockerStandIn) -> None:
    with fleet(served, containers=2, sessions_at_once=1) as tools, tools.open(CSM), tools.open(CSM):
        assert len(served.created) == 2 and len(tools.facts()["csm"]["fingerprints"]) == 1
    changing = fleet(served, "changing", containers=2, sessions_at_once=1)
    other = pytest.raises(SandboxError, match="csm: a seed gave another database than before")
    with changing as tools, tools.open(CSM), other:
        tools.open(CSM)


def test_closing_does_not_wait_for_what_never_comes(served: DockerStandIn) -> None:
    tools = fleet(served, "deaf")
    with ThreadPoolExecutor(1) as thread:
        waiting = thread.submit(tools.open, CSM)
        while not served.running():
            time.sleep(0.02)
        tools.close()
        with pytest.raises(SandboxError):
            waiting.result(120)
    tools.close()
    assert served.containers == {}


def test_a_server_may_be_added_while_the_fleet_closes(
    served: DockerStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools, close = fleet(served), ContainerPool.close
    tools.start(CSM)

    def adding(pool: ContainerPool) -> None:
        tools._server("itsm")
        close(pool)

    monkeypatch.setattr(ContainerPool, "close", adding)
    tools.close()
    assert served.containers == {} and tools.facts().keys() == {"csm", "itsm"}


def test_an_engine_that_goes_away_is_the_sandboxs_failure(served: DockerStandIn) -> None:
    tools = fleet(served, sessions_in_all=1)
    tools.open(CSM).close()
    served.shutdown()
    served.server_close()
    served.path.unlink()
    with pytest.raises(SandboxError, match="csm: "):
        for _ in range(3):
            tools.open(CSM).close()
    tools.close()


def started_elsewhere(served: DockerStandIn, seconds: float) -> subprocess.Popen[str]:
    """Another process with a fleet of its own, which is up."""
    told = [sys.executable, "-c", OWNED_ELSEWHERE, settings(served).model_dump_json(), str(seconds)]
    other = subprocess.Popen(told, stdout=subprocess.PIPE, text=True)
    assert other.stdout and other.stdout.readline() == "up\n"
    return other


def test_what_a_killed_run_left_is_removed_by_the_next_and_what_runs_is_not(served: DockerStandIn) -> None:
    killed, alive = started_elsewhere(served, 600), started_elsewhere(served, 600)
    killed.kill()
    killed.wait()
    assert len(served.running()) == 2
    with fleet(served):
        assert len(served.running()) == 1
    alive.send_signal(signal.SIGINT)
    alive.wait(120)
    assert served.containers == {}


def test_a_process_that_ends_without_closing_leaves_nothing(served: DockerStandIn) -> None:
    assert started_elsewhere(served, 0).wait(120) == 0
    assert len(served.created) == 1 and served.containers == {}


def test_the_benchmarks_images_are_named_by_digest_one_for_every_server() -> None:
    assert set(BENCHMARK_IMAGES) == set(registry.SERVERS)
    pinned = re.compile(r"docker\.io/[a-z0-9]+/enterpriseops-gym-mcp-(\w+)@sha256:[0-9a-f]{64}")
    for server, image in BENCHMARK_IMAGES.items():
        found = pinned.fullmatch(image.image)
        assert found and found[1] == server and image.port == (8003 if server == "calendar" else 8005)
