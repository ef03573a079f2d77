"""Lines over classes in order: a panel for each agent, so that many agents never cross each other."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from eops_traj.report.drawing.canvas import COLOURS, LINE, canvas, lines_of, percent, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

ACROSS, PANELS = 3, 12
"""Panels beside each other, and agents that are drawn at most."""


def lines(
    rows: Sequence[Mapping[str, Any]], names: Sequence[str], classes: Sequence[str],
    *, group: str, label: str, short: Callable[[str], str] = str,
) -> "Drawing":  # fmt: skip
    """The success of each agent over the classes, each with its interval and under it what it is over.

    ``short`` writes a class as the axis shows it.
    """
    across = min(ACROSS, len(names))
    down = -(-len(names) // across)
    shown = [wrapped(name, 34) for name in names]
    width = 10 if across == ACROSS else 1.2 + 4.2 * across
    drawing = canvas(width, down * (1.9 + LINE * lines_of(shown)) + 0.3)
    grid = drawing.subplots(down, across, squeeze=False, sharey=True)
    for axes in grid.flat[len(names) :]:
        axes.remove()
    for axes, name, title in zip(grid.flat, names, shown, strict=False):
        found = {row[group]: row for row in rows if row["agent"] == name}
        _panel(axes, [found.get(one) for one in classes])
        axes.set_xticks(range(len(classes)), [_tick(one, found.get(one), short) for one in classes])
        axes.tick_params(axis="x", labelsize=8, length=0)
        axes.set_title(title)
        percent(axes, "y")
    drawing.supylabel("success", fontsize=9)
    drawing.supxlabel(label, fontsize=9)
    return drawing


def _tick(name: str, row: Mapping[str, Any] | None, short: Callable[[str], str]) -> str:
    return f"{short(name)}\nn={row['episodes']:,}" if row else f"{short(name)}\nn=0"


def _panel(axes: "Axes", rows: Sequence[Mapping[str, Any] | None]) -> None:
    axes.set_xlim(-0.5, len(rows) - 0.5)
    known = [(x, row) for x, row in enumerate(rows) if row is not None and row["success"] is not None]
    for x, row in known:
        if row["low"] is not None:
            axes.plot([x, x], [row["low"], row["high"]], color=COLOURS[0], linewidth=1.2)
    axes.plot(
        [x for x, _ in known], [row["success"] for _, row in known],
        color=COLOURS[0], marker="o", markersize=5, linestyle="--", linewidth=0.9,
    )  # fmt: skip
