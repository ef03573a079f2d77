"""Episodes as a score needs them: counted while the store is read, so that memory is that of what differs."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from eops_traj.metrics.error_rule import LABELS, by_error_rule
from eops_traj.metrics.protocols import PROTOCOL_COLUMNS, with_protocol_of
from eops_traj.metrics.standing import with_standing_of

if TYPE_CHECKING:
    import polars as pl

TOKENS = ("input_tokens", "cached_tokens", "output_tokens", "reasoning_tokens")
SUMS = (*TOKENS, "cost")
_KINDS = ("protocol", "orchestrator", "standing", "erred", "outcome", "n_steps", *LABELS)
COLUMNS = ("episode_id", "supersedes", "parent", "task_hash", "agent_hash", "outcome", "feasible", "n_steps",
           "task_defect", *LABELS, *SUMS, *PROTOCOL_COLUMNS)  # fmt: skip
_SCALE, _MOST = 2**80, 2.0**40
"""Costs are summed as whole multiples of 1 / `_SCALE`, in 128 bits: exactly, in whatever order they come."""
ALIKE = 2_000_000
"""Attempts whose tasks are counted at a time; of all of them only 25 bytes each are kept."""


class Counted(NamedTuple):
    """The episodes of a score, counted: as large as what differs between them.

    Tasks and agents are told apart by hashes of 64 bits: that two of ten million tasks are taken for one has
    a chance of 3 in a million.
    """

    kinds: "pl.DataFrame"
    """A row for episodes alike in group, standing, labels and steps: how many, the sums, of how many each is
    unknown."""
    tasks: "pl.DataFrame"
    """The ``number`` of a group's tasks with as many scored attempts (``tried``) and successes (``won``), by
    parity and strictly (``tried_strict``, ``won_strict``), of which a defect is known or not."""
    pairs: "pl.DataFrame"
    """The ``number`` of a group's pairs of task and agent with ``n`` scored attempts, ``c`` of them won."""
    fewest: int | None
    """The fewest scored attempts of an agent at a task, over all groups; None without any."""


def count_episodes(episodes: "pl.LazyFrame", by: Sequence[str], errors: str) -> Counted:
    """Count episodes by their groups, in two passes over the columns that a score needs."""
    import polars as pl

    names = [name for name in dict.fromkeys((*by, *COLUMNS)) if name != "protocol"]
    frame = by_error_rule(with_protocol_of(with_standing_of(episodes.select(names))), errors)
    return count_judged(frame.with_columns(defective=pl.col("task_defect").is_not_null()), by)


def count_judged(episodes: "pl.LazyFrame", by: Sequence[str]) -> Counted:
    """Count episodes that have ``standing``, ``protocol``, ``erred`` and ``defective``, in two passes."""
    import polars as pl

    group = (pl.struct(by) if by else pl.lit(0)).hash().alias("group")
    frame = episodes.with_columns(infeasible=pl.col("feasible").eq_missing(False))
    kinds = list(dict.fromkeys((*by, *_KINDS, "infeasible", "defective")))
    counted = frame.group_by(kinds).agg(pl.len().cast(pl.Int64).alias("episodes"), *_sums())
    hashes = {"task": pl.col("task_hash").hash(), "agent": pl.col("agent_hash").hash()}
    scored = frame.filter(pl.col("standing") == "scored")
    scored = scored.select(group, "defective", "success_parity", "success_strict", **hashes)
    known = counted.collect(engine="streaming")
    attempts = scored.collect(engine="streaming")  # not both at once, which would hold what one is ahead
    tasks, pairs, fewest = zip(*map(_count_tasks, _parts(attempts)), strict=True)
    groups = known.select(*by, group).unique()
    of_tasks, of_pairs = (groups.join(_total(part), on="group").drop("group") for part in (tasks, pairs))
    return Counted(known, of_tasks, of_pairs, min(filter(None, fewest), default=None))


def merge(counts: Sequence[Counted]) -> Counted:
    """Put together what was counted of parts that have no task in common."""
    kinds, tasks, pairs, fewest = zip(*counts, strict=True)
    known = _total(kinds, ("episodes", *TOKENS, "cost", "cost_exact", *(f"{name}_unknown" for name in SUMS)))
    return Counted(known, _total(tasks), _total(pairs), min(filter(None, fewest), default=None))


