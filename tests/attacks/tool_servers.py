"""Hostile tool servers: every field of every answer of theirs, with every hostile value.

The answers go over real HTTP to the real client. A case holds where the client refuses the answer with an
error of ours, or what it gave can be stored, and shown to a model of any endpoint.
"""

import contextlib
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from eops_traj.errors import EopsError
from eops_traj.llm.tool_schemas import DIALECTS, ToolCleaner
from eops_traj.messages import function_tools
from eops_traj.sandbox import mcp_client
from eops_traj.sandbox.mcp_client import McpClient
from eops_traj.schema import Json, ToolCall, ToolSet, json_of
from eops_traj.store.record_check import check_record
from tests.attacks.sampling import one_in
from tests.attacks.tally import HELD, Tally
from tests.hostile import VALUES, paths, render, with_value
from tests.http_server import serving_by

PARAMETERS = {
    "type": "object",
    "properties": {
        "name": {"type": ["string", "null"], "enum": ["a"], "description": "A name.", "format": "date"},
        "many": {"type": "array", "items": {"$ref": "#/$defs/one"}},
        "one": {"oneOf": [{"type": "integer"}, {"const": 1}], "default": 1},
    },
    "required": ["name"],
    "anyOf": [{"required": ["name"]}, {"required": ["many"]}],
    "$defs": {"one": {"allOf": [{"type": "string"}]}},
}
LISTING = {"name": "find_user", "description": "Find a user.", "inputSchema": PARAMETERS}


class Route(NamedTuple):
    """An answer that holds, and what the client does to get it."""

    answer: dict[str, Any]
    use: Callable[[McpClient], object]


def _rpc(result: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "result": result}


def _show_tools(client: McpClient) -> None:
    toolset = ToolSet.of(client.tools())
    check_record(toolset)
    for dialect in DIALECTS:
        ToolCleaner(dialect)(function_tools(toolset))


def _call(client: McpClient) -> None:
    result = client.call("find_user", {})
    envelope = json_of(dict(result.envelope))
    call = ToolCall(id="c", name="f", arguments=Json("{}"), result=result.text, envelope=envelope)
    check_record(call)


def _query(client: McpClient) -> None:
    result = client.query("SELECT 1")
    json_of([result.columns, result.rows])


ROUTES: dict[str, Route] = {
    "initialize": Route(_rpc({"protocolVersion": "1", "serverInfo": {"name": "s"}}), McpClient.initialize),
    "tools/list": Route(_rpc({"tools": [LISTING], "nextCursor": None}), _show_tools),
    "tools/call": Route(_rpc({"content": [{"type": "text", "text": "a"}], "isError": False}), _call),
    "a refused call": Route({"id": 1, "error": {"code": -32602, "message": "no"}}, _call),
    "query": Route({"query": "q", "data": [{"a": 1, "b": None}]}, _query),
    "changes": Route({"changeset": "AAE="}, McpClient.changeset),
    "clone": Route({"cloned_database_id": "db_1"}, McpClient.clone),
    "seed": Route({"detail": "seeded"}, lambda client: client.seed("")),
    "delete": Route({"detail": "gone"}, McpClient.delete),
}
"""Every answer that the client reads."""


def attack(folder: Path, every: int = 1) -> Tally:
    """Give the client every hostile answer, or one in so many of each route."""
    tally, bodies = Tally("tool servers"), [b""]
    with serving(bodies) as url, patch.object(mcp_client, "_PAUSES", (None,)):
        for name, route in ROUTES.items():
            for case, bodies[0] in one_in(every, _answers(route.answer)):
                _judge(f"{name}: {case}", route, McpClient("csm", url, {}, 5.0), tally)
    return tally


def _answers(answer: dict[str, Any]) -> Iterator[tuple[str, bytes]]:
    for path in paths(answer):
        for name in VALUES:
            yield f"{render(path)} = {name}", with_value(answer, path, name).encode()


def _judge(case: str, route: Route, client: McpClient, tally: Tally) -> None:
    try:
        route.use(client)
    except EopsError as error:
        tally.add(HELD if "\n" not in str(error) else "several lines", case)
    except Exception as error:  # noqa: BLE001 - whatever comes out is what is looked for
        tally.add("traceback", f"{case}: {type(error).__name__}: {error}"[:200])
    else:
        tally.add(HELD, case)


@contextlib.contextmanager
def serving(bodies: list[bytes], kind: str = "application/json") -> Iterator[str]:
    """Serve the first of these bodies, as it is at that moment, to every request."""

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            self.rfile.read(int(self.headers.get("content-length", 0)))
            head = f"HTTP/1.0 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {len(bodies[0])}\r\n\r\n"
            self.wfile.write(head.encode() + bodies[0])

        do_GET = do_POST = do_DELETE = answer

    with serving_by(Handler) as url:
        yield url
