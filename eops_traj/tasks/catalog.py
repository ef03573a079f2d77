"""Finding tasks by what a user writes: a folder, a dataset on the hub, or a suite of this project's own."""

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from pkgutil import resolve_name

from eops_traj.errors import FormatError, UnknownName
from eops_traj.schema import Task
from eops_traj.tasks.hub import modes_of, read_hub
from eops_traj.tasks.sampling import sample
from eops_traj.tasks.splits import split_name
from eops_traj.tasks.task_folder import load_tasks
from eops_traj.tasks.toolset import in_mode
from eops_traj.tasks.validate import check_tasks

SOURCES = {
    "hub": "eops_traj.tasks.hub:download",
    "suite": "eops_traj.taskgen.suite_cache:suite_tasks",
}
"""What stands before the colon of a place that is no folder, and the function that reads its tasks."""

MAKE_SOME = "`eops-traj init DIR` makes a folder with tasks in DIR/suite"


def find_tasks(
    where: str, *, mode: str = "oracle", splits: Collection[str] = (), domains: Collection[str] = (),
    limit: int | None = None, seed: int = 0, lenient: bool = False,
) -> list[Task]:  # fmt: skip
    """Tasks of a suite in a mode, of some splits and domains (all where none is named), at most ``limit``.

    ``where`` is a folder (of JSON files, or in the hub's layout, or as ``tasks make`` writes it),
    ``hub:ORG/NAME``, or ``suite:NAME`` with a seed where wanted (``suite:quick@3``), which is made at its
    first use and kept in the user's cache. ``lenient`` only warns of verifiers whose queries are broken.

    Raises UnknownName for a mode, split or domain that there is none of, FormatError for a store, and for
    chosen tasks with problems, the first few of them named.
    """
    found = list(load(where, mode))
    if not found:
        raise FormatError(
            f"{where} holds no tasks; `eops-traj init DIR` makes a folder with tasks in DIR/suite"
        )
    chosen = choose(found, mode=mode, splits=splits, domains=domains, limit=limit, seed=seed)
    check_tasks(chosen, where, lenient)
    return chosen


def choose(
    found: Sequence[Task], *, mode: str = "oracle", splits: Collection[str] = (),
    domains: Collection[str] = (), limit: int | None = None, seed: int = 0,
) -> list[Task]:  # fmt: skip
    """Return those of the tasks in a mode, as `find_tasks` does, whatever is wrong with them."""
    _known("split", splits, {split_name(task.split) for task in found})
    _known("domain", domains, {task.domain for task in found})
    chosen = [
        in_mode(task, mode)
        for task in found
        if (not splits or split_name(task.split) in splits) and (not domains or task.domain in domains)
    ]
    return chosen if limit is None else sample(chosen, limit, seed)


def root_of(where: str) -> Path | None:
    """Return the folder that seed files are named from; None where the tasks are not in a folder."""
    return None if _split_source(where)[0] else Path(where)


def load(where: str, mode: str = "oracle") -> list[Task]:
    """Load every task of a place, in this mode if it has the mode, else as it is."""
    scheme, name = _split_source(where)
    if scheme:
        read: Callable[[str, str], list[Task]] = resolve_name(SOURCES[scheme])
        return read(name, mode)
    folder = Path(where)
    if not folder.exists():
        raise FormatError(
            f"{where} does not exist; expected a folder of tasks, hub:ORG/NAME or suite:NAME; {MAKE_SOME}"
        )
    for hub in (folder, folder / "hub"):
        if folder.is_dir() and (modes := modes_of(hub)):
            return read_hub(hub, next(name for name in (mode, "oracle", *modes) if name in modes))
    files = folder / "tasks" if (folder / "tasks").is_dir() else folder
    return list(load_tasks(files, mode).values())


def _split_source(where: str) -> tuple[str, str]:
    """Split ``hub:ORG/NAME`` into source and name; a folder has no source, not even one called ``suite``."""
    scheme, colon, name = where.partition(":")
    return (scheme, name) if colon and scheme in SOURCES else ("", where)


def _known(kind: str, wanted: Collection[str], there: Collection[str]) -> None:
    for name in wanted:
        if name not in there:
            raise UnknownName(kind, name, there)
