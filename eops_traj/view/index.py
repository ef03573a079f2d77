"""The columns by which episodes are searched, held in memory, and the row of each episode in the store."""

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from eops_traj.errors import StoreError
from eops_traj.store.store import Store

if TYPE_CHECKING:
    import polars as pl

CATEGORICAL_COLUMNS = ("run_id", "domain", "suite", "model", "orchestrator", "mode", "outcome", "split")
"""Texts of few kinds: kept as categoricals, four bytes a row at most."""
WORD_LISTS = ("failure_modes", "causes")
"""Lists of names, each kept as one text, the names separated by spaces."""
PLAIN_COLUMNS = (
    "episode_id", "task_id", "task_hash", "attempt", "success_strict", "verifier_pass_strict", "n_turns",
    "n_steps", "n_tool_errors", "output_tokens", "cost", "duration_ms", "started_at",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Index:
    """One version of the episodes table: its small columns, a row an episode, in the table's order.

    A column that the store does not have, being of an older schema, is null throughout.
    """

    version: int
    scan: "pl.LazyFrame"
    frame: "pl.DataFrame"

    def row_of(self, episode_id: str) -> int | None:
        """Find an episode's row in the table; None where there is none of that id."""
        import polars as pl

        rows = self.frame.select(pl.arg_where(pl.col("episode_id") == episode_id)).to_series()
        return int(rows[0]) if len(rows) else None

    def read_row(self, row: int) -> dict[str, Any]:
        """Read a row with all its columns, as plain values.

        By number and not by id: the id has no statistics, so that a search for it reads the whole table,
        while the number leads to one row group (at a million rows 54 s and 0.05 s).
        """
        return self.scan.slice(row, 1).collect().row(0, named=True)

    @functools.cached_property
    def choices(self) -> dict[str, list[tuple[str, int]]]:
        """The values of each column that can be filtered by, with their counts, sorted by name."""
        counted = {name: self.frame[name].value_counts().drop_nulls().rows() for name in CATEGORICAL_COLUMNS}
        for name in WORD_LISTS:
            words: dict[str, int] = {}
            for text, count in self.frame[name].value_counts().drop_nulls().iter_rows():
                for word in text.split():
                    words[word] = words.get(word, 0) + count
            counted[name] = list(words.items())
        return {name: sorted((str(value), n) for value, n in pairs) for name, pairs in counted.items()}


def load_index(store: Store) -> Index:
    """Read the index of a store's latest version. Raises StoreError where the table cannot be read."""
    import polars as pl

    version = store.version()
    scan = store.scan(version)
    try:
        schema = scan.collect_schema()
        columns = [
            _index_column(name, name in schema)
            for name in (*CATEGORICAL_COLUMNS, *PLAIN_COLUMNS, *WORD_LISTS)
        ]
        return Index(version, scan, scan.select(columns).collect(engine="streaming"))
    except (pl.exceptions.PolarsError, OSError) as error:
        raise StoreError(f"cannot read the episodes of {store.url}: {error}") from error


def _index_column(name: str, is_stored: bool) -> "pl.Expr":
    """Return the expression by which the index keeps a column of the table."""
    import polars as pl

    if not is_stored:
        return pl.lit(None, dtype=pl.String if name in (*CATEGORICAL_COLUMNS, *WORD_LISTS) else None).alias(
            name
        )
    if name in WORD_LISTS:
        return pl.col(name).list.join(" ").cast(pl.Categorical)
    return pl.col(name).cast(pl.Categorical) if name in CATEGORICAL_COLUMNS else pl.col(name)
