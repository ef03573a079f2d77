import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import httpx
import pytest

from eops_traj.errors import FormatError, SandboxError, UnknownName
from eops_traj.gym import registry
from eops_traj.gym.engine.database import QueryError
from eops_traj.sandbox import mcp_client
from eops_traj.sandbox.embedded import open_session
from eops_traj.sandbox.remote import open_remote
from tests.serving import served

NOBODY = "INSERT INTO user VALUES (5, 'A', 'B', 'a@b', NULL, 'agent', NULL, 1, '', '');"
CALLS = [
    ("find_user", {"name": "A B"}),
    ("update_case", {"case_id": 7, "reopen_count": 9}),
    ("update_case", {"case_id": 7}),
    ("update_case", {"case_id": 8, "short_description": "Ümläut ‘quoted’ 😀"}),
    ("update_case", {"case_id": 8, "state": "nope"}),
    ("fly", {}),
]


@pytest.fixture(scope="module")
def url():
    with served(registry.server("csm")) as urls:
        yield urls["csm"]


@pytest.fixture(scope="module")
def admin():
    database = registry.server("csm").template().open()
    return database.connection.execute("SELECT email FROM user WHERE role = 'admin' AND active LIMIT 1").get


@pytest.fixture
def session(url, admin):
    with open_remote({"csm": url}, {"csm": 0}, {"x-user-email": admin}) as opened:
        yield opened


def test_it_is_the_embedded_session_over_a_wire(session, admin):
    with open_session({"csm": 0}, {"x-user-email": admin}) as embedded:
        assert session.list_tools() == embedded.list_tools()
        for tool, arguments in CALLS:
            theirs, ours = session.call_tool(tool, arguments), embedded.call_tool(tool, arguments)
            assert (theirs.text, theirs.envelope) == (ours.text, ours.envelope), tool
        query = "SELECT case_id, reopen_count FROM customer_case ORDER BY 1"
        assert session.run_sql("sn-csm-server", query) == embedded.run_sql("csm", query)
        assert session.changes() == embedded.changes()


def test_a_fork_starts_where_the_session_is(session):
    session.call_tool("update_case", {"case_id": 1, "reopen_count": 9})
    with session.fork() as fork:
        assert fork.changes() == session.changes()
        fork.call_tool("update_case", {"case_id": 2, "reopen_count": 9})
        assert fork.changes() != session.changes()
        assert fork.list_tools() == session.list_tools()


def test_closing_drops_the_databases(url):
    def count():
        return httpx.get(f"{url}/health").json()["databases"]

    before = count()
    with open_remote({"csm": url}, {"csm": NOBODY}) as opened:
        assert opened.run_sql("csm", "SELECT email FROM user").rows == (("a@b",),)
        assert count() == before + 1
    assert count() == before


def test_a_seed_by_number_travels_as_sql(url):
    with open_remote({"csm": url}, {"csm": 5}) as remote, open_session({"csm": 5}) as embedded:
        query = "SELECT * FROM customer_case ORDER BY case_id LIMIT 1000"
        assert remote.run_sql("csm", query) == embedded.run_sql("csm", query)


def test_what_is_wrong_with_the_input_is_said(session, url):
    with pytest.raises(QueryError, match="read-only"):
        session.run_sql("csm", "DELETE FROM user")
    with pytest.raises(UnknownName):
        session.run_sql("nope", "SELECT 1")
    with pytest.raises(FormatError, match=r"csm: .*seed statement 1, line 1"):
        open_remote({"csm": url}, {"csm": "INSERT INTO nobody VALUES (1);"})
    with pytest.raises(UnknownName):
        open_remote({"csm": url}, {"itsm": 0})


def test_a_message_that_json_cannot_carry_is_refused_not_fatal(session):
    assert session.call_tool("find_user", {"name": "\ud800"}).is_error


def test_a_database_that_is_gone_is_the_sandboxs_failure(url):
    with open_remote({"csm": url}, {"csm": 0}) as session:
        body = {"database_id": session._clients["csm"].database_id}
        httpx.request("DELETE", f"{url}/api/delete-database", json=body)
        for use in (lambda: session.call_tool("list_users", {}), session.changes, session.fork):
            with pytest.raises(SandboxError, match="not found"):
                use()
    session.close()  # a second time does no harm


