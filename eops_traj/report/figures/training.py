"""Training: the same planner before and after, at the same tasks."""

import json
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from eops_traj.report.figure import Figure, MissingFigure, count_noun
from eops_traj.report.group_scores import PASS, Parts, paired_rows
from eops_traj.report.load import ReportData, distinct
from eops_traj.store.run_names import find_run

if TYPE_CHECKING:
    import polars as pl

NAME, TITLE = "training", "Before and after training"
MAX_CHECKPOINTS = 4
"""Checkpoints of which every pair is compared; of more, each with the first."""
COLUMNS = {
    "before": "text", "after": "text", "split": "text", "rate": "text", "tasks": "count",
    "base": "share", "new": "share", "difference": "points", "low": "points", "high": "points",
    "conclusion": "text",
}  # fmt: skip
RATES = ("safe refusal", "over-refusal")
CAUTION = "Drawn is strict pass@1; the table has refusals too."

CHECKPOINT = ".checkpoint"
"""The end of the setting that tells weights apart, by content."""
CHECKPOINT_SETTINGS = (CHECKPOINT, ".model", ".path")
"""The ends of settings in which checkpoints of one way of working differ."""

Row = dict[str, Any]


class Side(NamedTuple):
    """One side of a comparison: its name and its scored episodes."""

    name: str
    episodes: Parts
    older: int = 0
    """The checkpoints of that name that are left out."""

    @property
    def splits(self) -> set[str]:
        """The splits of its tasks; empty where tasks have none."""
        return {split or "" for split in distinct(self.episodes, "split")}

    def of(self, split: str) -> Parts:
        """Return its episodes at the tasks of a split."""
        import polars as pl

        return [part.filter(pl.col("split").fill_null("") == split) for part in self.episodes]


def figure(data: ReportData, pairs: Sequence[tuple[str, str]] = ()) -> Figure | MissingFigure:
    """Show paired differences between checkpoints of one way of working, or between the given pairs.

    A pair names models, or runs by their ids or how those begin. Raises UnknownName for others.
    """
    sides = [tuple(_side(data, name) for name in pair) for pair in pairs] or [*_checkpoints(data)]
    rows = [row for base, new in sides for row in _rows(base, new)]
    if not rows:
        return MissingFigure(NAME, TITLE, _missing_reason(pairs))
    drawn = [row for row in rows if row["rate"] == PASS]
    best = max(drawn, key=lambda row: row["difference"])
    return Figure(
        name=NAME,
        title=TITLE,
        caption="Differences between checkpoints at the same tasks, in points of a hundred with 95% "
        "intervals; a filled dot where the interval excludes zero.",
        n=f"{count_noun(sum(row['tasks'] for row in drawn), 'pair')} of results at the same task",
        alt=f"Differences with intervals. The largest in pass@1 is {best['before']} to {best['after']}, "
        f"{best['split']}: {100 * best['difference']:+.1f} points over {count_noun(best['tasks'], 'task')}.",
        columns=COLUMNS,
        rows=rows,
        draw=lambda: _draw(drawn),
        cautions=(*(CAUTION,) * (len(drawn) < len(rows)), *_left_out(sides)),
    )


def _left_out(pairs: Sequence[tuple[Side, ...]]) -> Iterator[str]:
    """Yield what is to be said of checkpoints that are not among the sides."""
    older = {side.name: side.older for pair in pairs for side in pair if side.older}
    for name, count in older.items():
        left = count_noun(count, "older checkpoint")
        yield f"Of {name}, the checkpoint that worked last; {left} of that name left out."


def _missing_reason(pairs: Sequence[tuple[str, str]]) -> str:
    if pairs:
        return "The pairs that were asked for share no task."
    return "No two checkpoints that work alike attempted the same held-out task; --pair names two to compare."


def _side(data: ReportData, name: str) -> Side:
    """Select the episodes of a model, or of a run."""
    import polars as pl

    if name in set(data.makers["model"]):
        makers = data.makers.filter(model=name).join(_worked(data.scored), on="maker")
        return _side_of(data, name, _newest(makers))
    run = find_run(name, sorted(distinct(data.parts, "run_id")))
    return Side(name, data.scored_where(pl.col("run_id") == run))


