"""The gym speaks OpenEnv's protocol: over WebSockets, over plain HTTP, and its JSON-RPC."""

import asyncio
import contextlib
import json
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient, WebSocketTestSession

from eops_traj.environments.openenv_mcp import INVALID_PARAMS, NO_METHOD, McpSessions
from eops_traj.environments.pool import PoolLimits
from eops_traj.environments.served_tasks import ServedTasks
from eops_traj.environments.service import GymService
from eops_traj.environments.serving import make_app
from tests.collectors.group_tasks import JOINED, TASK, TWIN
from tests.environments.cases import CASES, DONE, JOIN, Case
from tests.waiting import eventually

Frame = dict[str, Any]
WS = "ws://localhost/ws"


@contextlib.contextmanager
def client(**limits: Any) -> Iterator[tuple[TestClient, GymService]]:
    service = GymService(ServedTasks([TASK, TWIN]), PoolLimits(**limits))
    with TestClient(make_app("openenv", service), base_url="http://localhost") as opened:
        yield opened, service


def sent(socket: WebSocketTestSession, kind: str, **data: Any) -> Frame:
    socket.send_json({"type": kind, "data": data})
    return socket.receive_json()


def call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"type": "call_tool", "tool_name": name, "arguments": arguments}


def play(socket: WebSocketTestSession, case: Case) -> Frame:
    assert sent(socket, "reset", task_id=case.task_id)["type"] == "observation"
    for name, arguments in case.calls:
        observed = sent(socket, "step", **call(name, arguments))["data"]
        assert (observed["reward"], observed["done"], observed["metadata"]["is_error"]) == (0.0, False, False)
    return sent(socket, "step", type="answer", text=case.reply)["data"]


def test_every_case_is_worth_what_it_is_worth_one_after_another() -> None:
    with client() as (http, service), http.websocket_connect(WS) as socket:
        for case in CASES:
            end = play(socket, case)
            assert (end["reward"], end["done"], end["observation"]["label"]) == (
                case.reward,
                True,
                case.label,
            )
            assert sent(socket, "state")["data"]["label"] == case.label and len(service.pool) == 0


def test_a_reset_shows_the_request_and_the_tools_and_no_more() -> None:
    with client() as (http, _), http.websocket_connect(WS) as socket:
        frame = sent(socket, "reset", task_id=TASK.task_id, trainer="unknown words are not looked at")
        seen = frame["data"]["observation"]
        assert [message["role"] for message in seen["messages"]] == ["system", "user"]
        assert seen["messages"][1]["content"] == TASK.user_prompt
        assert {tool["function"]["name"] for tool in seen["functions"]} == set(TASK.tools)
        assert (frame["data"]["reward"], frame["data"]["done"]) == (None, False)
        assert JOINED not in json.dumps(frame) and "require(" not in json.dumps(frame)
        listed = sent(socket, "step", type="list_tools")["data"]["observation"]["tools"]
        assert [tool["name"] for tool in listed] == [t["function"]["name"] for t in seen["functions"]]


def test_a_message_of_bytes_is_refused_and_the_session_goes_on() -> None:
    with client() as (http, _), http.websocket_connect(WS) as socket:
        socket.send_bytes(b"{}")
        assert socket.receive_json()["data"]["code"] == "INVALID_JSON"
        assert sent(socket, "state")["type"] == "state"


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ({"type": "step", "data": {"type": "answer", "text": "x"}}, "EXECUTION_ERROR"),
        ({"type": "reset", "data": {"task_id": "leave"}}, "EXECUTION_ERROR"),
        ({"type": "reset", "data": 3}, "VALIDATION_ERROR"),
        ({"type": "dance"}, "UNKNOWN_TYPE"),
        ([1, 2], "INVALID_JSON"),
    ],
)
def test_what_goes_wrong_is_an_answer_and_the_session_goes_on(message: Any, code: str) -> None:
    with client() as (http, _), http.websocket_connect(WS) as socket:
        socket.send_json(message)
        assert socket.receive_json()["data"]["code"] == code
        assert play(socket, CASES[0])["reward"] == 1.0


