"""A client of one tool server: MCP as JSON-RPC at ``/mcp``, databases at ``/api``.

Requests that can be repeated without harm are, when the transport or the server fails; a call of a tool that
does not read by its name is repeated only if it never left, or was turned away by a server that is too busy.
A lasting failure is a `SandboxError`.
"""

import json
import re
import time
from collections.abc import Mapping
from dataclasses import replace
from itertools import count
from typing import Any
from uuid import uuid4

import httpx

from eops_traj.errors import FormatError, SandboxError
from eops_traj.gym import registry
from eops_traj.gym.engine.database import QueryError, QueryResult
from eops_traj.gym.engine.schema import Schema
from eops_traj.sandbox.deadline import Deadline
from eops_traj.sandbox.mcp_replies import (
    MOST_BYTES,
    CallResult,
    Changes,
    Copy,
    Rows,
    RpcError,
    ToolPage,
    json_object,
    parse_reply,
    read_whole,
)
from eops_traj.sandbox.session import RpcFailure, ToolResult
from eops_traj.tool_effects import is_read
from eops_traj.untrusted.json_text import shorten_value

PROTOCOL = "2024-11-05"  # what the benchmark's own client speaks; every server answers it
SEED_SECONDS = 600.0
_PAUSES = (0.2, 1.0, 3.0, None)  # between tries, in seconds; None after the last
_TRANSIENT = {500, 502, 503, 504}
_BUSY = 429
_LONGEST_PAUSE = 60.0  # whatever Retry-After says
_MOST_PAGES = 1000  # of a list of tools
_DETAIL_CHARS = 500  # of an answer, repeated by an error
_MALFORMED_REQUEST = {
    -32700,
    -32600,
    -32602,
}  # JSON-RPC codes for a message that the server cannot make sense of
_UNSENDABLE = (httpx.InvalidURL, ValueError)  # UnicodeError too: of addresses and headers that tasks give
_SESSION_ID = re.compile("[!-~]+")  # as the protocol has it
_NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)


