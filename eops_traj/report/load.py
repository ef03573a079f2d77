"""What a report is made of: a store's episodes without their conversations, and what could not be read.

A report tells of what is there. A column that an older schema lacks is taken as not known, a row that makes
no sense is left out, a data file that cannot be read is passed over; each is said on the page.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from eops_traj.errors import InputError, StoreError, UnknownName
from eops_traj.metrics.score import standing
from eops_traj.report.agent_names import agent_names
from eops_traj.report.group_scores import ranked
from eops_traj.schema import OUTCOMES, Episode, Run

if TYPE_CHECKING:
    import polars as pl

    from eops_traj.store.store import Store
    from eops_traj.store.table import Table

UNREAD = ("turns", "changeset", "servers", "user_prompt", "details", "prompt_hash", "toolset_hash")
"""Columns that no figure needs; the conversations are nearly all there is in a store."""
OF_VERDICTS = ("category", "passed_parity", "passed_strict")
NEEDED = ("episode_id", "task_hash", "agent_hash", "run_id", "domain", "mode", "model", "orchestrator")
"""What a row must have to be an episode at all, its outcome besides."""
SHOWN = 3
"""Rows or files that a note names before it only counts."""


@dataclass(frozen=True)
class Data:
    """The episodes of a report, the runs that made them, and what is to be said of both."""

    store: str
    version: int
    episodes: "pl.DataFrame"
    """Every episode, its ``standing`` as :mod:`eops_traj.metrics.score` tells it, and its ``agent``'s name."""
    runs: "pl.DataFrame"
    notes: tuple[str, ...]

    @property
    def name(self) -> str:
        """What the store is called: the last part of where it is, since the rest is nobody's business."""
        return self.store.rstrip("/").rpartition("/")[2] or self.store

    @cached_property
    def scored(self) -> "pl.DataFrame":
        """The episodes that count: no errors, superseded attempts or branches."""
        return self.episodes.filter(self.episodes["standing"] == "scored")

    @cached_property
    def ranked(self) -> list[dict[str, Any]]:
        """The agents' scores, the best first."""
        return ranked(self.scored)


def read(store: "Store", runs: Sequence[str] = ()) -> Data:
    """The episodes of a store, or of these runs of it, named by their ids or how those begin.

    Raises InputError for a store or run without episodes, UnknownName for a run that is not there.
    """
    notes: list[str] = []
    version = store.version()
    found = _sound(_read(store.tables["episodes"], version, Episode, _narrow, notes), notes)
    if found.is_empty():
        raise InputError(f"{store.url} has no episodes to report on{_because(notes)}")
    about = _read(store.tables["runs"], None, Run, lambda frame: frame, notes)
    chosen = _chosen(runs, found, about)
    if chosen:
        found = found.filter(found["run_id"].is_in(chosen))
        about = about.filter(about["run_id"].is_in(chosen))
    if found.is_empty():
        raise InputError(f"no episode of {', '.join(runs)} is in {store.url}")
    named = agent_names(_printable(standing(found)), notes)
    return Data(store.url, version, named, about, tuple(notes))


def _because(notes: Sequence[str]) -> str:
    return f": {'; '.join(notes)}" if notes else ""


def _read(
    table: "Table", version: int | None, record: type, narrow: Callable[["pl.LazyFrame"], "pl.LazyFrame"],
    notes: list[str],
) -> "pl.DataFrame":  # fmt: skip
    """A table, narrowed; file by file, less those that cannot be read, where the whole cannot."""
    import polars as pl

    def whole(frame: "pl.LazyFrame") -> "pl.LazyFrame":
        return narrow(_completed(frame, record, notes))

    files = [] if "://" in table.url else table.load(version).file_uris()
    if all(_complete(file) for file in files):
        try:
            return whole(table.scan(version)).collect()
        except (pl.exceptions.PolarsError, OSError) as error:
            if not files:
                raise StoreError(f"cannot read {table.url}: {error}") from error
    parts = [_part(whole, file, notes) for file in files]
    read = [part for part in parts if part is not None]
    return pl.concat(read) if read else whole(_empty(record).lazy()).collect()


