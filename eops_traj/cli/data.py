"""The commands of the group ``data``: what an export is worth as training data."""

from pathlib import Path
from typing import Annotated

import typer

from eops_traj.cli.console import JsonOption, show_json, show_lines, show_table
from eops_traj.errors import WorkError

app = typer.Typer(name="data", help="Look at training data.", no_args_is_help=True, rich_markup_mode=None)


@app.command()
def quality(
    export: Annotated[Path, typer.Argument(help="The folder of an export.")],
    split: Annotated[
        list[str] | None,
        typer.Option(help="A split it may hold; repeat."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Print splits, outcomes and duplicates of an export, and what tells the sides of its pairs apart."""
    from eops_traj.export.quality import export_quality
    from eops_traj.tasks.splits import TRAIN, check_split_names

    check_split_names(split or ())
    found = export_quality(export, tuple(split or (TRAIN,)))
    if as_json:
        show_json(found.as_json())
    else:
        show_table({"format": found.format, "rows": found.rows}, "figures", found.figures(), as_json)
        show_lines(*(f"unfit: {problem}" for problem in found.problems))
    if found.problems:
        raise WorkError(f"{export} is not fit to train on: {'; '.join(found.problems)}")