def test_every_server_at_once():
    servers = [registry.server(name) for name in registry.SERVERS]
    with served(*servers) as urls, open_remote(urls, dict.fromkeys(urls, 0)) as session:
        names = [tool["name"] for tool in session.list_tools()]
        assert len(names) == len(set(names)) == len({t for s in servers for t in s.tools})
        for s in servers:
            assert session.run_sql(s.gym_name, "SELECT 1 AS one").rows == ((1,),)
        assert set(session.changes()) == set(urls)


class Scripted(ThreadingHTTPServer):
    """A server that answers each path as told, and remembers what it was asked."""

    def __init__(self, answers):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers, self.asked = answers, []
        self.url = f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: Scripted

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or "{}")
        key = body.get("method") or self.path
        self.server.asked.append(key)
        status, answer = self.server.answers.get(key, (404, {"detail": "Not Found"}))
        if callable(answer):
            status, answer = answer(self.server.asked.count(key))
        if status == 0:
            return self.connection.close()
        text = answer if isinstance(answer, str) else json.dumps(answer)
        kind = "text/event-stream" if isinstance(answer, str) else "application/json"
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        return self.wfile.write(text.encode())

    do_GET = do_DELETE = do_POST

    def log_message(self, *_):
        pass


def result(**value):
    return 200, {"jsonrpc": "2.0", "id": 1, "result": value}


PLAIN = {
    "/api/seed-database": (200, {"success": True}),
    "initialize": result(protocolVersion="2024-11-05"),
    "tools/list": result(tools=[{"name": "look", "inputSchema": {}}]),
}


@pytest.fixture
def scripted(monkeypatch):
    """Opens a session on a server with these answers beside the plain ones."""
    monkeypatch.setattr(mcp_client, "_PAUSES", (0.0, 0.0, None))
    running = []

    def start(**answers):
        server = Scripted(PLAIN | {key.replace("__", "/"): answer for key, answer in answers.items()})
        Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        running.append(server)
        return server, open_remote({"other": server.url}, {"other": ""}, timeout=60)

    yield start
    for server in running:
        server.shutdown()
        server.server_close()


def test_a_server_without_our_routes_tells_no_changes_and_cannot_fork(scripted):
    _, session = scripted()
    assert session.changes() == {}
    with pytest.raises(SandboxError, match="other: cannot fork"):
        session.fork()
    session.close()


def test_a_tool_call_that_left_is_never_repeated(scripted):
    server, session = scripted(tools__call=(0, None))
    with pytest.raises(SandboxError, match="other"):
        session.call_tool("look", {})
    assert server.asked.count("tools/call") == 1


def test_reading_is_repeated_while_the_server_is_busy(scripted):
    answers = {"/api/sql-runner": (0, lambda n: (503, {}) if n < 3 else (200, {"data": [{"n": 1}]}))}
    server, session = scripted(**answers)
    assert session.run_sql("other", "SELECT 1 AS n").rows == ((1,),)
    assert server.asked.count("/api/sql-runner") == 3


def test_a_stream_of_events_is_read_to_its_last(scripted):
    last = json.dumps({"jsonrpc": "2.0", "result": {"content": [{"type": "text", "text": "seen"}]}})
    _, session = scripted(tools__call=(200, f"event: message\ndata: \n\nevent: message\ndata: {last}\n\n"))
    assert session.call_tool("look", {}).text == "seen"


@pytest.mark.parametrize(
    ("answer", "is_refusal"),
    [
        ((200, {"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": "no such argument"}}), True),
        ((200, {"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": "it broke"}}), False),
        ((429, {"detail": "the server is full"}), False),
        ((200, "no events at all"), False),
    ],
)
def test_a_refusal_is_a_result_and_a_failure_raises(scripted, answer, is_refusal):
    _, session = scripted(tools__call=answer)
    if is_refusal:
        assert session.call_tool("look", {}).is_error
    else:
        with pytest.raises(SandboxError):
            session.call_tool("look", {})


def test_a_server_that_is_not_there_is_a_sandbox_error(monkeypatch):
    monkeypatch.setattr(mcp_client, "_PAUSES", (0.0, None))
    with pytest.raises(SandboxError, match=r"csm: http://127.0.0.1:9/api/seed-database: "):
        open_remote({"csm": "http://127.0.0.1:9"}, {"csm": 0})