def _complete(file: str) -> bool:
    """Whether a data file has its end: polars takes the whole process along where one was cut off."""
    import pyarrow as pa
    import pyarrow.parquet

    try:
        pyarrow.parquet.read_metadata(file)
    except (pa.ArrowException, OSError):
        return False
    return True


def _part(
    whole: Callable[["pl.LazyFrame"], "pl.LazyFrame"], file: str, notes: list[str]
) -> "pl.DataFrame | None":
    """One data file of a table; None, and a note, where it cannot be read."""
    import polars as pl

    try:
        if _complete(file):
            return whole(pl.scan_parquet(file)).collect()
        why = "it is cut off, or no Parquet file"
    except (pl.exceptions.PolarsError, OSError) as error:
        why = str(error).splitlines()[0]
    name = file.rpartition("/")[2]
    notes.append(f"The data file {name} cannot be read, and its rows are missing here: {why}.")
    return None


def _completed(frame: "pl.LazyFrame", record: type, notes: list[str]) -> "pl.LazyFrame":
    """The frame with every column of its record; those that an older schema lacks are not known."""
    import polars as pl

    there, wanted = set(frame.collect_schema().names()), _empty(record).schema
    if missing := [name for name in wanted if name not in there]:
        note = f"Written by an older schema, without {', '.join(missing)}: not known here."
        if note not in notes:
            notes.append(note)
    return frame.with_columns(pl.lit(None, dtype=wanted[name]).alias(name) for name in missing)


def _empty(record: type) -> "pl.DataFrame":
    import polars as pl

    from eops_traj.store.arrow import arrow_schema

    return pl.DataFrame(arrow_schema(record).empty_table())


def _narrow(frame: "pl.LazyFrame") -> "pl.LazyFrame":
    """The episodes' columns that figures need; of the verdicts only how they went."""
    import polars as pl

    wanted = _empty(Episode).schema
    kept: Any = wanted["verdicts"]
    fields = {field.name: field.dtype for field in kept.inner.fields}
    there: Any = frame.collect_schema()["verdicts"]
    known = {field.name for field in there.inner.fields}
    parts = [
        pl.element().struct.field(name) if name in known else pl.lit(None, dtype=fields[name]).alias(name)
        for name in OF_VERDICTS
    ]
    columns = [pl.col(name) for name in wanted if name not in (*UNREAD, "verdicts")]
    return frame.select(*columns, pl.col("verdicts").list.eval(pl.struct(*parts)))


def _sound(frame: "pl.DataFrame", notes: list[str]) -> "pl.DataFrame":
    """The rows that are episodes; a note names the others."""
    import polars as pl

    whole = pl.all_horizontal(pl.col(NEEDED).is_not_null()) & pl.col("outcome").is_in(OUTCOMES)
    sound = whole.fill_null(False)
    broken = frame.filter(~sound)
    if not broken.is_empty():
        named = [str(value or "no id") for value in broken["episode_id"].head(SHOWN)]
        more = f" and {broken.height - SHOWN:,} more" if broken.height > SHOWN else ""
        notes.append(
            f"Left out, since a column that every episode has is empty or its outcome is none there is: "
            f"{broken.height:,} of {frame.height:,} rows ({', '.join(named)}{more})."
        )
    return frame.filter(sound)


def _printable(frame: "pl.DataFrame") -> "pl.DataFrame":
    """The frame with control characters in names replaced: neither XML nor a font has them."""
    import polars as pl

    names = ("domain", "mode", "model", "orchestrator", "suite", "split", "error")
    return frame.with_columns(pl.col(names).str.replace_all(r"\p{C}", "\ufffd"))


def _chosen(names: Sequence[str], episodes: "pl.DataFrame", about: "pl.DataFrame") -> list[str]:
    known = sorted({*episodes["run_id"], *about["run_id"].drop_nulls()})
    return [run_named(name, known) for name in names]


def run_named(name: str, known: Sequence[str]) -> str:
    """The run of this id, or the only one whose id begins so. Raises UnknownName where there is none."""
    found = [run for run in known if run == name] or [run for run in known if name and run.startswith(name)]
    if len(found) != 1:
        raise UnknownName("run", name, found or known)
    return found[0]
