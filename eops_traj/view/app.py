"""The web app: the pages by their address, and the error pages."""

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
from eops_traj.view import download, routes
from eops_traj.view.causes_page import causes
from eops_traj.view.data import EpisodeSource
from eops_traj.view.live import live
from eops_traj.view.request_guard import RequestGuard
from eops_traj.view.review import REVIEW, labels, take_label
from eops_traj.view.run_comparison import compare_runs
from eops_traj.view.templating import render_page
from eops_traj.view.tools_page import tools
from eops_traj.view.whole_text import whole_text

STATIC = Path(__file__).parent / "static"
ROUTES = {
    "/": routes.runs,
    "/episodes": routes.episodes,
    "/episodes.csv": download.csv,
    "/episodes.jsonl": download.jsonl,
    "/episodes/{episode_id}": routes.episode,
    "/episodes/{episode_id}/text": whole_text,
    "/compare": routes.compare,
    "/compare/runs": compare_runs,
    "/causes": causes,
    "/tools": tools,
    "/live": live,
    "/labels": labels,
    "/selections": routes.selections,
    "/selections/{name:path}": routes.selection,
    "/why/{episode_id}/{name:path}": routes.why_page,
    "/toolsets/{toolset_hash}": routes.toolset,
}
"""The pages by their address; each is a function of the source and the request."""


def make_app(source: EpisodeSource, names: Iterable[str] = ()) -> Starlette:
    """Build the viewer of a source; ``names`` are the host names under which it may be asked."""
    return Starlette(
        routes=[
            *(Route(path, _endpoint(route, source)) for path, route in ROUTES.items()),
            Route(REVIEW, functools.partial(take_label, source), methods=["POST"]),
            Mount("/static", StaticFiles(directory=STATIC)),
        ],
        middleware=[Middleware(RequestGuard, names=names, posts=[REVIEW] if source.reader else ())],
        exception_handlers={HTTPException: _http_error, EopsError: _error},
    )


def _endpoint(
    route: Callable[[EpisodeSource, Request], Response], source: EpisodeSource
) -> Callable[[Request], Response]:
    """Wrap a page for Starlette; not being async, it runs in a thread of its own."""

    @functools.wraps(route)
    def answer(request: Request) -> Response:
        return route(source, request)

    return answer


def _http_error(request: Request, error: Any) -> HTMLResponse:
    return _problem_page(error.status_code, error.detail)


def _error(request: Request, error: Any) -> HTMLResponse:
    """Answer an error of ours: the request is wrong, or the store is."""
    bad_request = isinstance(error, InputError) and not isinstance(error, StoreError)
    return _problem_page(
        HTTPStatus.BAD_REQUEST if bad_request else HTTPStatus.INTERNAL_SERVER_ERROR, str(error)
    )


def _problem_page(status: int, detail: str) -> HTMLResponse:
    return render_page("problem.html", status, code=status, phrase=HTTPStatus(status).phrase, detail=detail)