def test_an_action_that_does_not_parse_changes_nothing() -> None:
    with client() as (http, _), http.websocket_connect(WS) as socket:
        sent(socket, "reset", index=0)
        for wrong in ({"type": "fly"}, {"type": "call_tool"}, {"type": "answer", "text": "x", "extra": 1}):
            assert sent(socket, "step", **wrong)["data"]["code"] == "VALIDATION_ERROR"
        assert sent(socket, "state")["data"]["step_count"] == 0


def test_an_episode_is_closed_when_its_client_goes_away() -> None:
    with client() as (http, service):
        with http.websocket_connect(WS) as socket:
            sent(socket, "reset", index=0)
            assert len(service.pool) == 1
        assert eventually(lambda: len(service.pool) == 0)


def test_a_reset_closes_the_episode_before() -> None:
    with client(episodes=1) as (http, service), http.websocket_connect(WS) as socket:
        for _ in range(3):
            assert sent(socket, "reset", index=0)["type"] == "observation"
        assert len(service.pool) == 1


def test_over_the_limit_a_client_is_told_and_may_ask_again() -> None:
    with (
        client(episodes=1) as (http, _),
        http.websocket_connect(WS) as late,
        http.websocket_connect(WS) as early,
    ):
        sent(early, "reset", index=0)
        refused = sent(late, "reset", index=0)["data"]
        assert refused["code"] == "CAPACITY_REACHED" and refused["max_sessions"] == 1
        assert "1 episodes are open, which is the limit" in refused["message"]
        sent(early, "step", type="answer", text=DONE)
        assert sent(late, "reset", index=0)["type"] == "observation"


def test_over_plain_http_an_episode_goes_by_its_id() -> None:
    with client() as (http, _):
        case = CASES[0]
        begun = http.post("/reset", json={"task_id": case.task_id}).json()
        named = {"episode_id": begun["metadata"]["episode_id"]}
        for name, arguments in case.calls:
            http.post("/step", json={"action": call(name, arguments), **named}).raise_for_status()
        assert http.get("/state", params=named).json()["step_count"] == len(case.calls)
        end = http.post("/step", json={"action": {"type": "answer", "text": case.reply}, **named}).json()
        assert (end["reward"], end["done"]) == (1.0, True)
        assert http.get("/state", params=named).json()["label"] == "success"
        assert http.post("/step", json={"action": {"type": "list_tools"}, **named}).status_code == 409


def test_who_lost_the_answer_to_the_last_step_may_ask_again() -> None:
    with client() as (http, service):
        for task, reply in ((TASK, "Done nothing."), (TWIN, DONE)):
            begun = http.post("/reset", json={"task_id": task.task_id}).json()
            named = {"episode_id": begun["metadata"]["episode_id"]}
            last = {"action": {"type": "answer", "text": reply}, **named}
            lost = http.post("/step", json=last).json()
            assert len(service.pool) == 0 and http.post("/step", json=last).json() == lost
            assert lost["observation"]["task_id"] == task.task_id
        closed = service.pool.reserve(TASK, None, "closed")
        service.pool.close(closed.id)
        assert http.post("/step", json={**last, "episode_id": "closed"}).status_code == 409


def test_refusals_over_http_have_a_status_and_a_reason() -> None:
    with client() as (http, _):
        assert http.post("/step", json={"action": {"type": "list_tools"}}).status_code == 422
        missing = http.post("/step", json={"action": {}, "episode_id": "x"})
        assert (missing.status_code, missing.json()["detail"]) == (404, "no episode 'x'")
        assert (
            http.post("/reset", content=b"[", headers={"content-type": "application/json"}).status_code == 422
        )
        assert http.post("/reset", data={"task_id": "x"}).status_code == 415
        assert http.post("/reset", json={"index": 7}).status_code == 400


