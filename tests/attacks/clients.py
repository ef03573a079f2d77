"""Clients that want a gym to stop: while each of them is at it, ``/health`` answers within a second.

The harm: ``slow`` (health took longer), ``traceback`` (the log has one), ``memory`` (more than is allowed),
``reached`` (a foreign host got an answer), ``alive`` (a stopped server runs on).
"""

import json
import signal
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx

from tests.attacks import raw_clients
from tests.attacks.raw_clients import call
from tests.attacks.running_gym import RunningGym, asking, running
from tests.attacks.tally import HELD, Tally

ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"
FILL = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) INSERT INTO t SELECT x FROM n;"
JSON = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
MEGABYTES = 100
_OWN = 700  # megabytes of the process itself, of bodies on their way, and of one answer


def post(gym: RunningGym, path: str, body: bytes, **headers: str) -> str:
    """Send a body; return the status, or the name of the error."""
    try:
        with gym.client() as client:
            return str(client.post(path, content=body, headers={**JSON, **headers}).status_code)
    except httpx.HTTPError as error:
        return type(error).__name__


def at_once(work: Callable[[Any], Any], items: Iterable[Any], clients: int = 8) -> list[Any]:
    """Do work from several clients at once."""
    with ThreadPoolExecutor(clients) as threads:
        return list(threads.map(work, items))


def search_texts(gym: RunningGym) -> None:
    """Send texts that expressions choke on, some within the limits and some far beyond them."""
    texts = [text * count for text in ("a(", "\\", "%_", '"', "a b ", "é") for count in (3000, 300_000)]
    bodies = [call("retrieve_knowledge", {"search_text": text}) for text in texts]
    at_once(lambda body: post(gym, "/mcp", body), bodies)


def endless_queries(gym: RunningGym) -> None:
    """Ask queries that never end, or that are slow to be told from a read."""
    queries = [ENDLESS] * 3 + ["/**/" * 5000 + "x", "--\n" * 50_000, "(" * 100_000, " " * 1_000_000]
    bodies = [json.dumps({"database_id": "default", "query": query}).encode() for query in queries]
    at_once(lambda body: post(gym, "/api/sql-runner", body), bodies)


def endless_seeds(gym: RunningGym) -> None:
    """Seed with texts that never end, or that fill all memory."""
    fill = FILL.replace("INTO t SELECT x", "INTO user (first_name) SELECT hex(zeroblob(1000))")
    texts = [f"DELETE FROM user WHERE ({ENDLESS});"] * 6 + [fill] * 6 + ["/*" * 500_000, ";" * 500_000]
    numbered = [{"database_id": f"s{number}", "sql_content": text} for number, text in enumerate(texts)]
    at_once(lambda body: post(gym, "/api/seed-database", json.dumps(body).encode()), numbered)


def wide_bodies(gym: RunningGym) -> None:
    """Send bodies that are quick to send and long to parse."""
    parts = [b"[]," * 5_000_000, b"0," * 8_000_000, b'"":0,' * 3_000_000, b"[" * 16_000_000, b"{" * 4_000_000]
    bodies = [opening + part for part in parts for opening in (b'{"database_id":"w","x":[', b"{")]
    for turn, path in enumerate(("/mcp", "/api/seed-database", "/api/sql-runner")):  # all parse alike
        at_once(lambda body, path=path: post(gym, path, body), bodies[turn::3], 2)


def malformed_messages(gym: RunningGym) -> None:
    """Send what is no JSON-RPC, or only nearly."""
    ids, params = (1, -1, 2**70, 1.5, None, [], "\0"), (None, [], {}, {"name": 5}, {"name": "x"})
    nearly: list[Any] = [[], [1], {}, 5, None, "x", {"jsonrpc": "2.0"}, {"jsonrpc": "1.0", "id": 1}]
    nearly += [{"jsonrpc": "2.0", "id": i, "method": "tools/call", "params": p} for i in ids for p in params]
    bodies = [json.dumps(one).encode() for one in nearly]
    bodies += [call(name, {}) for name in ("", "\0", "x" * 100_000, "../../etc", "__class__")]
    given: tuple[Any, ...] = ([], 5, "x", {"limit": 2**80}, {"": ""}, {"user_id": {}})
    bodies += [call("list_users", arguments) for arguments in given]
    for body in [*bodies, b"[" * 5000 + b"]" * 5000, b"", b"\xff\xfe", b"{"]:
        post(gym, "/mcp", body)
        post(gym, "/api/seed-database", body)


