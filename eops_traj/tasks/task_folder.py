"""A folder of task files, where a task may have one for each mode: all of them, or one a task."""

from pathlib import Path

from eops_traj.errors import FormatError, first_of
from eops_traj.files import find_files
from eops_traj.schema import Task
from eops_traj.store.place import holds_store
from eops_traj.tasks.json_files import load_task
from eops_traj.tasks.sidecar import Sidecar


def load_folder(folder: Path) -> list[Task]:
    """Load every file of a folder of the benchmark's JSON files; of files that say the same, one.

    Raises FormatError: no such folder, a store, files with problems, or different files of one task id and
    mode; the first few of them are named.
    """
    if holds_store(folder):
        raise FormatError(f"{folder} is a store, and no folder of tasks")
    found: dict[tuple[str, str], tuple[Path, Task]] = {}
    errors, sidecars = list[str](), dict[Path, Sidecar]()
    for path in find_files([folder]):
        try:
            task = load_task(path, sidecars.setdefault(path.parent, Sidecar(path.parent)))
        except FormatError as error:
            errors.append(str(error))
            continue
        first, same = found.setdefault((task.task_id, task.mode), (path, task))
        if task != same:
            errors.append(f"{first} and {path} are two tasks of one id, {task.task_id}, in mode {task.mode}")
    if errors:
        raise FormatError(first_of(errors))
    return [task for _, task in found.values()]


def load_tasks(folder: Path, mode: str = "oracle") -> dict[str, Task]:
    """Load the tasks of a folder by their ids: of each its file of this mode, else its oracle one, else any.

    Raises FormatError as `load_folder` does.
    """
    preference = {mode: 2, "oracle": 1}
    files: dict[str, list[Task]] = {}
    for task in load_folder(folder):
        files.setdefault(task.task_id, []).append(task)
    return {name: max(of, key=lambda task: preference.get(task.mode, 0)) for name, of in files.items()}
