"""``eops-traj init`` and ``doctor``: a working folder, and what is ready for work."""

import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from eops_traj.cli.collect import OverridesArgument
from eops_traj.cli.completion import complete_kind
from eops_traj.cli.console import JsonOption, StoreOption, show_json, show_next, show_table
from eops_traj.cli.engine_options import LOCAL, Workers, engine_of
from eops_traj.progress.display import progress


def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder to make; an empty one will do.")],
    tasks: Annotated[int, typer.Option(min=8, help="How many tasks, of eight domains.")] = 112,
    seed: Annotated[int, typer.Option(min=0, help="Another seed makes other tasks.")] = 0,
    seeds: Annotated[
        bool, typer.Option(help="Write the databases as SQL too (110 MB): for servers in containers.")
    ] = False,
    workers: Workers = 0,
    as_json: JsonOption = False,
) -> None:
    """Make a working folder: tasks to do and to decline, configs with all their keys, the next commands."""
    from eops_traj.workspace.make import check_empty, default_suite, make_workspace

    check_empty(folder)
    suite = default_suite(tasks)
    with progress("making tasks", sum(suite.tasks.values())) as advance:
        made = make_workspace(folder, suite, seed, engine_of(workers, LOCAL), seeds=seeds, done=advance)
    head = {"folder": str(folder), "tasks": made["tasks"], "to decline": made["infeasible"]}
    show_table({**head, "splits": made["by_split"]}, "files", _files(folder), as_json)
    show_next(f"cd {shlex.quote(str(folder))} && eops-traj doctor", as_json)


def _files(folder: Path) -> list[dict[str, str]]:
    what = {
        "suite": "tasks of eight domains",
        "configs": "every config, with all its keys",
        "README.md": "next",
    }
    return [{"path": str(folder / name), "what": text} for name, text in what.items()]


def doctor(
    config: Annotated[
        str | None,
        typer.Argument(
            metavar="[CONFIG]", help="A collect config: its file or name; else this machine is looked at.",
            autocompletion=complete_kind("collect"),
        ),
    ] = None,
    overrides: OverridesArgument = None,
    store: StoreOption = "store",
    as_json: JsonOption = False,
) -> None:  # fmt: skip
    """Say what this machine has and what to run next; with a config, check a collection before it starts."""
    if config is None:
        _show_machine(as_json)
    else:
        _check_collection(config, overrides or (), store, as_json)


def _show_machine(as_json: bool) -> None:
    from eops_traj.workspace.readiness import endpoints, machine, next_command

    asked, there = endpoints(os.environ)
    rows = [row._asdict() for row in (*machine(os.environ), *asked)]
    command = next_command(Path.cwd(), there)
    if as_json:
        show_json({"checks": rows, "next": command})
        return
    show_table({}, "checks", [{**row, "ready": "yes" if row["ready"] else "-"} for row in rows], False)
    show_next(command)


def _check_collection(config: str, overrides: Sequence[str], store: str, as_json: bool) -> None:
    from eops_traj.collect.config import load_setup
    from eops_traj.collect.job import load_job
    from eops_traj.collect.preconditions import check_job, require_passed
    from eops_traj.harness.job import check_harness_job, find_harness_job

    if harness_job := find_harness_job(config, overrides, store):
        show_table({"config": config}, "checks", check_harness_job(harness_job), as_json)
        return
    results = check_job(load_job(load_setup(config, overrides), store))
    show_table({"config": config}, "checks", [result._asdict() for result in results], as_json)
    require_passed(results)
    show_next(shlex.join(["eops-traj", "collect", config, "--store", store, *overrides]), as_json)
