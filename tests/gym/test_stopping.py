"""A served gym ends at once when it is told to, whatever SQL a client has it run."""

import signal
import subprocess
import sys
import threading
import time
from http.client import HTTPConnection, HTTPException
from json import dumps

ENDLESS = "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) "
ROWS = "INSERT INTO location SELECT i, 'A', 0, 0, 'london', 'uk', 1, '', '' FROM n WHERE i < 0"


def send(url: str, path: str, body: dict[str, str]) -> None:
    connection = HTTPConnection(url.removeprefix("http://"))
    try:
        connection.request("POST", path, dumps(body), {"content-type": "application/json"})
        connection.getresponse().read()
    except (HTTPException, OSError):
        pass  # the server ends before it has answered
    finally:
        connection.close()


def test_sigterm_ends_a_gym_under_endless_sql() -> None:
    asked = {
        "/api/seed-database": {"database_id": "a", "sql_content": ENDLESS + ROWS},
        "/api/sql-runner": {"database_id": "default", "query": f"{ENDLESS} SELECT max(i) FROM n"},
    }
    command = [sys.executable, "-m", "eops_traj.cli", "gym", "serve", "--server", "csm", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        url = process.stderr.readline().split()[-1].removesuffix("/mcp")
        clients = [threading.Thread(target=send, args=(url, path, body)) for path, body in asked.items()]
        for client in clients:
            client.start()
        time.sleep(1)
        assert clients[0].is_alive()  # a query ends by itself, after two seconds of processor time
        start = time.monotonic()
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        assert time.monotonic() - start < 25  # and not the thirty seconds that a seed may take
        for client in clients:
            client.join(60)
