"""Modes: success as more tools are shown than the task takes."""

from typing import Any

from eops_traj.metrics.percent import percent
from eops_traj.report.drawing.lines import MAX_PANELS
from eops_traj.report.figure import Figure, MissingFigure, join_names, note_undrawn
from eops_traj.report.group_scores import (
    Parts,
    describe_sample,
    rank_agents,
    score_groups,
    success_row,
)
from eops_traj.report.load import ReportData, distinct
from eops_traj.tasks.toolset import MODES

NAME, TITLE = "modes", "Tool overload: parity by mode"
COLUMNS = {
    "agent": "text", "mode": "text", "episodes": "count", "tasks": "count",
    "parity": "share", "low": "share", "high": "share",
}  # fmt: skip


def figure(data: ReportData) -> Figure | MissingFigure:
    """Show success of each agent in each mode, over the tasks that it attempted in all of its modes."""
    if (only := distinct(data.scored_parts, "mode")) and len(only) == 1:
        why = f"Every episode is in the mode {only[0]}, so there is none to compare with."
        return MissingFigure(NAME, TITLE, why)
    shared = _tasks_in_all_modes(data)
    if not shared:
        return MissingFigure(NAME, TITLE, "No agent attempted the same task in two modes.")
    scores = score_groups(shared, ["agent", "mode"])
    rows = [success_row(row, "agent", "mode", "episodes", "tasks") for row in scores]
    rows.sort(key=lambda row: (row["agent"], _mode_order(row["mode"])))
    names = [row["agent"] for row in rank_agents(shared)]
    parts = (f"{percent(row['parity'])} in {row['mode']}" for row in rows if row["agent"] == names[0])
    return Figure(
        name=NAME,
        title=TITLE,
        caption="Parity success as more tools are shown than the task takes, over the tasks that an agent "
        "attempted in every one of its modes, with 95% intervals over tasks.",
        n=describe_sample(shared),
        alt=f"A panel for each agent, parity over modes. {names[0]}: {join_names(parts)}.",
        columns=COLUMNS,
        rows=rows,
        draw=lambda: _draw(rows, names[:MAX_PANELS]),
        cautions=note_undrawn(len(names), MAX_PANELS),
    )


def _tasks_in_all_modes(data: ReportData) -> Parts:
    """Keep the episodes of agents with several modes, at the tasks that they attempted in all of them.

    A task is known by its place in its suite: another mode makes another task of it. No parts without any.
    """
    import polars as pl

    each = data.scored.select("agent", "work", "mode").unique()
    modes = each.collect(engine="streaming").group_by("agent", "work").len("of_task")
    of_agent = data.scored.select("agent", "mode").unique().group_by("agent").len("of_agent")
    every = modes.join(of_agent.collect(engine="streaming"), on="agent")
    shared = every.filter((pl.col("of_agent") > 1) & (pl.col("of_agent") == pl.col("of_task")))
    if shared.is_empty():
        return ()
    tasks = shared.select("agent", "work").lazy()
    return [part.join(tasks, on=["agent", "work"], how="semi") for part in data.scored_parts]


def _mode_order(mode: str) -> tuple[int, str]:
    return (list(MODES).index(mode) if mode in MODES else len(MODES)), mode


def _draw(rows: list[dict[str, Any]], names: list[str]) -> Any:
    from eops_traj.report.drawing.canvas import wrap_name
    from eops_traj.report.drawing.lines import draw_lines

    classes = sorted({row["mode"] for row in rows}, key=_mode_order)
    labels = {mode: wrap_name(mode.replace("_", " "), 8) for mode in classes}
    return draw_lines(rows, names, classes, group="mode", label="mode", short=labels.__getitem__)
