"""A served gym in front of which one tool fails, or whose answers are those that were recorded of it once.

A tool fails with an error of JSON-RPC, a text that is no JSON, or a 500.
"""

import contextlib
import json
from collections.abc import Callable, Iterable, Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any

import httpx

from eops_traj.gym import registry
from tests.http_server import serving_by
from tests.serving import served

ANSWERS = {
    "rpcerr": (200, b'{"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": "broken"}}'),
    "nonjson": (200, b"<html>not JSON</html>"),
    "http5": (500, b"Internal Server Error"),
}
Answer = tuple[int, bytes]
AnswerOf = Callable[[bytes, Callable[[bytes], Answer]], Answer]
"""What is answered to a request; the function given passes a request on to the gym."""
DROPPED = ("host", "content-length", "connection")


@contextlib.contextmanager
def faulty_tools(kind: str, tool: str | None) -> Iterator[dict[str, str]]:
    """Yield the address of a CSM server that fails at one tool in one way; none where no tool is named."""
    if tool is None:
        yield {}
        return
    with served(registry.server("csm")) as urls, _proxy(urls["csm"], _failing(tool, kind)) as address:
        yield {"csm": address}


@contextlib.contextmanager
def recorded_tools(server: str, results: Iterable[str]) -> Iterator[dict[str, str]]:
    """Yield the address of a server that does what is called, and answers what it answered when recorded.

    ``results`` are MCP results as JSON, in the order of the calls: the gym's answers have fewer fields today.
    """
    left = iter(list(results))

    def answer(body: bytes, forward: Callable[[bytes], Answer]) -> Answer:
        status, content = forward(body)
        message = _message(body)
        if message.get("method") == "tools/call":
            told = {"jsonrpc": "2.0", "id": message["id"], "result": json.loads(next(left))}
            content = json.dumps(told).encode()
        return status, content

    with served(registry.server(server)) as urls, _proxy(urls[server], answer) as address:
        yield {server: address}


def _failing(tool: str, kind: str) -> AnswerOf:
    return lambda body, forward: ANSWERS[kind] if _calls(body, tool) else forward(body)


@contextlib.contextmanager
def _proxy(target: str, answer_of: AnswerOf) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def pass_on(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            status, content = answer_of(body, self._forwarded)
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def _forwarded(self, body: bytes) -> Answer:
            headers = {k: v for k, v in self.headers.items() if k.lower() not in DROPPED}
            response = client.request(self.command, target + self.path, content=body, headers=headers)
            return response.status_code, response.content

        do_GET = do_POST = do_DELETE = pass_on

    with httpx.Client(verify=False, timeout=60) as client, serving_by(Handler) as url:
        yield url


def _calls(body: bytes, tool: str) -> bool:
    """Check whether a request calls the tool."""
    message = _message(body)
    return bool(message.get("method") == "tools/call" and message["params"]["name"] == tool)


def _message(body: bytes) -> dict[str, Any]:
    """Return the message of a request; none of one that is no JSON, as a seed's or an empty one."""
    try:
        message = json.loads(body)
    except ValueError:
        return {}
    return message if isinstance(message, dict) else {}
