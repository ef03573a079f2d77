"""The gym over HTTP: each tool server speaks MCP at ``/mcp`` on its own port, all in one process.

MCP is the SDK's: streamable HTTP, JSON replies, no sessions. The header ``x-database-id`` chooses the
database of each call. The routes under ``/api`` are in `eops_traj.gym.http.api`.
"""

import asyncio
import contextlib
import gc
import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import Any

import uvicorn
import uvloop
from mcp.server.lowlevel.server import Server as Mcp
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from mcp.types import INTERNAL_ERROR, CallToolResult, ListToolsResult, TextContent, Tool
from starlette.applications import Starlette
from starlette.requests import Request

from eops_traj import __version__
from eops_traj.errors import EopsError
from eops_traj.gym.http.api import STATUSES, SideRoutes, install_error_handlers
from eops_traj.gym.http.connections import Bounds, allow_open_files, within
from eops_traj.gym.http.databases import DEFAULT, Databases
from eops_traj.gym.http.guard import MCP_PATH, HttpGuard
from eops_traj.gym.http.hosts import LOOPBACK, AllowedHosts
from eops_traj.gym.http.sockets import listen, socket_url
from eops_traj.gym.server import Reply, Server

CallObserver = Callable[[Server, str, str, Mapping[str, Any], Reply], None]
"""Is told of every call that a tool answered: server, database, tool, arguments, reply."""
MAX_BODY_BYTES = 32 * 1024 * 1024
"""The size limit of a request's body."""
_SWEEP_SECONDS = 0.5
_GRACE_SECONDS = 2  # for requests that are being answered when the server is stopped
_LAST_SECONDS = 4.0  # until the process ends in any case
_SWITCH_SECONDS = 0.001  # so that the event loop soon has its turn beside threads of Python
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ServingOptions:
    """The databases and options that all served servers share."""

    databases: Databases = field(default_factory=Databases)
    host: str = "127.0.0.1"
    strict_permissions: bool = False
    allowed_hosts: Sequence[str] = ()
    """Names beside the usual ones (`AllowedHosts`) by which clients may call."""
    connections: Bounds = field(default_factory=Bounds)
    body_limit: int = MAX_BODY_BYTES
    observe: CallObserver | None = None


def make_app(server: Server, serving: ServingOptions) -> Starlette:
    """Make the web application of one server."""
    app = Mcp(server.gym_name, version=__version__, **_handlers(server, serving)).streamable_http_app(
        streamable_http_path=MCP_PATH,
        json_response=True,
        stateless_http=True,
        max_request_body_size=serving.body_limit,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),  # `HttpGuard` is
        custom_starlette_routes=SideRoutes(server, serving.databases).routes(),
    )
    install_error_handlers(app)
    hosts = AllowedHosts(serving.host, serving.allowed_hosts)
    app.add_middleware(HttpGuard, hosts=hosts, body_limit=serving.body_limit)
    return app


def _handlers(server: Server, serving: ServingOptions) -> dict[str, Any]:
    tools = _listed(server)
    header = server.identity.header if server.identity else ""

    async def list_tools(context: Any, params: Any) -> ListToolsResult:
        return tools

    async def call_tool(context: Any, params: Any) -> CallToolResult:
        headers = context.request.headers
        database_id = headers.get("x-database-id") or DEFAULT
        with _mcp_errors(context.request):
            async with serving.databases.use(server, database_id) as held:
                identity = headers.get(header) or held.caller
                call = partial(
                    server.call, held.database, params.name, params.arguments or {}, identity,
                    serving.strict_permissions,
                )  # fmt: skip
                reply = await serving.databases.run(held, call)
                if serving.observe is not None:
                    serving.observe(server, database_id, params.name, params.arguments or {}, reply)
        content = [TextContent(type="text", text=reply.text)]
        return CallToolResult(content=content, is_error=reply.envelope["isError"])

    return {"on_list_tools": list_tools, "on_call_tool": call_tool}


@lru_cache(maxsize=32)
def _listed(server: Server) -> ListToolsResult:
    """Return what ``tools/list`` shows; a process that serves again and again makes it once."""
    return ListToolsResult(tools=[Tool.model_validate(tool.listing()) for tool in server.tools.values()])


@contextlib.contextmanager
def _mcp_errors(request: Request) -> Iterator[None]:
    """Turn failures outside the tools into JSON-RPC errors with an HTTP status."""
    try:
        yield
    except EopsError as error:
        status = next((status for kind, status in STATUSES if isinstance(error, kind)), 500)
        raise _failure(request, status, str(error)) from None
    except Exception:  # noqa: BLE001 - a bug must not show a client our internals
        _log.exception("a tool call failed")
        raise _failure(request, 500, "Internal server error") from None


def _failure(request: Request, status: int, message: str) -> MCPError:
    request.state.status = status  # the SDK answers 200 to whatever it understands; `HttpGuard` corrects it
    return MCPError(INTERNAL_ERROR, message)


class _Uvicorn(uvicorn.Server):
    """One of several in a loop: signals are `serve`'s, which stops them all."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals alone."""
        yield


async def serve(
    servers: Sequence[Server], serving: ServingOptions, sockets: Mapping[str, socket.socket],
    stop: asyncio.Event, ready: Callable[[], None] = lambda: None,
) -> None:  # fmt: skip
    """Serve on these sockets until the event stops it."""
    connection = within(serving.connections)
    running = [
        _Uvicorn(uvicorn.Config(make_app(s, serving), http=connection, log_level="warning", access_log=False,
                                lifespan="on", ws="none", server_header=False, timeout_keep_alive=75,
                                timeout_graceful_shutdown=_GRACE_SECONDS))
        for s in servers
    ]  # fmt: skip
    async with asyncio.TaskGroup() as tasks:
        for web, server in zip(running, servers, strict=True):
            tasks.create_task(web.serve([sockets[server.name]]))
        sweeper = tasks.create_task(_sweep(serving.databases))
        while not all(web.started for web in running):
            await asyncio.sleep(0.01)
        ready()
        await stop.wait()
        sweeper.cancel()
        for web in running:
            web.should_exit = True
        serving.databases.close()


async def _sweep(databases: Databases) -> None:
    while True:
        await asyncio.sleep(_SWEEP_SECONDS)
        databases.sweep()
        databases.stop_late()


def run(
    servers: Sequence[Server],
    serving: ServingOptions,
    ports: Mapping[str, int],
    report: Callable[[str], None],
) -> None:
    """Serve until interrupted."""
    serving = replace(serving, connections=Bounds(allow_open_files()))
    sockets = listen(serving.host, ports)

    def ready() -> None:
        gc.freeze()  # tools and modules stay: only what calls leave behind is searched for garbage
        for name, bound in sockets.items():
            report(f"{name} is served at {socket_url(bound)}{MCP_PATH}")
        if serving.host not in LOOPBACK:
            report(
                f"whoever reaches {serving.host} can read and change these databases: there is no password"
            )

    async def until_interrupted() -> None:
        stop = asyncio.Event()
        for kind in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(kind, _stop, stop)
        await serve(servers, serving, sockets, stop, ready)

    sys.setswitchinterval(_SWITCH_SECONDS)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(until_interrupted())


def _stop(stop: asyncio.Event) -> None:
    """Stop serving; a thread that cannot be interrupted does not hold the process, whose state is memory."""
    stop.set()
    last = threading.Timer(_LAST_SECONDS, os._exit, (0,))
    last.daemon = True
    last.start()
