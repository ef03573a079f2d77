import asyncio
import json
import socket
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partialmethod

import httpx
import pytest

from eops_traj.gym.engine import clock
from eops_traj.gym.engine.database import Database
from eops_traj.gym.http.databases import Databases, Limits
from eops_traj.gym.registry import server
from eops_traj.gym.server import Identity
from tests.serving import served
from tests.waiting import PATIENCE, eventually

ROW = "INSERT INTO users (user_id, email) VALUES ('USER_002', 'u2@x.org');"
ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"


def client(url):
    return httpx.Client(base_url=url, timeout=PATIENCE)


@pytest.fixture
def url(tiny):
    with served(tiny) as urls:
        yield urls["tiny"]


@pytest.fixture
def api(url):
    with client(url) as api:
        yield api


@pytest.fixture(scope="module")
def lasting():
    """One server for the tests that change nothing in it."""
    with served(server("csm")) as urls, client(urls["csm"]) as api:
        seeded(api)
        yield api


def seeded(api, database_id="db", sql=""):
    body = {"database_id": database_id, "name": "n", "description": "", "sql_content": sql}
    assert api.post("/api/seed-database", json=body).json() == {
        "success": True, "message": "Database seeded successfully", "database_id": database_id,
    }  # fmt: skip
    return database_id


def ask(api, tool, arguments, database_id=None, **headers):
    """The HTTP status of a call, and its JSON-RPC answer."""
    params = {"name": tool, "arguments": arguments}
    chosen = {"x-database-id": database_id} if database_id else {}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    accept = {"accept": "application/json, text/event-stream"}
    response = api.post("/mcp", json=message, headers={**accept, **chosen, **headers})
    return response.status_code, response.json()


def told(api, *args, **headers):
    status, answer = ask(api, *args, **headers)
    assert status == 200, answer
    [content] = answer["result"]["content"]
    return content["text"]


def sql(api, query, database_id="db", **more):
    return api.post("/api/sql-runner", json={"query": query, "database_id": database_id, **more})


def test_the_benchmarks_own_client_understands_it(csm, shared, monkeypatch):
    monkeypatch.syspath_prepend(str(shared / "conformance"))
    from wire import Gym  # type: ignore[import-not-found]

    with served(csm) as urls:
        gym = Gym(urls["csm"])
        assert gym.initialize()["serverInfo"]["name"] == "sn-csm-server"
        assert [tool["name"] for tool in gym.tools()] == list(csm.tools)
        database_id = gym.seed("")
        result = gym.call("list_users", {"role": "admin"}, database_id)
        users = json.loads(result["content"][0]["text"])
        assert users and not result["isError"]
        counted = "SELECT count(*) FROM user WHERE role = 'admin'"
        assert gym.sql(counted, database_id)[1]["data"] == [{"count(*)": len(users)}]
        assert gym.delete(database_id)[0] == 200
    sys.modules.pop("wire")


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_official_client_understands_it(url, tiny, mode):
    from mcp.client.client import Client

    async def go():
        async with Client(f"{url}/mcp", mode=mode) as client:
            listed = await client.list_tools()
            result = await client.call_tool("get_user", {"user_id": "USER_001"})
        assert {t.name: t.input_schema for t in listed.tools} == {
            name: tool.input_schema for name, tool in tiny.tools.items()
        }
        assert json.loads(result.content[0].text)["user_id"] == "USER_001"

    asyncio.run(go())


def test_the_header_chooses_the_database_of_each_call(api):
    seeded(api, "one"), seeded(api, "two")
    for _ in range(3):
        told(api, "edit_user", {"user_id": "USER_001", "note": "one"}, "one")
        told(api, "edit_user", {"user_id": "USER_001", "note": "two"}, "two")
        assert json.loads(told(api, "get_user", {"user_id": "USER_001"}, "one"))["note"] == "one"
    assert json.loads(told(api, "get_user", {"user_id": "USER_001"}))["note"] is None  # the default one


def test_calls_from_many_threads_all_count(api):
    seeded(api)
    emails = [f"n{n}@x.org" for n in range(60)]
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda email: told(api, "add_user", {"email": email}, "db"), emails))
        list(threads.map(lambda _: sql(api, "SELECT * FROM users"), emails))
    assert sql(api, "SELECT count(DISTINCT user_id) AS n FROM users").json()["data"] == [{"n": 62}]


def test_it_answers_as_the_gym_in_process_does(api, tiny):
    seeded(api)
    database = tiny.template().open()
    for tool, arguments in (
        ("add_user", {"email": "n@x.org"}),
        ("add_user", {"email": "n@x.org"}),
        ("find_users", {"active": True}),
        ("fly", {}),
    ):
        assert told(api, tool, arguments, "db") == tiny.call(database, tool, arguments).text


