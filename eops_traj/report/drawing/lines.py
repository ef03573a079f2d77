"""Lines over classes in order: a panel for each agent, so that many agents never cross each other."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from eops_traj.report.drawing.canvas import (
    COLOURS,
    LINE_HEIGHT,
    max_lines,
    new_drawing,
    percent_axis,
    wrap_name,
)
from eops_traj.report.drawing.hover import say_share

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

PANELS_PER_ROW, MAX_PANELS = 3, 12
"""Panels beside each other, and agents that are drawn at most."""


def draw_lines(
    rows: Sequence[Mapping[str, Any]], names: Sequence[str], classes: Sequence[str],
    *, group: str, label: str, short: Callable[[str], str] = str,
) -> "Drawing":  # fmt: skip
    """Draw the success of each agent over the classes, each with its interval and the number of episodes.

    ``short`` writes a class as the axis shows it.
    """
    across = min(PANELS_PER_ROW, len(names))
    down = -(-len(names) // across)
    titles = [wrap_name(name, 34) for name in names]
    width = 10 if across == PANELS_PER_ROW else 1.2 + 4.2 * across
    drawing = new_drawing(width, down * (1.9 + LINE_HEIGHT * max_lines(titles)) + 0.3)
    grid = drawing.subplots(down, across, squeeze=False, sharey=True)
    for axes in grid.flat[len(names) :]:
        axes.remove()
    for axes, name, title in zip(grid.flat, names, titles, strict=False):
        by_class = {row[group]: row for row in rows if row["agent"] == name}
        _draw_panel(axes, [by_class.get(one) for one in classes], group)
        counts = [by_class[one]["episodes"] if one in by_class else 0 for one in classes]
        ticks = [f"{short(one)}\nn={count:,}" for one, count in zip(classes, counts, strict=True)]
        axes.set_xticks(range(len(classes)), ticks)
        axes.tick_params(axis="x", labelsize=8, length=0)
        axes.set_title(title)
        percent_axis(axes, "y")
    drawing.supylabel("parity", fontsize=9)
    drawing.supxlabel(label, fontsize=9)
    return drawing


def _draw_panel(axes: "Axes", rows: Sequence[Mapping[str, Any] | None], group: str) -> None:
    axes.set_xlim(-0.5, len(rows) - 0.5)
    known = [(x, row) for x, row in enumerate(rows) if row is not None and row["parity"] is not None]
    for x, row in known:
        if row["low"] is not None:
            axes.plot([x, x], [row["low"], row["high"]], color=COLOURS[0], linewidth=1.2)
    axes.plot(
        [x for x, _ in known], [row["parity"] for _, row in known],
        color=COLOURS[0], linestyle="--", linewidth=0.9,
    )  # fmt: skip
    for x, row in known:
        (dot,) = axes.plot(x, row["parity"], "o", color=COLOURS[0], markersize=5)
        say_share(dot, row, "parity", f"{row[group]}, n={row['episodes']:,}")
