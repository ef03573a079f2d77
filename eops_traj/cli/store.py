"""The commands about what is in a store: import, its schema, its versions."""

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from eops_traj.cli.console import (
    JsonOption,
    StoreOption,
    show_end,
    show_json,
    show_lines,
    show_table,
    show_text,
)
from eops_traj.errors import WorkError
from eops_traj.instances import choices
from eops_traj.interchange.base import HARNESS, KIND
from eops_traj.progress.display import progress

if TYPE_CHECKING:
    from eops_traj.interchange.import_files import ImportReport

_FORMATS = [name for name in choices(KIND) if name != HARNESS]
SOURCES_HELP = f"Who wrote the files: {HARNESS}; or their format: {', '.join(_FORMATS)}."

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
    from eops_traj.export.certified_copy import certified_paths
    from eops_traj.interchange.base import open_importer
    from eops_traj.interchange.import_files import check_some_episode, import_files
    from eops_traj.store.store import Store
    from eops_traj.tasks import load_folder

    importer = open_importer(source, load_folder(tasks) if tasks else [], tools or [])
    with certified_paths(paths) as places:
        files = importer.files(places)
        check_some_episode(files, importer, paths)
        with Store.open(store, create=True) as opened, progress("importing", len(files)) as advance:
            report = import_files(files, importer, opened, done=advance)
    show_report(report, as_json)
    if report.problems:
        raise WorkError(f"{len(report.problems)} of {report.files} files could not be read")
    kept = f"{report.episodes} episodes of these files are in {store}"
    show_end(kept, ["eops-traj", "score", "--store", store], as_json)


def show_report(report: "ImportReport", as_json: bool) -> None:
    """Print what an import did; the files that could not be read go to stderr as well."""
    show_lines(*report.problems, err=True)
    if as_json:
        show_json(dataclasses.asdict(report))
        return
    stored = report.episodes - report.new
    show_lines(f"{report.files} files, {report.episodes} episodes: {report.new} new, {stored} already stored")


def schema(as_json: JsonOption = False) -> None:
    """Print the schema of the store, every column with its meaning, as Markdown."""
    from eops_traj.store import schema_docs

    if as_json:
        show_json(schema_docs.as_json())
    else:
        show_text(schema_docs.page(), nl=False)


def history(store: StoreOption, as_json: JsonOption = False) -> None:
    """List the versions of a store, newest first: each stays readable until `vacuum` takes it."""
    from eops_traj.store.store import Store

    with Store.open(store) as opened:
        head = {"store": store, "set_aside": opened.set_aside()}
        show_table(head, "versions", opened.history(), as_json)


def compact(store: StoreOption, as_json: JsonOption = False) -> None:
    """Merge a store's small files into larger ones; old versions stay readable until `vacuum` takes them."""
    from eops_traj.store.store import Store

    with Store.open(store) as opened:
        show_table({"store": store}, "tables", opened.compact(), as_json)


def vacuum(
    store: StoreOption,
    days: Annotated[float, typer.Option(help="How long every version stays readable.")] = 7,
    dry_run: Annotated[bool, typer.Option(help="Count the files only.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Delete data files of old versions; those that a selection names or named stay readable."""
    from eops_traj.store.store import Store

    with Store.open(store) as opened:
        head = {"store": store, "days": days, "dry_run": dry_run}
        show_table(head, "tables", opened.vacuum(days, dry_run), as_json)
