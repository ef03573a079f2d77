"""The gym as an OpenEnv server: ``/ws``, ``/reset``, ``/step``, ``/state``, ``/schema``, tasks, and ``/mcp``.

The protocol is that of OpenEnv 0.10 (https://github.com/meta-pytorch/OpenEnv), as its server and clients
write it; nothing of that package is needed here. A WebSocket is a session: its episode is closed when it
closes. Over plain HTTP, where OpenEnv's own server keeps nothing, ``/step`` and ``/state`` name the episode
that ``/reset`` began.
"""

import contextlib
import logging
from collections.abc import Mapping
from typing import Any

from pydantic_core import to_json
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from eops_traj import __version__
from eops_traj.environments.episode import error_text
from eops_traj.environments.guard import answer, json_body, json_object
from eops_traj.environments.openenv_actions import Wire, observed_reset, schemas, state_of
from eops_traj.environments.openenv_mcp import McpSessions, rpc_parse_error
from eops_traj.environments.openenv_session import OpenEnvSession, begin, step_by_id
from eops_traj.environments.pool import EpisodesFull
from eops_traj.environments.service import GymService
from eops_traj.errors import EopsError, FormatError, InputError
from eops_traj.schema import Task
from eops_traj.tasks.splits import split_name

NAME = "eops_gym"
_ABOUT = "Enterprise tasks in seven tool servers, judged by their final databases and the last reply."
_STANDARD = "1.0.0"  # of OpenEnv's HTTP interface, which its validator reads here
_SPLIT_TYPES = {"train": "train", "dev": "validation", "test": "test", "test_ood": "test"}
_log = logging.getLogger(__name__)