def split_groups(counted: Counted, by: Sequence[str]) -> Iterator[tuple[tuple[Any, ...], Counted]]:
    """Yield the values of each group and what was counted of it, in their order."""
    groups = counted.kinds.sort(by, nulls_last=True).partition_by(by, as_dict=True, maintain_order=True)
    tasks, pairs = (part.partition_by(by, as_dict=True) for part in (counted.tasks, counted.pairs))
    for values, kinds in groups.items():
        own = pairs.get(values, counted.pairs.clear())
        fewest: Any = own["n"].min()
        yield values, Counted(kinds, tasks.get(values, counted.tasks.clear()), own, fewest)


def _parts(attempts: "pl.DataFrame") -> "Iterator[pl.DataFrame]":
    """Yield the attempts in parts, all of a task in one."""
    import polars as pl

    parts = attempts.height // ALIKE + 1
    for part in range(parts):
        yield attempts.filter(pl.col("task") % parts == part) if parts > 1 else attempts


def _count_tasks(attempts: "pl.DataFrame") -> "tuple[pl.DataFrame, pl.DataFrame, int | None]":
    """Count the tasks and the pairs of each group, and the fewest attempts of a pair in all of them."""
    import polars as pl

    labels = {"": pl.col("success_parity"), "_strict": pl.col("success_strict")}
    counts = {f"{name}{end}": of for end, label in labels.items()
              for name, of in (("c", label.sum()), ("n", label.count()))}  # fmt: skip
    each = attempts.group_by("group", "task", "agent").agg(pl.col("defective").any(), **counts)
    sums = {f"{name}{end}": pl.col(f"{of}{end}").sum() for end in labels
            for name, of in (("won", "c"), ("tried", "n"))}  # fmt: skip
    tasks = each.group_by("group", "task").agg(pl.col("defective").any(), **sums)
    tried = each.filter(pl.col("n") > 0)
    fewest = tried.group_by("task", "agent").agg(pl.col("n").sum())["n"].min()
    return (
        tasks.group_by("group", *sums, "defective").len("number"),
        tried.group_by("group", "n", "c").len("number"),
        fewest,  # type: ignore[return-value]
    )


def _total(parts: "Sequence[pl.DataFrame]", values: Sequence[str] = ("number",)) -> "pl.DataFrame":
    """Add up the values of rows that are alike otherwise."""
    import polars as pl

    rows = pl.concat(parts)
    return rows.group_by([n for n in rows.columns if n not in values]).agg(pl.col(*values).sum())


def _sums() -> "list[pl.Expr]":
    """Return the sums of tokens and cost, and for each of how many episodes it is not known."""
    import polars as pl

    exact = (pl.col("cost").cast(pl.Float64).clip(-_MOST, _MOST) * float(_SCALE)).cast(pl.Int128).sum()
    sums = [pl.col(name).cast(pl.Int64).sum() for name in TOKENS]
    unknown = [pl.col(name).null_count().cast(pl.Int64).alias(f"{name}_unknown") for name in SUMS]
    return [*sums, pl.col("cost").cast(pl.Float64).sum(), exact.alias("cost_exact"), *unknown]


def known_mean(kinds: "pl.DataFrame", values: "pl.Expr | str") -> float | None:
    """Return the exact mean of the known values over the episodes, rounded once."""
    import polars as pl

    column = pl.col(values) if isinstance(values, str) else values
    rows = kinds.select(column.alias("value"), "episodes").drop_nulls("value")
    counts = rows.group_by("value").agg(pl.col("episodes").sum()).rows()
    known = sum(count for _, count in counts)
    return float(sum(Fraction(value) * count for value, count in counts) / known) if known else None


def known_sum(kinds: "pl.DataFrame", name: str) -> Any:
    """Return the sum of tokens or cost, rounded once; None unless it is known of every episode."""
    if kinds[f"{name}_unknown"].sum() or kinds.is_empty():
        return None
    if name != "cost":
        return int(kinds[name].sum())
    plain = float(kinds["cost"].sum())
    return float(Fraction(sum(kinds["cost_exact"]), _SCALE)) if abs(plain) < _MOST else plain
