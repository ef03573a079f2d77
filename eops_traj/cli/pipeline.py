"""``eops-traj loop``: from nothing to a planner that is measured, on two cores."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from eops_traj.cli.console import (
    JsonOption,
    show_end,
    show_facts,
    show_json,
    show_lines,
    show_whole,
    table_of,
)
from eops_traj.errors import WorkError


def loop(
    work: Annotated[Path, typer.Option(help="The loop's folder; one that was left goes on.")] = Path("loop"),
    first: Annotated[
        str | None, typer.Option("--from", metavar="STAGE", help="Do this stage and those after it again.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Another seed makes other tasks and another planner.")] = 0,
    size: Annotated[
        str,
        typer.Option(help="quick: three families, in a quarter of an hour. full: all families, in hours."),
    ] = "quick",
    as_json: JsonOption = False,
) -> None:
    """Make tasks, collect, filter, export, train a small planner, and measure it before and after.

    The stages are tasks, collect, sft, dpo, bench, report; each prints the commands that it runs.
    """
    from eops_traj.files import write_json
    from eops_traj.optional import require
    from eops_traj.pipeline.release import pack
    from eops_traj.pipeline.results import results
    from eops_traj.pipeline.runner import begin, run
    from eops_traj.pipeline.stages import REPORT, stages

    require("train")
    loop_stages = stages(work, seed, size)
    state = begin(work, seed, size, loop_stages, first)
    run(work, state, loop_stages, command, lambda line: show_lines(line, err=True))
    rows = results(work)
    write_json(work / "results.json", rows)
    head: dict[str, object] = {"planner": str(work / "dpo" / "model"), "store": str(work / "store")}
    head["release"] = str(pack(work))
    head |= {"report": str(work / REPORT), "seconds": state["done"]}
    if as_json:
        show_json({**head, "results": rows})
        return
    show_facts(head)
    show_whole(table_of(rows))
    show_end(f"everything in {work}", ["eops-traj", "view", "--store", work / "store"])


def command(arguments: Sequence[str]) -> None:
    """Run one command of this program in this process, what it prints going to stderr."""
    import contextlib
    import sys

    from eops_traj.cli.app import app

    with contextlib.redirect_stdout(sys.stderr):
        code = app(list(arguments), standalone_mode=False)
    if code:
        raise WorkError(f"eops-traj {arguments[0]} ended with exit code {code}")