def test_an_empty_seed_is_the_company_and_another_replaces_it(api):
    seeded(api)
    assert sql(api, "SELECT count(*) AS n FROM users").json()["data"] == [{"n": 2}]
    seeded(api, sql=ROW)
    assert sql(api, "SELECT user_id FROM users").json()["data"] == [{"user_id": "USER_002"}]


def test_a_seed_that_does_not_load_leaves_nothing(api):
    body = {"database_id": "bad", "sql_content": f"{ROW}\n\nINSERT INTO nobody VALUES (1);"}
    response = api.post("/api/seed-database", json=body)
    assert response.status_code == 400
    assert "seed statement 2, line 3: no such table: nobody" in response.json()["detail"]
    assert sql(api, "SELECT 1", "bad").status_code == 404


def test_the_sql_runner_answers_as_the_real_one(api):
    seeded(api)
    assert sql(api, "SELECT user_id FROM users ORDER BY 1;").json() == {
        "success": True, "message": "Query executed successfully",
        "query": "SELECT user_id FROM users ORDER BY 1 LIMIT 100",
        "data": [{"user_id": "USER_001"}, {"user_id": "USER_007"}], "row_count": 2,
    }  # fmt: skip
    assert sql(api, "SELECT 1", limit=5).json()["query"] == "SELECT 1 LIMIT 5"
    assert sql(api, "SELECT x'00ff' AS b, 9e999 AS i").json()["data"] == [{"b": "00ff", "i": None}]
    header = {"x-database-id": "db"}
    assert api.post("/api/sql-runner", json={"query": "SELECT 1"}, headers=header).status_code == 200


@pytest.mark.parametrize(
    ("query", "status", "detail"),
    [
        ("PRAGMA table_info(user)", 400, "Only read-only SELECT queries are allowed"),
        ("DELETE FROM user", 400, "Only read-only SELECT queries are allowed"),
        ("SELECT 1; SELECT 2", 400, "Only one statement"),
        ("SELECT * FROM nobody", 400, "no such table: nobody"),
        ("SELECT CAST(x'ff' AS TEXT)", 400, "can't decode"),
        ("", 422, "at least 1 character"),
    ],
)
def test_the_sql_runner_refuses(lasting, query, status, detail):
    response = sql(lasting, query)
    assert response.status_code == status
    assert detail in str(response.json()["detail"])


def test_a_database_is_reset_cloned_and_deleted(api):
    seeded(api)
    told(api, "edit_user", {"user_id": "USER_001", "note": "here"}, "db")
    cloned = api.post("/api/clone-database", json={"source_database_id": "db"}).json()
    copy = cloned["cloned_database_id"]
    assert cloned["source_database_id"] == "db"
    assert api.post("/api/reset-database", json={"database_id": "db"}).json()["success"]
    notes = "SELECT note FROM users WHERE user_id = 'USER_001'"
    assert [sql(api, notes, d).json()["data"][0]["note"] for d in ("db", copy)] == [None, "here"]
    deleted = api.request("DELETE", "/api/delete-database", json={"database_id": copy})
    assert deleted.json()["deleted_size_bytes"] > 0
    assert sql(api, "SELECT 1", copy).status_code == 404


def test_what_changed_can_be_asked(api, tiny):
    seeded(api)
    told(api, "edit_user", {"user_id": "USER_001", "note": "here"}, "db")
    [change] = api.get("/api/changes", headers={"x-database-id": "db"}).json()["changes"]
    assert (change["table"], change["key"], change["after"]["note"]) == ("users", ["USER_001"], "here")


def test_the_state_the_schema_and_the_sample_are_shown(api):
    seeded(api)
    state = api.get("/api/database-state", headers={"x-database-id": "db"}).json()
    assert state["table_counts"] == {"post": 0, "users": 2}
    assert state["table_data"]["users"][0]["email"] == "u1@x.org"
    schema = api.get("/api/schema").json()["schema"]
    assert schema["post"][1]["references"] == "users.user_id"
    seeded(api, "again", api.get("/api/sample-data").json()["sql_content"])
    again = api.get("/api/database-state", params={"database_id": "again"}).json()
    assert again["table_data"] == state["table_data"]
    assert api.get("/health").json() == {"status": "healthy", "service": "gym-tiny", "databases": 2}


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "/api/seed-database", b"{", 422),
        ("POST", "/api/seed-database", b"[]", 422),
        ("POST", "/api/seed-database", b'{"database_id": "\\ud800"}', 422),
        ("POST", "/api/seed-database", b'{"database_id": "a", "sql_content": 5}', 422),
        ("POST", "/api/seed-database", b"{}", 400),
        ("POST", "/api/sql-runner", b'{"database_id": "a", "query": "SELECT 1", "limit": 0}', 422),
        ("POST", "/api/sql-runner", b'{"query": "SELECT 1"}', 400),
        ("POST", "/api/reset-database", b'{"database_id": "nope"}', 404),
        ("POST", "/api/clone-database", b'{"database_id": "nope"}', 404),
        ("DELETE", "/api/delete-database", b'{"database_id": "nope"}', 404),
        ("DELETE", "/api/delete-database", b'{"database_id": "default"}', 400),
        ("GET", "/api/database-state?database_id=nope", b"", 404),
        ("GET", "/api/nope", b"", 404),
        ("PUT", "/health", b"", 405),
        ("GET", "/mcp", b"", 405),
        ("POST", "/mcp", b"{", 400),
        ("POST", "/mcp", b"[1]", 400),
    ],
)
def test_bad_input_has_its_status(lasting, method, path, body, status):
    headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    response = lasting.request(method, path, content=body, headers=headers)
    assert response.status_code == status
    assert response.json().keys() & {"detail", "error"}
    assert "Traceback" not in response.text


