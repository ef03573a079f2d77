import contextlib
import http.client
import json
import logging
import socket
import time
from urllib.parse import urlsplit

import httpx
import pytest

from eops_traj.gym.http.connections import Bounds
from tests.serving import served
from tests.waiting import PATIENCE, eventually

COUNT = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT {}) SELECT {} FROM n"
HEAD = b"POST /api/seed-database HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
HALF_BODY = HEAD + b"content-length: 1000000\r\n\r\n" + b" " * 1000


def connect(url):
    parts = urlsplit(url)
    return socket.create_connection((parts.hostname, parts.port), timeout=PATIENCE)


def is_dropped(connection):
    try:
        return connection.recv(1) == b""
    except ConnectionError:
        return True


def seeds(url, database_id):
    body = {"database_id": database_id}
    return httpx.post(f"{url}/api/seed-database", json=body, timeout=PATIENCE).status_code == 200


@pytest.mark.parametrize("half", [b"", b"\r\n", b"POST /m", HEAD, HALF_BODY])
def test_a_request_that_does_not_arrive_is_dropped(tiny, half):
    with served(tiny, connections=Bounds(seconds=0.3)) as urls:
        start = time.monotonic()
        with connect(urls["tiny"]) as slow:
            slow.sendall(half)
            assert is_dropped(slow)
        assert 0.2 < time.monotonic() - start < 25  # and not the thirty seconds of other bounds


def test_a_byte_now_and_then_does_not_hold_a_connection(tiny):
    quick = served(tiny, connections=Bounds(seconds=0.3))
    with quick as urls, connect(urls["tiny"]) as slow, pytest.raises(ConnectionError):
        for byte in HEAD * 10:
            slow.sendall(bytes([byte]))
            time.sleep(0.05)


def answered_twice(url, body):
    """Whether one connection has two answers; not where this thread was late with a request."""
    with contextlib.closing(http.client.HTTPConnection(urlsplit(url).netloc, timeout=PATIENCE)) as client:
        for _ in range(2):
            start, sent = time.monotonic(), None
            try:
                client.request("POST", "/api/sql-runner", body, {"content-type": "application/json"})
                sent = time.monotonic()
                answer = client.getresponse()
                assert answer.status == 200 and answer.read() and client.sock
            except (OSError, http.client.HTTPException):
                if (sent or time.monotonic()) - start < 0.1:
                    raise
                return False
            time.sleep(0.4)
    return True


def test_one_that_is_worked_on_or_idle_is_kept(tiny):
    body = json.dumps({"database_id": "default", "query": COUNT.format(1_000_000, "max(x)")})
    with served(tiny, connections=Bounds(seconds=0.2)) as urls:
        assert any(answered_twice(urls["tiny"], body) for _ in range(5))


def test_the_longest_waiting_goes_where_there_are_too_many(tiny):
    with served(tiny, connections=Bounds(connections=3)) as urls:
        first, *rest = [connect(urls["tiny"]) for _ in range(3)]
        assert httpx.get(urls["tiny"] + "/health", timeout=PATIENCE).status_code == 200
        assert is_dropped(first)
        for other in (first, *rest):
            other.close()


def test_the_largest_body_goes_where_they_are_too_many(tiny):
    tight = served(tiny, connections=Bounds(body_bytes=300_000))
    with tight as urls, connect(urls["tiny"]) as large, connect(urls["tiny"]) as small:
        small.sendall(HALF_BODY)
        large.sendall(HALF_BODY + b" " * 290_000)
        time.sleep(0.3)
        small.sendall(b" " * 20_000)
        assert is_dropped(large)
        assert seeds(urls["tiny"], "a")


@pytest.mark.parametrize("rest", [b"x: " + b"y" * 70_000, b"x: y\r\n" * 20_000])
def test_a_head_has_a_greatest_length(tiny, rest):
    with served(tiny) as urls, connect(urls["tiny"]) as endless:
        endless.sendall(b"GET /health HTTP/1.1\r\n" + rest)
        assert is_dropped(endless)


def asked(url, size, more=b""):
    """A connection that asked for so many bytes and takes nothing."""
    deaf = connect(url)
    ask(deaf, size, more)
    return deaf


