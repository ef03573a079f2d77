"""Tables that fit their terminal: columns that are missed least are left out, and named under the table."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


WIDEST = 10_000
"""Characters: wider than any table."""


def fit_columns(table: "Table", console: "Console", spare: Sequence[str]) -> list[str]:
    """Take columns off a table until it fits; return their headings.

    ``spare`` are the headings that may go, those that are missed least first; the others stay in any case.
    """
    left_out, unlimited = [], console.options.update(width=WIDEST)
    for heading in spare:
        if console.measure(table, options=unlimited).maximum <= console.width:
            break
        if any(column.header == heading for column in table.columns):
            _take_off(table, heading)
            left_out.append(heading)
    return left_out


def _take_off(table: "Table", heading: str) -> None:
    table.columns[:] = [column for column in table.columns if column.header != heading]
    for number, column in enumerate(table.columns):
        column._index = number