def test_a_call_on_an_unknown_database_is_not_found(lasting):
    status, answer = ask(lasting, "list_users", {}, "nope")
    assert (status, answer["error"]["message"]) == (404, "Database with ID 'nope' not found")


def test_a_bug_is_an_error_of_the_server_that_tells_nothing(api):
    seeded(api)
    status, answer = ask(api, "rename_then_fail", {"user_id": "USER_001", "how": "bug"}, "db")
    assert (status, answer["error"]["message"]) == (500, "Internal server error")
    assert sql(api, "SELECT count(*) AS n FROM users WHERE note IS NOT NULL").json()["data"] == [{"n": 0}]


def test_a_full_server_says_so(tiny):
    with (
        served(tiny, databases=Databases(Limits(databases=1))) as urls,
        client(urls["tiny"]) as api,
    ):
        seeded(api)
        response = api.post("/api/seed-database", json={"database_id": "more"})
        assert response.status_code == 429 and "the server is full" in response.json()["detail"]
        status, answer = ask(api, "get_user", {"user_id": "USER_001"})  # would open the default database
        assert status == 429 and "the server is full" in answer["error"]["message"]
        assert api.post("/api/clone-database", json={"database_id": "db"}).status_code == 429


def test_where_memory_is_full_a_tool_that_is_a_function_may_read_and_not_write():
    drive, databases = server("drive"), Databases()
    assert drive.tools["list_drives"].function and drive.tools["create_drive"].function
    made = {"requestId": "r", "name": "Plans"}
    with served(drive, databases=databases) as urls, client(urls["drive"]) as api:
        seeded(api)
        listed = told(api, "list_drives", {}, "db")
        databases.limits = Limits(megabytes=0)
        assert told(api, "list_drives", {}, "db") == listed
        status, answer = ask(api, "create_drive", made, "db")
        assert status == 429 and "the server is full" in answer["error"]["message"]
        databases.limits = Limits()
        assert "Plans" in told(api, "create_drive", made, "db")


def test_a_body_over_the_limit_is_refused(tiny):
    with served(tiny, body_limit=1000) as urls, client(urls["tiny"]) as api:
        body = {"database_id": "db", "sql_content": "-" * 1000}
        assert api.post("/api/seed-database", json=body).status_code == 413
        chunks = iter([b" " * 600, b" " * 600])
        headers = {"content-type": "application/json"}
        assert api.post("/api/seed-database", content=chunks, headers=headers).status_code == 413
        assert api.post("/mcp", content=b" " * 1001, headers=headers).status_code == 413


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "gym.evil.example"}, 421),
        ({"origin": "http://evil.example"}, 403),
        ({"content-type": "text/plain"}, 400),
    ],
)
@pytest.mark.parametrize("path", ["/mcp", "/api/seed-database"])
def test_a_foreign_web_page_gets_nothing(lasting, path, headers, status):
    body = json.dumps({"database_id": "theirs"}).encode()
    response = lasting.post(path, content=body, headers={"content-type": "application/json", **headers})
    assert response.status_code == status
    assert lasting.get("/health").json()["databases"] == 1


def demanding(tiny):
    """The server, now refusing callers without a header."""
    return replace(
        tiny, identity=Identity("x-token", "SELECT user_id, role FROM users WHERE user_id = :value")
    )


def test_the_first_active_admin_stands_in_unless_permissions_are_strict(tiny):
    drop = ("drop_users", {"user_id": "USER_007"})
    with served(demanding(tiny)) as urls, client(urls["tiny"]) as api:
        assert told(api, *drop) == '{"deleted": 1}'
        assert told(api, *drop, **{"x-token": "nobody"}) == "UNAUTHENTICATED|unknown x-token"
    strict = {"strict_permissions": True, "databases": Databases(stand_in=False)}
    with served(demanding(tiny), **strict) as urls, client(urls["tiny"]) as api:
        assert told(api, *drop) == "UNAUTHENTICATED|x-token header is required"
        assert told(api, *drop, **{"x-token": "USER_001"}) == "FORBIDDEN|role 'agent' may not use drop_users"