class McpClient:
    """A client of a server at a URL, with one database of its own there."""

    def __init__(
        self, name: str, url: str, headers: Mapping[str, str], timeout: float, database_id: str = "",
        patient: bool = True,
    ) -> None:  # fmt: skip
        """Take ``patient``: whether calls that fail are repeated and errors of JSON-RPC read as refusals."""
        self.patient = patient
        self.name, self.url, self.database_id = name, url.rstrip("/"), database_id or f"db_{uuid4().hex}"
        self._caller_headers, self._timeout = dict(headers), timeout
        self._ids = count(1)
        self.schema: Schema | None = None
        """The schema of a database that was loosened for its seed."""
        accept = {
            "accept": "application/json, text/event-stream",
            "accept-encoding": "identity",
            "x-database-id": self.database_id,
        }
        # uvicorn drops idle connections after 5 s; a call sent into a dropped one could not be repeated
        limits = httpx.Limits(max_keepalive_connections=4, keepalive_expiry=4.0)
        certified = self.url.startswith("https:")  # reading the certificates takes longer than all the rest
        self._deadline = Deadline()
        try:
            sent = _encoded(headers) | _encoded(accept)
            self._http = httpx.Client(
                base_url=self.url, headers=sent, timeout=timeout, limits=limits, verify=certified
            )
        except _UNSENDABLE as error:
            raise SandboxError(f"{name}: {shorten_value(url)}: {error}") from None

    def initialize(self) -> None:
        """Make the MCP handshake."""
        client = {"name": "eops-traj", "version": "1"}
        hello = {"protocolVersion": PROTOCOL, "capabilities": {"tools": {}}, "clientInfo": client}
        response = self._message("initialize", hello)
        self._result(response, "initialize")
        if session := response.headers.get("mcp-session-id"):
            if not _SESSION_ID.fullmatch(session):
                raise SandboxError(f"{self.name}: initialize: mcp-session-id {shorten_value(session)}")
            self._http.headers["mcp-session-id"] = session
        notice = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        self._send("POST", "/mcp", notice, repeatable=True)

    def tools(self) -> list[dict[str, Any]]:
        """Return the tools as ``tools/list`` shows them, all pages together."""
        tools: list[dict[str, Any]] = []
        cursor: str | None = None
        size = 0
        for _ in range(_MOST_PAGES):
            response = self._message("tools/list", {"cursor": cursor} if cursor else {})
            size += len(response.content)
            if size > MOST_BYTES:
                raise SandboxError(f"{self.name}: tools/list: more than {MOST_BYTES} bytes")
            result = self._result(response, "tools/list")
            page = parse_reply(ToolPage, result, f"{self.name}: tools/list")
            tools += result.get("tools", [])
            cursor = page.nextCursor
            if not cursor:
                return tools
        raise SandboxError(f"{self.name}: tools/list: more than {_MOST_PAGES} pages")

    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Call a tool. The server's refusal is a result; anything else that goes wrong raises."""
        params = {"name": tool, "arguments": dict(arguments)}
        response = self._message("tools/call", params, repeatable=is_read(tool), once=not self.patient)
        message = self._read(response)
        if isinstance(message.get("error"), dict):
            error = parse_reply(RpcError, message["error"], f"{self.name}: {tool}")
            if response.status_code == 200 and not self.patient:
                raise RpcFailure(f"{self.name}: {tool}: {error.message or error.code}")
            if error.code in _MALFORMED_REQUEST:
                return _tool_result(error.message or "", True)
        sent = self._result(response, tool)
        result = parse_reply(CallResult, sent, f"{self.name}: {tool}")
        parts = [part.text or "" for part in result.content if part.type == "text"]
        return replace(_tool_result("\n".join(parts), bool(result.isError)), sent=sent)

    def seed(self, sql: str) -> None:
        """Fill the database; with an empty text, a server of ours takes its own company."""
        body = {
            "database_id": self.database_id,
            "name": self.database_id,
            "description": "",
            "sql_content": sql,
        }
        response = self._send("POST", "/api/seed-database", body, repeatable=True, timeout=SEED_SECONDS)
        if response.status_code == 400:
            raise FormatError(f"{self.name}: {_detail(response)}")
        if self._check(response).get("loosened"):  # only ours say so, and loosen as we do
            self.schema = registry.server(self.name).template(sql).schema

    def query(self, sql: str) -> QueryResult:
        """Read with one SELECT. A result without rows has no columns either."""
        body = {"query": sql, "database_id": self.database_id}
        response = self._send("POST", "/api/sql-runner", body, repeatable=True)
        if response.status_code in (400, 422):
            raise QueryError(_detail(response))
        answer = parse_reply(Rows, self._check(response), f"{self.name}: /api/sql-runner")
        rows = answer.data or []
        columns = tuple(rows[0]) if rows else ()
        return QueryResult(answer.query or sql, columns, tuple(tuple(row.values()) for row in rows))

    def changeset(self) -> bytes | None:
        """Return the changes since the seed; None where the server does not report them."""
        response = self._send("GET", "/api/changes", None, repeatable=True)
        if _lacks_route(response):
            return None
        return parse_reply(Changes, self._check(response), f"{self.name}: /api/changes").changeset

    def clone(self) -> "McpClient":
        """Copy the database on the same server, and return a client of the copy."""
        body = {"database_id": self.database_id, "source_database_id": self.database_id}
        response = self._send("POST", "/api/clone-database", body, repeatable=False)
        if _lacks_route(response):
            raise SandboxError(f"{self.name}: cannot fork: {self.url} has no /api/clone-database")
        copy = parse_reply(Copy, self._check(response), f"{self.name}: /api/clone-database")
        copied = copy.cloned_database_id
        client = McpClient(self.name, self.url, self._caller_headers, self._timeout, copied, self.patient)
        client.schema = self.schema
        return client

    def delete(self) -> None:
        """Drop the database, where the server can, and close the connection."""
        if self._http.is_closed:
            return
        try:
            self._send("DELETE", "/api/delete-database", {"database_id": self.database_id}, repeatable=True)
        finally:
            self._http.close()

    def _message(
        self, method: str, params: Mapping[str, Any], repeatable: bool = True, once: bool = False
    ) -> httpx.Response:
        message = {"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": params}
        return self._send("POST", "/mcp", message, repeatable=repeatable, once=once)

    def _send(
        self, method: str, path: str, body: Any, *, repeatable: bool, timeout: float | None = None,
        once: bool = False,
    ) -> httpx.Response:  # fmt: skip
        content = None if body is None else json.dumps(body).encode()
        kind, limit = {"content-type": "application/json"}, timeout or self._timeout
        for pause in _PAUSES[-1:] if once else _PAUSES:
            self._deadline.start(limit)
            try:
                with self._http.stream(
                    method, path, content=content, headers=kind, timeout=limit,
                    extensions={"trace": self._deadline.trace},
                ) as answer:  # fmt: skip
                    response = read_whole(answer, f"{self.name}: {self.url}{path}", self._deadline)
                    response.extensions["id"] = (body or {}).get("id")
            except _UNSENDABLE as error:
                raise SandboxError(f"{self.name}: {shorten_value(self.url)}: {error}") from None
            except httpx.HTTPError as error:
                if pause is None or not (repeatable or isinstance(error, _NEVER_SENT)):
                    raise SandboxError(
                        f"{self.name}: {self.url}{path}: {error or type(error).__name__}"
                    ) from None
            else:
                busy = response.status_code == _BUSY
                if pause is None or not (busy or (repeatable and self._failed(response))):
                    return response
                pause = max(pause, _asked_pause(response))
            time.sleep(pause)
        raise AssertionError("the last try returns or raises")

    def _failed(self, response: httpx.Response) -> bool:
        """Check whether the server failed, or its answer was cut short; a notification has no answer."""
        cut = response.status_code == 200 and response.content and not self._read(response)
        return response.status_code in _TRANSIENT or bool(cut)

    def _result(self, response: httpx.Response, what: str) -> dict[str, Any]:
        message = self._read(response)
        if isinstance(message.get("result"), dict):
            result: dict[str, Any] = message["result"]
            return result
        error = message.get("error")
        reason = str(error.get("message"))[:_DETAIL_CHARS] if isinstance(error, dict) else _detail(response)
        raise SandboxError(f"{self.name}: {what}: HTTP {response.status_code}: {reason}")

    def _read(self, response: httpx.Response) -> dict[str, Any]:
        """Return the JSON of an answer, read once; empty where it holds no object."""
        if "read" not in response.extensions:
            response.extensions["read"] = json_object(response, response.extensions["id"])
        body: dict[str, Any] = response.extensions["read"]
        return body

    def _check(self, response: httpx.Response) -> dict[str, Any]:
        """Return the answer of a route that has to succeed."""
        body = self._read(response)
        if response.status_code != 200 or not body:
            where = f"{self.name}: {response.request.url.path}"
            raise SandboxError(f"{where}: HTTP {response.status_code}: {_detail(response)}")
        return body


def _encoded(headers: Mapping[str, str]) -> dict[bytes, bytes]:
    """Return headers as they are sent: names in small letters, values in UTF-8."""
    return {name.lower().encode(): value.encode() for name, value in headers.items()}


def _asked_pause(response: httpx.Response) -> float:
    """Return the seconds of ``Retry-After``, at most a minute; 0 where it is not a number."""
    header = response.headers.get("retry-after", "")
    return min(float(header), _LONGEST_PAUSE) if header.isdecimal() else 0.0


def _lacks_route(response: httpx.Response) -> bool:
    """Check whether the server has no such route; an unknown database is a 404 too, but names itself."""
    return response.status_code == 405 or (response.status_code == 404 and _detail(response) == "Not Found")


def _detail(response: httpx.Response) -> str:
    detail = json_object(response).get("detail")
    if detail is None:
        return response.text[:_DETAIL_CHARS]
    return (detail if isinstance(detail, str) else json.dumps(detail))[:_DETAIL_CHARS]


def _tool_result(text: str, is_error: bool) -> ToolResult:
    content = [{"type": "text", "text": text, "annotations": None, "meta": None}]
    envelope = {"meta": None, "content": content, "structuredContent": None, "isError": is_error}
    return ToolResult(text, is_error, envelope)
