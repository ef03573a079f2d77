"""The first pages, runs and episodes: from the source and a request to an answer; and the tools of one."""

import json
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from eops_traj.metrics.error_rule import ZERO, default_rule
from eops_traj.schema import OUTCOMES
from eops_traj.view.columns import COLUMNS, NUMBERS
from eops_traj.view.data import EpisodeSource
from eops_traj.view.index import Index
from eops_traj.view.outcome_bar import outcome_bar
from eops_traj.view.query import FILTERS, LABEL_CHOICES, PAGE_SIZE, UNLISTED, Query
from eops_traj.view.templating import render_page
from eops_traj.view.text_columns import PARTS
from eops_traj.view.times import instant

if TYPE_CHECKING:
    import polars as pl

NAMES = ("model", "domain", "mode")
"""Columns of which a run shows every value."""


def runs(source: EpisodeSource, request: Request) -> Response:
    """Render the runs, each with the totals of its episodes, and the success that a score of it has."""
    import polars as pl

    index = source.so_far()
    agents = index.frame.select("settings", "source").unique()
    rule = default_rule(agents.lazy().cast(pl.String))
    return render_page(
        "runs.html",
        index=index,
        runs=_run_rows(source, index, rule),
        errors_as_zero=rule == ZERO,
        total=index.frame.height,
        store=source.store.url,
        outcomes=OUTCOMES,
    )


def _run_rows(source: EpisodeSource, index: Index, rule: str) -> list[dict[str, Any]]:
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
            _mean_success(rule).alias("mean_success"),
            pl.col("cost").sum().alias("cost"),
            pl.col("cost").null_count().alias("uncosted"),
            *(pl.col(name).unique() for name in NAMES),
            *((pl.col("outcome") == name).sum().alias(name) for name in OUTCOMES),
        )
        .with_columns(
            pl.col("run_id").cast(pl.String),
            *(pl.col(name).cast(pl.List(pl.String)).list.sort() for name in NAMES),
        )
    )
    joined = known.join(counted, on="run_id", how="full", coalesce=True)
    rows = joined.sort(instant("started_at"), "run_id", descending=True, nulls_last=True).collect().to_dicts()
    return [{**row, "outcomes": outcome_bar(row, row["episodes"] or 1)} for row in rows]


def _mean_success(rule: str) -> "pl.Expr":
    """Return the mean over what a score counts; by the benchmark's rule an error is a failure."""
    import polars as pl

    erred = (pl.col("standing") == "error") & (rule == ZERO)
    success = pl.when(erred).then(pl.lit(False)).otherwise(pl.col("success_strict"))
    return success.filter((pl.col("standing") == "scored") | erred).mean()


def episodes(source: EpisodeSource, request: Request) -> Response:
    """Render the table of episodes. An address as a form makes it leads to the short one of the same."""
    asked = request.query_params
    if "column" in asked or any(not value for value in asked.values()):
        given = {name: value for name, value in asked.items() if value}
        query = Query.of(given | {"columns": given.get("columns") or ",".join(asked.getlist("column"))})
        return RedirectResponse(query.url(page=query.page))
    query, index = Query.of(request.query_params), source.so_far()
    matching = source.matching_rows(index, query)
    start = (query.page - 1) * PAGE_SIZE
    return render_page(
        "episodes.html",
        index=index,
        query=query,
        rows=_episode_rows(source, index, query, matching[start : start + PAGE_SIZE]),
        matching=len(matching),
        total=index.frame.height,
        start=start,
        pages=max(1, -(-len(matching) // PAGE_SIZE)),
        filters={name: index.choices[column] for name, column in FILTERS.items() if name not in UNLISTED},
        chosen=dict(query.filters),
        unlisted=UNLISTED,
        label_choices=LABEL_CHOICES,
        parts=PARTS,
        searchable=source.search.count() if query.asks_texts else 0,
        search_problem=source.search.problem,
        columns=COLUMNS,
        numbers=NUMBERS,
        selections=source.selections(),
        reasons=["kept", *_rules(source, query.selection)] if query.selection else [],
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


def _rules(source: EpisodeSource, selection: str) -> list[str]:
    from eops_traj.view.selection_pages import rules_of

    return [*rules_of(source.selection(selection).config)]


def toolset(source: EpisodeSource, request: Request) -> Response:
    """Render the tools that an agent was offered."""
    tools = source.store.toolset(request.path_params["toolset_hash"])
    return render_page("toolset.html", toolset=tools, tools=json.loads(tools.tools))
