"""The data of a report: a store's episodes without their conversations, and notes on what could not be read.

A report covers what is there. A column that an older schema lacks is taken as not known, a row that makes
no sense is left out; the page notes each. A data file that cannot be read ends the report.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eops_traj.errors import InputError, StoreError
from eops_traj.metrics.error_rule import OUT, RULES, ZERO, by_error_rule, check_rule, default_rule
from eops_traj.metrics.protocols import describe_protocols, require_one_protocol, with_protocol
from eops_traj.metrics.standing import standing_of
from eops_traj.report.agent_names import add_agent_names
from eops_traj.report.figure import count_noun
from eops_traj.report.group_scores import Parts, count_tasks, rank_agents
from eops_traj.report.narrow import add_missing_columns, empty_frame, narrow
from eops_traj.schema import Run
from eops_traj.store.run_names import find_run

if TYPE_CHECKING:
    import polars as pl

    from eops_traj.store.store import Store
    from eops_traj.store.table import Table


@dataclass(frozen=True)
class ReportData:
    """The episodes of a report, the runs that made them, and notes on both.

    Episodes are read from files as they are needed, with the columns of :mod:`eops_traj.report.narrow`, those
    of their maker, and their ``standing`` (:mod:`eops_traj.metrics.score`). Errors stand among the scored
    where they count as 0, and are ``erred`` in either case.
    """

    store: str
    version: int
    parts: Parts
    """Every episode, all attempts at a task in one part."""
    makers: "pl.DataFrame"
    """Who made them, with the ``agent``'s name and the ``protocol``."""
    counts: Mapping[str, int]
    """How many there are of each standing."""
    runs: "pl.DataFrame"
    notes: tuple[str, ...]
    errors: int = 0
    """How many errors there are, whatever they count."""
    errors_count: str = OUT
    """The rule for them (:mod:`eops_traj.metrics.error_rule`)."""

    @property
    def name(self) -> str:
        """The last part of the store's place, since the rest is private."""
        return self.store.rstrip("/").rpartition("/")[2] or self.store

    @property
    def count(self) -> int:
        """The number of episodes."""
        return sum(self.counts.values())

    @cached_property
    def tasks(self) -> int:
        """The number of tasks."""
        return count_tasks(self.parts)

    @property
    def episodes(self) -> "pl.LazyFrame":
        """All episodes."""
        import polars as pl

        return pl.concat(self.parts)

    @property
    def scored_count(self) -> int:
        """The number of scored episodes."""
        return self.counts.get("scored", 0)

    @property
    def scored_parts(self) -> Parts:
        """The scored episodes, all attempts at a task in one part; what stands apart is left out."""
        import polars as pl

        return tuple(part.filter(pl.col("standing") == "scored") for part in self.parts)

    def scored_where(self, condition: "pl.Expr") -> Parts:
        """Return the scored episodes of which a condition holds, in parts."""
        return [part.filter(condition) for part in self.scored_parts]

    @property
    def scored(self) -> "pl.LazyFrame":
        """The scored episodes together."""
        import polars as pl

        return pl.concat(self.scored_parts)

    @property
    def judged_parts(self) -> Parts:
        """The scored episodes that verifiers saw, in parts: no errors, whatever those count."""
        import polars as pl

        return self.scored_where(~pl.col("erred"))

    @property
    def judged(self) -> "pl.LazyFrame":
        """The scored episodes that verifiers saw, together."""
        import polars as pl

        return pl.concat(self.judged_parts)

    @property
    def judged_count(self) -> int:
        """The number of scored episodes that verifiers saw."""
        return self.scored_count - (self.errors if self.errors_count == ZERO else 0)

    @cached_property
    def ranked(self) -> list[dict[str, Any]]:
        """The agents' scores, the best first."""
        return rank_agents(self.scored_parts)


def load_data(
    store: "Store", folder: Path, runs: Sequence[str] = (), mixed: bool = False, errors: str | None = None,
) -> ReportData:  # fmt: skip
    """Load the episodes of a store, or of these runs of it, named by their ids or how those begin.

    They are written to files in ``folder``, which the data reads as long as it is used. ``errors`` is the
    rule for errors in the place of the protocol's. Raises InputError for a store or run without episodes and,
    unless ``mixed``, for episodes of several protocols; UnknownName for a run or rule that is not there;
    StoreError for a data file that cannot be read.
    """
    import polars as pl

    if errors is not None:
        check_rule(errors)
    notes: list[str] = []
    version = store.version()
    narrowed = narrow(store.tables["episodes"], version, folder, notes)
    parts, makers = narrowed.scans(), narrowed.makers()
    if makers.is_empty():
        because = f": {'; '.join(notes)}" if notes else ""
        raise InputError(f"{store.url} has no episodes to report on{because}")
    records = _read_runs(store.tables["runs"], notes)
    standing = _standing(parts)  # another run may have made an errored attempt again
    if runs:
        known = sorted({*distinct(parts, "run_id"), *records["run_id"].drop_nulls()})
        chosen = [find_run(name, known) for name in runs]
        parts = [part.filter(pl.col("run_id").is_in(chosen)) for part in parts]
        records = records.filter(records["run_id"].is_in(chosen))
        makers = makers.filter(makers["maker"].is_in(distinct(parts, "maker")))
    if makers.is_empty():
        raise InputError(f"no episode of {', '.join(runs)} is in {store.url}")
    makers = with_protocol(makers)
    require_one_protocol(makers, f"{store.url}: a report", mixed)
    notes.append(f"Protocol: {describe_protocols(makers)}.")
    rule = errors or default_rule(makers.lazy())
    makers = add_agent_names(makers, notes)
    whole = [part.with_columns(standing).join(makers.lazy(), on="maker", how="left") for part in parts]
    whole = [by_error_rule(part, rule) for part in whole]
    counts, erred = _count(whole)
    if erred:
        notes.append(f"{count_noun(erred, 'attempt')} erred: {RULES[rule]}.")
    return ReportData(store.url, version, whole, makers, counts, records, tuple(notes), erred, rule)


def distinct(parts: Parts, column: str) -> list[Any]:
    """Return the values that a column has."""
    import polars as pl

    return pl.concat(parts).select(pl.col(column).unique()).collect(engine="streaming")[column].to_list()


def _standing(parts: Parts) -> "pl.Expr":
    """Return the ``standing`` of the episodes of a store, given all of them."""
    import polars as pl

    replaced = pl.concat(parts).select(pl.col("supersedes").drop_nulls()).collect(engine="streaming")
    return standing_of(replaced["supersedes"]).alias("standing")


def _count(parts: Parts) -> tuple[dict[str, int], int]:
    """Count the episodes of each standing, and the errors whatever they count."""
    import polars as pl

    each = pl.concat(parts).group_by("standing").agg(pl.len(), pl.col("erred").sum())
    counted = each.collect(engine="streaming")
    return dict(counted.select("standing", "len").iter_rows()), int(counted["erred"].sum())


def _read_runs(table: "Table", notes: list[str]) -> "pl.DataFrame":
    """Read the runs. Raises StoreError where a data file cannot be read."""
    import polars as pl

    try:
        return add_missing_columns(table.scan().collect(), empty_frame(Run), notes)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise StoreError(f"cannot read {table.url}: {error}") from error
