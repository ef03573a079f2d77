"""Horizons: success as tasks take more calls."""

from typing import TYPE_CHECKING, Any

from eops_traj.metrics.breakdown import UNSOLVED, with_horizon
from eops_traj.report.drawing.lines import MAX_PANELS
from eops_traj.report.figure import NOTHING_SCORED, Figure, MissingFigure, count_noun, note_undrawn
from eops_traj.report.group_scores import describe_sample, rank_agents, score_groups, success_row
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
    scored = data.scored
    if scored.is_empty():
        return MissingFigure(NAME, TITLE, NOTHING_SCORED)
    again = scored.filter(scored.select("task_hash").is_duplicated())
    classed = with_horizon(again, again)
    solved = classed.filter(classed["horizon"] != UNSOLVED)
    if solved.is_empty():
        return _figure(_by_own_calls(scored), OWN, "calls of the attempt itself", (OWN_CAUTION,))
    return _figure(solved, SHORTEST, "calls of the shortest solution", _left_out(scored, again, classed))


def _by_own_calls(scored: "pl.DataFrame") -> "pl.DataFrame":
    """Give the episodes the class of their own number of calls as their horizon."""
    import polars as pl

    each = scored.with_columns(pl.lit(True).alias("success_strict"), task_hash="episode_id")
    return scored.with_columns(with_horizon(each, each)["horizon"])


def _figure(frame: "pl.DataFrame", caption: str, label: str, cautions: tuple[str, ...]) -> Figure:
    scores = score_groups(frame, ["agent", "horizon"])
    rows = [success_row(row, "agent", "horizon", "episodes", "tasks") for row in scores]
    names = [row["agent"] for row in rank_agents(frame)]
    every: Any = frame["horizon"].dtype
    classes = [name for name in every.categories if name != UNSOLVED]
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


def _left_out(scored: "pl.DataFrame", again: "pl.DataFrame", classed: "pl.DataFrame") -> tuple[str, ...]:
    unsolved = classed.filter(classed["horizon"] == UNSOLVED)["task_hash"].n_unique()
    once = scored.height - again.height
    cautions = {
        f"{count_noun(unsolved, 'task')} that nobody solved have no known horizon and are left out, so that "
        "the hardest are missing.": unsolved,
        f"{count_noun(once, 'task')} with a single attempt are left out.": once,
    }
    return tuple(sentence for sentence, applies in cautions.items() if applies)


def _slope(rows: list[dict[str, Any]], agent: str) -> str:
    mine = [row for row in rows if row["agent"] == agent]
    first, last = mine[0], mine[-1]
    start = f"{agent}: {first['parity']:.1%} at {first['horizon']}"
    return f"{start}, {last['parity']:.1%} at {last['horizon']}." if len(mine) > 1 else f"{start}."


def _draw(rows: list[dict[str, Any]], names: list[str], classes: list[str], label: str) -> Any:
    from eops_traj.report.drawing.lines import draw_lines

    return draw_lines(rows, names, classes, group="horizon", label=label, short=_short)


def _short(horizon: str) -> str:
    """Shorten a class of horizon for an axis: ``up to 6``, ``7–10``, ``over 15``."""
    bounds = horizon.removesuffix(" calls")
    return bounds if bounds.startswith("up to") else bounds.replace(" to ", "–")