def growing_databases(gym: RunningGym) -> None:
    """Write until memory is full: new databases, copies, rows, and the same row again and again."""

    def fill(number: int) -> None:
        name = f"g{number}"
        post(gym, "/api/seed-database", json.dumps({"database_id": name}).encode())
        for turn in range(30):
            if number % 2:
                post(gym, "/api/clone-database", json.dumps({"source_database_id": name}).encode())
            text = chr(97 + turn % 26) * 90_000
            arguments = {"title": text, "body": text} if turn % 2 else {"knowledge_id": 1, "body": text}
            post(gym, "/mcp", call("create_knowledge" if turn % 2 else "update_knowledge", arguments),
                 **{"x-database-id": name})  # fmt: skip

    at_once(fill, range(8))


ATTACKS = (
    search_texts,
    endless_queries,
    endless_seeds,
    wide_bodies,
    malformed_messages,
    growing_databases,
    *raw_clients.ATTACKS,
)
FOREIGN_HEADERS = (
    {"host": "gym.evil.example"},
    {"host": "gym.evil.example:80"},
    {"host": "localhost.evil.example"},
    {"host": "127.0.0.1.evil.example"},
    {"host": "localhost@evil.example"},
    {"host": "localhost:80:evil.example"},
    {"host": "evil.example#localhost"},
    {"host": "http://localhost"},
    {"host": "10.1.2.3"},
    {"host": "[::2]"},
    {"host": ""},
    {"origin": "http://evil.example"},
    {"origin": "https://evil.example:8005"},
    {"origin": "http://localhost.evil.example"},
    {"origin": "http://127.0.0.1@evil.example"},
    {"origin": "file://"},
    {"origin": "null"},
    {"content-type": "text/plain"},
    {"content-type": "application/x-www-form-urlencoded"},
)
ROUTES = ("/mcp", "/api/seed-database", "/api/sql-runner", "/api/reset-database", "/api/clone-database")


def attack(folder: Path) -> Tally:
    """Run every attack against a gym of its own log; count what each came to."""
    tally = Tally("clients of the gym")
    for each in ATTACKS:
        tally.add(*_came_to(each, folder))
    _foreign_hosts(folder, tally)
    _stopping(folder, tally)
    return tally


def _came_to(client: Callable[[RunningGym], None], folder: Path) -> tuple[str, str]:
    """Judge an attack. What a gym cannot hold is late each time; what a busy machine held up is not."""
    for _ in range(3):
        with running(folder, "--max-memory", str(MEGABYTES), "--call-seconds", "5") as gym:
            before = gym.megabytes()
            with asking(gym) as late:
                client(gym)
            came_to = _judge(client.__name__, gym, late, before)
        if came_to[0] != "slow":
            break
    return came_to


def _judge(name: str, gym: RunningGym, late: list[str], before: float) -> tuple[str, str]:
    if late:
        return "slow", f"{name}: health {late[0]}, {len(late)} times"
    if "Traceback" in (log := gym.log.read_text()):
        return "traceback", f"{name}: {log.count('Traceback')} of them, the last {log.splitlines()[-1][:200]}"
    if gym.megabytes() - before > MEGABYTES + _OWN:
        return "memory", f"{name}: {gym.megabytes() - before:.0f} MB"
    return HELD, f"{name}: {gym.megabytes() - before:.0f} MB"


def _foreign_hosts(folder: Path, tally: Tally) -> None:
    """Ask as a page elsewhere would, on loopback and on every address."""
    for host in ("127.0.0.1", "0.0.0.0"):
        with running(folder, "--host", host) as gym:
            for path in ROUTES:
                for headers in FOREIGN_HEADERS:
                    body = call("list_users", {}) if path == "/mcp" else b'{"database_id": "default"}'
                    status = post(gym, path, body, **headers)
                    refused = status in ("400", "403", "421", "RemoteProtocolError", "LocalProtocolError")
                    tally.add(HELD if refused else "reached", f"{host} {path} {headers}: {status}")
            status = post(gym, "/mcp", call("list_users", {}), origin=gym.url)
            tally.add(HELD if status == "200" else "slow", f"{host}: an honest client got {status}")


def _stopping(folder: Path, tally: Tally) -> None:
    """Ask a gym to end while endless work runs in it."""
    bodies = {
        "/api/seed-database": {"database_id": "e", "sql_content": f"DELETE FROM user WHERE ({ENDLESS});"},
        "/api/sql-runner": {"database_id": "default", "query": ENDLESS},
    }
    for path, body in bodies.items():
        with running(folder) as gym, ThreadPoolExecutor(1) as threads:
            threads.submit(post, gym, path, json.dumps(body).encode())
            time.sleep(1.5)
            start = time.monotonic()
            gym.process.send_signal(signal.SIGTERM)
            code = gym.process.wait(60)
            seconds = time.monotonic() - start
            held = seconds < 25 and code == 0 and "Traceback" not in gym.log.read_text()
            case = f"SIGTERM during {path}: ended with {code} after {seconds:.1f} s"
            tally.add(HELD if held else "alive", case)
