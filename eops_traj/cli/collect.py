"""``eops-traj collect``, ``branch`` and ``verify``: make episodes, and judge them again."""

import os
import shlex
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from eops_traj.cli.completion import complete_kind, complete_run
from eops_traj.cli.console import JsonOption, StoreOption, show_next, show_table
from eops_traj.cli.engine_options import LOCAL, Kind, Workers, engine_of
from eops_traj.cli.interruption import INTERRUPTED, show_kept
from eops_traj.errors import WorkError
from eops_traj.progress.display import progress

if TYPE_CHECKING:
    from eops_traj.collect.job import Job
    from eops_traj.collect.stats import RunStats
    from eops_traj.harness.job import HarnessJob

OverridesArgument = Annotated[
    list[str] | None, typer.Argument(metavar="[KEY=VALUE]...", help="Settings to change.")
]
ConfigArgument = Annotated[
    str,
    typer.Argument(
        metavar="CONFIG",
        help="A collect config: a file, or its name.",
        autocompletion=complete_kind("collect"),
    ),
]


def collect(
    config: ConfigArgument,
    store: StoreOption,
    overrides: OverridesArgument = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Make the attempts that are still to be made.")
    ] = False,
    limit: Annotated[int | None, typer.Option(min=1, help="The most tasks to work.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Have agents work tasks, many at a time, and keep every finished episode."""
    limited = [] if limit is None else [f"tasks.limit={limit}"]
    job, stats = _collect(config, [*(overrides or ()), *limited], store, resume)
    outcomes = [{"outcome": name, "episodes": n} for name, n in stats.outcomes.most_common()]
    show_table({"run": job.run_id, **stats.report()}, "outcomes", outcomes, as_json)
    if stats.interrupted:
        show_kept(
            f"what ended is in {store}; {stats.attempts - stats.settled} attempts are"
            " still to be made: the same command with --resume goes on",
            last=stats.abandoned,
        )
        _leave(at_once=stats.abandoned)
    if stats.given_up:
        raise WorkError(
            f"{stats.given_up} of {stats.attempts} attempts ended in error; --resume tries them again"
        )
    show_next(shlex.join(["eops-traj", "score", "--store", store]), as_json)


def _collect(
    config: str, overrides: list[str], store: str, resume: bool
) -> "tuple[Job | HarnessJob, RunStats]":
    """Collect with agents of ours, or where the config names a checkout, with the benchmark's harness."""
    from eops_traj.collect.config import load_setup
    from eops_traj.collect.job import load_job
    from eops_traj.collect.run import collect
    from eops_traj.harness.job import find_harness_job

    if harness_job := find_harness_job(config, overrides, store):
        from eops_traj.harness.run import collect_with_harness

        return harness_job, collect_with_harness(harness_job, resume=resume)
    job = load_job(load_setup(config, overrides), store)
    return job, collect(job, resume=resume)


def branch(
    config: ConfigArgument,
    store: StoreOption,
    overrides: OverridesArgument = None,
    at: Annotated[
        str, typer.Option(help="Where: divergence (from a success of the same task) or writes (before each).")
    ] = "divergence",
    alternatives: Annotated[int, typer.Option(min=1, help="How many other ways to try at a point.")] = 1,
    episode: Annotated[list[str] | None, typer.Option(help="Branch this episode; repeat.")] = None,
    run: Annotated[
        list[str] | None,
        typer.Option(
            help="Branch the episodes of this run, by its id or how that begins; repeat.",
            autocompletion=complete_run,
        ),
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="The most branch points.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Try other ways from turns of stored episodes, and keep them as episodes with their parent."""
    from eops_traj.collect.branch_job import BranchSelection, branch
    from eops_traj.collect.config import load_setup
    from eops_traj.collect.job import load_job

    selection = BranchSelection(at, alternatives, tuple(episode or ()), tuple(run or ()), limit)
    stats, diverged = branch(load_job(load_setup(config, overrides or ()), store), selection)
    outcomes = [{"outcome": name, "episodes": n} for name, n in stats.outcomes.most_common()]
    show_table({**stats.report(), "diverged": len(diverged)}, "outcomes", outcomes, as_json)
    if stats.interrupted:
        show_kept("the same command goes on")
        raise typer.Exit(INTERRUPTED)
    if diverged:
        raise WorkError(f"{len(diverged)} branch points could not be brought back: {diverged[0]}")
    if stats.given_up:
        raise WorkError(
            f"{stats.given_up} of {stats.attempts} branches ended in error; the same command goes on"
        )


def _leave(at_once: bool) -> None:
    """Exit as interrupted; ``at_once`` without waiting for threads that wait for a server."""
    if at_once:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(INTERRUPTED)
    raise typer.Exit(INTERRUPTED)


def verify(
    store: StoreOption,
    run: Annotated[
        str | None,
        typer.Option(
            help="The run whose episodes are verified, by its id or how that begins; else all.",
            autocompletion=complete_run,
        ),
    ] = None,
    tasks: Annotated[
        str | None, typer.Option(help="Tasks whose verifiers are run; else those stored with the episodes.")
    ] = None,
    workers: Workers = 0,
    engine: Kind = LOCAL,
    as_json: JsonOption = False,
) -> None:
    """Run verifiers again on databases rebuilt from the stored changes: no model, no sandbox."""
    from eops_traj.collect.reverify import count_episodes, reverify
    from eops_traj.store.store import Store
    from eops_traj.tasks.catalog import load, root_of

    working = engine_of(workers, engine)
    known = {task.task_id: task for task in load(tasks)} if tasks else {}
    root = root_of(tasks) if tasks else None
    with Store.open(store) as opened, progress("verifying", count_episodes(opened, run)) as advance:
        report = reverify(opened, run=run, tasks=known, root=root, engine=working, done=advance)
    head = {"episodes": report.episodes, "changed": report.changed, "left_out": dict(report.left_out)}
    rows = [{"was": was, "is": now, "episodes": n} for (was, now), n in report.outcomes.most_common()]
    show_table(head, "outcomes", rows, as_json)
