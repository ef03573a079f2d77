"""Write a report: the page, and beside it a folder with each figure as SVG, PNG and CSV.

::

    report.html
    report_figures/leaderboard.svg  leaderboard.png  leaderboard.csv  …

Both are written under temporary names first: what was there before stays until the new one is whole.
"""

import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from eops_traj.errors import InputError
from eops_traj.files import folders_made
from eops_traj.report.figure import Figure, MissingFigure

if TYPE_CHECKING:
    from eops_traj.report.load import ReportData
    from eops_traj.store.store import Store


VIEWER = "http://127.0.0.1:8642"
"""Where `eops-traj view` listens unless told otherwise."""


@dataclass(frozen=True)
class Report:
    """The written report: its files, and the figures drawn and not drawn."""

    page: Path
    folder: Path
    episodes: int
    drawn: tuple[str, ...]
    not_drawn: dict[str, str]
    """The reason, by the figure's name."""
    notes: tuple[str, ...]
    """Notes on what could not be read."""


def write_report(
    store: "Store", out: Path, runs: Sequence[str] = (), pairs: Sequence[tuple[str, str]] = (),
    mixed: bool = False, viewer: str = VIEWER, errors: str | None = None,
) -> Report:  # fmt: skip
    """Write the report of a store, or of some of its runs, to ``out`` (an .html file).

    ``pairs`` are what the figure of training compares, (before, after) by model or run; without them it
    finds checkpoints by itself; ``mixed`` sets agents of several protocols side by side; ``viewer`` is the
    address of a viewer to link to; ``errors`` is the rule for errors in the place of the protocol's. Raises
    InputError for a store without episodes and an ``out`` that cannot be written, UnknownName for a run,
    model or rule that is not there; nothing is written then.
    """
    from eops_traj.report.load import load_data

    folder = _check_destination(out)
    with (
        folders_made(out.parent),
        tempfile.TemporaryDirectory(dir=out.parent, prefix=f".{out.stem}.") as part,
    ):
        new_folder, episodes = Path(part) / folder.name, Path(part) / "episodes"
        new_folder.mkdir()
        episodes.mkdir()
        data = load_data(store, episodes, runs, mixed, errors)
        parts = build_figures(data, pairs)
        _write_files(data, parts, Path(part) / out.name, new_folder, viewer)
        if folder.exists():
            shutil.rmtree(folder)
        new_folder.rename(folder)
        (Path(part) / out.name).replace(out)
    drawn = tuple(p.name for p in parts if isinstance(p, Figure))
    why = {p.name: p.why for p in parts if isinstance(p, MissingFigure)}
    return Report(out, folder, data.count, drawn, why, data.notes)


def build_figures(data: "ReportData", pairs: Sequence[tuple[str, str]] = ()) -> list[Figure | MissingFigure]:
    """Build every figure of a report, drawn or not, in the order of the page."""
    from eops_traj.report.figures import FIGURES, training

    return [
        training.figure(data, pairs) if name == training.NAME else build(data)
        for name, build in FIGURES.items()
    ]


def _check_destination(out: Path) -> Path:
    """Return the folder of the figures. Raises InputError where it or the page would replace other files."""
    folder = out.with_name(f"{out.stem}_figures")
    if out.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"{out} is no name of a page; it ends in .html")
    if out.is_dir():
        raise InputError(f"{out} is a folder")
    if folder.exists() and not (folder.is_dir() and all(_ours(path) for path in folder.iterdir())):
        raise InputError(f"{folder} holds other files than figures; choose another name for {out.name}")
    return folder


def _ours(path: Path) -> bool:
    from eops_traj.report.figures import FIGURES

    return path.stem in FIGURES and path.suffix in (".svg", ".png", ".csv")


def _write_files(
    data: "ReportData", parts: Sequence[Figure | MissingFigure], page_file: Path, folder: Path, viewer: str
) -> None:
    from eops_traj.report.html import render_page

    drawings = {part.name: _write_figure(part, folder) for part in parts if isinstance(part, Figure)}
    name = quote(f"{page_file.stem}_figures")
    page_file.write_text(render_page(data, parts, drawings, name, viewer), encoding="utf-8")


def _write_figure(figure: Figure, folder: Path) -> str:
    """Write a figure's files, and return the drawing as an element of the page."""
    from eops_traj.report.drawing.canvas import drawing_bytes, report_style
    from eops_traj.report.html import label_svg

    with report_style():
        drawing = figure.draw()
        svg, png = drawing_bytes(drawing, "svg"), drawing_bytes(drawing, "png")
    element = label_svg(svg, figure.name, figure.title, figure.alt)
    (folder / f"{figure.name}.svg").write_text(element, encoding="utf-8")
    (folder / f"{figure.name}.png").write_bytes(png)
    (folder / f"{figure.name}.csv").write_text(figure.csv(), encoding="utf-8")
    return element
