"""The data of a report: a store's episodes without their conversations, and notes on what could not be read.

A report covers what is there. A column that an older schema lacks is taken as not known, a row that makes
no sense is left out; the page notes each. A data file that cannot be read ends the report.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from eops_traj.errors import InputError, StoreError, UnknownName
from eops_traj.metrics.cut_replies import reply_counts
from eops_traj.metrics.protocols import describe_protocols, require_one_protocol, with_protocol
from eops_traj.metrics.standing import with_standing
from eops_traj.report.agent_names import add_agent_names
from eops_traj.report.group_scores import rank_agents
from eops_traj.schema import OUTCOMES, Episode, Run
from eops_traj.store.table_log import cause

if TYPE_CHECKING:
    import polars as pl

    from eops_traj.store.store import Store
    from eops_traj.store.table import Table

UNREAD_COLUMNS = ("changeset", "servers", "user_prompt", "details", "prompt_hash", "toolset_hash")
"""Columns that no figure needs; of the conversations it is only counted why replies ended."""
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
MAX_NAMED = 3
"""Rows that a note names before it only counts."""


@dataclass(frozen=True)
class ReportData:
    """The episodes of a report, the runs that made them, and notes on both."""

    store: str
    version: int
    episodes: "pl.DataFrame"
    """Every episode, with its ``standing`` (:mod:`eops_traj.metrics.score`), its ``agent``'s name, and how
    many of its replies were cut (:mod:`eops_traj.metrics.cut_replies`)."""
    runs: "pl.DataFrame"
    notes: tuple[str, ...]

    @property
    def name(self) -> str:
        """The last part of the store's place, since the rest is private."""
        return self.store.rstrip("/").rpartition("/")[2] or self.store

    @cached_property
    def scored(self) -> "pl.DataFrame":
        """The scored episodes: no errors, superseded attempts or branches."""
        scored = self.episodes["standing"] == "scored"
        return self.episodes if scored.all() else self.episodes.filter(scored)

    @cached_property
    def ranked(self) -> list[dict[str, Any]]:
        """The agents' scores, the best first."""
        return rank_agents(self.scored)


def load_data(store: "Store", runs: Sequence[str] = (), mixed: bool = False) -> ReportData:
    """Load the episodes of a store, or of these runs of it, named by their ids or how those begin.

    Raises InputError for a store or run without episodes and, unless ``mixed``, for episodes of several
    protocols; UnknownName for a run that is not there.
    """
    notes: list[str] = []
    version = store.version()
    rows = _read_episodes(store.tables["episodes"], version, notes)
    episodes = _drop_broken_rows(rows, notes)
    if episodes.is_empty():
        because = f": {'; '.join(notes)}" if notes else ""
        raise InputError(f"{store.url} has no episodes to report on{because}")
    records = _read_runs(store.tables["runs"], notes)
    if runs:
        known = sorted({*episodes["run_id"], *records["run_id"].drop_nulls()})
        chosen = [find_run(name, known) for name in runs]
        episodes = episodes.filter(episodes["run_id"].is_in(chosen))
        records = records.filter(records["run_id"].is_in(chosen))
    if episodes.is_empty():
        raise InputError(f"no episode of {', '.join(runs)} is in {store.url}")
    whole = with_protocol(_replace_control_characters(with_standing(episodes)))
    require_one_protocol(whole, f"{store.url}: a report", mixed)
    notes.append(f"Protocol: {describe_protocols(whole)}.")
    named = add_agent_names(whole, notes)
    return ReportData(store.url, version, named, records, tuple(notes))


def _read_episodes(table: "Table", version: int, notes: list[str]) -> "pl.DataFrame":
    """Read of every episode what figures need. Raises StoreError where a data file cannot be read."""
    import polars as pl

    empty = _empty_frame(Episode).drop(UNREAD_COLUMNS)
    fields = [f"verdicts.{name}" for name in VERDICT_FIELDS]
    parts = table.read_fields([*empty.columns, *fields, "turns.finish_reason"], version)
    try:
        whole = [_select_columns(_add_missing_columns(part, empty, notes)) for part in parts]
        return pl.concat(whole or [_select_columns(empty)], how="vertical_relaxed")
    except pl.exceptions.PolarsError as error:
        raise StoreError(f"cannot read {table.url}: {cause(error)}") from error


