"""The web app: the pages by their address, and the error pages."""

import contextlib
import functools
import logging
from collections.abc import Callable, Iterable, Iterator
from http import HTTPStatus
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from eops_traj.errors import EopsError, InputError, StoreError
from eops_traj.view.data import EpisodeSource
from eops_traj.view.request_guard import RequestGuard
from eops_traj.view.templating import render_page

STATIC = Path(__file__).parent / "static"
ROUTES = {
    "/": "routes:runs",
    "/episodes": "routes:episodes",
    "/episodes.csv": "download:csv",
    "/episodes.jsonl": "download:jsonl",
    "/episodes/{episode_id}": "episode_page:episode",
    "/episodes/{episode_id}/text": "whole_text:whole_text",
    "/compare": "comparison:compare",
    "/compare/runs": "run_comparison:compare_runs",
    "/causes": "causes_page:causes",
    "/tools": "tools_page:tools",
    "/live": "live:live",
    "/labels": "review:labels",
    "/selections": "selection_pages:selections",
    "/selections/{name:path}": "selection_pages:selection",
    "/why/{episode_id}/{name:path}": "selection_pages:why",
    "/toolsets/{toolset_hash}": "routes:toolset",
}
"""The pages by their address: module and function, imported when they are first asked for.

Each is a function of the source and the request. Half of what the pages import is for those of episodes, and
the first page does not wait for it.
"""
REVIEW = "/review"
"""The address that takes labels in."""


def make_app(source: EpisodeSource, names: Iterable[str] = ()) -> Starlette:
    """Build the viewer of a source; ``names`` are the host names under which it may be asked."""
    return Starlette(
        routes=[
            *(Route(path, _endpoint(route, source)) for path, route in ROUTES.items()),
            Route(REVIEW, functools.partial(_take_label, source), methods=["POST"]),
            Mount("/static", StaticFiles(directory=STATIC)),
        ],
        middleware=[Middleware(RequestGuard, names=names, posts=[REVIEW] if source.reader else ())],
        exception_handlers={HTTPException: _http_error, EopsError: _error},
    )


def import_pages() -> None:
    """Import every page, so that the first of its kind is as quick as the next."""
    for name in ROUTES.values():
        _page(name)


def _page(name: str) -> Callable[[EpisodeSource, Request], Response]:
    page: Callable[[EpisodeSource, Request], Response] = resolve_name(f"eops_traj.view.{name}")
    return page


def _endpoint(name: str, source: EpisodeSource) -> Callable[[Request], Response]:
    """Wrap a page for Starlette; not being async, it runs in a thread of its own."""

    def answer(request: Request) -> Response:
        with _told():
            return _page(name)(source, request)

    return answer


@contextlib.contextmanager
def _told() -> Iterator[None]:
    """Turn an error that nobody foresaw into a page that names it; where it arose is logged."""
    try:
        yield
    except (EopsError, HTTPException):
        raise
    except Exception as error:
        logging.getLogger(__name__).exception("a page fell")
        detail = f"{type(error).__name__}: {error}"
        raise HTTPException(HTTPStatus.INTERNAL_SERVER_ERROR, detail) from error


async def _take_label(source: EpisodeSource, request: Request) -> Response:
    from eops_traj.view.review import take_label

    with _told():
        return await take_label(source, request)


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
