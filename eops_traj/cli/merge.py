"""The command that makes a whole model of an adapter and its base."""

import contextlib
import dataclasses
import sys
from pathlib import Path
from typing import Annotated

import typer

from eops_traj.cli.console import JsonOption, show_facts, show_json


def merge(
    run: Annotated[Path, typer.Argument(help="A run that trained an adapter, or the folder of one.")],
    out: Annotated[
        Path | None, typer.Option(help="The merged model's folder; by default `merged` beside the adapter's.")
    ] = None,
    base: Annotated[
        str | None, typer.Option(help="The base, where it is no longer where the adapter says.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Merge a LoRA adapter into its base: a whole model with tokenizer, card and lineage."""
    from eops_traj.optional import require

    require("train")
    from eops_traj.train.merge_adapter import merge as merge_adapter

    with contextlib.redirect_stdout(sys.stderr):  # what loads the model prints as it goes
        merged = merge_adapter(run, out, base)
    facts = dataclasses.asdict(merged)
    show_json(facts) if as_json else show_facts(facts)
