"""What a figure is: what it says, its numbers, and how they are drawn."""

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

Row = Mapping[str, Any]

NONE_COUNTS = "No episode counts here: each ended in an error, has no verdicts, or is no attempt of its own."
"""Why most figures are not drawn where nothing is scored."""

FORMATS: dict[str, Callable[[Any], str]] = {
    "text": str,
    "count": lambda value: f"{value:,}",
    "share": lambda value: f"{value:.1%}",
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
    shows: str
    """One sentence: what there is to see."""
    n: str
    """How much it is over, in words: episodes, tasks, verifiers."""
    alt: str
    """The drawing in words, for those who do not see it."""
    columns: Mapping[str, str]
    """The columns of the rows, in order, each with its format, one of FORMATS."""
    rows: Sequence[Row]
    draw: Callable[[], "Drawing"]
    cautions: tuple[str, ...] = ()
    """What a reader should know before drawing conclusions, a sentence each."""

    def cells(self) -> list[list[str]]:
        """The rows as people read them; what is not known is left empty."""
        return [[_cell(row.get(name), kind) for name, kind in self.columns.items()] for row in self.rows]

    def csv(self) -> str:
        """The rows as CSV: numbers in full, empty where a value is not known."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows([row.get(name) for name in self.columns] for row in self.rows)
        return text.getvalue()


@dataclass(frozen=True)
class Missing:
    """A figure that the data cannot feed, and why, in one sentence."""

    name: str
    title: str
    why: str


def _cell(value: Any, kind: str) -> str:
    return "" if value is None else FORMATS[kind](value)


def counted(number: int, noun: str) -> str:
    """``1 task``, ``1,150 tasks``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def listed(names: Iterable[str], most: int = 5) -> str:
    """Names in a sentence, the first few of many."""
    found = list(names)
    more = [f"{len(found) - most:,} more"] if len(found) > most else []
    parts = [*found[:most], *more]
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