def test_several_servers_share_a_process_and_its_bounds(tiny, csm):
    databases = Databases(Limits(databases=1), tell=clock.wall)
    with served(tiny, csm, databases=databases) as urls:
        seeded(client(urls["tiny"]))
        response = client(urls["csm"]).post("/api/seed-database", json={"database_id": "db"})
        assert response.status_code == 429


def test_a_port_in_use_is_one_clear_line(cli):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ran = cli("gym", "serve", "--server", "csm", "--port", port)
    assert ran.code == 2
    assert ran.err.strip() == f"eops-traj: cannot listen on 127.0.0.1:{port} for csm: Address already in use"


def test_other_calls_go_on_beside_one_that_never_ends(tiny):
    databases, begun, answered = Databases(Limits(call_seconds=120)), threading.Event(), threading.Event()

    def first():
        begun.set()
        return answered.wait(PATIENCE)

    with (
        served(tiny, databases=databases) as urls,
        client(urls["tiny"]) as api,
        ThreadPoolExecutor(1) as threads,
    ):
        seeded(api, "one"), seeded(api, "two")
        databases._held["tiny", "one"].database.connection.create_scalar_function("first", first)
        running = threads.submit(sql, api, ENDLESS.replace("SELECT 1", "SELECT first()"), "one")
        assert begun.wait(PATIENCE) and api.get("/health").status_code == 200
        assert ask(api, "get_user", {"user_id": "USER_001"}, "two")[0] == 200
        assert not running.done()
        answered.set()
        assert running.result().status_code == 400


def test_a_query_past_the_deadline_of_calls_is_timed_out_and_not_to_blame(tiny, monkeypatch):
    monkeypatch.setattr(Database, "run_sql", partialmethod(Database.run_sql, seconds=PATIENCE))
    seconds = [0.0]
    databases = Databases(now=lambda: seconds[0])
    with (
        served(tiny, databases=databases) as urls,
        client(urls["tiny"]) as api,
        ThreadPoolExecutor(1) as threads,
    ):
        seeded(api)
        running = threads.submit(sql, api, ENDLESS)
        assert eventually(lambda: databases._threads.running == 1)
        seconds[0] = 31
        stopped = running.result()
        assert (stopped.status_code, stopped.json()["detail"]) == (504, "stopped after 30 s")
        assert sql(api, "SELECT count(*) AS n FROM users").json()["data"] == [{"n": 2}]


def test_a_call_of_too_many_parts_is_refused(api):
    body = b'{"jsonrpc": "2.0", "id": 1, "method": "x", "params": {"x": [' + b"0," * 300_000 + b"0]}}"
    headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    assert api.post("/mcp", content=body, headers=headers).status_code == 413
    seed = b'{"database_id": "w", "x": [' + b"0," * 300_000 + b"0]}"
    assert api.post("/api/seed-database", content=seed, headers=headers).status_code == 413


def test_a_message_of_many_parts_is_refused_and_a_text_of_many_commas_is_not(api):
    assert ask(api, "no_tool", {"a": ["x"] * 9_000})[0] == 200
    assert ask(api, "no_tool", {"a": '\\",[{' * 20_000})[0] == 200
    headers = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
    for many in (b'"[",' * 12_000, b"[]," * 6_000, b'"":0,' * 12_000, rb'"\\",' * 12_000):
        assert api.post("/mcp", content=b'{"x":[' + many, headers=headers).status_code == 413


def test_an_answer_that_is_too_large_is_refused(api, monkeypatch):
    monkeypatch.setattr("eops_traj.gym.http.api.MAX_RESPONSE_BYTES", 200_000)
    body = {"database_id": "default", "query": "SELECT printf('%100000d', 1), printf('%100000d', 2)"}
    answer = api.post("/api/sql-runner", json=body)
    assert (answer.status_code, answer.json()) == (400, {"detail": "the answer is larger than 0 MB"})


def test_a_large_seed_is_taken(api):
    row = ROW.replace("'u2@x.org'", f"'{'@{,}]' * 20_000}'")
    seeded(api, sql=row)
    assert sql(api, "SELECT length(email) AS n FROM users").json()["data"] == [{"n": 100_000}]


def test_who_leaves_early_leaves_no_traceback(tiny, caplog):
    head = b"POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
    head += b"content-length: 50\r\n\r\n"
    with served(tiny) as urls:
        host, port = urls["tiny"].removeprefix("http://").split(":")
        for part in (head, head + b"{"):
            with socket.create_connection((host, int(port))) as connection:
                connection.sendall(part)
        assert client(urls["tiny"]).get("/health").status_code == 200
    assert [record for record in caplog.records if record.exc_info] == []
