"""A client of one tool server: MCP as JSON-RPC at ``/mcp``, databases at ``/api``.

Requests that can be repeated without harm are, when the transport or the server fails; a call of a tool that
does not read by its name is repeated only if it never left, or was turned away by a server that is too busy.
A lasting failure is a `SandboxError`.
"""

import json
import time
from base64 import b64decode
from collections.abc import Mapping
from itertools import count
from typing import Any
from uuid import uuid4

import httpx

from eops_traj.errors import FormatError, SandboxError
from eops_traj.gym.engine.database import QueryError, QueryResult
from eops_traj.sandbox.session import ToolResult
from eops_traj.tool_effects import is_read

PROTOCOL = "2024-11-05"  # what the benchmark's own client speaks; every server answers it
SEED_SECONDS = 600.0
_PAUSES = (0.2, 1.0, 3.0, None)  # between tries, in seconds; None after the last
_TRANSIENT = {500, 502, 503, 504}
_BUSY = 429
_LONGEST_PAUSE = 60.0  # whatever Retry-After says
_MALFORMED_REQUEST = {
    -32700,
    -32600,
    -32602,
}  # JSON-RPC codes for a message that the server cannot make sense of
_NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)


class McpClient:
    """A client of a server at a URL, with one database of its own there."""

    def __init__(
        self, name: str, url: str, headers: Mapping[str, str], timeout: float, database_id: str = ""
    ) -> None:
        self.name, self.url, self.database_id = name, url.rstrip("/"), database_id or f"db_{uuid4().hex}"
        self._caller_headers, self._timeout = dict(headers), timeout
        self._ids = count(1)
        accept = {"accept": "application/json, text/event-stream", "x-database-id": self.database_id}
        # uvicorn drops idle connections after 5 s; a call sent into a dropped one could not be repeated
        limits = httpx.Limits(max_keepalive_connections=4, keepalive_expiry=4.0)
        certified = self.url.startswith("https:")  # reading the certificates takes longer than all the rest
        self._http = httpx.Client(
            base_url=self.url, headers={**headers, **accept}, timeout=timeout, limits=limits, verify=certified
        )

    def initialize(self) -> None:
        """Make the MCP handshake."""
        client = {"name": "eops-traj", "version": "1"}
        hello = {"protocolVersion": PROTOCOL, "capabilities": {"tools": {}}, "clientInfo": client}
        response = self._message("initialize", hello)
        self._result(response, "initialize")
        if session := response.headers.get("mcp-session-id"):
            self._http.headers["mcp-session-id"] = session
        notice = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        self._send("POST", "/mcp", notice, repeatable=True)

    def tools(self) -> list[dict[str, Any]]:
        """Return the tools as ``tools/list`` shows them, all pages together."""
        tools: list[dict[str, Any]] = []
        cursor: str | None = None
        while True:
            page = self._result(
                self._message("tools/list", {"cursor": cursor} if cursor else {}), "tools/list"
            )
            tools += page.get("tools", [])
            cursor = page.get("nextCursor")
            if not cursor:
                return tools

    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Call a tool. The server's refusal is a result; anything else that goes wrong raises."""
        params = {"name": tool, "arguments": dict(arguments)}
        response = self._message("tools/call", params, repeatable=is_read(tool))
        message = self._read(response)
        error = message.get("error")
        if isinstance(error, dict) and error.get("code") in _MALFORMED_REQUEST:
            return _tool_result(str(error.get("message", "")), True)
        result = self._result(response, tool)
        parts = [part.get("text", "") for part in result.get("content", []) if part.get("type") == "text"]
        return _tool_result("\n".join(parts), bool(result.get("isError")))

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
        self._check(response)

    def query(self, sql: str) -> QueryResult:
        """Read with one SELECT. A result without rows has no columns either."""
        body = {"query": sql, "database_id": self.database_id}
        response = self._send("POST", "/api/sql-runner", body, repeatable=True)
        if response.status_code in (400, 422):
            raise QueryError(_detail(response))
        answer = self._check(response)
        rows = answer.get("data", [])
        columns = tuple(rows[0]) if rows else ()
        return QueryResult(str(answer.get("query", sql)), columns, tuple(tuple(row.values()) for row in rows))

    def changeset(self) -> bytes | None:
        """Return the changes since the seed; None where the server does not report them."""
        response = self._send("GET", "/api/changes", None, repeatable=True)
        return None if _lacks_route(response) else b64decode(self._check(response)["changeset"])

    def clone(self) -> "McpClient":
        """Copy the database on the same server, and return a client of the copy."""
        body = {"database_id": self.database_id, "source_database_id": self.database_id}
        response = self._send("POST", "/api/clone-database", body, repeatable=False)
        if _lacks_route(response):
            raise SandboxError(f"{self.name}: cannot fork: {self.url} has no /api/clone-database")
        copy = str(self._check(response)["cloned_database_id"])
        return McpClient(self.name, self.url, self._caller_headers, self._timeout, copy)

    def delete(self) -> None:
        """Drop the database, where the server can, and close the connection."""
        if self._http.is_closed:
            return
        try:
            self._send("DELETE", "/api/delete-database", {"database_id": self.database_id}, repeatable=True)
        finally:
            self._http.close()

    def _message(self, method: str, params: Mapping[str, Any], repeatable: bool = True) -> httpx.Response:
        message = {"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": params}
        return self._send("POST", "/mcp", message, repeatable=repeatable)

    def _send(
        self, method: str, path: str, body: Any, *, repeatable: bool, timeout: float | None = None
    ) -> httpx.Response:
        content = None if body is None else json.dumps(body).encode()
        kind = {"content-type": "application/json"}
        for pause in _PAUSES:
            try:
                response = self._http.request(
                    method, path, content=content, headers=kind, timeout=timeout or self._timeout
                )
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
        reason = error.get("message") if isinstance(error, dict) else _detail(response)
        raise SandboxError(f"{self.name}: {what}: HTTP {response.status_code}: {reason}")

    def _read(self, response: httpx.Response) -> dict[str, Any]:
        """Return the JSON of an answer, read once; empty where it holds no object."""
        if "read" not in response.extensions:
            response.extensions["read"] = _object(response)
        body: dict[str, Any] = response.extensions["read"]
        return body

    def _check(self, response: httpx.Response) -> dict[str, Any]:
        """Return the answer of a route that has to succeed."""
        body = self._read(response)
        if response.status_code != 200 or not body:
            where = f"{self.name}: {response.request.url.path}"
            raise SandboxError(f"{where}: HTTP {response.status_code}: {_detail(response)}")
        return body


