"""A model's endpoint over real HTTP, in a thread of the test, with answers that the test chooses."""

import contextlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock
from typing import Any

from tests.http_server import serving_by


@dataclass(frozen=True)
class Answer:
    """A response: JSON or plain bytes, and how much of it is sent before the connection is cut."""

    body: Any
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    sent: int | None = None

    @property
    def content(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


@dataclass(frozen=True)
class ReceivedRequest:
    """A request as it arrived."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]


@dataclass
class Endpoint:
    """The server: its address, and the requests so far."""

    url: str
    requests: list[ReceivedRequest]


@contextlib.contextmanager
def endpoint(*answers: Answer | Callable[[ReceivedRequest], Answer]) -> Iterator[Endpoint]:
    """Serve these answers in turn, the last one for good."""
    requests: list[ReceivedRequest] = []
    in_turn = Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers["content-length"]))
            headers = {k.lower(): v for k, v in self.headers.items()}
            request = ReceivedRequest(self.path, headers, json.loads(content))
            with in_turn:
                requests.append(request)
                answer = answers[min(len(requests), len(answers)) - 1]
            self.send(answer(request) if callable(answer) else answer)

        def send(self, answer: Answer) -> None:
            self.send_response(answer.status)
            for name, value in {"content-type": "application/json", **answer.headers}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(answer.content)))
            self.end_headers()
            self.wfile.write(answer.content[: answer.sent])
            self.close_connection = answer.sent is not None

    class Server(ThreadingHTTPServer):
        def handle_error(self, *_: Any) -> None:
            """A client that hung up."""

    with serving_by(Handler, Server) as url:
        yield Endpoint(f"{url}/v1", requests)


def completion(text: str | None = None, *calls: Sequence[Any], **message: Any) -> dict[str, Any]:
    """Build the body of a chat completion: a text, and calls as (name, arguments as text or object)."""
    reply: dict[str, Any] = {"role": "assistant", "content": text, **message}
    if calls:
        reply["tool_calls"] = [_call(n, *call) for n, call in enumerate(calls)]
    finish = "tool_calls" if calls else "stop"
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "m-1",
        "choices": [{"index": 0, "finish_reason": finish, "message": reply, "logprobs": None}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
    }


def _call(number: int, name: str, arguments: Any) -> dict[str, Any]:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": f"c{number}", "type": "function", "function": {"name": name, "arguments": text}}
