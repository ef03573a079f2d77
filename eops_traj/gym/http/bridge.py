"""A session over HTTP as a server over stdio, for agents that start their MCP servers themselves.

Over stdio a message of JSON-RPC is a line; over HTTP it is a body, and ours are answered in JSON. A server
that is gone is told to the client in the answer to each request, so that it can end by itself.
"""

import asyncio
import json
import sys
from typing import Any
from urllib.parse import urlsplit

import httpx

from eops_traj.errors import InputError

HEADERS = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
VERSION_HEADER = "mcp-protocol-version"
FAILED = -32000
"""The code of JSON-RPC for a server that failed at a request."""


async def bridge(url: str) -> None:
    """Pass messages on between standard input and output and the server at ``url``, until the input ends.

    Raises InputError for what is no address.
    """
    check_url(url)
    client = httpx.AsyncClient(headers=HEADERS, timeout=None, trust_env=False)
    async with client as http, asyncio.TaskGroup() as tasks:
        while line := await asyncio.to_thread(sys.stdin.buffer.readline):
            if line.strip():
                tasks.create_task(_pass_on(line, url, http))


def check_url(url: str) -> None:
    """Check an address. Raises InputError."""
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError as error:
        raise InputError(f"{url!r} is no address: {error}") from None
    if not is_address:
        raise InputError(f"{url!r} is no address; expected http://HOST:PORT/SESSION/mcp")


async def _pass_on(line: bytes, url: str, http: httpx.AsyncClient) -> None:
    """Send a message, and print what is answered; a notification has no answer."""
    try:
        reply = await http.post(url, content=line)
        answer = reply.json() if reply.content else None
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        answer = _failure(line, str(error) or type(error).__name__)
    if not isinstance(answer, dict):
        return
    if "jsonrpc" not in answer:
        answer = _failure(line, f"HTTP {reply.status_code}: {str(answer.get('detail'))[:200]}")
    if version := (answer or {}).get("result", {}).get("protocolVersion"):
        http.headers[VERSION_HEADER] = str(version)  # agreed on in this answer, and said from here on
    if answer is not None:
        print(json.dumps(answer), flush=True)


def _failure(line: bytes, message: str) -> dict[str, Any] | None:
    """Return the answer to a request that the server failed at; None for what asks for no answer."""
    try:
        request = json.loads(line)
    except ValueError:
        return {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "not JSON"}}
    if not isinstance(request, dict) or "id" not in request:
        return None
    return {"jsonrpc": "2.0", "id": request["id"], "error": {"code": FAILED, "message": message}}