def _object(response: httpx.Response) -> dict[str, Any]:
    """Return the JSON object of an answer, plain or the last event of a stream; empty where none is."""
    text = response.text
    if response.headers.get("content-type", "").startswith("text/event-stream"):
        events = [line[5:] for line in text.splitlines() if line.startswith("data:") and line[5:].strip()]
        text = events[-1] if events else ""
    try:
        body = json.loads(text)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def _asked_pause(response: httpx.Response) -> float:
    """Return the seconds of ``Retry-After``, at most a minute; 0 where it is not a number."""
    header = response.headers.get("retry-after", "")
    return min(float(header), _LONGEST_PAUSE) if header.isdecimal() else 0.0


def _lacks_route(response: httpx.Response) -> bool:
    """Check whether the server has no such route; an unknown database is a 404 too, but names itself."""
    return response.status_code == 405 or (response.status_code == 404 and _detail(response) == "Not Found")


def _detail(response: httpx.Response) -> str:
    try:
        detail = response.json()["detail"]
    except (ValueError, KeyError, TypeError):
        detail = response.text[:500]
    return detail if isinstance(detail, str) else json.dumps(detail)


def _tool_result(text: str, is_error: bool) -> ToolResult:
    content = [{"type": "text", "text": text, "annotations": None, "meta": None}]
    envelope = {"meta": None, "content": content, "structuredContent": None, "isError": is_error}
    return ToolResult(text, is_error, envelope)
