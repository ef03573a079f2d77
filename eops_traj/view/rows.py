"""The rows of the tables: episodes of a list, runs with what they came to."""

from typing import TYPE_CHECKING, Any

from eops_traj.schema import OUTCOMES
from eops_traj.view.data import Source
from eops_traj.view.index import Index
from eops_traj.view.query import Query

if TYPE_CHECKING:
    import polars as pl


def table_rows(source: Source, index: Index, query: Query, places: "pl.Series") -> list[dict[str, Any]]:
    """The episodes at these places of the index, with the reason where a selection was asked for."""
    frame = index.frame[places]
    if query.selection:
        import polars as pl

        frame = pl.concat([frame, source.reasons(index, query.selection)[places]], how="horizontal")
    return frame.to_dicts()


def siblings(index: Index, task_hash: str, most: int = 50) -> list[dict[str, Any]]:
    """The first attempts at a task, whoever made them."""
    import polars as pl

    found = index.frame.lazy().filter(pl.col("task_hash") == task_hash).head(most).collect()
    return found.sort("model", "attempt", "episode_id").to_dicts()


def run_rows(source: Source, index: Index) -> list[dict[str, Any]]:
    """Every run, newest first: when, what, and how many episodes of which outcome it has.

    A run that the table of runs does not know is there by its episodes alone.
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
    return [{**row, "outcomes": _bar(row)} for row in rows]


def _bar(row: dict[str, Any]) -> list[dict[str, Any]]:
    """The outcomes of a run as parts of a bar of length 100."""
    parts, start = [], 0.0
    for name in OUTCOMES:
        if count := row[name]:
            length = 100 * count / row["episodes"]
            parts.append(
                {"outcome": name, "count": count, "start": round(start, 2), "length": round(length, 2)}
            )
            start += length
    return parts
