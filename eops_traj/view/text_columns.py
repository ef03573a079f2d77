"""The texts of episodes as they are searched, and their uses of tools, a batch of rows at a time."""

from typing import TYPE_CHECKING

from eops_traj.tool_effects import ERROR_TEXT

if TYPE_CHECKING:
    import polars as pl

PARTS = ("said", "calls", "results", "failed")
"""What is searched: what was said, calls with arguments, results, and the names of tools that failed."""
READ = ("episode_id", "run_id", "model", "domain", "task_id", "user_prompt", "turns", "error")
"""The columns of the episodes that are read for it."""
MOST = 1_000_000
"""Characters of a part of an episode that are searched."""


def searched_texts(rows: "pl.DataFrame") -> "pl.DataFrame":
    """Return a row an episode, in order: ``episode_id`` and a text for each of :data:`PARTS`."""
    import polars as pl

    rows = rows.with_row_index("row")
    turns, calls = _turns(rows), _calls(rows)
    named = calls.select("row", calls=_joined("name", "arguments", "raw"), results=_joined("result", "error"))
    failed = calls.filter(_has_failed()).group_by("row").agg(failed=pl.col("name").unique().str.join(" "))
    said = turns.select("row", said=_joined("nudge", "reasoning", "text")).group_by("row")
    parts = (
        rows.select("row", "episode_id", own=_joined("task_id", "user_prompt", "error"))
        .join(said.agg(pl.col("said").str.join("\n")), on="row", how="left")
        .join(named.group_by("row").agg(pl.col("calls", "results").str.join("\n")), on="row", how="left")
        .join(failed, on="row", how="left")
        .sort("row")
    )
    texts = (pl.col(name).fill_null("").str.slice(0, MOST).alias(name) for name in PARTS)
    return parts.with_columns(said=_joined("own", "said")).select("episode_id", *texts)


def tools_called(rows: "pl.DataFrame") -> "pl.DataFrame":
    """Return for each episode, by its row, and tool: the calls, and those that failed."""
    import polars as pl

    calls = _calls(rows.with_row_index("row"))
    return calls.group_by("row", "name").agg(calls=pl.len(), failed=_has_failed().sum())


def tool_uses(rows: "pl.DataFrame", called: "pl.DataFrame") -> "pl.DataFrame":
    """Return for each run, model, domain and tool its calls, those that failed, and the episodes of each."""
    import polars as pl

    of = rows.with_row_index("row").select("row", "run_id", "model", "domain")
    return (
        called.join(of, on="row")
        .group_by("run_id", "model", "domain", "name")
        .agg(pl.col("calls", "failed").sum(), episodes=pl.len(), failing=(pl.col("failed") > 0).sum())
    )


def _turns(rows: "pl.DataFrame") -> "pl.DataFrame":
    return rows.select("row", "turns").explode("turns").drop_nulls("turns").unnest("turns")


def _calls(rows: "pl.DataFrame") -> "pl.DataFrame":
    calls = _turns(rows).select("row", "tool_calls").explode("tool_calls")
    return calls.drop_nulls("tool_calls").unnest("tool_calls")


def _has_failed() -> "pl.Expr":
    """Return for calls whether :func:`.tool_effects.succeeded` says that they did not."""
    import polars as pl

    says_error = pl.col("result").str.contains(ERROR_TEXT).fill_null(False)
    return pl.col("is_error").fill_null(False) | pl.col("error").is_not_null() | says_error


def _joined(*names: str) -> "pl.Expr":
    import polars as pl

    return pl.concat_str(*names, separator="\n", ignore_nulls=True)
