"""Training: the same planner before and after, at the same tasks."""

import json
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from eops_traj.report.figure import Figure, Missing, counted
from eops_traj.report.load import Data, run_named
from eops_traj.report.paired_rows import PASS, paired_rows

if TYPE_CHECKING:
    import polars as pl

NAME, TITLE = "training", "Before and after training"
MOST = 4
"""Checkpoints of which every pair is compared; of more, each with the first."""
COLUMNS = {
    "before": "text", "after": "text", "split": "text", "rate": "text", "tasks": "count",
    "base": "share", "new": "share", "difference": "points", "low": "points", "high": "points",
    "conclusion": "text",
}  # fmt: skip
RATES = ("safe refusal", "over-refusal")

WEIGHTS = (".checkpoint", ".model", ".path")
"""How the settings end in which checkpoints of one way of working differ."""

Row = dict[str, Any]


class Side(NamedTuple):
    """One side of a comparison: what it is called, and its episodes."""

    name: str
    episodes: "pl.DataFrame"

    @property
    def splits(self) -> list[str]:
        """The splits of its tasks; nothing where tasks have none."""
        return self.episodes["split"].fill_null("").unique().to_list()

    def of(self, split: str) -> "pl.DataFrame":
        """Its episodes at the tasks of a split."""
        return self.episodes.filter(self.episodes["split"].fill_null("") == split)


def figure(data: Data, pairs: Sequence[tuple[str, str]] = ()) -> Figure | Missing:
    """Paired differences between checkpoints of one way of working, or between the given pairs.

    A pair names models, or runs by their ids or how those begin. Raises UnknownName for others.
    """
    given = [tuple(_side(data, name) for name in pair) for pair in pairs]
    rows = [row for base, new in (given or _checkpoints(data.scored)) for row in _rows(base, new)]
    if not rows:
        return Missing(NAME, TITLE, _why(pairs))
    told = [row for row in rows if row["rate"] == PASS]
    best = max(told, key=lambda row: row["difference"])
    return Figure(
        name=NAME,
        title=TITLE,
        shows="Differences between checkpoints at the same tasks, in points of a hundred with 95% intervals; "
        "a filled dot where the interval excludes zero.",
        n=f"{counted(sum(row['tasks'] for row in told), 'pair')} of results at the same task",
        alt=f"Differences with intervals. The largest in pass@1 is {best['before']} to {best['after']}, "
        f"{best['split']}: {100 * best['difference']:+.1f} points over {counted(best['tasks'], 'task')}.",
        columns=COLUMNS,
        rows=rows,
        draw=lambda: _draw(told),
        cautions=_cautions(rows),
    )


def _why(pairs: Sequence[tuple[str, str]]) -> str:
    if pairs:
        return "The pairs that were asked for share no task."
    return "No two checkpoints that work alike attempted the same held-out task; --pair names two to compare."


def _cautions(rows: Sequence[Row]) -> tuple[str, ...]:
    other = any(row["rate"] != PASS for row in rows)
    return ("Drawn is pass@1, strict success; the table has refusals too.",) if other else ()


def _side(data: Data, name: str) -> Side:
    """The episodes of a model, or of a run."""
    import polars as pl

    models, runs = set(data.episodes["model"]), sorted(set(data.episodes["run_id"]))
    named = pl.col("model") == name if name in models else pl.col("run_id") == run_named(name, runs)
    return Side(name, data.scored.filter(named))


def _checkpoints(scored: "pl.DataFrame") -> Iterator[tuple[Side, ...]]:
    """Pairs of agents that differ in the checkpoint alone, in the order in which they started work."""
    import polars as pl

    held_out = scored.filter(pl.col("split").ne_missing("train"))
    ways = {text: _way(json.loads(text)) for text in held_out["settings"].unique().sort()}
    way = pl.col("settings").replace_strict(ways, return_dtype=pl.String)
    trained = held_out.with_columns(way=way).drop_nulls("way")
    for _, part in sorted(trained.partition_by(["orchestrator", "way"], as_dict=True).items()):
        order = part.group_by("model").agg(pl.col("started_at").min()).sort("started_at", "model")["model"]
        sides = [Side(model, part.filter(part["model"] == model)) for model in order]
        yield from combinations(sides, 2) if len(sides) <= MOST else ((sides[0], side) for side in sides[1:])


def _way(settings: dict[str, Any]) -> str | None:
    """How an agent works, its models' names and weights apart; None for one of no checkpoint of ours."""
    if not any(path.endswith(".checkpoint") for path in settings):
        return None
    return json.dumps({p: v for p, v in settings.items() if not p.endswith(WEIGHTS)}, sort_keys=True)


def _rows(base: Side, new: Side) -> Iterator[Row]:
    """The comparison, split by split."""
    for split in sorted({*base.splits} & {*new.splits}):
        for row in paired_rows(base.of(split), new.of(split), RATES):
            yield {"before": base.name, "after": new.name, "split": split or "no split", **row}


def _draw(rows: Sequence[Row]) -> Any:
    from eops_traj.report.drawing.forest import forest

    names = [f"{row['before']} → {row['after']}, {row['split']}" for row in rows]
    return forest(rows, names, "difference in pass@1 (strict success), points")
