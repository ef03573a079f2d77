"""The program itself, to which `eops_traj.cli.main` adds the commands."""

import functools
from typing import Annotated, Any

import typer.main

from eops_traj import __version__
from eops_traj.cli.console import show_lines

app = typer.Typer(
    name="eops-traj",
    help="Agent trajectories for enterprise operations: collect, verify, filter, export, train.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        show_lines(f"eops-traj {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Agent trajectories for enterprise operations: collect, verify, filter, export, train."""


@functools.cache
def program() -> Any:
    """Return the commands that `eops_traj.cli.main` adds as one click program.

    Building it takes 40 ms, which a process that runs many commands pays once.
    """
    return typer.main.get_command(app)
