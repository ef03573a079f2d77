"""A figure: its words, its numbers, and the function that draws them."""

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from eops_traj.metrics.percent import percent

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

Row = Mapping[str, Any]

NOTHING_SCORED = (
    "No episode counts here: each ended in an error, has no verdicts, or is no attempt of its own."
)
"""The reason why most figures are not drawn where nothing is scored."""

FORMATS: dict[str, Callable[[Any], str]] = {
    "text": str,
    "count": lambda value: f"{value:,}",
    "share": percent,
    "points": lambda value: f"{100 * value:+.1f}",
    "number": lambda value: f"{value:,.1f}",
    "dollars": lambda value: f"${value:,.4g}" if abs(value) < 1 else f"${value:,.2f}",
}
"""How the values of a column are written for people; the CSV has them in full, shares and points of 1."""


@dataclass(frozen=True)
class Figure:
    """A figure: the drawing shows its rows, and so do the table on the page and the CSV."""

    name: str
    """Of its files."""
    title: str
    caption: str
    """One sentence: what there is to see."""
    n: str
    """The size of the sample, in words: episodes, tasks, verifiers."""
    alt: str
    """The drawing in words, for those who do not see it."""
    columns: Mapping[str, str]
    """The columns of the rows, in order, each with its format, one of FORMATS."""
    rows: Sequence[Row]
    draw: Callable[[], "Drawing"]
    cautions: tuple[str, ...] = ()
    """Sentences that a reader should know before drawing conclusions."""

    def cells(self) -> list[list[str]]:
        """Format the rows for people; what is not known is left empty."""
        return [
            ["" if row.get(name) is None else FORMATS[kind](row[name]) for name, kind in self.columns.items()]
            for row in self.rows
        ]

    def csv(self) -> str:
        """Render the rows as CSV: numbers in full, empty where a value is not known."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows([row.get(name) for name in self.columns] for row in self.rows)
        return text.getvalue()


@dataclass(frozen=True)
class MissingFigure:
    """A figure that the data cannot feed, with the reason in one sentence."""

    name: str
    title: str
    why: str


def count_noun(number: int, noun: str) -> str:
    """Format a count with its noun: ``1 task``, ``1,150 tasks``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def join_names(names: Iterable[str], most: int = 5) -> str:
    """Join names for a sentence, the first few of many."""
    every = list(names)
    more = [f"{len(every) - most:,} more"] if len(every) > most else []
    parts = [*every[:most], *more]
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def note_undrawn(agents: int, drawn: int) -> tuple[str, ...]:
    """Return the caution that only the best agents are drawn; none where all of them are."""
    return (f"Drawn are the {drawn} best of {agents} agents; the table has all.",) if agents > drawn else ()
