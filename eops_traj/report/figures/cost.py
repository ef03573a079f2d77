"""Cost: what an episode costs against how often it succeeds, with the Pareto front."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from eops_traj.report.drawing.canvas import MAX_AGENTS
from eops_traj.report.figure import Figure, MissingFigure, join_names, note_undrawn
from eops_traj.report.group_scores import describe_sample, success_row
from eops_traj.report.load import ReportData

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

NAME, TITLE = "cost", "Cost against parity"
COLUMNS = {
    "agent": "text", "episodes": "count", "tasks": "count", "cost an episode": "dollars",
    "parity": "share", "low": "share", "high": "share", "on front": "text",
}  # fmt: skip
LOG_RANGE = 20
"""Where the costs differ by more than so many times, their axis is logarithmic."""

Row = dict[str, Any]


def figure(data: ReportData) -> Figure | MissingFigure:
    """Show mean cost of an episode and mean success of each agent, with the Pareto front."""
    import polars as pl

    best = data.ranked
    rows = [
        success_row(row, "agent", "episodes", "tasks") | {"cost an episode": row["cost"] / row["episodes"]}
        for row in best
        if row["cost"] is not None and row["success_parity"] is not None
    ]
    if not rows:
        why = "No agent has a price for each of its episodes, so there is no cost to hold success against."
        return MissingFigure(NAME, TITLE, why)
    front = set(pareto_front(rows))
    rows = [row | {"on front": "yes" if row["agent"] in front else None} for row in rows]
    agents = [row["agent"] for row in rows]
    priced = data.scored_where(pl.col("agent").is_in(agents))
    return Figure(
        name=NAME,
        title=TITLE,
        caption="What an episode costs on average against parity; nobody else is both cheaper and "
        "better than those on the Pareto front.",
        n=describe_sample(priced),
        alt=f"Points with intervals. On the front: {join_names(r['agent'] for r in rows if r['on front'])}.",
        columns=COLUMNS,
        rows=rows,
        draw=lambda: _draw(rows[:MAX_AGENTS]),
        cautions=tuple(_cautions(best, rows)),
    )


def pareto_front(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the agents that no other beats: as cheap and better, or cheaper and as good."""
    reached = (0.0, -1.0)
    for row in sorted(rows, key=lambda row: (row["cost an episode"], -row["parity"])):
        place = (row["cost an episode"], row["parity"])
        if row["parity"] > reached[1] or place == reached:  # who is as cheap and as good beats nobody
            reached = place
            yield row["agent"]


def _cautions(best: Sequence[Row], rows: Sequence[Row]) -> Iterator[str]:
    if unpriced := [row["agent"] for row in best if row["cost"] is None]:
        yield f"Left out, since not every episode has a price: {join_names(unpriced)}."
    if len({row["tasks"] for row in rows}) > 1:
        yield "The agents attempted different tasks: only paired differences compare them fairly."
    yield from note_undrawn(len(rows), MAX_AGENTS)


def _draw(rows: Sequence[Row]) -> "Drawing":
    """Draw success over cost, cheaper to the left; the agents on the front are filled and joined."""
    from eops_traj.report.drawing.canvas import LINE_HEIGHT, new_drawing, percent_axis, wrap_name

    names = [wrap_name(row["agent"], 34) for row in rows]
    lines = sum(name.count("\n") + 1.4 for name in names)
    drawing = new_drawing(10, max(4.2, lines * LINE_HEIGHT + 0.8))
    axes = drawing.subplots()
    costs = [row["cost an episode"] for row in rows]
    if min(costs) > 0 and max(costs) > LOG_RANGE * min(costs):
        axes.set_xscale("log")
    axes.xaxis.set_major_formatter(lambda value, _: f"${value:,.10g}")
    _draw_points(axes, rows, names)
    axes.set_xlabel("mean cost of an episode, US dollars")
    percent_axis(axes, "y", "parity")
    axes.grid(True, axis="x")
    drawing.legend(loc="outside right center")
    return drawing


def _draw_points(axes: Any, rows: Sequence[Row], names: Sequence[str]) -> None:
    """Draw the front, then each agent with its interval."""
    from eops_traj.report.drawing.canvas import COLOURS, INK, MARKERS
    from eops_traj.report.drawing.hover import say_share

    front = sorted((row for row in rows if row["on front"]), key=lambda row: row["cost an episode"])
    axes.plot(
        [row["cost an episode"] for row in front], [row["parity"] for row in front], color=INK,
        linestyle="--", drawstyle="steps-post", linewidth=1, label="Pareto front",
    )  # fmt: skip
    for number, (row, name) in enumerate(zip(rows, names, strict=True)):
        x, colour = row["cost an episode"], COLOURS[number % len(COLOURS)]
        if row["low"] is not None:
            axes.plot([x, x], [row["low"], row["high"]], color=colour, linewidth=1)
        (mark,) = axes.plot(
            x, row["parity"], MARKERS[number % len(MARKERS)], color=colour, markersize=8,
            fillstyle="full" if row["on front"] else "none", label=name,
        )  # fmt: skip
        say_share(mark, row, "parity", f"${x:,.4g} an episode")
