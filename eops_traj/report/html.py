"""The page: figures and their numbers as one HTML file that needs no network."""

from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.resources import files

from eops_traj import __version__
from eops_traj.metrics.sides import SHOWN
from eops_traj.report.figure import Figure, Missing, counted, listed
from eops_traj.report.load import Data


def page(data: Data, parts: Sequence[Figure | Missing], drawings: Mapping[str, str], folder: str) -> str:
    """The HTML. ``drawings`` are SVG elements by the figures' names, ``folder`` is where the files are."""
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    here = files("eops_traj.report")
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=False)
    template = environment.from_string((here / "page.html.jinja").read_text(encoding="utf-8"))
    return template.render(
        data=data,
        apart=_apart(data),
        runs=_runs(data),
        parts=parts,
        kinds={part.name: list(part.columns.values()) for part in parts if isinstance(part, Figure)},
        drawings={name: Markup(svg) for name, svg in drawings.items()},
        folder=folder,
        css=Markup((here / "page.css").read_text(encoding="utf-8")),
        version=__version__,
    )


def _apart(data: Data) -> str:
    counts = Counter(dict(data.episodes["standing"].value_counts().iter_rows()))
    words = {
        "error": "error",
        "unverified": "unverified episode",
        "superseded": "superseded attempt",
        "branch": "branch of another episode",
    }
    told = [counted(counts[name], noun) for name, noun in words.items() if counts[name]]
    return listed(told) if told else ""


def _runs(data: Data) -> str:
    runs = sorted(data.episodes["run_id"].unique())
    return f"{len(runs)}: {listed((run[:SHOWN] for run in runs), 8)}"
