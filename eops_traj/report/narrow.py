"""Episodes as figures need them, in files beside the report: a tenth of the store, all of a task in one part.

A store is read once, a data file at a time. Of an episode is kept what figures count by and add up: who made
it is a number (``maker``), its ids are hashes. What has to see all attempts at a task is done a part at a
time, so that memory is that of a part, whatever the store's size.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eops_traj.errors import StoreError
from eops_traj.metrics.cut_replies import reply_counts
from eops_traj.schema import OUTCOMES, Episode
from eops_traj.store.integrity import row_count
from eops_traj.store.table_log import cause

if TYPE_CHECKING:
    import polars as pl

    from eops_traj.store.table import Table

VERDICT_FIELDS = ("category", "passed_strict")
REQUIRED_COLUMNS = (
    "episode_id",
    "task_hash",
    "agent_hash",
    "run_id",
    "domain",
    "mode",
    "model",
    "orchestrator",
)
"""The columns that a row must have to be an episode at all, besides its outcome."""
MAKER = ("agent_hash", "model", "orchestrator", "settings", "source", "trained")
"""What is kept once of all episodes that share it: who made them, and whether at tasks to train on."""
KEPT = (
    "run_id", "domain", "mode", "split", "attempt", "outcome", "feasible", "success_parity", "success_strict",
    "verifier_pass_parity", "verifier_pass_strict", "failure_modes", "n_steps", "input_tokens",
    "cached_tokens", "output_tokens", "reasoning_tokens", "cost", "started_at", "duration_ms",
)  # fmt: skip
"""The columns that are kept as they are."""
CONDENSED = (
    "episode_id", "supersedes", "parent", "task_hash", "suite", "task_id", "causes", "task_defect", "error",
    "verdicts", "turns",
)  # fmt: skip
"""The columns of which something is kept."""
MAX_NAMED = 3
"""Rows that a note names before it only counts."""
FILE_ROWS, HELD_ROWS = 600_000, 50_000
"""Episodes of a file, about, and those that are held before they are written."""


class NarrowEpisodes:
    """Episodes in files of a folder; those of a task are all in one of its parts."""

    def __init__(self, folder: Path, parts: int) -> None:
        """Begin without episodes."""
        self._folder, self._parts = folder, parts
        self._makers: dict[tuple[Any, ...], int] = {}
        self._held: list[pl.DataFrame] = []
        self._writes = 0

    def add(self, episodes: "pl.DataFrame") -> None:
        """Take episodes over, and write what is held where that is enough."""
        self._held.append(_narrowed(episodes, self._makers))
        if sum(part.height for part in self._held) >= HELD_ROWS:
            self.write()

    def write(self) -> None:
        """Write what is held, if anything is."""
        import polars as pl

        if not self._held:
            return
        rows, self._held = pl.concat(self._held), []
        for part in range(self._parts):
            own = rows.filter(pl.col("task_hash") % self._parts == part)
            own.write_parquet(self._file(part, self._writes), compression="lz4")
        self._writes += 1

    def scans(self) -> "list[pl.LazyFrame]":
        """Scan the parts."""
        import polars as pl

        parts = ([self._file(part, write) for write in range(self._writes)] for part in range(self._parts))
        return [pl.scan_parquet(files, glob=False) for files in parts]  # a folder may be called [a]

    def _file(self, part: int, write: int) -> Path:
        return self._folder / f"{part}-{write}.parquet"

    def makers(self) -> "pl.DataFrame":
        """Return who made the episodes, by the number that they have as their ``maker``."""
        import polars as pl

        types = dict.fromkeys(MAKER, pl.String) | {"trained": pl.Boolean, "maker": pl.UInt32}
        rows = [(*values, number) for values, number in self._makers.items()]
        return pl.DataFrame(rows, types, orient="row")


def narrow(table: "Table", version: int, folder: Path, notes: list[str]) -> NarrowEpisodes:
    """Write the episodes of a store to files in ``folder``, and note what could not be read.

    Raises StoreError where a data file cannot be read.
    """
    import polars as pl

    empty, broken = empty_frame(Episode).select(*MAKER[:-1], *KEPT, *CONDENSED), _BrokenRows()
    narrowed = NarrowEpisodes(folder, row_count(table.checked(version)[1]) // FILE_ROWS + 1)
    fields = [f"verdicts.{name}" for name in VERDICT_FIELDS]
    try:
        narrowed.add(empty)
        for part in table.read_fields([*empty.columns, *fields, "turns.finish_reason"], version):
            rows = add_missing_columns(part, empty, notes)
            _require_lists(rows, empty)
            narrowed.add(broken.dropped(rows.cast({name: empty.schema[name] for name in KEPT})))
        narrowed.write()
    except pl.exceptions.PolarsError as error:
        raise StoreError(f"cannot read {table.url}: {cause(error)}") from error
    notes.extend(broken.notes())
    return narrowed


def empty_frame(record: type) -> "pl.DataFrame":
    """Return no records, with all columns."""
    import polars as pl

    from eops_traj.store.arrow import arrow_schema

    return pl.DataFrame(arrow_schema(record).empty_table())


def add_missing_columns(frame: "pl.DataFrame", empty: "pl.DataFrame", notes: list[str]) -> "pl.DataFrame":
    """Give the frame every column of an empty one; those that an older schema lacks are not known."""
    import polars as pl

    if missing := [name for name in empty.columns if name not in frame.columns]:
        note = f"Written by an older schema, without {', '.join(missing)}: not known here."
        if note not in notes:
            notes.append(note)
    return frame.with_columns(pl.lit(None, dtype=empty.schema[name]).alias(name) for name in missing)


def _require_lists(frame: "pl.DataFrame", empty: "pl.DataFrame") -> None:
    """Raise polars' SchemaError for a column that another program wrote as something else than a list."""
    import polars as pl

    for name, dtype in empty.schema.items():
        if isinstance(dtype, pl.List) and not isinstance(frame.schema[name], pl.List):
            raise pl.exceptions.SchemaError(f"{name} is {frame.schema[name]}, not a list")


