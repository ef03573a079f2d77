"""The commands about a checkpoint's origin, and what must not have been trained on."""

import dataclasses
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from eops_traj.cli.console import JsonOption, show_json, show_lines, show_table, show_whole

if TYPE_CHECKING:
    from eops_traj.store.store import Store

LISTED = 20
"""Leaks that are listed for people; --json lists all."""
Stores = Annotated[
    list[str] | None,
    typer.Option(
        help="A store with the episodes: a folder or an object-store URL. Again for data of another."
    ),
]


def lineage(
    checkpoint: Annotated[Path, typer.Argument(help="A checkpoint's folder, or a training run's output.")],
    store: Stores = None,
    as_json: JsonOption = False,
) -> None:
    """Print where a checkpoint comes from, down to the episodes, and what it made; verify every link."""
    from eops_traj.errors import WorkError
    from eops_traj.provenance.lineage import lineage
    from eops_traj.provenance.lineage_tree import lineage_tree

    with ExitStack() as stack:
        checkpoint_lineage = lineage(checkpoint, *_opened(store, stack))
    if as_json:
        show_json(dataclasses.asdict(checkpoint_lineage))
    else:
        show_whole(lineage_tree(checkpoint_lineage))
    if problems := list(checkpoint_lineage.every_problem()):
        raise WorkError("; ".join(problems))


def leaks(
    dataset: Annotated[
        Path, typer.Argument(help="An export, or a checkpoint: then all that it was made of.")
    ],
    split: Annotated[str, typer.Argument(help="test, test_ood or dev; or a folder of held-out tasks.")],
    tasks: Annotated[
        str | None,
        typer.Option(
            help="The tasks that have the split: a folder, hub:ORG/NAME or suite:NAME. A split needs them."
        ),
    ] = None,
    store: Stores = None,
    as_json: JsonOption = False,
) -> None:
    """Check that nothing held out was trained on: a task, its twin, request, wording, database or plan."""
    from eops_traj.provenance.contamination import find_leaks

    with ExitStack() as stack:
        report = find_leaks(dataset, split, tasks, *_opened(store, stack))
    if as_json:
        show_json(dataclasses.asdict(report) | {"kinds": report.table()})
    else:
        head = {"data": ", ".join(report.data), "compared": f"{report.rows} rows x {report.tasks} tasks"}
        elsewhere = {"trained elsewhere, on nobody knows what": ", ".join(report.elsewhere)}
        show_table(head | (elsewhere if report.elsewhere else {}), "kinds", report.table(), as_json)
        show_lines(*(f"{leak.row}: {leak.why} ({leak.task_id})" for leak in report.leaks[:LISTED]))
    report.check()


def _opened(urls: list[str] | None, stack: ExitStack) -> "list[Store]":
    from eops_traj.store.store import Store

    return [stack.enter_context(Store.open(url)) for url in urls or ()]
