"""The pages, one function each: from the source and a request to an answer; and the rows of their tables."""

import dataclasses
import json
from typing import TYPE_CHECKING, Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from eops_traj.errors import InputError
from eops_traj.filter.rules import list_selections, rule_labels
from eops_traj.schema import OUTCOMES
from eops_traj.view.columns import COLUMNS, NUMBERS
from eops_traj.view.data import EpisodeSource
from eops_traj.view.episode_page import UnreadableRow, episode_page, find_episode, unreadable_page
from eops_traj.view.index import Index
from eops_traj.view.outcome_bar import outcome_bar
from eops_traj.view.query import FILTERS, LABEL_CHOICES, PAGE_SIZE, Query
from eops_traj.view.templating import render_page
from eops_traj.view.text_columns import PARTS

if TYPE_CHECKING:
    import polars as pl


def runs(source: EpisodeSource, request: Request) -> Response:
    """Render the runs, each with the totals of its episodes."""
    index = source.index()
    return render_page(
        "runs.html",
        runs=_run_rows(source, index),
        total=index.frame.height,
        store=source.store.url,
        outcomes=OUTCOMES,
    )


def _run_rows(source: EpisodeSource, index: Index) -> list[dict[str, Any]]:
    """Return every run, newest first, with its episodes' totals and counts by outcome.

    A run that is missing from the table of runs has the values of its episodes alone.
    """
    import polars as pl

    known = source.store.scan(table="runs").select("run_id", "kind", "started_at", "version", "config")
    counted = (
        index.frame.lazy()
        .group_by("run_id")
        .agg(
            pl.len().alias("episodes"),
            pl.col("task_hash").n_unique().alias("tasks"),
            pl.col("success_strict").mean().alias("mean_success"),
            pl.col("cost").sum().alias("cost"),
            pl.col("cost").null_count().alias("uncosted"),
            *(
                pl.col(name).cast(pl.String).unique().sort().alias(name)
                for name in ("model", "domain", "mode")
            ),
            *((pl.col("outcome").cast(pl.String) == name).sum().alias(name) for name in OUTCOMES),
        )
        .with_columns(pl.col("run_id").cast(pl.String))
    )
    joined = known.join(counted, on="run_id", how="full", coalesce=True)
    rows = joined.sort("started_at", "run_id", descending=True, nulls_last=True).collect().to_dicts()
    return [{**row, "outcomes": outcome_bar(row, row["episodes"] or 1)} for row in rows]


def episodes(source: EpisodeSource, request: Request) -> Response:
    """Render the table of episodes. An address as a form makes it leads to the short one of the same."""
    asked = request.query_params
    if "column" in asked or any(not value for value in asked.values()):
        given = {name: value for name, value in asked.items() if value}
        query = Query.of(given | {"columns": given.get("columns") or ",".join(asked.getlist("column"))})
        return RedirectResponse(query.url(page=query.page))
    query, index = Query.of(request.query_params), source.index()
    matching = source.matching_rows(index, query)
    start = (query.page - 1) * PAGE_SIZE
    return render_page(
        "episodes.html",
        query=query,
        rows=_episode_rows(source, index, query, matching[start : start + PAGE_SIZE]),
        matching=len(matching),
        total=index.frame.height,
        start=start,
        pages=max(1, -(-len(matching) // PAGE_SIZE)),
        filters={name: index.choices[column] for name, column in FILTERS.items()},
        chosen=dict(query.filters),
        label_choices=LABEL_CHOICES,
        parts=PARTS,
        searchable=source.search.count() if query.text else 0,
        search_problem=source.search.problem,
        columns=COLUMNS,
        numbers=NUMBERS,
        selections=source.selections(),
        reasons=["kept", *_rules(source.selection(query.selection).config)] if query.selection else [],
    )


def _episode_rows(
    source: EpisodeSource, index: Index, query: Query, rows: "pl.Series"
) -> list[dict[str, Any]]:
    """Return these rows of the index, with the reason where a selection was asked for."""
    frame = index.frame[rows]
    if query.selection:
        import polars as pl

        frame = pl.concat([frame, source.reasons(index, query.selection)[rows]], how="horizontal")
    return frame.to_dicts()


def _rules(config: str) -> dict[str, Any]:
    """Return the parameters of a selection's rules by label."""
    entries = json.loads(config)["rules"]
    labels = rule_labels(next(iter(entry)) for entry in entries)
    return dict(zip(labels, (next(iter(entry.values())) for entry in entries), strict=True))


def episode(source: EpisodeSource, request: Request) -> Response:
    """Render an episode, with its neighbours in the list that it was opened from."""
    query = Query.of(request.query_params)
    return episode_page(source, source.index(), request.path_params["episode_id"], query)


def compare(source: EpisodeSource, request: Request) -> Response:
    """Render two episodes side by side. Raises InputError where the address does not name two."""
    from eops_traj.view.diff import first_divergence, pair_turns

    index, both = source.index(), []
    for side in ("a", "b"):
        episode_id = request.query_params.get(side)
        if not episode_id:
            raise InputError("a comparison names two episodes: /compare?a=ID&b=ID")
        try:
            both.append(find_episode(source, index, episode_id))
        except UnreadableRow as error:
            return unreadable_page(episode_id, error)
    pairs = pair_turns(*both)
    return render_page(
        "compare.html", left=both[0], right=both[1], pairs=pairs, first=first_divergence(pairs)
    )


def selections(source: EpisodeSource, request: Request) -> Response:
    """Render the saved selections."""
    return render_page("selections.html", selections=list_selections(source.store))


def selection(source: EpisodeSource, request: Request) -> Response:
    """Render a selection: its rules in order, with the number that each dropped."""
    name = request.path_params["name"]
    head, reasons = source.selection(name), source.reasons(source.index(), name)["reason"]
    counts = dict(reasons.drop_nulls().value_counts().iter_rows())
    rules, left = [], sum(counts.values())
    for label, parameters in _rules(head.config).items():
        left -= counts.get(label, 0)
        rules.append(
            {"label": label, "parameters": parameters, "dropped": counts.get(label, 0), "left": left}
        )
    return render_page(
        "selection.html",
        selection=head,
        rules=rules,
        kept=counts.get("kept", 0),
        seen=sum(counts.values()),
        unseen=reasons.null_count(),
    )


def why_page(source: EpisodeSource, request: Request) -> Response:
    """Explain rule by rule why an episode is in a selection or out of it."""
    from eops_traj.filter.explain import explain

    name, episode_id = request.path_params["name"], request.path_params["episode_id"]
    chosen = source.selection(name, episode_id)
    if not chosen.rows:
        raise HTTPException(404, f"The selection {name} never saw the episode {episode_id}.")
    steps = [dataclasses.asdict(step) for step in explain(source.store, chosen, episode_id)]
    return render_page("why.html", selection=chosen, episode_id=episode_id, steps=steps, row=chosen.rows[0])


def toolset(source: EpisodeSource, request: Request) -> Response:
    """Render the tools that an agent was offered."""
    tools = source.store.toolset(request.path_params["toolset_hash"])
    return render_page("toolset.html", toolset=tools, tools=json.loads(tools.tools))
