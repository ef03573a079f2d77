"""The columns by which episodes are searched, held in memory, and the row of each episode in the store."""

import contextlib
import functools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from eops_traj.errors import StoreError
from eops_traj.metrics.standing import with_standing_of
from eops_traj.store.integrity import DataFile, is_panic
from eops_traj.store.table import Table
from eops_traj.view.episode_files import EpisodeFiles
from eops_traj.view.kept_index import keep, kept_at, read_kept

if TYPE_CHECKING:
    import polars as pl

CATEGORICAL_COLUMNS = (
    "run_id", "domain", "suite", "model", "orchestrator", "mode", "outcome", "split", "standing",
    "settings", "source",
)  # fmt: skip
"""Texts of few kinds: kept as categoricals, four bytes a row at most."""
WORD_LISTS = ("failure_modes", "causes")
"""Lists of names, each kept as one text, the names separated by spaces."""
PLAIN_COLUMNS = (
    "episode_id", "task_id", "task_hash", "attempt", "success_strict", "verifier_pass_strict", "n_turns",
    "n_steps", "n_tool_errors", "output_tokens", "cost", "duration_ms", "started_at",
)  # fmt: skip
COLUMNS = (*CATEGORICAL_COLUMNS, *PLAIN_COLUMNS, *WORD_LISTS)
_STANDS_BY = ("episode_id", "outcome", "supersedes", "parent")
"""The columns of the table from which ``standing`` is told."""
NONE = "none"
"""What a value that an episode does not have is called, in choices and in addresses."""
AT_ONCE, FIRST = 50_000, 10_000
"""Stores of at most so many rows are read while one waits, and not kept; of larger ones, so many at first."""
MOST_FILES = 64
"""Data files that are read one by one, and kept."""


@dataclass(frozen=True, eq=False)
class Index:
    """One version of the episodes table: its small columns, a row an episode, in the table's order.

    A column that the store does not have, being of an older schema, is null throughout. ``standing`` is told
    from the rows that are read (:mod:`eops_traj.metrics.standing`).
    """

    files: EpisodeFiles
    frame: "pl.DataFrame"
    whole: bool = True
    """Whether the frame has all rows: else it has the first ones."""

    @property
    def version(self) -> int:
        """The version of the table."""
        return self.files.version

    @property
    def total(self) -> int:
        """The episodes of this version, be they read or not."""
        return self.frame.height if self.whole else self.files.rows or 0

    def row_of(self, episode_id: str) -> int | None:
        """Find an episode's row in the table; None where there is none of that id."""
        import polars as pl

        rows = self.frame.select(pl.arg_where(pl.col("episode_id") == episode_id)).to_series()
        return int(rows[0]) if len(rows) else None

    @functools.cached_property
    def choices(self) -> dict[str, list[tuple[str, int]]]:
        """The values of each column that can be filtered by, with their counts, sorted by name."""
        names = (*CATEGORICAL_COLUMNS, *WORD_LISTS)
        return {name: _count_values(self.frame[name], name in WORD_LISTS) for name in names}


def _count_values(column: "pl.Series", are_lists: bool) -> list[tuple[str, int]]:
    """Count the values of a column, or the words of its lists, sorted by name."""
    counts = Counter[str]()
    for text, count in column.value_counts().iter_rows():
        for value in (text or "").split() if are_lists else [NONE if text is None else str(text)]:
            counts[value] += count
    return sorted(counts.items())


def is_large(files: EpisodeFiles) -> bool:
    """Check whether reading all of these files takes longer than one waits for."""
    return files.rows is not None and files.rows > AT_ONCE


def kept_index(files: EpisodeFiles) -> Index | None:
    """Return the index that was kept of these files; None without one."""
    frame = read_kept(kept_at(files, COLUMNS)) if is_large(files) else None
    return Index(files, frame) if frame is not None and frame.height == files.rows else None


def first_rows(files: EpisodeFiles) -> Index:
    """Read the first rows of these files. Raises StoreError where the table cannot be read."""
    first = files.files[0].rows or 0
    with _reading(files.table):
        files.check(most=1)
        return Index(files, _columns_of(files.scan.head(min(first, FIRST))).collect(), whole=False)


def load_index(files: EpisodeFiles) -> Index:
    """Read all of these files; the index of a large store is kept. Raises StoreError where that cannot be."""
    with _reading(files.table):
        files.check()
        columns = _columns_of(files.scan)
        if is_large(files):
            with contextlib.suppress(OSError):  # no room in the cache, or no right to it
                return Index(files, keep(kept_at(files, COLUMNS), columns))
        return Index(files, columns.collect(engine="streaming"))


@functools.lru_cache(maxsize=MOST_FILES)
def read_file(table: Table, listed: DataFile, names: tuple[str, ...]) -> "pl.DataFrame":
    """Read stored columns of a data file as an index has them; kept, as data files never change.

    Raises StoreError where they cannot be read.
    """
    import polars as pl

    with _reading(table):
        table.check_content([listed])
        file = table.open_file(listed.name)
        held = file.read([name for name in file.schema_arrow.names if name in names])
        frame = table.widened(pl.DataFrame(pl.from_arrow(held)))
        stored = frame.collect_schema()
        return frame.select(_index_column(name, name in stored) for name in names).collect()


@contextlib.contextmanager
def _reading(table: Table) -> Iterator[None]:
    import polars as pl

    try:
        yield
    except BaseException as error:
        if not isinstance(error, pl.exceptions.PolarsError | OSError) and not is_panic(error):
            raise
        raise StoreError(f"cannot read the episodes of {table.url}: {error}") from error


def _columns_of(episodes: "pl.LazyFrame") -> "pl.LazyFrame":
    """Return the index of these rows of the table; what was superseded is read for it."""
    import polars as pl

    stored = episodes.collect_schema()
    lacking = [pl.lit(None, pl.String).alias(name) for name in _STANDS_BY if name not in stored]
    known = {*stored, "standing"}
    standing = with_standing_of(episodes.with_columns(lacking))
    return standing.select(_index_column(name, name in known) for name in COLUMNS)


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
