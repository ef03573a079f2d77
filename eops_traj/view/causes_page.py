"""The page of causes: why episodes failed, by domain, model and so on; each number leads to episodes.

As in ``eops-traj diagnose``, episodes are those that a score counts, unless the list is of others.
"""

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response

from eops_traj.causes.advice import ADVICE
from eops_traj.causes.cause import KINDS
from eops_traj.errors import UnknownName
from eops_traj.schema import PASSED, UNVERIFIED
from eops_traj.view.data import EpisodeSource
from eops_traj.view.index import NONE, Index
from eops_traj.view.query import FILTERS, Query
from eops_traj.view.templating import render_page

if TYPE_CHECKING:
    import polars as pl

TOOL, MOST_TOOLS = "tool", 12
GROUPS = ("domain", "model", "mode", "run", "split", TOOL)
"""Filters of the list by which causes are counted; of tools, those at which most episodes went wrong."""


@dataclass(frozen=True)
class CauseRow:
    """A kind of cause: in how many failed episodes it is, is the first error, and by group."""

    kind: str
    meaning: str
    advice: str
    episodes: int
    first: int
    by_group: dict[str, int]


def causes(source: EpisodeSource, request: Request) -> Response:
    """Render the causes of the episodes that match. Raises UnknownName for a column to group by."""
    by = request.query_params.get("by", GROUPS[0])
    if by not in GROUPS:
        raise UnknownName("column", by, GROUPS)
    asked, index = Query.of(request.query_params), source.so_far()
    query, rows = _scored(source, index, asked)
    column = FILTERS.get(by, FILTERS[GROUPS[0]])
    frame = _failures(index, rows, column)
    counted, failed = _count(frame, column), _failed(frame, column)
    texts = source.search.index if by == TOOL else None
    by_tool, shown = _by_tool(frame, texts.faults()) if texts else (None, failed)
    return render_page(
        "causes.html",
        index=index,
        asked=asked,
        query=query,
        by=by,
        groups=GROUPS,
        rows=_rows(counted, by_tool),
        failed=shown,
        total=frame.height,
        unjudged=texts.unjudged() if texts else 0,
        unexplained=sum(counted.get(("", False), {}).values()),
    )


def _scored(source: EpisodeSource, index: Index, asked: Query) -> "tuple[Query, pl.Series]":
    """Return the query of the scored episodes of a list, and their rows; the list's own where it has none.

    A list that says of which standing its episodes are stays as it is.
    """
    query = replace(asked, filters=tuple({"standing": "scored", **dict(asked.filters)}.items()))
    rows = source.matching_rows(index, query)
    return (query, rows) if len(rows) else (asked, source.matching_rows(index, asked))


def _failures(index: Index, rows: "pl.Series", column: str) -> "pl.DataFrame":
    """Return the failed episodes of these rows: id, causes, and the value that they have in a column."""
    import polars as pl

    episodes = index.frame.select("episode_id", "outcome", "causes", column)[rows]
    failed = episodes.filter(~pl.col("outcome").is_in([*PASSED, UNVERIFIED]))
    return failed.with_columns(pl.col(column).cast(pl.String).fill_null(NONE))


def _failed(frame: "pl.DataFrame", column: str) -> dict[str, int]:
    """Count the failed episodes of each group."""
    counts = frame.group_by(column).len().rows()
    return {str(name): count for name, count in sorted(counts, key=lambda row: str(row[0]))}


def _count(frame: "pl.DataFrame", column: str) -> dict[tuple[str, bool], Counter[str]]:
    """Count failed episodes by cause, and whether it is the first, in each group; "" is none."""
    counts: dict[tuple[str, bool], Counter[str]] = {}
    for text, group, count in frame.group_by("causes", column).len().iter_rows():
        for place, kind in enumerate((text or "").split() or [""]):
            for is_first in {False, place == 0}:
                counts.setdefault((kind, is_first), Counter())[str(group)] += count
    return counts


def _by_tool(
    frame: "pl.DataFrame", faults: list[tuple[str, str, str]]
) -> tuple[dict[str, Counter[str]], dict[str, int]]:
    """Return the episodes of each kind by tool, and of each tool, for the tools with most."""
    import polars as pl

    schema = dict.fromkeys(("episode_id", "kind", "tool"), pl.String)
    found = pl.DataFrame(faults, schema=schema, orient="row").unique()
    found = found.join(frame.select("episode_id"), on="episode_id", how="semi")
    tools = found.group_by("tool").agg(pl.col("episode_id").n_unique()).iter_rows()
    most = dict(sorted(tools, key=lambda tool: (-tool[1], tool[0]))[:MOST_TOOLS])
    kinds: dict[str, Counter[str]] = {}
    for kind, tool, count in found.group_by("kind", "tool").len().iter_rows():
        if tool in most:
            kinds.setdefault(kind, Counter())[tool] = count
    return kinds, most


def _rows(
    counted: dict[tuple[str, bool], Counter[str]], by_tool: dict[str, Counter[str]] | None
) -> list[CauseRow]:
    rows = [
        CauseRow(
            kind,
            KINDS.get(kind, ""),
            ADVICE.get(kind, ""),
            groups.total(),
            counted.get((kind, True), Counter()).total(),
            dict(groups if by_tool is None else by_tool.get(kind, Counter())),
        )
        for (kind, is_first), groups in counted.items()
        if kind and not is_first
    ]
    return sorted(rows, key=lambda row: (-row.episodes, row.kind))
