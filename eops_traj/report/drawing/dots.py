"""Dots with intervals: a row for each agent, a panel for each group."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from eops_traj.report.drawing.canvas import COLOURS, INK, LINE, canvas, lines_of, percent, rows_of, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

ACROSS = 5
"""Panels beside each other before there is a next row of them."""


def dots(
    rows: Sequence[Mapping[str, Any]], names: Sequence[str], panels: Mapping[str, str],
    *, group: str, label: str, marks: Mapping[str, tuple[str, str]], value: str = "success",
) -> "Drawing":  # fmt: skip
    """The ``value`` of each agent in each panel, with its interval from ``low`` to ``high``.

    ``panels`` are the groups with their titles; ``marks`` are further columns to mark, each with the marker
    and what the legend calls it.
    """
    across = min(ACROSS, len(panels))
    down = -(-len(panels) // across)
    shown = [wrapped(name) for name in names]
    height = 0.75 + len(names) * max(0.26, LINE * lines_of(shown) + 0.06)
    drawing = canvas(10, down * height + 0.35)
    grid = drawing.subplots(down, across, squeeze=False, sharey=True)
    for axes in grid.flat[len(panels) :]:
        axes.remove()
    for axes, (panel, title) in zip(grid.flat, panels.items(), strict=False):
        found = {row["agent"]: row for row in rows if row[group] == panel}
        _panel(axes, [found.get(name) for name in names], marks, value)
        axes.set_title(title)
        percent(axes)
    rows_of(grid[0][0], shown)
    handles, labels = _legend(label, marks)
    drawing.legend(handles, labels, loc="outside lower center", ncols=len(labels))
    return drawing


def _panel(
    axes: "Axes", rows: Sequence[Mapping[str, Any] | None], marks: Mapping[str, tuple[str, str]], value: str
) -> None:
    for y, row in enumerate(rows):
        if row is None or row[value] is None:
            continue
        if row.get("low") is not None:
            axes.plot([row["low"], row["high"]], [y, y], color=INK, linewidth=1.2)
        for column, (marker, _) in marks.items():
            if row.get(column) is not None:
                axes.plot(row[column], y, marker, color=COLOURS[1], fillstyle="none", markersize=6)
        axes.plot(row[value], y, "o", color=COLOURS[0], markersize=5)


def _legend(label: str, marks: Mapping[str, tuple[str, str]]) -> tuple[list[Any], list[str]]:
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], color=COLOURS[0], marker="o", markersize=5, linestyle="none")]
    handles.append(Line2D([], [], color=INK, linewidth=1.2))
    for marker, _ in marks.values():
        handles.append(
            Line2D([], [], color=COLOURS[1], marker=marker, fillstyle="none", markersize=6, linestyle="none")
        )
    return handles, [label, "95% interval over tasks", *(told for _, told in marks.values())]
