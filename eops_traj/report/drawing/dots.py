"""Dots with intervals: a row for each agent, a panel for each group."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from eops_traj.report.drawing.canvas import (
    COLOURS,
    INK,
    LINE_HEIGHT,
    MAX_NAME_LENGTH,
    max_lines,
    name_rows,
    new_drawing,
    percent_axis,
    shorten_name,
    wrap_name,
)
from eops_traj.report.drawing.hover import say_share

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

PANELS_PER_ROW = 5
"""Panels beside each other before there is a next row of them."""


def draw_dots(
    rows: Sequence[Mapping[str, Any]], names: Sequence[str], panels: Mapping[str, str],
    *, group: str, label: str, marks: Mapping[str, tuple[str, str]], value: str = "parity",
) -> "Drawing":  # fmt: skip
    """Draw the ``value`` of each agent in each panel, with its interval from ``low`` to ``high``.

    ``panels`` are the groups with their titles; ``marks`` are further columns to mark, each with the marker
    and its name in the legend.
    """
    across = min(PANELS_PER_ROW, len(panels))
    down = -(-len(panels) // across)
    labels = [wrap_name(name) for name in names]
    height = 0.75 + len(names) * max(0.26, LINE_HEIGHT * max_lines(labels) + 0.06)
    drawing = new_drawing(10, down * height + 0.35)
    grid = drawing.subplots(down, across, squeeze=False, sharey=True)
    for axes in grid.flat[len(panels) :]:
        axes.remove()
    for axes, (panel, title) in zip(grid.flat, panels.items(), strict=False):
        by_agent = {row["agent"]: row for row in rows if row[group] == panel}
        _draw_panel(axes, [by_agent.get(name) for name in names], marks, value)
        axes.set_title(shorten_name(title, MAX_NAME_LENGTH))
        percent_axis(axes)
    name_rows(grid[0][0], labels)
    handles, words = _legend(label, marks)
    drawing.legend(handles, words, loc="outside lower center", ncols=len(words))
    return drawing


def _draw_panel(
    axes: "Axes", rows: Sequence[Mapping[str, Any] | None], marks: Mapping[str, tuple[str, str]], value: str
) -> None:
    for y, row in enumerate(rows):
        if row is None or row[value] is None:
            continue
        if row.get("low") is not None:
            axes.plot([row["low"], row["high"]], [y, y], color=INK, linewidth=1.2)
        for column, (marker, _) in marks.items():
            if row.get(column) is not None:
                (mark,) = axes.plot(row[column], y, marker, color=COLOURS[1], fillstyle="none", markersize=6)
                say_share(mark, row, column, column)
        (dot,) = axes.plot(row[value], y, "o", color=COLOURS[0], markersize=5)
        say_share(dot, row, value)


def _legend(label: str, marks: Mapping[str, tuple[str, str]]) -> tuple[list[Any], list[str]]:
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], color=COLOURS[0], marker="o", markersize=5, linestyle="none")]
    handles.append(Line2D([], [], color=INK, linewidth=1.2))
    for marker, _ in marks.values():
        handles.append(
            Line2D([], [], color=COLOURS[1], marker=marker, fillstyle="none", markersize=6, linestyle="none")
        )
    return handles, [label, "95% interval over tasks", *(name for _, name in marks.values())]
