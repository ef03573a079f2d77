"""The web app: which address is which page, and what an error looks like."""

import functools
from collections.abc import Callable, Iterable
from http import HTTPStatus
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from eops_traj.errors import EopsError, InputError, StoreError
from eops_traj.view import routes
from eops_traj.view.data import Source
from eops_traj.view.request_guard import Guard
from eops_traj.view.templating import page

STATIC = Path(__file__).parent / "static"
ROUTES = {
    "/": routes.runs,
    "/episodes": routes.episodes,
    "/episodes/{episode_id}": routes.episode,
    "/compare": routes.compare,
    "/selections": routes.selections,
    "/selections/{name:path}": routes.selection,
    "/why/{episode_id}/{name:path}": routes.why_page,
    "/toolsets/{toolset_hash}": routes.toolset,
}
"""The pages by their address; each is a function of the source and the request."""


def make_app(source: Source, names: Iterable[str] = ()) -> Starlette:
    """The viewer of a source; ``names`` are the host names under which it may be asked."""
    return Starlette(
        routes=[
            *(Route(path, _endpoint(shown, source)) for path, shown in ROUTES.items()),
            Mount("/static", StaticFiles(directory=STATIC)),
        ],
        middleware=[Middleware(Guard, names=names)],
        exception_handlers={HTTPException: _http_error, EopsError: _error},
    )


def _endpoint(shown: Callable[[Source, Request], Response], source: Source) -> Callable[[Request], Response]:
    """A page as Starlette wants it; not being async, it runs in a thread of its own."""

    @functools.wraps(shown)
    def answer(request: Request) -> Response:
        return shown(source, request)

    return answer


def _http_error(request: Request, error: Any) -> HTMLResponse:
    return _problem(error.status_code, error.detail)


def _error(request: Request, error: Any) -> HTMLResponse:
    """An error of ours: what was asked for is wrong, or the store is."""
    wrong = isinstance(error, InputError) and not isinstance(error, StoreError)
    return _problem(HTTPStatus.BAD_REQUEST if wrong else HTTPStatus.INTERNAL_SERVER_ERROR, str(error))


def _problem(status: int, detail: str) -> HTMLResponse:
    return page("problem.html", status, code=status, phrase=HTTPStatus(status).phrase, detail=detail)
