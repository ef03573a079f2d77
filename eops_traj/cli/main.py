"""The command line: one short function a command, registered in the order of the pipeline.

Errors are one line on stderr without a traceback; the exit code is 2 for bad input or usage and 1 where the
work ran and found failures. Heavy imports stay inside the commands, so that ``--help`` is quick.
"""

import sys
from collections.abc import Callable

import typer

from eops_traj.cli import (
    collect,
    export,
    filter,
    gym,
    metrics,
    pipeline,
    provenance,
    publish,
    report,
    store,
    tasks,
    train,
    view,
)
from eops_traj.cli.app import app
from eops_traj.errors import EopsError

GROUPS = {"gym": gym.app, "tasks": tasks.app}

COMMANDS: dict[str, Callable[..., None]] = {
    "import": store.import_,
    "doctor": collect.doctor,
    "collect": collect.collect,
    "branch": collect.branch,
    "verify": collect.verify,
    "score": metrics.score,
    "diagnose": metrics.diagnose,
    "filter": filter.filter_,
    "selections": filter.selections,
    "why": filter.why,
    "export": export.export,
    "convert": export.convert,
    "train": train.train,
    "compare": metrics.compare,
    "rebench": train.rebench,
    "lineage": provenance.lineage,
    "leaks": provenance.leaks,
    "loop": pipeline.loop,
    "publish": publish.publish,
    "report": report.report,
    "view": view.view,
    "schema": store.schema,
    "history": store.history,
    "compact": store.compact,
}
"""Every command outside the groups, in the order in which ``--help`` lists them."""

for name, group in GROUPS.items():
    app.add_typer(group, name=name)
for name, command in COMMANDS.items():
    app.command(name)(command)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; an error of ours is one line and its exit code, never a traceback."""
    try:
        app(arguments)
    except EopsError as error:
        typer.echo(f"eops-traj: {' '.join(str(error).split())}", err=True)
        sys.exit(error.exit_code)


if __name__ == "__main__":
    main()
