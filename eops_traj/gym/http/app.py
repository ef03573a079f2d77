"""The gym over HTTP: each tool server speaks MCP at ``/mcp`` on its own port, all in one process.

MCP is the SDK's: streamable HTTP, JSON replies, no sessions. The header ``x-database-id`` chooses the
database of each call. The routes under ``/api`` are in `eops_traj.gym.http.api`.
"""

import asyncio
import contextlib
import logging
import os
import signal
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from mcp.server.lowlevel.server import Server as Mcp
from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from mcp.types import INTERNAL_ERROR, CallToolResult, ListToolsResult, TextContent, Tool
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from eops_traj import __version__
from eops_traj.errors import InputError
from eops_traj.gym.http.api import SideRoutes, error_response, install_error_handlers
from eops_traj.gym.http.databases import DEFAULT, Databases, ServerFull, UnknownDatabase
from eops_traj.gym.server import Server

MCP_PATH = "/mcp"
LOOPBACK = ("127.0.0.1", "localhost", "::1")
MAX_BODY_BYTES = 32 * 1024 * 1024
"""The size limit of a request's body."""
_SWEEP_SECONDS = 30.0
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ServingOptions:
    """The databases and options that all served servers share."""

    databases: Databases = field(default_factory=Databases)
    host: str = "127.0.0.1"
    strict_permissions: bool = False
    body_limit: int = MAX_BODY_BYTES


def make_app(server: Server, serving: ServingOptions) -> Starlette:
    """Make the web application of one server."""
    security = _security(serving.host)
    app = Mcp(server.gym_name, version=__version__, **_handlers(server, serving)).streamable_http_app(
        streamable_http_path=MCP_PATH,
        json_response=True,
        stateless_http=True,
        max_request_body_size=serving.body_limit,
        transport_security=security,
        custom_starlette_routes=SideRoutes(server, serving.databases, serving.body_limit).routes(),
    )
    install_error_handlers(app)
    app.add_middleware(_HttpGuard, security=security)
    return app


def _handlers(server: Server, serving: ServingOptions) -> dict[str, Any]:
    tools = ListToolsResult(tools=[Tool.model_validate(tool.listing()) for tool in server.tools.values()])
    header = server.identity.header if server.identity else ""

    async def list_tools(context: Any, params: Any) -> ListToolsResult:
        return tools

    async def call_tool(context: Any, params: Any) -> CallToolResult:
        headers = context.request.headers
        with _mcp_errors(context.request):
            async with serving.databases.use(server, headers.get("x-database-id") or DEFAULT) as held:
                identity = headers.get(header) or held.caller
                reply = server.call(
                    held.database, params.name, params.arguments or {}, identity, serving.strict_permissions
                )
        content = [TextContent(type="text", text=reply.text)]
        return CallToolResult(content=content, is_error=reply.envelope["isError"])

    return {"on_list_tools": list_tools, "on_call_tool": call_tool}


@contextlib.contextmanager
def _mcp_errors(request: Request) -> Iterator[None]:
    """Turn failures outside the tools into JSON-RPC errors with an HTTP status."""
    try:
        yield
    except UnknownDatabase as error:
        raise _failure(request, 404, str(error)) from None
    except ServerFull as error:
        raise _failure(request, 429, str(error)) from None
    except Exception:  # noqa: BLE001 - a bug must not show a client our internals
        _log.exception("a tool call failed")
        raise _failure(request, 500, "Internal server error") from None


def _failure(request: Request, status: int, message: str) -> MCPError:
    request.state.status = status  # the SDK answers 200 to whatever it understands; `_HttpGuard` corrects it
    return MCPError(INTERNAL_ERROR, message)


def _security(host: str) -> TransportSecuritySettings:
    """Return the checks of hosts: on loopback, no web page may reach us through a name that it controls."""
    if host not in LOOPBACK:
        return TransportSecuritySettings(enable_dns_rebinding_protection=False)
    names = ["127.0.0.1", "localhost", "[::1]"]
    return TransportSecuritySettings(
        allowed_hosts=[f"{name}:*" for name in names], allowed_origins=[f"http://{name}:*" for name in names]
    )


class _HttpGuard:
    """Middleware that turns foreign hosts and origins away, and gives failed calls their HTTP status."""

    def __init__(self, app: ASGIApp, security: TransportSecuritySettings) -> None:
        self._app, self._security = app, TransportSecurityMiddleware(security)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        request = Request(scope)
        if error := await self._security.validate_request(request, request.method == "POST"):
            return await error(scope, receive, send)
        if (request.method, scope["path"]) == (
            "GET",
            MCP_PATH,
        ):  # a stream on which nothing would ever arrive
            return await error_response(405, "Method Not Allowed")(scope, receive, send)
        state = scope.setdefault("state", {})

        async def send_with_status(message: Message) -> None:
            if message["type"] == "http.response.start" and "status" in state:
                message["status"] = state["status"]
            await send(message)

        return await self._app(scope, receive, send_with_status)


class _Uvicorn(uvicorn.Server):
    """One of several in a loop: signals are `serve`'s, which stops them all."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals alone."""
        yield


def listen(host: str, ports: Mapping[str, int]) -> dict[str, socket.socket]:
    """Bind a socket for each name; port 0 is any free one. All are bound, or none."""
    bound: dict[str, socket.socket] = {}
    for name, port in ports.items():
        try:
            bound[name] = _bind(host, port)
        except OSError as error:
            for opened in bound.values():
                opened.close()
            raise InputError(f"cannot listen on {host}:{port} for {name}: {_reason(error)}") from None
    return bound


def _bind(host: str, port: int) -> socket.socket:
    """Bind a socket declared as TCP: only then does asyncio switch off delays of 40 ms a response."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
        bound.listen(2048)
    except OSError:
        bound.close()
        raise
    return bound


def _reason(error: OSError) -> str:
    return os.strerror(error.errno) if error.errno and error.errno > 0 else str(error)


async def serve(
    servers: Sequence[Server], serving: ServingOptions, sockets: Mapping[str, socket.socket],
    stop: asyncio.Event, ready: Callable[[], None] = lambda: None,
) -> None:  # fmt: skip
    """Serve on these sockets until the event stops it."""
    running = [
        _Uvicorn(uvicorn.Config(make_app(s, serving), log_level="warning", access_log=False, lifespan="on",
                                ws="none", server_header=False, timeout_keep_alive=75,
                                timeout_graceful_shutdown=5))
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


def run(
    servers: Sequence[Server],
    serving: ServingOptions,
    ports: Mapping[str, int],
    report: Callable[[str], None],
) -> None:
    """Serve until interrupted."""
    sockets = listen(serving.host, ports)

    def ready() -> None:
        for name, bound in sockets.items():
            report(f"{name} is served at {socket_url(bound)}{MCP_PATH}")
        if serving.host not in LOOPBACK:
            report(
                f"whoever reaches {serving.host} can read and change these databases: there is no password"
            )

    async def until_interrupted() -> None:
        stop = asyncio.Event()
        for kind in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(kind, stop.set)
        await serve(servers, serving, sockets, stop, ready)

    asyncio.run(until_interrupted())


def socket_url(bound: socket.socket) -> str:
    """Return the URL of a bound socket for clients on this machine."""
    host, port = bound.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
