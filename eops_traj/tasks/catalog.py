"""Finding tasks by what a user writes: a folder, a dataset on the hub, or a suite of this project's own."""

import os
from collections.abc import Collection
from importlib.metadata import version
from pathlib import Path

from eops_traj.errors import FormatError, UnknownName
from eops_traj.schema import Task
from eops_traj.tasks.hub import is_hub_layout, read_hub
from eops_traj.tasks.json_files import load_tasks
from eops_traj.tasks.modes import in_mode
from eops_traj.tasks.sampling import sample
from eops_traj.tasks.validate import check_tasks

SPLITS = ("train", "dev", "test", "test_ood")


def find_tasks(
    where: str, *, mode: str = "oracle", splits: Collection[str] = (), domains: Collection[str] = (),
    limit: int | None = None, seed: int = 0,
) -> list[Task]:  # fmt: skip
    """Tasks of a suite in a mode, of some splits and domains (all where none is named), at most ``limit``.

    ``where`` is a folder (of JSON files, or in the hub's layout, or as ``tasks make`` writes it),
    ``hub:ORG/NAME``, or ``suite:NAME`` with a seed where wanted (``suite:quick@3``), which is made at its
    first use and kept in the user's cache.

    Raises UnknownName for a mode, split or domain that there is none of, FormatError for files with
    problems, all of them at once.
    """
    found = list(load(where, mode))
    check_tasks(found, where)
    _known("split", splits, {str(task.split) for task in found})
    _known("domain", domains, {task.domain for task in found})
    chosen = [
        in_mode(task, mode)
        for task in found
        if (not splits or task.split in splits) and (not domains or task.domain in domains)
    ]
    return chosen if limit is None else sample(chosen, limit, seed)


def root_of(where: str) -> Path | None:
    """The folder that seed files are named from."""
    return None if where.startswith(("hub:", "suite:")) else Path(where)


def load(where: str, mode: str = "oracle") -> list[Task]:
    """Every task of a place, in this mode if it is there so, else as it is."""
    if where.startswith("hub:"):
        return _from_hub(where.removeprefix("hub:"), mode)
    if where.startswith("suite:"):
        return read_hub(_suite(where.removeprefix("suite:")) / "hub", mode)
    folder = Path(where)
    if not folder.exists():
        raise FormatError(f"{where} does not exist; expected a folder of tasks, hub:ORG/NAME or suite:NAME")
    for hub in (folder, folder / "hub"):
        if folder.is_dir() and is_hub_layout(hub):
            return read_hub(hub, mode if (hub / mode).is_dir() else "oracle")
    return list(load_tasks(folder / "tasks" if (folder / "tasks").is_dir() else folder).values())


def _suite(name: str) -> Path:
    """The folder of a suite of this project's own, made where the cache does not have it yet."""
    from eops_traj.taskgen.build import make
    from eops_traj.taskgen.save import save_suite
    from eops_traj.taskgen.suites import suite
    from eops_traj.tasks.stats import stats

    name, _, seed = name.partition("@")
    if seed and not seed.isdigit():
        raise FormatError(f"suite:{name}@{seed}: the seed is a number")
    wanted = suite(name)
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "eops-traj"
    folder = cache / f"{name}-{int(seed or 0)}-{version('eops-traj')}"
    if not folder.exists():
        made = make(wanted, int(seed or 0))
        save_suite(made.tasks, folder, stats(made.tasks), seeds=False)
    return folder


def _from_hub(name: str, mode: str) -> list[Task]:
    """The tasks of a dataset on the hub, from its own Parquet files."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    try:
        folder = snapshot_download(name, repo_type="dataset", allow_patterns=f"{mode}/*.parquet")
    except (HfHubHTTPError, LocalEntryNotFoundError, ValueError) as error:
        raise FormatError(f"hub:{name}: {' '.join(str(error).split())[:200]}") from error
    return read_hub(Path(folder), mode)


def _known(kind: str, wanted: Collection[str], there: Collection[str]) -> None:
    for name in wanted:
        if name not in there:
            raise UnknownName(kind, name, there)