def test_tasks_are_listed_by_split_with_what_chooses_them() -> None:
    with client() as (http, _):
        (env,) = http.get("/list_environments").json()
        assert http.get(f"/{env}/splits").json() == [{"name": "none", "type": "validation"}]
        listed = http.post(f"/{env}/tasks", json={"split": "none"}).json()["tasks"]
        assert [task["task_id"] for task in listed] == [TASK.task_id, TWIN.task_id]
        assert http.post(f"/{env}/num_tasks", json={"split": "none"}).json() == {"num_tasks": 2}
        assert http.post(f"/{env}/task", json={"split": "none", "index": 1}).json()["task"] == listed[1]
        assert (
            http.post(f"/{env}/task_range", json={"split": "none", "start": 1}).json()["tasks"] == listed[1:]
        )
        assert http.post(f"/{env}/task", json={"split": "none", "index": 2}).status_code == 400
        assert http.post(f"/{env}/tasks", json={"split": "test"}).status_code == 404


def rpc(http: TestClient, method: str, **params: Any) -> Frame:
    return http.post("/mcp", json={"jsonrpc": "2.0", "id": 7, "method": method, "params": params}).json()


def test_a_session_over_json_rpc_shares_its_episode_with_its_websocket() -> None:
    with client() as (http, service):
        session = rpc(http, "openenv/session/create")["result"]["session_id"]
        with http.websocket_connect(f"{WS}?session_id={session}") as socket:
            sent(socket, "reset", task_id=TASK.task_id)
            tools = rpc(http, "tools/list", session_id=session)["result"]["tools"]
            assert {tool["name"] for tool in tools} == set(TASK.tools) and "inputSchema" in tools[0]
            for name, arguments in CASES[0].calls:
                told = rpc(http, "tools/call", session_id=session, name=name, arguments=arguments)["result"]
                assert told["data"] == told["content"][0]["text"] and not told["isError"]
            assert sent(socket, "step", type="answer", text=DONE)["data"]["reward"] == 1.0
            with http.websocket_connect(f"{WS}?session_id={session}") as second:
                assert second.receive_json()["data"]["code"] == "SESSION_ERROR"
        assert rpc(http, "openenv/session/close", session_id=session)["result"]["closed"]
        assert len(service.pool) == 0


def test_a_session_that_was_closed_leaves_no_episode_of_its_websocket() -> None:
    with client() as (http, service):
        session = rpc(http, "openenv/session/create")["result"]["session_id"]
        with http.websocket_connect(f"{WS}?session_id={session}") as socket:
            assert rpc(http, "openenv/session/close", session_id=session)["result"]["closed"]
            sent(socket, "reset", task_id=TASK.task_id)
            assert len(service.pool) == 1
        assert eventually(lambda: len(service.pool) == 0)


def test_a_sweep_looks_at_each_session_when_its_turn_comes() -> None:
    async def go() -> None:
        seconds = [0.0]
        sessions = McpSessions(GymService(ServedTasks([TASK])), lambda: seconds[0])
        idle, closed, used = [await sessions.create() for _ in range(3)]
        await sessions.attach(idle).reset({})
        sessions.detach(idle)
        seconds[0] = 3601
        sweep = asyncio.create_task(sessions.sweep())
        await asyncio.sleep(0)  # it closes the first one's episode
        await sessions.close(closed)
        await sessions.attach(used).reset({})
        await sweep
        assert [*sessions._held] == [used]

    asyncio.run(go())


def test_json_rpc_says_what_is_wrong() -> None:
    with client(episodes=1) as (http, _):
        assert rpc(http, "tools/dance")["error"]["code"] == NO_METHOD
        assert rpc(http, "tools/list")["error"]["code"] == INVALID_PARAMS
        session = rpc(http, "openenv/session/create")["result"]["session_id"]
        assert "1 sessions are open" in rpc(http, "openenv/session/create")["error"]["message"]
        refused = rpc(http, "tools/call", session_id=session, name=JOIN[0])["error"]
        assert refused["message"] == "no episode is running; reset first"
        assert http.post("/mcp", json={}).json()["jsonrpc"] == "2.0"
        assert http.post("/mcp", json=[]).json()["error"]["code"] == -32700
