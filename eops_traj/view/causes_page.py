"""The page of causes: why episodes failed, by domain, model and so on; each number leads to episodes."""

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response

from eops_traj.causes.advice import ADVICE
from eops_traj.causes.cause import KINDS
from eops_traj.errors import UnknownName
from eops_traj.schema import PASSED, UNVERIFIED
from eops_traj.view.data import EpisodeSource
from eops_traj.view.query import FILTERS, Query
from eops_traj.view.templating import render_page

if TYPE_CHECKING:
    import polars as pl

GROUPS = ("domain", "model", "mode", "run", "split")
"""Filters of the list by which causes are counted."""


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
    query, index = Query.of(request.query_params), source.index()
    frame = index.frame[source.matching_rows(index, query)]
    counted = _count(frame, FILTERS[by])
    failed = _failed(frame, FILTERS[by])
    return render_page(
        "causes.html",
        query=query,
        by=by,
        groups=GROUPS,
        rows=_rows(counted),
        failed=failed,
        total=sum(failed.values()),
        unexplained=sum(counted.get(("", False), {}).values()),
    )


def _failed(frame: "pl.DataFrame", column: str) -> dict[str, int]:
    """Count the failed episodes of each group."""
    counts = frame.filter(_has_failed()).group_by(column).len().rows()
    return {str(name): count for name, count in sorted(counts, key=lambda row: str(row[0]))}


def _has_failed() -> "pl.Expr":
    import polars as pl

    return ~pl.col("outcome").cast(pl.String).is_in([*PASSED, UNVERIFIED])


def _count(frame: "pl.DataFrame", column: str) -> dict[tuple[str, bool], Counter[str]]:
    """Count failed episodes by cause, and whether it is the first, in each group; "" is none."""
    counts: dict[tuple[str, bool], Counter[str]] = {}
    for text, group, count in frame.filter(_has_failed()).group_by("causes", column).len().iter_rows():
        for place, kind in enumerate((text or "").split() or [""]):
            for is_first in {False, place == 0}:
                counts.setdefault((kind, is_first), Counter())[str(group)] += count
    return counts


def _rows(counted: dict[tuple[str, bool], Counter[str]]) -> list[CauseRow]:
    rows = [
        CauseRow(
            kind,
            KINDS.get(kind, ""),
            ADVICE.get(kind, ""),
            groups.total(),
            counted.get((kind, True), Counter()).total(),
            dict(groups),
        )
        for (kind, is_first), groups in counted.items()
        if kind and not is_first
    ]
    return sorted(rows, key=lambda row: (-row.episodes, row.kind))
