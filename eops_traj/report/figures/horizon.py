"""Horizons: success as tasks take more calls."""

from typing import TYPE_CHECKING, Any, NamedTuple

from eops_traj.metrics.breakdown import HORIZON_NAMES, UNSOLVED, horizon_of
from eops_traj.metrics.percent import percent
from eops_traj.report.drawing.lines import MAX_PANELS
from eops_traj.report.figure import NOTHING_SCORED, Figure, MissingFigure, count_noun, note_undrawn
from eops_traj.report.group_scores import (
    Parts,
    describe_sample,
    rank_agents,
    score_groups,
    success_row,
)
from eops_traj.report.load import ReportData

if TYPE_CHECKING:
    import polars as pl

NAME, TITLE = "horizon", "Parity against horizon"
COLUMNS = {
    "agent": "text", "horizon": "text", "episodes": "count", "tasks": "count",
    "parity": "share", "low": "share", "high": "share",
}  # fmt: skip
SHORTEST = "Parity success by the length of the task: the fewest calls that any episode here solved it with."
OWN = (
    "Parity success by the calls that the attempt itself made, since no task was attempted again and solved."
)
OWN_CAUTION = "An attempt may be long because it went astray, and short because it gave up."


def figure(data: ReportData) -> Figure | MissingFigure:
    """Show success by the shortest solution of the task; where that is unknown, by the attempt's calls."""
    if not data.scored_count:
        return MissingFigure(NAME, TITLE, NOTHING_SCORED)
    found = [_by_shortest(part) for part in data.scored_parts]
    solved = [part for part, _ in found]
    counts = _Tasks(*map(sum, zip(*(tasks for _, tasks in found), strict=True)))
    if not counts.solved:
        return _figure(_by_own_calls(data.scored_parts), OWN, "calls of the attempt itself", (OWN_CAUTION,))
    return _figure(solved, SHORTEST, "calls of the shortest solution", _left_out(counts))


class _Tasks(NamedTuple):
    """Tasks that were attempted again and solved, or by none, and those attempted once."""

    solved: int
    unsolved: int
    once: int


def _by_shortest(scored: "pl.LazyFrame") -> "tuple[pl.LazyFrame, _Tasks]":
    """Keep the episodes at tasks that were attempted again and solved, with their horizon; count tasks."""
    import polars as pl

    solved = pl.col("n_steps").filter(pl.col("success_strict")).min()
    tasks = scored.group_by("task_hash").agg(pl.len(), shortest=solved).collect(engine="streaming")
    again = tasks.filter(pl.col("len") > 1)
    known = again.drop_nulls("shortest").select("task_hash", horizon=horizon_of(pl.col("shortest")))
    counts = _Tasks(known.height, again.height - known.height, tasks.height - again.height)
    return scored.join(known.lazy(), on="task_hash"), counts


def _by_own_calls(scored: Parts) -> Parts:
    """Give the episodes the class of their own number of calls as their horizon."""
    import polars as pl

    return [part.with_columns(horizon=horizon_of(pl.col("n_steps"))) for part in scored]


def _figure(frame: Parts, caption: str, label: str, cautions: tuple[str, ...]) -> Figure:
    scores = score_groups(frame, ["agent", "horizon"])
    rows = [success_row(row, "agent", "horizon", "episodes", "tasks") for row in scores]
    names = [row["agent"] for row in rank_agents(frame)]
    classes = [name for name in HORIZON_NAMES if name != UNSOLVED]
    return Figure(
        name=NAME,
        title=TITLE,
        caption=caption,
        n=describe_sample(frame),
        alt=f"A panel for each agent, parity over {label}. {_slope(rows, names[0])}",
        columns=COLUMNS,
        rows=rows,
        draw=lambda: _draw(rows, names[:MAX_PANELS], classes, label),
        cautions=cautions + note_undrawn(len(names), MAX_PANELS),
    )


def _left_out(tasks: _Tasks) -> tuple[str, ...]:
    cautions = {
        f"{count_noun(tasks.unsolved, 'task')} that nobody solved have no known horizon and are left out, so "
        "that the hardest are missing.": tasks.unsolved,
        f"{count_noun(tasks.once, 'task')} with a single attempt are left out.": tasks.once,
    }
    return tuple(sentence for sentence, applies in cautions.items() if applies)


def _slope(rows: list[dict[str, Any]], agent: str) -> str:
    mine = [row for row in rows if row["agent"] == agent]
    first, last = mine[0], mine[-1]
    start = f"{agent}: {percent(first['parity'])} at {first['horizon']}"
    return f"{start}, {percent(last['parity'])} at {last['horizon']}." if len(mine) > 1 else f"{start}."


def _draw(rows: list[dict[str, Any]], names: list[str], classes: list[str], label: str) -> Any:
    from eops_traj.report.drawing.lines import draw_lines

    return draw_lines(rows, names, classes, group="horizon", label=label, short=_short)


def _short(horizon: str) -> str:
    """Shorten a class of horizon for an axis: ``up to 6``, ``7–10``, ``over 15``."""
    bounds = horizon.removesuffix(" calls")
    return bounds if bounds.startswith("up to") else bounds.replace(" to ", "–")
