"""The page of tools: how often each was called, and how often in vain; each number leads to episodes."""

from starlette.requests import Request
from starlette.responses import Response

from eops_traj.view.data import EpisodeSource
from eops_traj.view.query import FILTERS, Query
from eops_traj.view.templating import render_page

NARROWED_BY = ("run", "domain", "model")
"""Filters that the page takes."""


def tools(source: EpisodeSource, request: Request) -> Response:
    """Render the tools, those with most failed calls first."""
    query, index = Query.of(request.query_params), source.index()
    chosen = {name: value for name, value in query.filters if name in NARROWED_BY}
    equal = {FILTERS[name]: value for name, value in chosen.items()}
    return render_page(
        "tools.html",
        tools=source.search.index.tools(**equal) if source.search.index else [],
        query=Query(filters=tuple(chosen.items())),
        filters={name: index.choices[FILTERS[name]] for name in NARROWED_BY},
        chosen=chosen,
        searchable=source.search.count(),
        total=index.frame.height,
        problem=source.search.problem,
    )
