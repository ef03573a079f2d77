"""What a tool server answers is typed and bounded: what does not fit is the sandbox's failure, by name."""

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from eops_traj.errors import SandboxError
from eops_traj.sandbox import mcp_client, mcp_replies
from eops_traj.sandbox.mcp_client import McpClient
from tests.attacks.tool_servers import serving


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp_client, "_PAUSES", (None,))


def answered(body: Any, use: Callable[[McpClient], Any]) -> Any:
    """Use a client of a server that answers with this body, whatever it is asked."""
    with serving([body if isinstance(body, bytes) else json.dumps(body).encode()]) as url:
        return use(McpClient("csm", url, {}, 60.0))


def call(client: McpClient) -> Any:
    return client.call("find_user", {})


@pytest.mark.parametrize(
    ("body", "use", "problem"),
    [
        ({"result": {"tools": [{"name": 5}]}}, McpClient.tools, "tools/list: tools.0.name: .* not 5"),
        ({"result": {"tools": "abc"}}, McpClient.tools, "tools/list: tools: .* list, not 'abc'"),
        ({"result": {"tools": [], "nextCursor": "again"}}, McpClient.tools, "more than 1000 pages"),
        ({"result": {"content": [{"type": "text", "text": 5}]}}, call, "find_user: content.0.text: .* not 5"),
        ({"result": {"content": [], "isError": "perhaps"}}, call, "find_user: isError: "),
        ({"error": {"code": [1], "message": "no"}}, call, r"find_user: code: .* not \[1\]"),
        ({"data": [[1]]}, lambda client: client.query("SELECT 1"), "sql-runner: data.0: .* dictionary"),
        ({"changeset": "?"}, McpClient.changeset, "changes: changeset: "),
        ({"cloned_database_id": "a\r\nb: c"}, McpClient.clone, "clone-database: cloned_database_id: "),
        (b'{"result": {"content": [{"text": NaN}]}}', call, "HTTP 200"),
        (b"[" * 5000, call, "HTTP 200"),
    ],
)
def test_what_does_not_fit_is_a_failure_that_names_the_field(
    body: Any, use: Callable[[McpClient], Any], problem: str
) -> None:
    with pytest.raises(SandboxError, match=problem) as caught:
        answered(body, use)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 600


def test_what_servers_leave_out_is_not_missed() -> None:
    assert answered({"result": {}}, call).text == ""
    assert (
        answered({"result": {"content": [{"type": "image", "data": "A"}], "isError": None}}, call).text == ""
    )
    assert answered({"result": {"tools": [{"name": "a", "x": 1}]}}, McpClient.tools) == [
        {"name": "a", "x": 1}
    ]
    assert answered({"data": None}, lambda client: client.query("SELECT 1")).rows == ()


def test_an_answer_larger_than_is_read_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp_replies, "MOST_BYTES", 10_000)
    body = {"result": {"content": [{"type": "text", "text": "x" * 9000}]}}
    assert len(answered(body, call).text) == 9000
    with pytest.raises(SandboxError, match="more than 10000 bytes"):
        answered({"result": {"content": [{"type": "text", "text": "x" * 10_000}]}}, call)


def streamed(text: str, kind: str = "text/event-stream", request_id: int | None = None) -> dict[str, Any]:
    response = httpx.Response(200, headers={"content-type": kind}, content=text.encode())
    return mcp_replies.json_object(response, request_id)


def events(*messages: dict[str, Any]) -> str:
    return "".join(f"event: message\ndata: {json.dumps(message)}\n\n" for message in messages)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_the_last_event_of_a_stream_is_the_answer(end: str) -> None:
    lines = ["event: message", 'data: {"n": 1}', "", 'data:{"n": 22}', 'id: {"n": 3}', "data:", "data: ", ""]
    assert streamed(end.join(lines)) == {"n": 22}
    assert streamed("event: ping\n\n") == streamed("") == {}


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_the_data_lines_of_an_event_are_one_text(end: str) -> None:
    lines = [
        'data: {"n":',
        "event: message",
        ": and more",
        'data: [1,"a b"]}',
        "",
        'data: {"n":',
        "",
        "data: 2}",
    ]
    assert streamed(end.join(lines)) == {"n": [1, "a b"]}
    assert streamed(end.join(['data: {"n": 1', "data:2}"])) == {}  # no 12


def test_of_a_stream_the_event_that_answers_the_request_is_read() -> None:
    notice = {"method": "notifications/message", "params": {"data": "x"}}
    asked = {"id": 7, "method": "sampling/createMessage"}  # a server counts its own requests
    answer, other = {"id": 7, "result": {"a": 1}}, {"id": 8, "result": {"b": 2}}
    assert streamed(events(notice, answer, notice, asked, other), request_id=7) == answer
    assert streamed(events(answer, other), request_id=8) == other
    assert streamed(events(other, {"id": 9, "error": {}}), request_id=9) == {"id": 9, "error": {}}
    assert streamed(events(notice, asked, other), request_id=7) == {}
    assert streamed(events(answer, notice)) == notice


def test_an_answer_that_names_no_request_answers_the_one_there_is() -> None:
    unread = {"id": None, "error": {"code": -32700}}
    assert streamed(events(unread, {"id": 8}), request_id=7) == unread
    assert streamed(events({"result": {"a": 1}}, {"id": 8}), request_id=7) == {"result": {"a": 1}}


def test_events_that_hold_no_object_are_passed_over() -> None:
    assert streamed(events({"n": 1}) + 'data: {"n": 2\n\ndata: [3]\n\ndata: {}\n\n') == {"n": 1}


def test_the_answer_is_looked_for_among_the_last_events(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp_replies, "MOST_EVENTS", 3)
    notice, answer = {"method": "notifications/progress"}, {"id": 7, "result": {}}
    assert streamed(events(answer, notice, notice), request_id=7) == answer
    assert streamed(events(answer, notice, notice, notice), request_id=7) == {}


def test_a_client_reads_the_answer_to_its_own_request() -> None:
    told = {"content": [{"type": "text", "text": "the record"}]}
    notice, late = {"method": "notifications/message"}, {"id": 5, "result": {"content": []}}
    body = events(notice, {"id": 1, "result": told}, notice, late).encode()
    with serving([body], kind="text/event-stream") as url:
        assert McpClient("csm", url, {}, 60.0).call("find_user", {}).text == "the record"


def test_only_a_stream_is_read_as_events() -> None:
    assert streamed('data: {"n": 1}', "application/json") == {}
    assert streamed('{"n": 1}', "application/json") == {"n": 1}
    assert streamed('data: {"n": 1}', "text/event-stream; charset=utf-8") == {"n": 1}
    assert streamed("[1]", "application/json") == {}


def test_an_answer_of_just_the_size_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    body = json.dumps({"result": {"content": [{"type": "text", "text": "x"}]}}).encode()
    monkeypatch.setattr(mcp_replies, "MOST_BYTES", len(body))
    assert answered(body, call).text == "x"
    with pytest.raises(SandboxError, match=f"more than {len(body)} bytes"):
        answered(body + b" ", call)


def test_a_tool_has_a_name_however_short() -> None:
    assert answered({"result": {"tools": [{"name": "a"}]}}, McpClient.tools) == [{"name": "a"}]
    with pytest.raises(SandboxError, match=r"tools\.1\.name: .* not ''"):
        answered({"result": {"tools": [{"name": "a"}, {"name": ""}, {"name": 5}]}}, McpClient.tools)
