"""Sessions over MCP (streamable HTTP), each at an address of its own: ``/ADDRESS/mcp``.

MCP is the SDK's, stateless and with JSON replies, behind the guard of the gym's own servers. Whoever knows an
address can use the session, so the addresses that programs are given are random.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any, Protocol

import uvicorn
from mcp.server.context import CallNext, HandlerResult, ServerMiddleware
from mcp.server.lowlevel.server import Server as Mcp
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from mcp.types import INTERNAL_ERROR, CallToolResult, ListToolsResult, TextContent, Tool
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from eops_traj import __version__
from eops_traj.errors import EopsError
from eops_traj.gym.http.api import install_error_handlers
from eops_traj.gym.http.app import MAX_BODY_BYTES
from eops_traj.gym.http.connections import Bounds, within
from eops_traj.gym.http.guard import MCP_PATH, HttpGuard
from eops_traj.gym.http.hosts import AllowedHosts
from eops_traj.gym.http.sockets import listen, socket_url
from eops_traj.schema import ToolCall

ADDRESS = "eops_traj.address"
"""The key of a request's scope under which the session's address stands."""
_CONNECTING = frozenset({"initialize", "server/discover", "tools/list"})
"""What a client asks as it connects, whichever version of the protocol it speaks."""
_GRACE_SECONDS = 1
_log = logging.getLogger(__name__)


class ServedSession(Protocol):
    """The tools of one session, as an agent from outside calls them."""

    @property
    def listing(self) -> list[dict[str, Any]]:
        """The tools shown, as MCP lists them."""
        ...

    async def call(self, name: str, arguments: dict[str, Any]) -> ToolCall:
        """Run a call, and return it with its result."""
        ...


FindSession = Callable[[str], Awaitable[ServedSession | None]]
"""Returns the session of an address; None for an address that there is none at."""


def make_app(
    find: FindSession, hosts: AllowedHosts, routes: Sequence[Route] = (),
    connected: Callable[[str], None] = lambda address: None,
) -> ASGIApp:  # fmt: skip
    """Make the web application whose sessions a function finds, for clients that call it by these names.

    ``routes`` are beside the sessions, at paths that end in no ``/mcp``. ``connected`` is told the address at
    which a client connects, before anything is found there.
    """
    mcp = Mcp("eops-traj", version=__version__, **_handlers(find))
    mcp.middleware.append(_telling(connected))
    app = mcp.streamable_http_app(
        streamable_http_path=MCP_PATH,
        json_response=True,
        stateless_http=True,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),  # `HttpGuard` is
        custom_starlette_routes=list(routes),
    )
    install_error_handlers(app)
    app.add_middleware(HttpGuard, hosts=hosts, body_limit=MAX_BODY_BYTES)
    return _Addresses(app)


def _handlers(find: FindSession) -> dict[str, Any]:
    async def session(context: Any) -> ServedSession:
        found = await find(context.request.scope[ADDRESS])
        if found is None:
            raise EopsError("no session at this address")
        return found

    async def list_tools(context: Any, params: Any) -> ListToolsResult:
        with _mcp_errors():
            listing = (await session(context)).listing
        return ListToolsResult(tools=[Tool.model_validate(tool) for tool in listing])

    async def call_tool(context: Any, params: Any) -> CallToolResult:
        with _mcp_errors():
            called = await (await session(context)).call(params.name, params.arguments or {})
        content = TextContent(type="text", text=called.result or "")
        return CallToolResult(content=[content], is_error=called.is_error)

    return {"on_list_tools": list_tools, "on_call_tool": call_tool}


def _telling(connected: Callable[[str], None]) -> ServerMiddleware[Any]:
    """Return what tells of every client that connects; the SDK has no handler of its own for that.

    Before a call the SDK itself lists the tools, for headers that their arguments go into: ours have none.
    """

    async def tell(ctx: Any, call_next: CallNext) -> HandlerResult:
        asked = ctx.request.headers.get("mcp-method", ctx.method)
        if ctx.method == "tools/list" != asked:
            return ListToolsResult(tools=[])
        if ctx.method in _CONNECTING:
            connected(ctx.request.scope[ADDRESS])
        return await call_next(ctx)

    return tell


@contextlib.contextmanager
def _mcp_errors() -> Any:
    """Turn failures outside the tools into JSON-RPC errors."""
    try:
        yield
    except EopsError as error:
        raise MCPError(INTERNAL_ERROR, str(error)) from None
    except Exception:  # noqa: BLE001 - a bug must not show a client our internals
        _log.exception("a call failed")
        raise MCPError(INTERNAL_ERROR, "Internal server error") from None


class _Addresses:
    """``/ADDRESS/mcp``: the address is put into the scope; it may have slashes of its own."""

    def __init__(self, app: Starlette) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            address, _, last = scope["path"].strip("/").rpartition("/")
            if f"/{last}" == MCP_PATH:
                own = {"path": MCP_PATH, "raw_path": MCP_PATH.encode(), "root_path": "", ADDRESS: address}
                scope = {**scope, **own}
        await self._app(scope, receive, send)


class _Uvicorn(uvicorn.Server):
    """A server beside other work: signals are for the collection to handle."""

    @contextlib.contextmanager
    def capture_signals(self) -> Any:
        """Leave the signals alone."""
        yield


@contextlib.asynccontextmanager
async def serving(app: ASGIApp, host: str = "127.0.0.1", port: int = 0) -> AsyncIterator[str]:
    """Serve an application in this event loop for as long as this context lasts, and yield its URL.

    Raises InputError where the port is taken.
    """
    bound = listen(host, {"the sessions": port})["the sessions"]
    config = uvicorn.Config(
        app, http=within(Bounds()), log_config=None, access_log=False, lifespan="on", ws="none",
        server_header=False, timeout_keep_alive=75, timeout_graceful_shutdown=_GRACE_SECONDS,
    )  # fmt: skip
    server = _Uvicorn(config)
    task = asyncio.create_task(server.serve([bound]))
    try:
        while not (server.started or task.done()):
            await asyncio.sleep(0.002)
        if task.done():
            task.result()
        yield socket_url(bound)
    finally:
        server.should_exit = True
        await task
