"""The commands of the group ``config``: a config with all its keys, and the schemas for editors."""

from typing import Annotated

import typer

from eops_traj.cli.completion import complete_config
from eops_traj.cli.console import show_json, show_table, show_text
from eops_traj.errors import FormatError, WorkError

app = typer.Typer(
    name="config", help="Look at configs: all their keys, their schemas.", no_args_is_help=True,
    rich_markup_mode=None,
)  # fmt: skip


@app.command("list")
def list_(as_json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False) -> None:
    """List the configs that a name is enough for, with the command that runs each."""
    from eops_traj.workspace.config_models import all_configs, command_of

    rows, unread = list[dict[str, str]](), list[str]()
    for name, path in all_configs().items():
        try:
            rows.append({"config": name, "run it with": command_of(path)})
        except FormatError as error:
            unread.append(str(error))
    show_table({}, "configs", rows, as_json)
    if unread:
        raise WorkError("; ".join(unread))


@app.command()
def show(
    name: Annotated[
        str, typer.Argument(help="A config's name, or its file.", autocompletion=complete_config)
    ],
) -> None:
    """Print a config with all its keys: those that it leaves out are below it, each with its default."""
    from eops_traj.workspace.config_models import find_any
    from eops_traj.workspace.config_page import config_page

    show_text(config_page(find_any(name)), nl=False)


@app.command()
def schema(
    kind: Annotated[str, typer.Argument(help="collect, filter, publish, rebench, train, or train's recipe.")],
) -> None:
    """Print the JSON Schema of a kind of config, by which editors check and complete the file."""
    from eops_traj.workspace.config_schema import config_schema

    show_json(config_schema(kind))
