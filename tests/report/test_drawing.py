"""Drawings: whatever the names, no text is cut off, and none lies on another."""

from itertools import combinations
from typing import Any

import pytest

from eops_traj.report.drawing.canvas import drawing_bytes, report_style
from eops_traj.report.figure import Figure
from eops_traj.report.figures import FIGURES
from eops_traj.report.load import ReportData, load_data
from eops_traj.store.store import Store
from tests.report.stores import everything, store_of

SLACK = 1.5
"""Pixels by which boxes of text may touch: they are a little larger than the letters."""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> ReportData:
    """Twelve agents with names of 60 characters and a few besides, in eight domains."""
    store = store_of(tmp_path_factory.mktemp("many"), everything(agents=12, tasks=24, step=1))
    with Store.open(store) as opened:
        return load_data(opened, store.parent)


def texts(drawing: Any) -> list[tuple[str, Any]]:
    """Return every visible text of a drawing, with its box in pixels."""
    from matplotlib.text import Text

    unseen = {label for axes in drawing.axes for axis in (axes.xaxis, axes.yaxis) for label in beyond(axis)}
    visible = drawing.findobj(
        lambda one: isinstance(one, Text) and one.get_visible() and one.get_text().strip()
    )
    return [(text.get_text(), text.get_window_extent()) for text in visible if text not in unseen]


def beyond(axis: Any) -> list[Any]:
    """Return the labels of ticks outside of an axis's view: they exist, but are never drawn."""
    low, high = sorted(axis.get_view_interval())
    out = [tick for tick in axis.get_major_ticks() if not low <= tick.get_loc() <= high]
    return [label for tick in out for label in (tick.label1, tick.label2)]


def overlap(one: Any, other: Any) -> bool:
    """Check whether two boxes share more than a line."""
    across = min(one.x1, other.x1) - max(one.x0, other.x0)
    down = min(one.y1, other.y1) - max(one.y0, other.y0)
    return bool(across > SLACK and down > SLACK)


@pytest.mark.slow
@pytest.mark.parametrize("name", FIGURES)
def test_no_text_is_cut_off_or_lies_on_another(data: ReportData, name: str) -> None:
    figure = FIGURES[name](data)
    assert isinstance(figure, Figure)
    with report_style():
        drawing = figure.draw()
        drawing_bytes(drawing, "svg"), drawing_bytes(drawing, "png")
        drawing.draw_without_rendering()
        labels, whole = texts(drawing), drawing.bbox
    assert len(labels) > 5
    outside = [t for t, b in labels if b.x0 < -1 or b.y0 < -1 or b.x1 > whole.x1 + 1 or b.y1 > whole.y1 + 1]
    assert outside == []
    assert [(a, b) for (a, one), (b, other) in combinations(labels, 2) if overlap(one, other)] == []
