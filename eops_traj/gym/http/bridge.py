"""A session over HTTP as a server over stdio, for agents that start their MCP servers themselves."""

from collections.abc import Awaitable, Callable
from typing import Any

import anyio


async def bridge(url: str) -> None:
    """Pass messages on between standard input and output and the server at ``url``, until either ends."""
    from mcp.client.streamable_http import streamable_http_client
    from mcp.server.stdio import stdio_server

    async with stdio_server() as near, streamable_http_client(url) as far, anyio.create_task_group() as tasks:

        def until_end(work: Callable[..., Awaitable[None]], *streams: Any) -> None:
            async def run() -> None:
                await work(*streams)
                tasks.cancel_scope.cancel()

            tasks.start_soon(run)

        until_end(_pass_on, near[0], far[1])
        until_end(_pass_on, far[0], near[1])


async def _pass_on(source: Any, target: Any) -> None:
    """Pass on what comes; what is no message of JSON-RPC is left out, as it names no request to answer."""
    async for message in source:
        if not isinstance(message, Exception):
            await target.send(message)
