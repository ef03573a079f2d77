"""Horizons: whether success holds as tasks take more calls."""

from typing import TYPE_CHECKING, Any

from eops_traj.metrics.breakdown import UNSOLVED, with_horizon
from eops_traj.report.drawing.lines import PANELS
from eops_traj.report.figure import NONE_COUNTS, Figure, Missing, counted
from eops_traj.report.group_scores import over, ranked, scores
from eops_traj.report.load import Data

if TYPE_CHECKING:
    import polars as pl

NAME, TITLE = "horizon", "Success against horizon"
COLUMNS = {
    "agent": "text", "horizon": "text", "episodes": "count", "tasks": "count",
    "success": "share", "low": "share", "high": "share",
}  # fmt: skip
SHORTEST = "Success by the length of the task: the fewest calls that any episode here solved it with."
OWN = "Success by the calls that the attempt itself made, since no task was attempted again and solved."
OWN_CAUTION = "An attempt may be long because it went astray, and short because it gave up."


def figure(data: Data) -> Figure | Missing:
    """Success by the shortest solution of the task; where that is not known, by the attempt's own calls."""
    scored = data.scored
    if scored.is_empty():
        return Missing(NAME, TITLE, NONE_COUNTS)
    again = scored.filter(scored.select("task_hash").is_duplicated())
    placed = with_horizon(again, again)
    solved = placed.filter(placed["horizon"] != UNSOLVED)
    if solved.is_empty():
        return _figure(_by_own_calls(scored), OWN, "calls of the attempt itself", (OWN_CAUTION,))
    return _figure(solved, SHORTEST, "calls of the shortest solution", _left_out(scored, again, placed))


def _by_own_calls(scored: "pl.DataFrame") -> "pl.DataFrame":
    """The episodes with the class of their own number of calls as their horizon."""
    import polars as pl

    each = scored.with_columns(pl.lit(True).alias("success_strict"), task_hash="episode_id")
    return scored.with_columns(with_horizon(each, each)["horizon"])


def _figure(frame: "pl.DataFrame", shows: str, label: str, cautions: tuple[str, ...]) -> Figure:
    rows = [_row(row) for row in scores(frame, ["agent", "horizon"])]
    names = [row["agent"] for row in ranked(frame)]
    every: Any = frame["horizon"].dtype
    classes = [name for name in every.categories if name != UNSOLVED]
    more = len(names) > PANELS
    drawn = (f"Drawn are the {PANELS} best of {len(names)} agents; the table has all.",) if more else ()
    return Figure(
        name=NAME,
        title=TITLE,
        shows=shows,
        n=over(frame),
        alt=f"A panel for each agent, success over {label}. {_slope(rows, names[0])}",
        columns=COLUMNS,
        rows=rows,
        draw=lambda: _draw(rows, names[:PANELS], classes, label),
        cautions=cautions + drawn,
    )


def _left_out(scored: "pl.DataFrame", again: "pl.DataFrame", placed: "pl.DataFrame") -> tuple[str, ...]:
    unsolved = placed.filter(placed["horizon"] == UNSOLVED)["task_hash"].n_unique()
    once = scored.height - again.height
    told = {
        f"{counted(unsolved, 'task')} that nobody solved have no known horizon and are left out, so that "
        "the hardest are missing.": unsolved,
        f"{counted(once, 'task')} with a single attempt are left out.": once,
    }
    return tuple(sentence for sentence, applies in told.items() if applies)


def _row(row: dict[str, Any]) -> dict[str, Any]:
    kept = {name: row[name] for name in ("agent", "horizon", "episodes", "tasks")}
    return kept | {"success": row["success_parity"], "low": row["ci_low"], "high": row["ci_high"]}


def _slope(rows: list[dict[str, Any]], agent: str) -> str:
    mine = [row for row in rows if row["agent"] == agent]
    first, last = mine[0], mine[-1]
    told = f"{agent}: {first['success']:.1%} at {first['horizon']}"
    return f"{told}, {last['success']:.1%} at {last['horizon']}." if len(mine) > 1 else f"{told}."


def _draw(rows: list[dict[str, Any]], names: list[str], classes: list[str], label: str) -> Any:
    from eops_traj.report.drawing.lines import lines

    return lines(rows, names, classes, group="horizon", label=label, short=_short)


def _short(horizon: str) -> str:
    """A class of horizon as an axis has room for it: ``up to 6``, ``7–10``, ``over 15``."""
    bounds = horizon.removesuffix(" calls")
    return bounds if bounds.startswith("up to") else bounds.replace(" to ", "–")
