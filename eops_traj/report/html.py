"""The page: figures and their numbers as one HTML file that needs no network."""

import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from xml.etree import ElementTree

from eops_traj import __version__
from eops_traj.metrics.percent import percent
from eops_traj.metrics.sides import RUN_ID_DIGITS
from eops_traj.report.drawing.hover import SVG, titled
from eops_traj.report.explorer import explorer_json, next_steps
from eops_traj.report.figure import Figure, MissingFigure, count_noun, join_names
from eops_traj.report.load import ReportData, distinct
from eops_traj.untrusted.terminal import LINES, visible

XLINK = "http://www.w3.org/1999/xlink"
_REFERENCE = re.compile(r"url\(#([^)]+)\)")


def render_page(
    data: ReportData,
    parts: Sequence[Figure | MissingFigure],
    drawings: Mapping[str, str],
    folder: str,
    viewer: str,
) -> str:
    """Render the HTML. ``drawings`` are SVG elements by figure, ``folder`` is where the files are.

    ``viewer`` is the address of a viewer, to which the chapter on what to do next links.
    """
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    here = files("eops_traj.report")
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=False)
    environment.filters["percent"] = percent
    template = environment.from_string((here / "page.html.jinja").read_text(encoding="utf-8"))
    runs = sorted(distinct(data.parts, "run_id"))
    page = template.render(
        data=data,
        apart=_count_unscored(data),
        runs=f"{len(runs)}: {join_names((run[:RUN_ID_DIGITS] for run in runs), 8)}",
        parts=parts,
        kinds={part.name: list(part.columns.values()) for part in parts if isinstance(part, Figure)},
        drawings={name: Markup(svg) for name, svg in drawings.items()},
        folder=folder,
        missing=[part for part in parts if isinstance(part, MissingFigure)],
        steps=next_steps(data.judged, viewer),
        cells=Markup(explorer_json(data.scored)),
        script=Markup((here / "page.js").read_text(encoding="utf-8")),
        css=Markup((here / "page.css").read_text(encoding="utf-8")),
        version=__version__,
    )
    return visible(page, LINES)


def _count_unscored(data: ReportData) -> str:
    nouns = {
        "error": "error",
        "unverified": "unverified episode",
        "superseded": "superseded attempt",
        "branch": "branch of another episode",
    }
    parts = [count_noun(n, noun) for name, noun in nouns.items() if (n := data.counts.get(name))]
    return join_names(parts) if parts else ""


def label_svg(svg: bytes, name: str, title: str, alt: str) -> str:
    """Turn a drawing of matplotlib's into an SVG element that screen readers can name and describe.

    ``name`` is put before every id, so that several drawings fit into one page. Comments, which hold the
    labels a second time, are left out.
    """
    root = ElementTree.fromstring(visible(svg.decode("utf-8"), LINES))
    titled(root)
    for element in root.iter():
        _prefix_ids(element, name)
    for style in root.findall(f".//{{{SVG}}}style/..") + root.findall(f".//{{{SVG}}}metadata/.."):
        for child in [c for c in style if c.tag in (f"{{{SVG}}}style", f"{{{SVG}}}metadata")]:
            style.remove(child)
    root.set("style", "stroke-linejoin: round; stroke-linecap: butt")  # as its style sheet had it
    root.set("role", "img")
    root.set("aria-labelledby", f"{name}-title {name}-desc")
    for position, (tag, text) in enumerate((("title", title), ("desc", alt))):
        label = ElementTree.Element(f"{{{SVG}}}{tag}", {"id": f"{name}-{tag}"})
        label.text = visible(text)
        root.insert(position, label)
    ElementTree.register_namespace("", SVG)
    ElementTree.register_namespace("xlink", XLINK)
    return ElementTree.tostring(root, encoding="unicode")


def _prefix_ids(element: ElementTree.Element, name: str) -> None:
    for key, value in element.attrib.items():
        if key == "id":
            element.set(key, f"{name}-{value}")
        elif key == f"{{{XLINK}}}href" and value.startswith("#"):
            element.set(key, f"#{name}-{value[1:]}")
        else:
            element.set(key, _REFERENCE.sub(rf"url(#{name}-\1)", value))
