"""The rows of a list as a file: all that match, in the list's order and columns.

Characters that act on a terminal are written as escapes in both kinds of file.
"""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from eops_traj.untrusted.terminal import LINES, visible
from eops_traj.view.data import EpisodeSource
from eops_traj.view.index import Index
from eops_traj.view.query import Query

if TYPE_CHECKING:
    import polars as pl

SLICE = 20_000
"""Rows that are written at a time."""
_FORMULA = r"^[=+\-@\t\r]"
"""How a text begins that a spreadsheet would compute."""


def csv(source: EpisodeSource, request: Request) -> Response:
    """Send the matching rows as CSV; a text that a spreadsheet would compute gets a quote before it."""
    return _download(source, request, "csv", "text/csv")


def jsonl(source: EpisodeSource, request: Request) -> Response:
    """Send the matching rows as JSON, one a line."""
    return _download(source, request, "jsonl", "application/x-ndjson")


def _download(source: EpisodeSource, request: Request, kind: str, media_type: str) -> Response:
    query, index = Query.of(request.query_params), source.index()
    parts = _parts(index, source.matching_rows(index, query), query, kind)
    disposition = {"Content-Disposition": f'attachment; filename="episodes.{kind}"'}
    return StreamingResponse(parts, media_type=f"{media_type}; charset=utf-8", headers=disposition)


def _parts(index: Index, rows: "pl.Series", query: Query, kind: str) -> Iterator[str]:
    columns = list(dict.fromkeys(("task_id", "episode_id", *query.columns)))
    for start in range(0, max(len(rows), 1), SLICE):
        frame = _as_text(index.frame[rows[start : start + SLICE]].select(columns))
        if kind == "jsonl":
            yield "".join(f"{json.dumps(row)}\n" for row in frame.iter_rows(named=True))
        else:
            yield visible(_guarded(frame).write_csv(include_header=start == 0), LINES)


def _as_text(frame: "pl.DataFrame") -> "pl.DataFrame":
    import polars as pl

    return frame.with_columns(pl.col(pl.Categorical).cast(pl.String))


def _guarded(frame: "pl.DataFrame") -> "pl.DataFrame":
    import polars as pl

    text = pl.col(pl.String)
    return frame.with_columns(
        pl.when(text.str.contains(_FORMULA)).then(text.str.replace("^", "'")).otherwise(text)
    )
