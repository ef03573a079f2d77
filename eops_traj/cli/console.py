"""Output of commands: tables, facts, JSON for machines, and progress bars."""

import contextlib
import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.table import Table
    from rich.tree import Tree

StoreOption = Annotated[str, typer.Option("--store", help="The store: a folder or an object-store URL.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]


def show_table(head: dict[str, Any], title: str, rows: list[dict[str, Any]], as_json: bool) -> None:
    """Print facts, a line each, and a table under them; as JSON, one object with the rows under ``title``."""
    if as_json:
        typer.echo(json.dumps({**head, title: rows}))
        return
    from rich.console import Console

    show_facts(head)
    Console(markup=False, highlight=False).print(table_of(rows, f"no {title}"))


def show_facts(facts: dict[str, Any]) -> None:
    """Print facts, a line each."""
    for name, value in facts.items():
        typer.echo(f"{name}: {_cell(value)}")


def table_of(rows: list[dict[str, Any]], none: str = "") -> "Table":
    """Render rows as a table; of no rows, one that is headed ``none``."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for name in rows[0] if rows else [none]:
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*(_cell(value) for value in row.values()))
    return table


def _cell(value: Any) -> str:
    """Render a value for a table: nothing for None, ``name=JSON`` for the parts of an object."""
    if isinstance(value, dict):
        return ", ".join(f"{name}={json.dumps(part, ensure_ascii=False)}" for name, part in value.items())
    return "" if value is None else str(value)


def show_whole(table: "Table | Tree") -> None:
    """Print a table or tree as wide as it is: a narrower terminal wraps its lines, but nothing is cut."""
    from rich.console import Console

    whole = Console(width=10_000).measure(table).maximum
    Console(width=max(whole, Console().width)).print(table)


@contextlib.contextmanager
def progress(title: str, total: int) -> Iterator[Callable[[int], None]]:
    """Show a progress bar on stderr; yield the function that moves it on by a number of steps."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(title, total=total)
        yield lambda steps: bar.advance(task, steps)
