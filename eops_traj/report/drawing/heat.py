"""A table of shares, the darker the larger, each with its number."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from eops_traj.report.drawing.canvas import canvas

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing


def heat(
    values: Mapping[tuple[str, str], float], rows: Sequence[str], columns: Mapping[str, str]
) -> "Drawing":
    """The share of each (row, column); ``columns`` have their titles. What is not there is zero."""
    drawing = canvas(min(10, 2.8 + 0.85 * len(columns)), 0.9 + 0.32 * len(rows))
    axes = drawing.subplots()
    grid = [[values.get((row, column), 0.0) for column in columns] for row in rows]
    axes.pcolormesh(grid, cmap="Blues", vmin=0, vmax=1)
    axes.invert_yaxis()
    for y, row in enumerate(grid):
        for x, share in enumerate(row):
            colour = "white" if share > 0.75 else "black"
            axes.text(x + 0.5, y + 0.5, f"{share:.0%}", ha="center", va="center", color=colour)
    axes.set_xticks([x + 0.5 for x in range(len(columns))], list(columns.values()))
    axes.set_yticks([y + 0.5 for y in range(len(rows))], [row.replace("_", " ") for row in rows])
    axes.tick_params(length=0, labeltop=True, labelbottom=False)
    axes.spines[:].set_visible(False)
    return drawing
