"""Output of commands: lines, tables, facts, and JSON for machines.

All that a command prints is printed here, and nothing printed here can act on a terminal: names and texts
come from stores, tasks and replies. `tests/cli/test_console.py` finds a command that prints by itself.
"""

import json
import shlex
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from eops_traj.cli.fitting import fit_columns
from eops_traj.untrusted.terminal import LINES, visible

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
    from rich.table import Table
    from rich.tree import Tree

StoreOption = Annotated[str, typer.Option("--store", help="The store: a folder or an object-store URL.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
ErrorsOption = Annotated[
    str | None,
    typer.Option(help="What errors count: zero (so the protocol benchmark), or out: they are left out."),
]
MixOption = Annotated[
    bool, typer.Option("--mix-protocols", help="Set episodes of several protocols side by side.")
]


def show_lines(*lines: object, err: bool = False) -> None:
    """Print each of these as one line, whatever it holds; with ``err`` to stderr."""
    for line in lines:
        typer.echo(visible(str(line)), err=err)


def show_text(text: str, nl: bool = True) -> None:
    """Print a text that has lines of its own: a card, a task, a tool's result."""
    typer.echo(visible(text, LINES), nl=nl)


def show_json(value: Any, default: Callable[[Any], Any] | None = None) -> None:
    """Print a value as one line of JSON, in ASCII: every other character is an escape."""
    typer.echo(json.dumps(value, default=default))


def show_table(head: dict[str, Any], title: str, rows: list[dict[str, Any]], as_json: bool) -> None:
    """Print facts, a line each, and a table under them; as JSON, one object with the rows under ``title``."""
    if as_json:
        show_json({**head, title: rows})
        return
    show_facts(head)
    table, console = table_of(rows, f"no {title}"), _console()
    if console.is_terminal:
        console.print(_Visible(table))
    else:
        show_whole(table)


def show_facts(facts: dict[str, Any]) -> None:
    """Print facts, a line each."""
    show_lines(*(f"{name}: {_cell(value)}" for name, value in facts.items()))


def show_next(command: str, quiet: bool = False) -> None:
    """Print the command that goes on from here to stderr, unless ``quiet``, as where machines read."""
    if not quiet:
        show_lines(f"next: {command}", err=True)


def show_end(kept: str, command: Sequence[object], quiet: bool = False) -> None:
    """Print to stderr what a command has kept, and the words of the one that goes on from here."""
    if not quiet:
        show_lines(f"kept: {kept}", err=True)
        show_next(shlex.join(map(str, command)))


def table_of(rows: list[dict[str, Any]], none: str = "") -> "Table":
    """Render rows as a table; of no rows, one that is headed ``none``."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for name in rows[0] if rows else [none]:
        table.add_column(visible(name), overflow="fold")
    for row in rows:
        table.add_row(*(visible(_cell(value)) for value in row.values()))
    return table


def _cell(value: Any) -> str:
    """Render a value for a table: nothing for None, ``name=JSON`` for the parts of an object."""
    if isinstance(value, dict):
        return ", ".join(f"{name}={json.dumps(part, ensure_ascii=False)}" for name, part in value.items())
    return "" if value is None else str(value)


def show_whole(table: "Table | Tree") -> None:
    """Print a table or tree as wide as it is: a narrower terminal wraps its lines, but nothing is cut."""
    whole = _console(width=10_000).measure(table).maximum
    _console(width=max(whole, _console().width)).print(_Visible(table))


def show_fitting(table: "Table", spare: Sequence[str]) -> None:
    """Print a table, on a terminal without those of the ``spare`` columns for which there is no room."""
    console = _console()
    if not console.is_terminal:
        show_whole(table)
        return
    left_out = fit_columns(table, console, spare)
    show_whole(table)
    if left_out:
        show_lines(f"no room for: {', '.join(left_out)}; a wider terminal shows them, and so does --json")


def _console(width: int | None = None) -> "Console":
    """Return a console that takes text as it is: no markup, no emoji codes, no colours by content."""
    from rich.console import Console

    return Console(width=width, markup=False, emoji=False, highlight=False)


class _Visible:
    """A table or tree, the text of which cannot act: the styles are rich's own, the rest is shown."""

    def __init__(self, content: "RenderableType") -> None:
        self.content = content

    def __rich_console__(self, console: "Console", options: "ConsoleOptions") -> "RenderResult":
        from rich.segment import Segment

        for text, style, control in console.render(self.content, options):
            yield Segment(visible(text, "\n"), style, control)