class OpenEnvRoutes:
    """The routes of the protocol, on one service."""

    def __init__(self, service: GymService) -> None:
        self._service, self._mcp = service, McpSessions(service)

    def routes(self) -> list[BaseRoute]:
        """Return all routes."""
        posts = {"/reset": self._reset, "/step": self._step, "/mcp": self._rpc}
        tasks = {
            "tasks": self._tasks,
            "num_tasks": self._count,
            "task": self._task,
            "task_range": self._range,
        }
        gets = {
            "/state": self._state, "/schema": self._schema, "/metadata": self._metadata,
            "/health": self._health, "/openapi.json": self._openapi, "/list_environments": self._environments,
            f"/{NAME}/splits": self._splits,
        }  # fmt: skip
        return [
            WebSocketRoute("/ws", self._socket),
            *(Route(path, handler, methods=["POST"]) for path, handler in posts.items()),
            *(Route(f"/{NAME}/{name}", handler, methods=["POST"]) for name, handler in tasks.items()),
            *(Route(path, handler, methods=["GET"]) for path, handler in gets.items()),
        ]

    async def sweep(self) -> None:
        """Close idle sessions."""
        await self._mcp.sweep()

    async def _socket(self, socket: WebSocket) -> None:
        """Serve a session for as long as its WebSocket is open."""
        await socket.accept()
        attached = socket.query_params.get("session_id")
        try:
            session = self._mcp.attach(attached) if attached else OpenEnvSession(self._service)
        except InputError as error:
            await _send(socket, _error("SESSION_ERROR", error_text(error)))
            await socket.close()
            return
        try:
            with contextlib.suppress(WebSocketDisconnect):
                await self._converse(socket, session)
                await socket.close()
        finally:
            if not (attached and self._mcp.detach(attached)):
                await session.close()

    async def _converse(self, socket: WebSocket, session: OpenEnvSession) -> None:
        """Answer messages until one says to close."""
        while True:
            try:
                message = json_object(await _received(socket) or "null")
            except FormatError as error:
                await _send(socket, _error("INVALID_JSON", error_text(error)))
                continue
            if message.get("type") == "close":
                return
            await _send(socket, await self._reply(session, message))

    async def _reply(self, session: OpenEnvSession, message: Wire) -> Wire:
        """Answer a message; what goes wrong is in the answer, and the session goes on."""
        try:
            return await self._dispatch(session, message.get("type"), message.get("data", {}))
        except FormatError as error:
            return _error("VALIDATION_ERROR", error_text(error))
        except EpisodesFull as error:
            limits = self._service.pool.limits
            return _error("CAPACITY_REACHED", error_text(error), max_sessions=limits.episodes)
        except EopsError as error:
            return _error("EXECUTION_ERROR", error_text(error))
        except Exception:  # noqa: BLE001 - a bug must not show a client our internals, nor end its session
            _log.exception("a message failed")
            return _error("EXECUTION_ERROR", "Internal server error")

    async def _dispatch(self, session: OpenEnvSession, kind: object, data: Any) -> Wire:
        if not isinstance(data, dict):
            raise FormatError("data has to be an object")
        if kind == "reset":
            return {"type": "observation", "data": await session.reset(data)}
        if kind == "step":
            return {"type": "observation", "data": await session.step(data)}
        if kind == "state":
            return {"type": "state", "data": session.state()}
        if kind == "mcp":
            return {"type": "mcp", "data": await self._mcp.answer(data, session)}
        return _error("UNKNOWN_TYPE", f"Unknown message type: {str(kind)[:100]}")

    async def _reset(self, request: Request) -> Response:
        episode = await begin(self._service, await json_body(request))
        return answer(observed_reset(episode, self._service.view(episode)))

    async def _step(self, request: Request) -> Response:
        body = await json_body(request)
        return answer(await step_by_id(self._service, _episode_id(body), body.get("action")))

    async def _state(self, request: Request) -> Response:
        if not request.query_params:
            return answer(state_of(None))
        episode_id = _episode_id(request.query_params)
        if (judgement := self._service.pool.judged(episode_id)) is not None:
            over = {"episode_id": episode_id, "done": True, "label": judgement.label}
            return answer({**state_of(None), **over})
        return answer(state_of(self._service.pool.find(episode_id)))

    async def _rpc(self, request: Request) -> Response:
        try:
            body = await json_body(request)
        except FormatError as error:
            return answer(rpc_parse_error(error_text(error)))
        return answer(await self._mcp.answer(body))

    async def _schema(self, request: Request) -> Response:
        return answer(schemas())

    async def _metadata(self, request: Request) -> Response:
        return answer({"name": NAME, "description": _ABOUT, "version": __version__})

    async def _health(self, request: Request) -> Response:
        return answer({"status": "healthy"})

    async def _openapi(self, request: Request) -> Response:
        paths = {"/reset": "post", "/step": "post", "/state": "get", "/schema": "get", "/health": "get"}
        described = {
            path: {method: {"responses": {"200": {"description": "OK"}}}} for path, method in paths.items()
        }
        return answer({"openapi": "3.1.0", "info": {"title": NAME, "version": _STANDARD}, "paths": described})

    async def _environments(self, request: Request) -> Response:
        return answer([NAME])

    async def _splits(self, request: Request) -> Response:
        splits = self._service.tasks.splits()
        return answer([{"name": name, "type": _SPLIT_TYPES.get(name, "validation")} for name in splits])

    async def _tasks(self, request: Request) -> Response:
        tasks = self._of_split(await json_body(request))
        return answer({"tasks": list(map(_listed, tasks)), "env_name": NAME})

    async def _count(self, request: Request) -> Response:
        return answer({"num_tasks": len(self._of_split(await json_body(request)))})

    async def _task(self, request: Request) -> Response:
        body = await json_body(request)
        tasks = self._of_split(body)
        index = body.get("index")
        if not isinstance(index, int) or not 0 <= index < len(tasks):
            raise InputError(f"index is {index!r}; the split has 0 to {len(tasks) - 1}")
        return answer({"task": _listed(tasks[index])})

    async def _range(self, request: Request) -> Response:
        body = await json_body(request)
        tasks = self._of_split(body)
        ends = body.get("start"), body.get("stop")
        if not all(end is None or isinstance(end, int) for end in ends):
            raise FormatError("start and stop are numbers, or are left out")
        return answer({"tasks": list(map(_listed, tasks[slice(*ends)]))})

    def _of_split(self, body: Wire) -> list[Task]:
        return self._service.tasks.of_split(str(body.get("split")))


async def _received(socket: WebSocket) -> str:
    """Return the text of the next message. Raises FormatError for one of bytes, WebSocketDisconnect."""
    message = await socket.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message.get("code", 1000))
    if message.get("text") is None:
        raise FormatError("a message is a text, not bytes")
    return str(message["text"])


async def _send(socket: WebSocket, frame: Wire) -> None:
    await socket.send_text(to_json(frame).decode())


def _episode_id(fields: Mapping[str, Any]) -> str:
    """Return the episode that a request names. Raises FormatError where it names none."""
    episode_id = fields.get("episode_id")
    if not isinstance(episode_id, str):
        raise FormatError("episode_id has to be the one that /reset gave; a WebSocket (/ws) needs none")
    return episode_id


def _listed(task: Task) -> Wire:
    """Return what a list of tasks says of one: how it is chosen."""
    return {
        "task_id": task.task_id,
        "domain": task.domain,
        "split": split_name(task.split),
        "mode": task.mode,
    }


def _error(code: str, message: str, **more: Any) -> Wire:
    return {"type": "error", "data": {"message": message, "code": code, **more}}
