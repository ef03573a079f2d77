"""Points with intervals, and the front of those that no other beats."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from eops_traj.report.drawing.canvas import COLOURS, INK, LINE, MARKERS, canvas, percent, wrapped

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing


def scatter(rows: Sequence[Mapping[str, Any]], x: str, label: str, wide: float = 20) -> "Drawing":
    """Success over ``x``, cheaper to the left; rows marked ``on front`` are filled and joined.

    Where the values of ``x`` differ by more than ``wide`` times, its axis is logarithmic.
    """
    names = [wrapped(row["agent"], 34) for row in rows]
    lines = sum(name.count("\n") + 1.4 for name in names)
    drawing = canvas(10, max(4.2, lines * LINE + 0.8))
    axes = drawing.subplots()
    known = [row[x] for row in rows]
    if min(known) > 0 and max(known) > wide * min(known):
        axes.set_xscale("log")
    axes.xaxis.set_major_formatter(lambda value, _: f"${value:,.10g}")
    front = sorted((row for row in rows if row["on front"]), key=lambda row: row[x])
    axes.plot(
        [row[x] for row in front], [row["success"] for row in front], color=INK, linestyle="--",
        drawstyle="steps-post", linewidth=1, label="Pareto front",
    )  # fmt: skip
    for number, (row, name) in enumerate(zip(rows, names, strict=True)):
        colour = COLOURS[number % len(COLOURS)]
        if row["low"] is not None:
            axes.plot([row[x], row[x]], [row["low"], row["high"]], color=colour, linewidth=1)
        axes.plot(
            row[x], row["success"], MARKERS[number % len(MARKERS)], color=colour, markersize=8,
            fillstyle="full" if row["on front"] else "none", label=name,
        )  # fmt: skip
    axes.set_xlabel(label)
    percent(axes, "y", "success")
    axes.grid(True, axis="x")
    drawing.legend(loc="outside right center")
    return drawing