def _read_runs(table: "Table", notes: list[str]) -> "pl.DataFrame":
    """Read the runs. Raises StoreError where a data file cannot be read."""
    import polars as pl

    try:
        return _add_missing_columns(table.scan().collect(), _empty_frame(Run), notes)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise StoreError(f"cannot read {table.url}: {error}") from error


def _add_missing_columns(frame: "pl.DataFrame", empty: "pl.DataFrame", notes: list[str]) -> "pl.DataFrame":
    """Give the frame every column of an empty one; those that an older schema lacks are not known."""
    import polars as pl

    if missing := [name for name in empty.columns if name not in frame.columns]:
        note = f"Written by an older schema, without {', '.join(missing)}: not known here."
        if note not in notes:
            notes.append(note)
    return frame.with_columns(pl.lit(None, dtype=empty.schema[name]).alias(name) for name in missing)


def _empty_frame(record: type) -> "pl.DataFrame":
    import polars as pl

    from eops_traj.store.arrow import arrow_schema

    return pl.DataFrame(arrow_schema(record).empty_table())


def _select_columns(frame: "pl.DataFrame") -> "pl.DataFrame":
    """Select the columns that figures need: of verdicts the results, of replies why they ended."""
    import polars as pl

    empty = _empty_frame(Episode).drop(UNREAD_COLUMNS)
    _require_lists(frame, empty)
    declared, known = (_fields_of(one.schema["verdicts"]) for one in (empty, frame))
    parts = [
        pl.element().struct.field(name) if name in known else pl.lit(None, dtype=declared[name]).alias(name)
        for name in VERDICT_FIELDS
    ]
    verdicts = pl.col("verdicts").list.eval(pl.struct(*parts))
    columns = [name for name in empty.columns if name not in ("verdicts", "turns")]
    return frame.select(*columns, verdicts, *reply_counts())


def _require_lists(frame: "pl.DataFrame", empty: "pl.DataFrame") -> None:
    """Raise polars' SchemaError for a column that another program wrote as something else than a list."""
    import polars as pl

    for name, dtype in empty.schema.items():
        if isinstance(dtype, pl.List) and not isinstance(frame.schema[name], pl.List):
            raise pl.exceptions.SchemaError(f"{name} is {frame.schema[name]}, not a list")


def _fields_of(column: Any) -> "dict[str, pl.DataType]":
    """Return the fields of a list of records; none of another list."""
    return {field.name: field.dtype for field in getattr(column.inner, "fields", ())}


def _drop_broken_rows(frame: "pl.DataFrame", notes: list[str]) -> "pl.DataFrame":
    """Keep the rows that are episodes; a note names the others."""
    import polars as pl

    whole = pl.all_horizontal(pl.col(REQUIRED_COLUMNS).is_not_null()) & pl.col("outcome").is_in(OUTCOMES)
    sound = whole.fill_null(False)
    broken = frame.filter(~sound)
    if not broken.is_empty():
        named = [str(value or "no id") for value in broken["episode_id"].head(MAX_NAMED)]
        more = f" and {broken.height - MAX_NAMED:,} more" if broken.height > MAX_NAMED else ""
        notes.append(
            f"Left out, since a column that every episode has is empty or its outcome is none there is: "
            f"{broken.height:,} of {frame.height:,} rows ({', '.join(named)}{more})."
        )
    return frame.filter(sound)


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


def find_run(name: str, known: Sequence[str]) -> str:
    """Find the run of this id, or the only one whose id begins so. Raises UnknownName where there is none."""
    matches = [run for run in known if run == name]
    matches = matches or [run for run in known if name and run.startswith(name)]
    if len(matches) != 1:
        raise UnknownName("run", name, matches or known)
    return matches[0]
