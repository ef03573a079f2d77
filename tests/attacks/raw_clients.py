"""Clients of the gym that write to a socket by hand: halves of requests, resets, many on one connection."""

import contextlib
import json
import random
import socket
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from tests.attacks.running_gym import RunningGym

T = TypeVar("T")
_RESET = b"\1\0\0\0\0\0\0\0"  # for SO_LINGER: closing resets the connection at once
_MCP = b"POST /mcp HTTP/1.1\r\nhost: localhost\r\naccept: application/json, text/event-stream\r\n"


def call(tool: str, arguments: Any, **more: Any) -> bytes:
    """Make the message of a call."""
    params = {"name": tool, "arguments": arguments, **more}
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()


def connected(gym: RunningGym, each: Iterable[T], timeout: float = 5) -> Iterator[tuple[T, socket.socket]]:
    """Yield each with a connection of its own, for the caller to close, where the gym takes one.

    Raises AssertionError where it takes none at all: nothing was attacked then.
    """
    taken = 0
    for one in each:
        try:
            connection = socket.create_connection(gym.address, timeout)
        except (TimeoutError, ConnectionError):
            continue
        taken += 1
        yield one, connection
    assert taken, "the gym takes no connection"


def half_requests(gym: RunningGym) -> None:
    """Open many connections and send half a request on each, or half a body."""
    head = b"POST /api/seed-database HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
    halves = [head] * 900 + [head + b"content-length: 30000000\r\n\r\n" + b" " * 8_000_000] * 20
    with contextlib.ExitStack() as stack:
        for half, connection in connected(gym, halves):
            _send(stack.enter_context(connection), half)
        time.sleep(2)


def aborted_requests(gym: RunningGym) -> None:
    """Leave before the request is whole, and before the answer is read."""
    request = _request(call("list_users", {}))
    for number, connection in connected(gym, range(700)):
        with connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
            _send(connection, request[: len(request) * (number % 11) // 10])


def untaken_answers(gym: RunningGym) -> None:
    """Ask for large answers and take nothing of them."""
    query = "SELECT u.*, v.* FROM user u, user v, user w LIMIT 50000"
    body = json.dumps({"database_id": "default", "query": query}).encode()
    head = b"POST /api/sql-runner HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
    with contextlib.ExitStack() as stack:
        for _, connection in connected(gym, range(20)):
            _send(stack.enter_context(connection), head + b"content-length: %d\r\n\r\n" % len(body) + body)
        time.sleep(3)


def large_answers(gym: RunningGym) -> None:
    """Ask for what is small in the database and large in the answer, and take nothing of it."""
    count = "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n LIMIT {}) SELECT {} FROM n"
    name = "\1" * 60_000
    columns = (f'i AS "{name}"', "printf('%.*c', 60000, 'a')", "printf('%.*c', 60000, char(1))")
    head = b"POST /api/sql-runner HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
    with contextlib.ExitStack() as stack:
        for column, connection in connected(gym, columns * 15):
            query = count.format(800 if "printf" in column else 60_000, column)
            body = json.dumps({"database_id": "default", "query": query}).encode()
            stack.enter_context(connection).setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            _send(connection, head + b"content-length: %d\r\n\r\n" % len(body) + body)
        time.sleep(5)


def slow_messages(gym: RunningGym) -> None:
    """Send many messages at once, each as long to parse as is taken."""
    with contextlib.ExitStack() as stack:
        for number, connection in connected(gym, range(300)):
            parts: list[Any] = [[]] * (98_000 if number % 2 else 4_900)
            body = call("x", {"a": parts}).replace(b" ", b"")
            _send(stack.enter_context(connection), _request(body))
        time.sleep(5)


def small_chunks(gym: RunningGym) -> None:
    """Send bodies a byte a chunk, beside many bodies that have begun."""
    head = b"POST /api/sql-runner HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
    begun = head + b"transfer-encoding: chunked\r\n\r\n1\r\nx\r\n"
    with contextlib.ExitStack() as stack:
        connections = []
        for _, connection in connected(gym, range(800)):
            connections.append(stack.enter_context(connection))
            _send(connection, begun)
        for _ in range(20):
            for connection in connections[:5]:
                _send(connection, b"1\r\nx\r\n" * 10_000)


def bad_heads(gym: RunningGym) -> None:
    """Send heads that break the protocol, or that never end."""
    start = b"POST /mcp HTTP/1.1\r\n"
    chunked = start + b"transfer-encoding: chunked\r\n\r\n"
    heads = [
        b"\0" * 100_000,
        b"\r\n" * 100_000,
        b"GET " + b"/" * 200_000,
        b"GET /%ff%00 HTTP/1.1\r\n\r\n",
        b"GET /\xc3\xa9 HTTP/9.9\r\n\r\n",
        b"GET /health HTTP/1.1\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n",
        start + b"x: " + b"y" * 2_000_000,
        start + b"x: y\r\n" * 200_000,
        start + b"content-length: -5\r\n\r\n",
        start + b"content-length: 9\r\ncontent-length: 8\r\n\r\n123456789",
        start + b"host: localhost\r\nmcp-protocol-version: \xff\r\nx-database-id: \xff\xfe\r\n\r\n",
        chunked + b"1;" + b"e" * 500_000,
        chunked + b"zz\r\n",
    ]
    for head, connection in connected(gym, heads, timeout=2):
        with connection, contextlib.suppress(OSError):
            connection.sendall(head)
            connection.recv(1000)


def pipelined_requests(gym: RunningGym) -> None:
    """Send many requests on one connection, whole and broken, and leave in the midst of the answers."""
    query = json.dumps({"database_id": "default", "query": "SELECT * FROM user u, user v LIMIT 500"}).encode()
    bodies = [call("list_users", {}), call("retrieve_knowledge", {"search_text": "x" * 3000}), b"{", b"[]"]
    whole = [_request(body) for body in bodies] + [_request(query).replace(b"/mcp", b"/api/sql-runner", 1)]
    kinds = [*whole, b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n"]
    draw = random.Random(gym.address[1])
    for number, connection in connected(gym, range(800)):
        with connection, contextlib.suppress(OSError):
            data = b"".join(draw.choices(kinds, k=draw.randint(1, 12)))
            data = data[: draw.randint(1, len(data))] if number % 2 else data
            connection.sendall(data + (b"\0\r\n\r\n" if number % 10 == 0 else b""))
            time.sleep(draw.choice((0, 0, 0.002, 0.01, 0.02)))
            if number % 5 < 3:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
            elif number % 5 == 3:
                connection.shutdown(socket.SHUT_WR)
    time.sleep(2)


def _send(connection: socket.socket, data: bytes) -> None:
    """Send as much as the gym takes before it drops the connection."""
    with contextlib.suppress(OSError):
        connection.sendall(data)


def _request(body: bytes) -> bytes:
    return _MCP + b"content-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(body) + body


ATTACKS: tuple[Callable[[RunningGym], None], ...] = (
    half_requests,
    aborted_requests,
    untaken_answers,
    large_answers,
    slow_messages,
    small_chunks,
    bad_heads,
    pipelined_requests,
)
