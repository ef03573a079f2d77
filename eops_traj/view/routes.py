"""The pages, one function each: from the source and a request to an answer."""

import dataclasses
import json
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from eops_traj.errors import InputError
from eops_traj.filter.rules import labels, list_selections
from eops_traj.schema import OUTCOMES
from eops_traj.view.data import Source
from eops_traj.view.episode_page import Unreadable, read_episode, show_episode, unreadable
from eops_traj.view.query import FILTERS, PAGE, Query
from eops_traj.view.rows import run_rows, table_rows
from eops_traj.view.templating import page


def runs(source: Source, request: Request) -> Response:
    """The runs, each with what its episodes came to."""
    index = source.index()
    return page(
        "runs.html",
        runs=run_rows(source, index),
        total=index.frame.height,
        store=source.store.url,
        outcomes=OUTCOMES,
    )


def episodes(source: Source, request: Request) -> Response:
    """The table of episodes. An address with empty parameters, as forms make them, leads to one without."""
    if any(not value for value in request.query_params.values()):
        kept = Query.of({name: v for name, v in request.query_params.items() if v})
        return RedirectResponse(kept.url(page=kept.page))
    query, index = Query.of(request.query_params), source.index()
    listed = source.listed(index, query)
    start = (query.page - 1) * PAGE
    return page(
        "episodes.html",
        query=query,
        rows=table_rows(source, index, query, listed[start : start + PAGE]),
        found=len(listed),
        total=index.frame.height,
        start=start,
        pages=max(1, -(-len(listed) // PAGE)),
        filters={name: index.choices[column] for name, column in FILTERS.items()},
        chosen=dict(query.filters),
        selections=source.selections(),
        reasons=_reasons(source, query.selection),
    )


def _reasons(source: Source, selection: str) -> list[str]:
    """What can have become of an episode in a selection: kept, or dropped by one of its rules."""
    return ["kept", *_rules(source.selection(selection).config)] if selection else []


def _rules(config: str) -> dict[str, Any]:
    """The parameters of a selection's rules by label."""
    entries = json.loads(config)["rules"]
    found = labels(next(iter(entry)) for entry in entries)
    return dict(zip(found, (next(iter(entry.values())) for entry in entries), strict=True))


def episode(source: Source, request: Request) -> Response:
    """An episode, with its neighbours in the list that it was opened from."""
    index, episode_id = source.index(), request.path_params["episode_id"]
    row = index.row_of(episode_id)
    if row is None:
        raise HTTPException(404, f"The store has no episode {episode_id}.")
    return show_episode(source, index, row, Query.of(request.query_params))


def compare(source: Source, request: Request) -> Response:
    """Two episodes side by side. Raises InputError where the address does not name two."""
    from eops_traj.view.diff import alongside, first_divergence

    index, both = source.index(), []
    for side in ("a", "b"):
        episode_id = request.query_params.get(side)
        if not episode_id:
            raise InputError("a comparison names two episodes: /compare?a=ID&b=ID")
        row = index.row_of(episode_id)
        if row is None:
            raise HTTPException(404, f"The store has no episode {episode_id}.")
        try:
            both.append(read_episode(index, row))
        except Unreadable as error:
            return unreadable(episode_id, error)
    pairs = alongside(*both)
    return page("compare.html", left=both[0], right=both[1], pairs=pairs, first=first_divergence(pairs))


def selections(source: Source, request: Request) -> Response:
    """The saved selections."""
    return page("selections.html", selections=list_selections(source.store))


def selection(source: Source, request: Request) -> Response:
    """A selection: its rules in order, with what each dropped."""
    name = request.path_params["name"]
    head, reasons = source.selection(name), source.reasons(source.index(), name)["reason"]
    counts = dict(reasons.drop_nulls().value_counts().iter_rows())
    rules, left = [], sum(counts.values())
    for label, parameters in _rules(head.config).items():
        left -= counts.get(label, 0)
        rules.append(
            {"label": label, "parameters": parameters, "dropped": counts.get(label, 0), "left": left}
        )
    return page(
        "selection.html",
        selection=head,
        rules=rules,
        kept=counts.get("kept", 0),
        seen=sum(counts.values()),
        unseen=reasons.null_count(),
    )


def why_page(source: Source, request: Request) -> Response:
    """Why an episode is in a selection or out of it, rule by rule."""
    from eops_traj.filter.explain import why

    name, episode_id = request.path_params["name"], request.path_params["episode_id"]
    chosen = source.selection(name, episode_id)
    if not chosen.rows:
        raise HTTPException(404, f"The selection {name} never saw the episode {episode_id}.")
    steps = [dataclasses.asdict(step) for step in why(source.store, chosen, episode_id)]
    return page("why.html", selection=chosen, episode_id=episode_id, steps=steps, row=chosen.rows[0])


def toolset(source: Source, request: Request) -> Response:
    """The tools that an agent was shown."""
    found = source.store.toolset(request.path_params["toolset_hash"])
    return page("toolset.html", toolset=found, tools=json.loads(found.tools))
