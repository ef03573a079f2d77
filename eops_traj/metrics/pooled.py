"""Models whose episodes a score holds together: a figure of several is no model's own."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

NAMED = 3
"""Models that a note names."""
_TELL_APART = {"model", "agent_hash", "run_id"}


def pooled_note(episodes: "pl.LazyFrame", by: Sequence[str]) -> list[str]:
    """Say that figures grouped by these columns are of several models together; nothing where none is."""
    import polars as pl

    if _TELL_APART & set(by):
        return []
    found = episodes.select(pl.col("model").drop_nulls().unique().sort()).collect(engine="streaming")
    models = found["model"].to_list()
    if len(models) < 2:
        return []
    named = ", ".join(models[:NAMED]) + (", ..." if len(models) > NAMED else "")
    return [f"figures are of {len(models):,} models together ({named}); --by model tells them apart"]