def _checkpoints(data: ReportData) -> Iterator[tuple[Side, ...]]:
    """Yield pairs of agents that differ in the checkpoint alone, in the order in which they started work."""
    import polars as pl

    held_out = pl.col("split").ne_missing("train")
    makers = data.makers.join(_worked(data.scored.filter(held_out)), on="maker").with_columns(
        shared=pl.col("settings").map_elements(lambda text: _shared_settings(json.loads(text)), pl.String)
    )
    groups = makers.drop_nulls("shared").partition_by(["orchestrator", "shared"], as_dict=True)
    for _, part in sorted(groups.items()):
        newest = _newest(part)
        order = newest.group_by("model").agg(pl.col("began").min()).sort("began", "model")["model"]
        sides = [_side_of(data, model, newest.filter(model=model), held_out) for model in order]
        yield from (
            combinations(sides, 2)
            if len(sides) <= MAX_CHECKPOINTS
            else ((sides[0], side) for side in sides[1:])
        )


def _worked(scored: "pl.LazyFrame") -> "pl.DataFrame":
    """Return when each maker began its first and its last of some episodes."""
    import polars as pl

    started = pl.col("started_at")
    worked = scored.group_by("maker").agg(began=started.min(), last=started.max())
    return worked.collect(engine="streaming")


def _newest(makers: "pl.DataFrame") -> "pl.DataFrame":
    """Return the makers of each model's checkpoint that worked last, and how many are ``older``.

    A model that is trained anew goes by its name as before. Where weights are not known, none are older.
    """
    import polars as pl

    names = zip(makers["model"], makers["settings"], strict=True)
    weights = pl.Series("weights", [_weights(model, json.loads(text)) for model, text in names], pl.String)
    known = pl.col("weights").drop_nulls()
    told_apart = makers.with_columns(weights).sort("last", "maker")
    told_apart = told_apart.with_columns(
        newest=known.last().over("model"),
        older=(pl.max_horizontal(known.n_unique(), 1) - 1).over("model"),
    )
    return told_apart.filter(pl.col("weights").is_null() | (pl.col("weights") == pl.col("newest")))


def _weights(model: str, settings: dict[str, Any]) -> str | None:
    """Return the checkpoint that a model's name stands for in an agent; None where that is not known."""
    own = (path.removesuffix(CHECKPOINT) for path in settings if path.endswith(CHECKPOINT))
    return next((settings[role + CHECKPOINT] for role in own if settings.get(f"{role}.model") == model), None)


def _side_of(data: ReportData, model: str, makers: "pl.DataFrame", *which: "pl.Expr") -> Side:
    """Select the episodes of some makers of a model, of which all conditions hold."""
    import polars as pl

    made_by = pl.col("maker").is_in(makers["maker"].to_list())
    older = makers["older"].to_list()
    return Side(model, data.scored_where(pl.all_horizontal(made_by, *which)), max(older, default=0))


def _shared_settings(settings: dict[str, Any]) -> str | None:
    """Return the settings without models' names and weights; None for an agent of no checkpoint of ours."""
    if not any(path.endswith(CHECKPOINT) for path in settings):
        return None
    return json.dumps(
        {p: v for p, v in settings.items() if not p.endswith(CHECKPOINT_SETTINGS)}, sort_keys=True
    )


def _rows(base: Side, new: Side) -> Iterator[Row]:
    """Yield the comparison, split by split."""
    for split in sorted(base.splits & new.splits):
        for row in paired_rows(base.of(split), new.of(split), RATES):
            yield {"before": base.name, "after": new.name, "split": split or "no split", **row}


def _draw(rows: Sequence[Row]) -> Any:
    from eops_traj.report.drawing.forest import draw_forest

    names = [f"{row['before']} → {row['after']}, {row['split']}" for row in rows]
    return draw_forest(rows, names, "difference in strict pass@1, points")
