"""The commands about what is in a store: import, its schema, its versions."""

import dataclasses
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from eops_traj.cli.console import JsonOption, StoreOption, progress, show_table
from eops_traj.errors import WorkError
from eops_traj.interchange.base import HARNESS, exchange_formats

if TYPE_CHECKING:
    from eops_traj.interchange.import_files import ImportReport

SOURCES_HELP = f"Who wrote the files: {HARNESS}; or their format: {', '.join(exchange_formats())}."

PathList = Annotated[list[Path], typer.Argument(help="Files or folders.", show_default=False)]


def import_(
    source: Annotated[str, typer.Argument(help=SOURCES_HELP)],
    paths: PathList,
    store: StoreOption,
    tasks: Annotated[Path | None, typer.Option(help="Folder of task files to join.")] = None,
    tools: Annotated[list[Path] | None, typer.Option(help="tools/list answers: files or folders.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Read result files of another harness into the store, each episode once."""
    from eops_traj.interchange.base import open_importer
    from eops_traj.interchange.import_files import import_files
    from eops_traj.store.store import Store
    from eops_traj.tasks import load_tasks

    importer = open_importer(source, load_tasks(tasks) if tasks else {}, tools or [])
    files = importer.files(paths)
    with Store.open(store, create=True) as opened, progress("importing", len(files)) as advance:
        report = import_files(files, importer, opened, done=advance)
    show_report(report, as_json)
    if report.problems:
        raise WorkError(f"{len(report.problems)} of {report.files} files could not be read")


def show_report(report: "ImportReport", as_json: bool) -> None:
    """Print what an import did; the files that could not be read go to stderr as well."""
    for problem in report.problems:
        typer.echo(problem, err=True)
    if as_json:
        typer.echo(json.dumps(dataclasses.asdict(report)))
        return
    stored = report.episodes - report.new
    typer.echo(f"{report.files} files, {report.episodes} episodes: {report.new} new, {stored} already stored")


def schema(as_json: JsonOption = False) -> None:
    """Print the schema of the store, every column with its meaning, as Markdown."""
    from eops_traj.store import schema_docs

    typer.echo(json.dumps(schema_docs.as_json()) if as_json else schema_docs.page(), nl=as_json)


def history(store: StoreOption, as_json: JsonOption = False) -> None:
    """List the versions of a store, newest first: each stays readable."""
    from eops_traj.store.store import Store

    with Store.open(store) as opened:
        show_table({"store": store}, "versions", opened.history(), as_json)


def compact(store: StoreOption, as_json: JsonOption = False) -> None:
    """Merge a store's small files into larger ones; old versions stay readable."""
    from eops_traj.store.store import Store

    with Store.open(store) as opened:
        show_table({"store": store}, "tables", opened.compact(), as_json)