def ask(connection, size, more=b""):
    """Ask for so many bytes."""
    query = COUNT.format(size // 10_000, "printf('%9990d', x) AS y")
    body = f'{{"database_id": "default", "limit": 1, "query": "{query}"}}'.encode()
    head = HEAD.replace(b"seed-database", b"sql-runner") + b"content-length: %d\r\n\r\n" % len(body)
    connection.sendall(head + body + more)


def taken(connection, enough):
    """How many bytes arrive until they are more than enough or the connection is dropped."""
    size = 0
    with contextlib.suppress(ConnectionError):
        while size <= enough and (part := connection.recv(1_000_000)):
            size += len(part)
    return size


def test_the_largest_answer_goes_where_those_not_taken_are_too_many(tiny):
    bounds = Bounds(answer_bytes=70_000_000)
    with served(tiny, connections=bounds) as urls, asked(urls["tiny"], 40_000_000) as large:
        assert eventually(lambda: bool(bounds.untaken))
        [first] = bounds.untaken
        with asked(urls["tiny"], 30_000_000) as small, asked(urls["tiny"], 20_000_000) as smaller:
            assert eventually(lambda: len(bounds.untaken) == 2 and first not in bounds.untaken)
            assert taken(large, 29_000_000) < 29_000_000 < taken(small, 29_000_000)
            assert taken(smaller, 19_000_000) > 19_000_000
        assert eventually(lambda: not bounds.untaken)


def test_the_next_request_waits_until_the_answer_before_it_is_taken(tiny):
    seed, bounds = HEAD + b'content-length: 23\r\n\r\n{"database_id":"later"}', Bounds()
    query = {"database_id": "later", "query": "SELECT 1"}
    with (
        served(tiny, connections=bounds) as urls,
        httpx.Client(base_url=urls["tiny"], timeout=PATIENCE) as api,
        asked(urls["tiny"], 20_000_000, seed) as deaf,
    ):
        assert eventually(lambda: bool(bounds.untaken))
        time.sleep(0.3)  # it would be worked on by now
        assert api.post("/api/sql-runner", json=query).status_code == 404
        assert taken(deaf, 19_000_000) > 19_000_000
        assert eventually(lambda: api.post("/api/sql-runner", json=query).status_code == 200)


def test_bodies_are_counted_until_they_are_answered(tiny):
    bounds = Bounds()
    with served(tiny, connections=bounds) as urls, connect(urls["tiny"]) as half:
        half.sendall(HALF_BODY)
        assert seeds(urls["tiny"], "a")
        assert eventually(lambda: bounds.body_total == 1000)  # an answer arrives before its body is forgotten
        assert list(bounds.bodies.values()) == [1000]
    assert eventually(lambda: bounds.body_total == 0)


def test_an_answer_has_to_be_taken(tiny, caplog):
    caplog.set_level(logging.INFO)
    bounds = Bounds()
    with served(tiny, connections=bounds) as urls, connect(urls["tiny"]) as deaf:
        assert eventually(lambda: bool(bounds.waiting))
        bounds.seconds = 0.3  # the request has more to arrive in
        ask(deaf, 27_000_000)
        assert eventually(lambda: "its answer is not taken" in caplog.text)
        assert eventually(lambda: not bounds.untaken)
        assert 0 < taken(deaf, 20_000_000) < 20_000_000


def test_of_several_requests_the_one_at_work_is_told_that_its_client_left(tiny, capfd):
    query = COUNT.format(500_000, "max(x)")
    body = f'{{"database_id": "default", "query": "{query}"}}'.encode()
    head = HEAD.replace(b"seed-database", b"sql-runner") + b"content-length: %d\r\n\r\n" % len(body)
    with served(tiny) as urls:
        with connect(urls["tiny"]) as leaving:
            leaving.sendall((head + body) * 3)
            time.sleep(0.1)
            leaving.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # reset at once
        short = {"database_id": "default", "query": "SELECT 1"}  # waits for the query before it
        assert httpx.post(urls["tiny"] + "/api/sql-runner", json=short, timeout=PATIENCE).status_code == 200
        time.sleep(0.2)
    assert "Exception in ASGI" not in capfd.readouterr().err
