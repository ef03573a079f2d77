"""Bars laid end to end: a row for each name, a piece for each part, told apart by hatches."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from eops_traj.report.drawing.canvas import COLOURS, HATCHES, INK, LINE, canvas, lines_of, rows_of, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing


def bars_canvas(names: Sequence[str], panels: int) -> tuple["Drawing", list["Axes"], list[str]]:
    """A drawing with panels beside each other over the same rows, and the rows' names as it shows them."""
    shown = [wrapped(name) for name in names]
    drawing = canvas(10, 1.3 + len(names) * max(0.3, LINE * lines_of(shown) + 0.08))
    grid = drawing.subplots(1, panels, squeeze=False, sharey=True)
    rows_of(grid[0][0], shown)
    return drawing, list(grid[0]), shown


def stacked(
    axes: "Axes", rows: Sequence[Mapping[str, Any] | None], parts: Mapping[str, str], rest: str | None = None
) -> tuple[list[Any], list[str]]:
    """Draw the parts (columns, each with what the legend calls it); gives what a legend takes.

    The part ``rest`` is the one that is of no interest, and is left white.
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
    axes.tick_params(axis="y", length=0)
    return handles, list(parts.values())


def _pale(colour: str) -> tuple[float, float, float]:
    """A colour light enough for its hatch to be seen."""
    from matplotlib.colors import to_rgb

    red, green, blue = (1 - (1 - part) * 0.55 for part in to_rgb(colour))
    return red, green, blue
