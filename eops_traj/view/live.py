"""A collection while it runs: episodes as they end, from the journal and from the store."""

import functools
import itertools
import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response

from eops_traj.schema import OUTCOMES, PASSED, Run
from eops_traj.store.integrity import DataFile
from eops_traj.view.data import EpisodeSource
from eops_traj.view.episode_files import EpisodeFiles
from eops_traj.view.index import MOST_FILES, Index, read_file
from eops_traj.view.outcome_bar import outcome_bar
from eops_traj.view.templating import render_page
from eops_traj.view.times import instant

if TYPE_CHECKING:
    import polars as pl

LATEST = 40
"""Episodes that the page lists."""
WINDOW = timedelta(minutes=5)
"""The time over which the rate is taken."""
FIELDS = (
    "run_id", "task_id", "model", "domain", "outcome", "n_turns", "n_steps", "output_tokens", "cost",
    "started_at", "duration_ms", "causes",
)  # fmt: skip
"""What is shown of an episode: columns of the index, and fields of a record in the journal."""
MOST_ROWS = 10_000
"""Rows that are read beside the index, while one waits."""


def live(source: EpisodeSource, request: Request) -> Response:
    """Render a run as it is now; without one, that whose episode ended last."""
    import polars as pl

    index = source.index()
    ended = pl.concat([_stored(index), _unlisted(source, index)])
    last = ended.group_by("run_id").agg(pl.col("ended_at").max()).cast({"run_id": pl.String})
    runs = last.sort("ended_at", "run_id", descending=True, nulls_last=True)["run_id"].to_list()
    run = request.query_params.get("run") or (runs[0] if runs else "")
    figures = _figures(ended.filter(pl.col("run_id") == run), datetime.now(UTC))
    left = _left(source.run(run), figures)
    return render_page("live.html", run=run, runs=runs, **figures, **left)


@functools.lru_cache(maxsize=1)
def _stored(index: Index) -> "pl.DataFrame":
    """Return a row for each episode of the index, with when it began and ended; kept while that stays."""
    return _timed(_shown(index.frame))


def _shown(frame: "pl.DataFrame") -> "pl.DataFrame":
    """Return what is shown of the episodes of a table."""
    import polars as pl

    return frame.select("episode_id", *FIELDS, waits=pl.lit(False))


def _unlisted(source: EpisodeSource, index: Index) -> "pl.DataFrame":
    """Return the episodes that the index lacks: of the journal, and of the table's newer data files."""
    import polars as pl

    waiting = _waiting(source, _shown(index.frame.clear()))  # first: from there they go to the table
    names = ("episode_id", *FIELDS)
    came = [_shown(read_file(index.files.table, file, names)) for file in _newer_files(source, index)]
    beside = pl.concat([*came, waiting]).unique("episode_id", keep="first", maintain_order=True)
    return _timed(beside.join(index.frame, on="episode_id", how="anti"))


def _newer_files(source: EpisodeSource, index: Index) -> list[DataFile]:
    """Return the data files that the index lacks, the smallest first, as far as one waits for them.

    Those that others were merged into are large, and the index has their rows.
    """
    known = frozenset(index.files.files)
    newer = [file for file in EpisodeFiles.latest(source.store).files if file not in known]
    newer.sort(key=lambda file: file.rows or 0)
    totals = itertools.accumulate(file.rows or 0 for file in newer)
    return [file for file, rows in zip(newer, totals, strict=True) if rows <= MOST_ROWS][:MOST_FILES]


def _waiting(source: EpisodeSource, shown: "pl.DataFrame") -> "pl.DataFrame":
    """Return the episodes that wait in the journal, with the columns of what is shown."""
    import polars as pl

    rows = [(*row[:-1], " ".join(json.loads(row[-1] or "[]")), True) for row in source.waiting_rows(FIELDS)]
    texts = {name: pl.String if kind == pl.Categorical else kind for name, kind in shown.schema.items()}
    return pl.DataFrame(rows, schema=texts, orient="row", strict=False).cast(shown.schema)


def _timed(episodes: "pl.DataFrame") -> "pl.DataFrame":
    import polars as pl

    began = instant("started_at")
    took = pl.duration(milliseconds=pl.col("duration_ms").fill_null(0).cast(pl.Int64))
    return episodes.with_columns(began=began, ended_at=began + took)


def _figures(ended: "pl.DataFrame", now: datetime) -> dict[str, Any]:
    """Return the figures of a run's episodes, and the latest of them."""
    import polars as pl

    counts = dict.fromkeys(OUTCOMES, 0) | dict(ended["outcome"].value_counts().iter_rows())
    recent = ended.filter(pl.col("ended_at") > now - WINDOW)
    return {
        "count": ended.height,
        "passed": sum(counts[name] for name in PASSED),
        "errors": counts["error"],
        "waiting": int(ended["waits"].sum()),
        "cost": ended["cost"].drop_nulls().sum() if ended["cost"].count() else None,
        "uncosted": ended["cost"].null_count(),
        "tokens": ended["output_tokens"].drop_nulls().sum() if ended["output_tokens"].count() else None,
        "rate": recent.height / _minutes(ended["began"].min(), now),
        "last": ended["ended_at"].max(),
        "outcomes": outcome_bar(counts, ended.height),
        "latest": ended.sort("ended_at", descending=True, nulls_last=True).head(LATEST).to_dicts(),
    }


def _minutes(began: Any, now: datetime) -> float:
    """Return the minutes over which the rate is taken: of a run that began a moment ago, those since then."""
    since = now - began if isinstance(began, datetime) else WINDOW
    return max(min(since, WINDOW), timedelta(seconds=1)) / timedelta(minutes=1)


def _left(run: Run | None, figures: dict[str, Any]) -> dict[str, Any]:
    """Return how many attempts a run has to make, how many of them still, and how long these will take.

    An attempt that ended in error counts as still to be made: it is made again, or owed to the next one who
    resumes the run.
    """
    if run is None or run.attempts is None:
        return {"attempts": None, "left": None, "time_left": None}
    left = max(run.attempts - (figures["count"] - figures["errors"]), 0)
    took = left / figures["rate"] * 60_000 if figures["rate"] else None
    return {"attempts": run.attempts, "left": left, "time_left": took if left else 0.0}
