"""The columns by which episodes are found, held in memory, and where in the store each episode is."""

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from eops_traj.errors import StoreError
from eops_traj.store.store import Store

if TYPE_CHECKING:
    import polars as pl

REPEATED = ("run_id", "domain", "suite", "model", "orchestrator", "mode", "outcome", "split")
"""Texts of few kinds: kept as categoricals, four bytes a row at most."""
OWN = (
    "episode_id",
    "task_id",
    "task_hash",
    "attempt",
    "success_strict",
    "verifier_pass_strict",
    "n_turns",
    "n_steps",
    "n_tool_errors",
    "output_tokens",
    "cost",
    "duration_ms",
    "started_at",
)


@dataclass(frozen=True, eq=False)
class Index:
    """One version of the episodes table: its small columns, a row an episode, in the table's order.

    A column that the store does not have, being of an older schema, is null throughout. ``failure_modes``
    is one text, the modes separated by spaces.
    """

    version: int
    scan: "pl.LazyFrame"
    frame: "pl.DataFrame"

    def row_of(self, episode_id: str) -> int | None:
        """The place of an episode in the table; None where there is none of that id."""
        import polars as pl

        found = self.frame.select(pl.arg_where(pl.col("episode_id") == episode_id)).to_series()
        return int(found[0]) if len(found) else None

    def whole(self, row: int) -> dict[str, Any]:
        """The row at a place with all its columns, as plain values.

        By place and not by id: the id has no statistics, so that a search for it reads the whole table,
        while the place leads to one row group (at a million rows 54 s and 0.05 s).
        """
        return self.scan.slice(row, 1).collect().row(0, named=True)

    @functools.cached_property
    def choices(self) -> dict[str, list[tuple[str, int]]]:
        """For each column that can be filtered by: the values there are with their counts, by name."""
        counted = {name: self.frame[name].value_counts().drop_nulls().rows() for name in REPEATED}
        modes: dict[str, int] = {}
        for shown, count in self.frame["failure_modes"].value_counts().drop_nulls().iter_rows():
            for mode in shown.split():
                modes[mode] = modes.get(mode, 0) + count
        counted["failure_modes"] = list(modes.items())
        return {name: sorted((str(value), n) for value, n in pairs) for name, pairs in counted.items()}


def load_index(store: Store) -> Index:
    """Read the index of a store's latest version. Raises StoreError where the table cannot be read."""
    import polars as pl

    version = store.version()
    scan = store.scan(version)
    try:
        there = scan.collect_schema()
        columns = [_column(name, name in there) for name in (*REPEATED, *OWN, "failure_modes")]
        return Index(version, scan, scan.select(columns).collect(engine="streaming"))
    except (pl.exceptions.PolarsError, OSError) as error:
        raise StoreError(f"cannot read the episodes of {store.url}: {error}") from error


def _column(name: str, is_there: bool) -> "pl.Expr":
    """How the index keeps a column of the table."""
    import polars as pl

    if not is_there:
        return pl.lit(None, dtype=pl.String if name in (*REPEATED, "failure_modes") else None).alias(name)
    if name == "failure_modes":
        return pl.col(name).list.join(" ").cast(pl.Categorical)
    return pl.col(name).cast(pl.Categorical) if name in REPEATED else pl.col(name)
