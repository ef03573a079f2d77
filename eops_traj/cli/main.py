"""The command line: one short function a command, registered in the order of the pipeline.

Errors are one line on stderr without a traceback; the exit code is 2 for bad input or usage and 1 where the
work ran and found failures. Heavy imports stay inside the commands, so that ``--help`` is quick.
"""

import logging
import os
import sys
from collections.abc import Callable

from eops_traj.cli import (
    check,
    collect,
    config,
    data,
    export,
    filter,
    gym,
    merge,
    metrics,
    models,
    pipeline,
    provenance,
    publish,
    report,
    review,
    start,
    store,
    tasks,
    train,
    view,
)
from eops_traj.cli.app import app, program
from eops_traj.cli.console import show_lines
from eops_traj.cli.damage import incomplete_answers, unreadable_data
from eops_traj.cli.examples import epilog
from eops_traj.cli.interruption import says_what_is_kept
from eops_traj.errors import EopsError, InputError
from eops_traj.untrusted.terminal import VisibleLogs, plain

__all__ = ["main", "program"]

GROUPS = {"gym": gym.app, "tasks": tasks.app, "data": data.app, "models": models.app, "config": config.app}

COMMANDS: dict[str, Callable[..., None]] = {
    "init": start.init,
    "doctor": start.doctor,
    "import": store.import_,
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
    "merge": merge.merge,
    "compare": metrics.compare,
    "rebench": train.rebench,
    "lineage": provenance.lineage,
    "leaks": provenance.leaks,
    "loop": pipeline.loop,
    "improve": pipeline.improve,
    "publish": publish.publish,
    "report": report.report,
    "view": view.view,
    "labels": review.labels,
    "schema": store.schema,
    "history": store.history,
    "check": check.check,
    "compact": store.compact,
    "vacuum": store.vacuum,
}
"""Every command outside the groups, in the order in which ``--help`` lists them."""

for name, group in GROUPS.items():
    for member in group.registered_commands:
        if member.callback is not None:
            own = member.name or member.callback.__name__
            member.callback = says_what_is_kept(f"{name} {own}", member.callback)
            member.epilog = epilog(f"{name} {own}")
    app.add_typer(group, name=name)
for name, command in COMMANDS.items():
    app.command(name, epilog=epilog(name))(says_what_is_kept(name, command))


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; an error of ours or of the system is one line and its exit code."""
    os.environ.setdefault("RUST_LOG", "off")  # deltalake's own log tells each try to find a key
    if logging.lastResort is not None:  # the handler that prints what no other one takes
        logging.lastResort.addFilter(VisibleLogs())
    with incomplete_answers(), unreadable_data():
        try:
            program()(arguments)
        except EopsError as error:
            show_lines(f"eops-traj: {' '.join(str(error).split())}", err=True)
            sys.exit(error.exit_code)
        except OSError as error:  # a name too long, no right to it, no room
            place = f": {str(error.filename)[:200]}" if error.filename else ""
            show_lines(f"eops-traj: {plain(error.strerror or str(error))}{place}", err=True)
            sys.exit(InputError.exit_code)


if __name__ == "__main__":
    main()
