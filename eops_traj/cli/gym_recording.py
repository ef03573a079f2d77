"""``eops-traj gym serve --record``: sessions for agents that connect by themselves, kept in a store."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from eops_traj.cli.console import show_lines
from eops_traj.errors import InputError

if TYPE_CHECKING:
    from eops_traj.schema import Task

Chosen = tuple["tuple[Task, ...]", Path | None]
"""The tasks, and the folder that their seed files are named from."""


def chosen(
    tasks: str | None, mode: str, splits: list[str] | None, servers: list[str] | None, every: bool
) -> Chosen:
    """Return the tasks to serve: those of a place, or that of servers alone. Raises InputError for both."""
    from eops_traj.environments.recording import free_task
    from eops_traj.gym import registry
    from eops_traj.tasks.catalog import find_tasks, root_of

    if (tasks is not None) + bool(servers) + every != 1:
        raise InputError("say which: --tasks TASKS, --server NAME (once or several times), or --all")
    if tasks is None:
        named = [registry.server(name) for name in dict.fromkeys(servers or registry.SERVERS)]
        return (free_task(named),), None
    found = find_tasks(tasks, mode=mode, splits=tuple(splits or ()))
    if not found:
        raise InputError(f"no tasks in {tasks} of that mode and split")
    return tuple({task.task_id: task for task in found}.values()), root_of(tasks)


def serve(store: str, served: Chosen, *, strict: bool, quirks: tuple[str, ...], **options: Any) -> None:
    """Serve until interrupted. Raises InputError where the port is taken, UnknownName for a quirk."""
    from eops_traj.environments.recording import Recording, run_recorded
    from eops_traj.sandbox.options import EmbeddedOptions

    tasks, root = served
    sandbox = EmbeddedOptions(strict=strict, quirks=quirks)
    recording = Recording(store, tasks, root, sandbox=sandbox, **options)
    run_recorded(recording, lambda line: show_lines(line, err=True))
