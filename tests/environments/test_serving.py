"""What a served environment promises whoever reaches it, over real HTTP and real WebSockets."""

import httpx
import pytest

from eops_traj.cli.main import main
from eops_traj.environments.serving import Address, bind, check_kind
from eops_traj.errors import InputError, UnknownName
from eops_traj.gym.http.sockets import listen
from tests.collectors.group_tasks import TASK
from tests.environments.serving import served_environment
from tests.waiting import PATIENCE, eventually


def post(url: str, body: dict[str, str], headers: dict[str, str] | None = None) -> httpx.Response:
    return httpx.post(url, json=body, headers=headers, timeout=PATIENCE)


def test_a_page_of_another_site_reaches_nothing() -> None:
    from websockets.exceptions import InvalidStatus
    from websockets.sync.client import connect

    with served_environment("openenv", TASK) as (url, service):
        for headers, status in (({"host": "evil.example"}, 421), ({"origin": "http://evil.example"}, 403)):
            assert post(f"{url}/reset", {}, headers).status_code == status
        address = url.replace("http", "ws") + "/ws"
        with pytest.raises(InvalidStatus, match="403"), connect(address, origin="http://evil.example"):
            pass
        assert len(service.pool) == 0
        assert post(f"{url}/reset", {}).status_code == 200


def test_a_client_that_is_cut_off_leaves_nothing_open() -> None:
    from websockets.sync.client import connect

    with (
        served_environment("openenv", TASK) as (url, service),
        connect(url.replace("http", "ws") + "/ws") as socket,
    ):
        socket.send('{"type": "reset", "data": {}}')
        socket.recv()
        assert len(service.pool) == 1
        socket.socket.shutdown(2)  # as a process that was killed leaves it: with no closing message
        assert eventually(lambda: len(service.pool) == 0)


def test_a_body_over_the_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from eops_traj.environments import guard

    monkeypatch.setattr(guard, "BODY_BYTES", 100)
    with served_environment("nemo-gym", TASK) as (url, _):
        refused = post(f"{url}/verify", {"response": "x" * 200})
        assert refused.status_code == 413 and refused.json()["detail"] == "a body has at most 100 bytes"


def test_stopping_closes_every_episode() -> None:
    with served_environment("nemo-gym", TASK) as (url, service):
        post(f"{url}/seed_session", {"task_id": TASK.task_id}).raise_for_status()
        assert len(service.pool) == 1
    assert len(service.pool) == 0


def test_a_taken_port_and_an_unknown_kind_are_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    taken = listen("127.0.0.1", {"x": 0})["x"]
    with pytest.raises(InputError, match="cannot listen on 127"):
        bind(Address(port=taken.getsockname()[1]))
    taken.close()
    with pytest.raises(UnknownName, match="unknown kind 'gymnasium'; choose from nemo-gym, openenv"):
        check_kind("gymnasium")
    with pytest.raises(SystemExit) as stopped:
        main(["gym", "env", "nowhere", "--kind", "verifiers"])
    assert stopped.value.code == 2 and "verifiers needs no server" in capsys.readouterr().err
