"""OpenEnv's JSON-RPC: sessions over HTTP, and a task's tools as MCP lists and calls them.

``openenv/session/create`` and ``openenv/session/close`` are OpenEnv's own; a session that was created so can
be attached to by one WebSocket (``/ws?session_id=``), which is how its ``MCPToolClient`` resets it.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from eops_traj.environments.episode import error_text
from eops_traj.environments.openenv_actions import Wire
from eops_traj.environments.openenv_session import OpenEnvSession
from eops_traj.environments.pool import EpisodesFull, UnknownEpisode
from eops_traj.environments.service import GymService
from eops_traj.errors import EopsError, InputError

PARSE_ERROR, INVALID_REQUEST, NO_METHOD, INVALID_PARAMS, FAILED = -32700, -32600, -32601, -32602, -32000


@dataclass
class _Held:
    session: OpenEnvSession
    used: float
    attached: bool = False


class McpSessions:
    """The sessions that were created over HTTP: as many as episodes may be open, dropped when idle."""

    def __init__(self, service: GymService, now: Callable[[], float] = time.monotonic) -> None:
        self._service, self._now = service, now
        self._held: dict[str, _Held] = {}

    def __len__(self) -> int:
        return len(self._held)

    async def create(self) -> str:
        """Open a session, and return its id. Raises EpisodesFull where as many are open as may be."""
        await self.sweep()
        limits = self._service.pool.limits
        if len(self._held) >= limits.episodes:
            raise EpisodesFull(f"{len(self._held)} sessions are open, which is the limit; close one")
        session_id = uuid4().hex
        self._held[session_id] = _Held(OpenEnvSession(self._service), self._now())
        return session_id

    def attach(self, session_id: str) -> OpenEnvSession:
        """Lend a session to the only WebSocket that it may have. Raises UnknownEpisode, or InputError."""
        held = self._find(session_id)
        if held.attached:
            raise InputError(f"session {session_id} has a WebSocket already")
        held.attached = True
        return held.session

    def detach(self, session_id: str) -> bool:
        """Take a session back from its WebSocket; return whether it stays open: it may be closed already."""
        if held := self._held.get(session_id):
            held.attached, held.used = False, self._now()
        return held is not None

    async def close(self, session_id: str) -> None:
        """Close a session, and its episode. Raises UnknownEpisode."""
        held = self._find(session_id)
        del self._held[session_id]
        await held.session.close()

    async def sweep(self) -> None:
        """Close the sessions that were not used for the idle time and have no WebSocket."""
        latest = self._now() - self._service.pool.limits.idle_seconds
        for name in list(self._held):
            held = self._held.get(name)  # it may have gone, or come into use, while the one before was closed
            if held is not None and held.used < latest and not held.attached:
                await self.close(name)

    async def answer(self, request: Wire, own: OpenEnvSession | None = None) -> Wire:
        """Answer a request of JSON-RPC; what is wrong with it is in the answer.

        ``own`` is the session of the WebSocket that it came by; else the request names one.
        """
        method, params = request.get("method"), request.get("params", {})
        if request.get("jsonrpc") != "2.0" or not isinstance(method, str) or not isinstance(params, dict):
            return _error(request, INVALID_REQUEST, "not a request of JSON-RPC 2.0")
        if method not in METHODS:
            return _error(request, NO_METHOD, f"no method {method!r}; there are {', '.join(METHODS)}")
        try:
            result = await METHODS[method](self, params, own)
        except InputError as error:
            return _error(request, INVALID_PARAMS, error_text(error))
        except EopsError as error:
            return _error(request, FAILED, error_text(error))
        return {"jsonrpc": "2.0", "id": request.get("id"), "result": result}

    def _find(self, session_id: object) -> _Held:
        held = self._held.get(session_id) if isinstance(session_id, str) else None
        if held is None:
            raise UnknownEpisode("session_id has to be that of a session; openenv/session/create opens one")
        held.used = self._now()
        return held

    def _session(self, params: Wire, own: OpenEnvSession | None) -> OpenEnvSession:
        return own or self._find(params.get("session_id")).session

    async def _create(self, params: Wire, own: OpenEnvSession | None) -> Wire:
        return {"session_id": await self.create()}

    async def _close(self, params: Wire, own: OpenEnvSession | None) -> Wire:
        self._find(params.get("session_id"))
        await self.close(params["session_id"])
        return {"session_id": params["session_id"], "closed": True}

    async def _list(self, params: Wire, own: OpenEnvSession | None) -> Wire:
        tools = await self._session(params, own).tools()
        return {"tools": [_mcp_tool(tool) for tool in tools]}

    async def _call(self, params: Wire, own: OpenEnvSession | None) -> Wire:
        name, arguments = params.get("name"), params.get("arguments")
        if not isinstance(name, str) or not isinstance(arguments or {}, dict):
            raise InputError("a call has a name, and arguments that are an object")
        result = await self._session(params, own).call(name, arguments or {})
        content = [{"type": "text", "text": result.text}]
        return {"content": content, "isError": result.is_error, "data": result.text}


METHODS: dict[str, Callable[[McpSessions, Wire, OpenEnvSession | None], Any]] = {
    "openenv/session/create": McpSessions._create,
    "openenv/session/close": McpSessions._close,
    "tools/list": McpSessions._list,
    "tools/call": McpSessions._call,
}


def rpc_parse_error(why: str) -> Wire:
    """Return the answer to what is no JSON object."""
    return _error({}, PARSE_ERROR, why)


def _error(request: Wire, code: int, message: str) -> Wire:
    error = {"code": code, "message": message, "data": None}
    return {"jsonrpc": "2.0", "id": request.get("id"), "error": error}


def _mcp_tool(tool: Wire) -> Wire:
    return {"name": tool["name"], "description": tool["description"], "inputSchema": tool["input_schema"]}
