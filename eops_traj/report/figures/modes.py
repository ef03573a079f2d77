"""Modes: what more tools to choose from do to success."""

from typing import TYPE_CHECKING, Any

from eops_traj.report.drawing.lines import PANELS
from eops_traj.report.figure import Figure, Missing, listed
from eops_traj.report.group_scores import over, ranked, scores
from eops_traj.report.load import Data
from eops_traj.tasks.modes import MODES

if TYPE_CHECKING:
    import polars as pl

NAME, TITLE = "modes", "Tool overload: success by mode"
COLUMNS = {
    "agent": "text", "mode": "text", "episodes": "count", "tasks": "count",
    "success": "share", "low": "share", "high": "share",
}  # fmt: skip


def figure(data: Data) -> Figure | Missing:
    """Success of each agent in each mode, over the tasks that it attempted in all of its modes."""
    scored = data.scored
    if (only := scored["mode"].unique().to_list()) and len(only) == 1:
        return Missing(
            NAME, TITLE, f"Every episode is in the mode {only[0]}, so there is none to compare with."
        )
    shared = _shared(scored)
    if shared.is_empty():
        return Missing(NAME, TITLE, "No agent attempted the same task in two modes.")
    rows = [_row(row) for row in scores(shared, ["agent", "mode"])]
    rows.sort(key=lambda row: (row["agent"], _place(row["mode"])))
    names = [row["agent"] for row in ranked(shared)]
    return Figure(
        name=NAME,
        title=TITLE,
        shows="Success as more tools are shown than the task takes, over the tasks that an agent attempted "
        "in every one of its modes, with 95% intervals over tasks.",
        n=over(shared),
        alt=f"A panel for each agent, success over modes. {_told(rows, names[0])}",
        columns=COLUMNS,
        rows=rows,
        draw=lambda: _draw(rows, names[:PANELS]),
        cautions=_cautions(names),
    )


def _shared(scored: "pl.DataFrame") -> "pl.DataFrame":
    """The episodes of agents with several modes, at the tasks that they attempted in all of them."""
    import polars as pl

    of_agent = pl.col("mode").n_unique().over("agent")
    of_task = pl.col("mode").n_unique().over("agent", "suite", "domain", "task_id")
    return scored.filter((of_agent > 1) & (of_agent == of_task))


def _place(mode: str) -> tuple[int, str]:
    return (list(MODES).index(mode) if mode in MODES else len(MODES)), mode


def _row(row: dict[str, Any]) -> dict[str, Any]:
    kept = {name: row[name] for name in ("agent", "mode", "episodes", "tasks")}
    return kept | {"success": row["success_parity"], "low": row["ci_low"], "high": row["ci_high"]}


def _told(rows: list[dict[str, Any]], agent: str) -> str:
    parts = (f"{row['success']:.1%} in {row['mode']}" for row in rows if row["agent"] == agent)
    return f"{agent}: {listed(parts)}."


def _cautions(names: list[str]) -> tuple[str, ...]:
    more = len(names) > PANELS
    return (f"Drawn are the {PANELS} best of {len(names)} agents; the table has all.",) if more else ()


def _draw(rows: list[dict[str, Any]], names: list[str]) -> Any:
    from eops_traj.report.drawing.canvas import wrapped
    from eops_traj.report.drawing.lines import lines

    classes = sorted({row["mode"] for row in rows}, key=_place)
    return lines(
        rows,
        names,
        classes,
        group="mode",
        label="mode",
        short=lambda mode: wrapped(mode.replace("_", " "), 8),
    )
