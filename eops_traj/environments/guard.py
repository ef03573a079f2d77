"""What every environment server has in front and around: who may ask, how much, and errors as answers."""

import logging
from typing import Any, cast

from pydantic_core import from_json, to_json
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from eops_traj.environments.episode import EpisodeOver, TooManyCalls, error_text
from eops_traj.environments.pool import EpisodesFull, UnknownEpisode
from eops_traj.errors import EopsError, FormatError, InputError, UnknownName
from eops_traj.gym.http.hosts import AllowedHosts
from eops_traj.gym.http.threads import TimedOut

BODY_BYTES = 16 * 1024 * 1024
"""The size limit of a request's body: a rollout of a hundred thousand tokens has one of them."""
STATUSES = (
    (UnknownEpisode, 404), (UnknownName, 404), (EpisodeOver, 409), (TooManyCalls, 429), (EpisodesFull, 429),
    (TimedOut, 504), (FormatError, 422), (InputError, 400),
)  # fmt: skip
"""The HTTP status of each kind of refusal, the first that fits."""
_REFUSED = 1008  # the close code of a WebSocket that breaks a policy
_log = logging.getLogger(__name__)


class Guard:
    """Middleware that turns away hosts, origins and forms of others, for HTTP and WebSockets alike.

    A page of some other site can have its own name resolve to this machine (DNS rebinding), and can send
    forms; neither reaches what is behind this.
    """

    def __init__(self, app: ASGIApp, hosts: AllowedHosts) -> None:
        self._app, self._hosts = app, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a connection on, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            return await self._app(scope, receive, send)
        problem = self._problem(HTTPConnection(scope))
        if problem is None:
            return await self._app(scope, receive, send)
        if scope["type"] == "websocket":
            await receive()
            return await send({"type": "websocket.close", "code": _REFUSED, "reason": problem[1]})
        return await answer({"detail": problem[1]}, problem[0])(scope, receive, send)

    def _problem(self, asked: HTTPConnection) -> tuple[int, str] | None:
        if problem := self._hosts.problem(cast(Request, asked)):  # both have headers and a scope
            return problem
        kind = asked.headers.get("content-type", "").lower()
        if asked.scope.get("method") == "POST" and not kind.startswith("application/json"):
            return 415, "a body has to be application/json"
        return None


def answer(content: Any, status: int = 200) -> Response:
    """Return a response of JSON."""
    return Response(to_json(content), status, media_type="application/json")


async def json_body(request: Request) -> dict[str, Any]:
    """Return the JSON object that a request brings; an empty body is an empty one.

    Raises FormatError for anything else, HTTPException (413) for a body over the limit.
    """
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > BODY_BYTES:
            raise HTTPException(413, f"a body has at most {BODY_BYTES} bytes")
    return json_object(bytes(body))


def json_object(text: str | bytes) -> dict[str, Any]:
    """Parse a JSON object, of which no text is one. Raises FormatError for anything else."""
    try:
        value = from_json(text, allow_inf_nan=False) if text else {}
    except ValueError as error:
        raise FormatError(f"not JSON ({error})") from None
    if not isinstance(value, dict):
        raise FormatError(f"a JSON object is wanted, not a {type(value).__name__}")
    return value


def add_error_answers(app: Starlette) -> None:
    """Have errors of ours answered with their status and words, and any other with a bare 500."""

    async def ours(request: Request, error: Exception) -> Response:
        status = next((status for kind, status in STATUSES if isinstance(error, kind)), 500)
        return answer({"detail": error_text(error)}, status)

    async def http(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        return answer({"detail": error.detail}, error.status_code)

    async def bug(request: Request, error: Exception) -> Response:
        _log.error("a request failed", exc_info=error)
        return answer({"detail": "Internal server error"}, 500)

    app.add_exception_handler(EopsError, ours)
    app.add_exception_handler(HTTPException, http)
    app.add_exception_handler(Exception, bug)
