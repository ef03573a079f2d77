"""Differences with intervals about zero: a row for each comparison."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from eops_traj.report.drawing.canvas import (
    COLOURS,
    INK,
    LINE_HEIGHT,
    max_lines,
    name_rows,
    new_drawing,
    wrap_name,
)
from eops_traj.report.drawing.hover import say

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing


def draw_forest(rows: Sequence[Mapping[str, Any]], names: Sequence[str], label: str) -> "Drawing":
    """Draw the ``difference`` of each row with its interval from ``low`` to ``high``, in points of a hundred.

    Filled where the interval excludes zero, so that there is a difference. Numbers stand at the right.
    """
    labels = [wrap_name(name, 44) for name in names]
    drawing = new_drawing(10, 0.9 + len(rows) * max(0.3, LINE_HEIGHT * max_lines(labels) + 0.1))
    axes = drawing.subplots()
    axes.axvline(0, color=INK, linewidth=1)
    for y, row in enumerate(rows):
        apart = row["conclusion"] in ("better", "worse")
        low, high, middle = (100 * row[key] for key in ("low", "high", "difference"))
        axes.plot([low, high], [y, y], color=COLOURS[0], linewidth=1.6)
        fill = "full" if apart else "none"
        (dot,) = axes.plot(
            middle, y, "o", color=COLOURS[0], markersize=7, fillstyle=fill, markeredgewidth=1.4
        )
        say(dot, row, f"{names[y]}: {_difference_text(row)}")
    name_rows(axes, labels)
    axes.set_xlabel(label)
    axes.grid(True, axis="x")
    numbers = axes.secondary_yaxis("right")
    numbers.set_yticks(range(len(rows)), [_difference_text(row) for row in rows])
    numbers.tick_params(length=0)
    numbers.spines["right"].set_visible(False)
    return drawing


def _difference_text(row: Mapping[str, Any]) -> str:
    low, high, middle = (100 * row[key] for key in ("low", "high", "difference"))
    return f"{middle:+.1f} [{low:+.1f}, {high:+.1f}]  n={row['tasks']:,}"
