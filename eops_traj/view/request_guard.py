"""The guard around every answer: only from this machine's own pages, and nothing that runs inline.

A page of some other site can have its name resolve to 127.0.0.1 and then read what is served there (DNS
rebinding). Such a request carries that site's name as its host, so only addresses and our own names pass.
"""

import ipaddress
from collections.abc import Iterable
from http import HTTPStatus

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class RequestGuard:
    """An ASGI app around another: GET and HEAD, known hosts alone, and the headers above.

    A POST passes to the addresses that take one, from pages of the same origin alone: browsers say of every
    POST where the page is that sends it.
    """

    def __init__(self, app: ASGIApp, names: Iterable[str], posts: Iterable[str] = ()) -> None:
        """Guard an app; ``names`` are host names that may be asked for, besides addresses and localhost.

        ``posts`` are the paths that take a POST.
        """
        self._app, self._names = app, {"localhost", *(name.lower() for name in names)}
        self._posts = frozenset(posts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        if refused := self._refusal(scope):
            return await _refuse(refused)(scope, receive, guarded)
        return await self._app(scope, receive, guarded)

    def _refusal(self, scope: Scope) -> HTTPStatus | None:
        """Return why a request is refused; None where it may pass."""
        headers, method = Headers(scope=scope), scope["method"]
        if method not in ("GET", "HEAD") and (method != "POST" or scope["path"] not in self._posts):
            return HTTPStatus.METHOD_NOT_ALLOWED
        host = headers.get("host", "")
        if not self._is_known(host):
            return HTTPStatus.MISDIRECTED_REQUEST
        if method == "POST" and not _is_own(headers, host):
            return HTTPStatus.FORBIDDEN
        return None

    def _is_known(self, host: str) -> bool:
        """Check whether a Host header names this machine, by an address or one of the names."""
        name = host.lower().rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host.lower()
        try:
            ipaddress.ip_address(name.removeprefix("[").removesuffix("]"))
        except ValueError:
            return name in self._names
        return True


def _is_own(headers: Headers, host: str) -> bool:
    """Check that a page of this very address sends the request; a browser leaves neither header out."""
    origin = headers.get("origin", "").partition("://")[2]
    return origin == host and headers.get("sec-fetch-site", "same-origin") == "same-origin"


def _refuse(status: HTTPStatus) -> PlainTextResponse:
    return PlainTextResponse(f"{status.value} {status.phrase}\n", status)