class _BrokenRows:
    """Rows that are no episodes: counted, and the first of them named."""

    def __init__(self) -> None:
        self._rows, self._broken, self._named = 0, 0, list[str]()

    def dropped(self, frame: "pl.DataFrame") -> "pl.DataFrame":
        """Return the rows that are episodes."""
        import polars as pl

        whole = pl.all_horizontal(pl.col(REQUIRED_COLUMNS).is_not_null()) & pl.col("outcome").is_in(OUTCOMES)
        sound = whole.fill_null(False)
        broken = frame.filter(~sound)
        self._rows += frame.height
        self._broken += broken.height
        self._named += [str(value or "no id") for value in broken["episode_id"].head(MAX_NAMED)]
        return frame.filter(sound)

    def notes(self) -> Iterator[str]:
        """Yield what is to be said of them, if there are any."""
        if self._broken:
            more = f" and {self._broken - MAX_NAMED:,} more" if self._broken > MAX_NAMED else ""
            yield (
                f"Left out, since a column that every episode has is empty or its outcome is none there is: "
                f"{self._broken:,} of {self._rows:,} rows ({', '.join(self._named[:MAX_NAMED])}{more})."
            )


def _narrowed(frame: "pl.DataFrame", makers: dict[tuple[Any, ...], int]) -> "pl.DataFrame":
    """Keep of episodes what figures need; new makers get the next numbers."""
    import polars as pl

    rows = _replace_control_characters(frame.with_columns(trained=pl.col("split").eq_missing("train")))
    own = rows.select(MAKER).unique(maintain_order=True)
    numbers = [makers.setdefault(values, len(makers)) for values in own.iter_rows()]
    own = own.with_columns(pl.Series("maker", numbers, pl.UInt32))
    numbered = rows.join(own, on=MAKER, how="left", nulls_equal=True)
    return numbered.select("maker", *KEPT, *_condensed(rows))


def _condensed(frame: "pl.DataFrame") -> "list[pl.Expr]":
    """Return what is kept of the columns that are not kept as they are."""
    import polars as pl

    known = {field.name for field in getattr(frame.schema["verdicts"].inner, "fields", ())}  # type: ignore[attr-defined]
    fields = [
        pl.element().struct.field(name) if name in known else pl.lit(None, dtype=dtype).alias(name)
        for name, dtype in zip(VERDICT_FIELDS, (pl.String, pl.Boolean), strict=True)
    ]
    erred = pl.col("outcome") == "error"
    return [
        pl.col("episode_id").hash(),
        pl.when(pl.col("supersedes").is_not_null()).then(pl.col("supersedes").hash()).alias("supersedes"),
        pl.when(pl.col("parent").is_not_null()).then(True).alias("parent"),
        pl.col("task_hash").hash(),
        pl.struct("suite", "domain", "task_id").hash().alias("work"),
        pl.col("causes").list.first().alias("cause"),
        pl.col("task_defect").is_not_null().alias("defective"),
        pl.when(erred).then("error").alias("error"),
        pl.col("verdicts").list.eval(pl.struct(*fields)),
        *reply_counts(),
    ]


def _replace_control_characters(frame: "pl.DataFrame") -> "pl.DataFrame":
    """Replace control characters in names: neither XML nor a font has them."""
    import polars as pl
    import polars.selectors as cs

    texts = frame.select(cs.string()).columns
    held = frame.select(pl.col(texts).str.contains(r"\p{C}").any())
    lists = pl.col("failure_modes").list
    return frame.with_columns(
        pl.col([name for name in texts if held[name].item()]).str.replace_all(r"\p{C}", "\ufffd"),
        lists.eval(pl.element().str.replace_all(r"\p{C}", "\ufffd")),
    )
