"""Bars laid end to end: a row for each name, a piece for each part, told apart by hatches."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from eops_traj.report.drawing.canvas import (
    COLOURS,
    HATCHES,
    INK,
    LINE_HEIGHT,
    max_lines,
    name_rows,
    new_drawing,
    wrap_name,
)
from eops_traj.report.drawing.hover import say
from eops_traj.report.figure import FORMATS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing


def bar_panels(names: Sequence[str], panels: int) -> tuple["Drawing", list["Axes"]]:
    """Make a drawing with panels side by side over the same rows; return also the rows' wrapped names."""
    labels = [wrap_name(name) for name in names]
    drawing = new_drawing(10, 1.3 + len(names) * max(0.3, LINE_HEIGHT * max_lines(labels) + 0.08))
    grid = drawing.subplots(1, panels, squeeze=False, sharey=True)
    name_rows(grid[0][0], labels)
    return drawing, list(grid[0])


def stack_bars(
    axes: "Axes",
    rows: Sequence[Mapping[str, Any] | None],
    parts: Mapping[str, str],
    rest: str | None = None,
    kind: str = "share",
) -> tuple[list[Any], list[str]]:
    """Draw the parts (columns, each with its name in the legend), and return a legend's handles and labels.

    The part ``rest`` is the one that is of no interest, and is left white. A piece says its number in the
    format ``kind`` of figures.
    """
    handles = []
    for number, column in enumerate(parts):
        starts = [sum(row[c] or 0 for c in list(parts)[:number]) if row else 0 for row in rows]
        widths = [(row[column] or 0) if row else 0 for row in rows]
        colour = "white" if column == rest else _pale(COLOURS[number % len(COLOURS)])
        hatch = "" if column == rest else HATCHES[number % len(HATCHES)]
        handles.append(
            axes.barh(
                range(len(rows)), widths, left=starts, height=0.62, edgecolor=INK, linewidth=0.6,
                color=colour, hatch=hatch,
            )
        )  # fmt: skip
        for piece, row in zip(handles[-1], rows, strict=True):
            if row and row[column] is not None:
                whose = row.get("agent") or row.get("run")
                say(piece, row, f"{whose}: {parts[column]} {FORMATS[kind](row[column])}")
    axes.tick_params(axis="y", length=0)
    return handles, list(parts.values())


def _pale(colour: str) -> tuple[float, float, float]:
    """Lighten a colour until its hatch can be seen."""
    from matplotlib.colors import to_rgb

    red, green, blue = (1 - (1 - part) * 0.55 for part in to_rgb(colour))
    return red, green, blue
