"""``eops-traj report``: a page of figures about the episodes of a store."""

import dataclasses
from pathlib import Path
from typing import Annotated

import typer

from eops_traj.cli.completion import complete_run
from eops_traj.cli.console import (
    ErrorsOption,
    JsonOption,
    MixOption,
    StoreOption,
    show_facts,
    show_json,
    show_lines,
)
from eops_traj.report.write import VIEWER


def report(
    store: StoreOption,
    out: Annotated[Path, typer.Option(help="The page; its figures go to a folder beside it.")] = Path(
        "report.html"
    ),
    run: Annotated[
        list[str] | None,
        typer.Option(
            help="Only this run, by its id or how that begins; repeat.", autocompletion=complete_run
        ),
    ] = None,
    pair: Annotated[
        list[str] | None,
        typer.Option(
            metavar="BEFORE,AFTER", help="Two models or runs to compare as before and after; repeat."
        ),
    ] = None,
    viewer: Annotated[str, typer.Option(help="Where a viewer of the store is, to link to.")] = VIEWER,
    mix_protocols: MixOption = False,
    errors: ErrorsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write a page of figures about the episodes of a store, and each figure as SVG, PNG and CSV."""
    from eops_traj.report.write import write_report
    from eops_traj.store.store import Store

    pairs = [_pair(text) for text in pair or ()]
    with Store.open(store) as opened:
        written = write_report(opened, out, run or (), pairs, mix_protocols, _address(viewer), errors)
    show_lines(*written.notes, err=True)
    if as_json:
        show_json(dataclasses.asdict(written), default=str)
        return
    show_facts({"page": written.page, "figures": written.folder, "episodes": f"{written.episodes:,}"})
    missing = {f"no {name}": why for name, why in written.not_drawn.items()}
    show_facts({"drawn": ", ".join(written.drawn)} | missing)


def _address(text: str) -> str:
    if not text.startswith(("http://", "https://")):
        raise typer.BadParameter(f"{text!r} is no address; it begins with http://", param_hint="--viewer")
    return text


def _pair(text: str) -> tuple[str, str]:
    before, comma, after = text.partition(",")
    if not (comma and before.strip() and after.strip()):
        raise typer.BadParameter(f"{text!r} is no pair; give BEFORE,AFTER", param_hint="--pair")
    return before.strip(), after.strip()
