"""Labelling the rows of a table by rules, best first, with a part of them in memory at a time.

Row rules are asked in one pass, and what they say waits in a narrow file on the disk that TMPDIR is on, some
twenty bytes a row. From there each part is read and sorted by itself. Set steps need all rows together, and
take some hundred bytes of memory for each.
"""

import contextlib
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from eops_traj.errors import WorkError
from eops_traj.filter.rules import RowRule, Rows, Rule, SetStep
from eops_traj.schema import PASSED, Label
from eops_traj.workers.engine import HERE, Engine

if TYPE_CHECKING:
    import polars as pl

PART = 1 << 20
"""Rows that are sorted at a time, and more where more have as many calls."""
_LOOSE, _FAILED = 1 << 40, 1 << 41
"""Added to the calls of what is no strict success, and of what did not pass: those come last."""


@dataclass(frozen=True)
class Labelled:
    """Rows, each with the first rule that drops it, the best first: see :class:`.rules.Rows`."""

    names: tuple[str, ...]
    """The rules' labels, in their order."""
    _counts: Mapping[int | None, int]
    _read: "Callable[[], Iterator[pl.DataFrame]]"

    @property
    def counts(self) -> dict[str | None, int]:
        """How many rows each rule dropped, and, under None, how many none did."""
        return {None if place is None else self.names[place]: n for place, n in self._counts.items()}

    def parts(self) -> "Iterator[pl.DataFrame]":
        """Yield ``episode_id``, ``dropped_by`` (null where it is kept) and ``detail``, a part at a time."""
        import polars as pl

        by = dict(enumerate(self.names))
        for part in self._read():
            dropped_by = pl.col("out").replace_strict(by, default=None, return_dtype=pl.String)
            yield part.select("episode_id", dropped_by.alias("dropped_by"), "detail")


@contextlib.contextmanager
def label_rows(
    scan: "pl.LazyFrame",
    rules: Mapping[str, Rule],
    done: Callable[[int], None] = lambda steps: None,
    labels: tuple[Label, ...] = (),
    engine: Engine = HERE,
) -> Iterator[Labelled]:
    """Label every row of the table with the first rule that drops it; the rows can be read within the block.

    ``labels`` are what readers said; ``done`` is called with 1 after the row rules and after each set step.
    """
    import polars as pl

    steps = {place: rule for place, rule in enumerate(rules.values()) if isinstance(rule, SetStep)}
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "rows.parquet"
        _write_narrow(scan, rules, file)
        done(1)
        narrow = pl.scan_parquet(file).with_columns(detail=pl.lit(None, pl.String))
        if steps:
            whole = narrow.collect().sort("rank", "episode_id")
            for place, step in steps.items():
                left = whole.filter(_left(place))["episode_id"].to_list()
                if dropped := step.drop(Rows(left, scan, labels, engine)) if left else {}:
                    whole = _without(whole, dropped, place)
                done(1)
            narrow = whole.lazy()
        sizes = narrow.group_by("rank", "out").len().collect(engine="streaming")
        counts, spans = dict(_sums(sizes, "out").iter_rows()), _spans(_sums(sizes, "rank"))
        yield Labelled(tuple(rules), counts, lambda: (_part(narrow, span) for span in spans))


def _write_narrow(scan: "pl.LazyFrame", rules: Mapping[str, Rule], file: Path) -> None:
    from polars.exceptions import ComputeError

    try:
        _narrowed(scan, rules).sink_parquet(file)
    except ComputeError as error:
        if "No space left" not in str(error):
            raise
        where = f"what the rules say of each row in {tempfile.gettempdir()}"
        raise WorkError(f"no room for {where} (TMPDIR says where)") from error


def _sums(sizes: "pl.DataFrame", by: str) -> "pl.DataFrame":
    import polars as pl

    return sizes.group_by(by).agg(pl.col("len").sum()).sort(by)


def _narrowed(scan: "pl.LazyFrame", rules: Mapping[str, Rule]) -> "pl.LazyFrame":
    """Return each row's id, its rank, and the place of the first row rule that drops it, null without one."""
    import polars as pl

    passed = pl.col("outcome").is_in(sorted(PASSED))  # a false success may be a strict one
    loose = pl.when("success_strict").then(0).otherwise(_LOOSE)
    failed = pl.when(passed).then(loose).otherwise(loose + _FAILED)
    out = [
        pl.when(~rule.keep().fill_null(False)).then(pl.lit(place))
        for place, rule in enumerate(rules.values())
        if isinstance(rule, RowRule)
    ]
    return scan.select(
        "episode_id",
        rank=pl.col("n_steps").cast(pl.Int64).fill_null(-1) + failed,
        out=pl.coalesce(*out, pl.lit(None)).cast(pl.UInt16),
    )


def _left(place: int) -> "pl.Expr":
    """Return whether a row is left when the turn of the rule at this place comes."""
    import polars as pl

    return pl.col("out").is_null() | (pl.col("out") > place)


def _without(rows: "pl.DataFrame", dropped: Mapping[str, str], place: int) -> "pl.DataFrame":
    """Return the rows with those dropped by the step at this place, each with its reason."""
    import polars as pl

    reasons = pl.DataFrame(list(dropped.items()), ["episode_id", "reason"], orient="row")
    joined = rows.join(reasons, on="episode_id", how="left", maintain_order="left")
    out = pl.when(pl.col("reason").is_not_null()).then(pl.lit(place, pl.UInt16)).otherwise("out")
    return joined.with_columns(out=out, detail=pl.coalesce("reason", "detail")).drop("reason")


def _spans(sizes: "pl.DataFrame") -> list[tuple[int, int]]:
    """Return spans of ranks, in order, of at most :data:`PART` rows each, or of a single rank."""
    spans: list[tuple[int, int]] = []
    held = PART
    for rank, count in sizes.iter_rows():
        if held + count > PART:
            spans, held = [*spans, (rank, rank)], 0
        spans[-1], held = (spans[-1][0], rank), held + count
    return spans


def _part(rows: "pl.LazyFrame", span: tuple[int, int]) -> "pl.DataFrame":
    """Read the rows of a span of ranks, sorted."""
    import polars as pl

    part = rows.filter(pl.col("rank").is_between(*span)).collect(engine="streaming")
    return part.sort("rank", "episode_id")
