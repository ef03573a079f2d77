"""Leaks of held-out tasks into training data: by task, twin, request, wording, database, family or gold plan.

Every row is compared with every held-out task. A comparison that could not be made is an error, never a
pass: an empty dataset, a split without tasks, a row whose database is unknown, data that is gone.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eops_traj.errors import InputError, UnknownName, WorkError
from eops_traj.export.certificate import CERTIFICATE
from eops_traj.provenance.checkpoint import WEIGHTS
from eops_traj.provenance.dataset import DataRow, Dataset
from eops_traj.provenance.held_out_index import KINDS, HeldOutIndex
from eops_traj.provenance.lineage import GONE, CheckpointLineage, lineage
from eops_traj.provenance.row_sources import RowSources, TaskSource
from eops_traj.schema import Task
from eops_traj.store.store import Store
from eops_traj.tasks.catalog import load
from eops_traj.tasks.splits import SPLITS

NAMED = 3
"""Rows that a message names."""


@dataclass(frozen=True)
class Leak:
    """A row that gives a held-out task away."""

    row: str
    kind: str
    task_id: str
    why: str
    number: int = 0
    """Which of the rows it is that were compared, from 1."""


@dataclass
class LeakReport:
    """The data that was compared with held-out tasks, and the leaks."""

    data: list[str]
    elsewhere: list[str]
    """Models that a checkpoint was tuned from and that were trained elsewhere, on unknown data."""
    tasks: int
    held_out: dict[str, int]
    rows: int = 0
    leaks: list[Leak] = field(default_factory=list)
    unknown: dict[str, list[str]] = field(default_factory=dict)
    """By kind, the rows that could not be compared, since their task is unknown."""

    def table(self) -> list[dict[str, Any]]:
        """Return a row a kind: how much of it is held out, how many rows were compared, how many leak."""
        return [
            {
                "kind": kind,
                "held_out": count,
                "rows": self.rows - len(self.unknown.get(kind, ())) if count else 0,
                "leaks": sum(leak.kind == kind for leak in self.leaks),
            }
            for kind, count in self.held_out.items()
        ]

    def by_row(self) -> dict[str, list[str]]:
        """Return the kinds in which each leaking row leaks."""
        kinds: dict[str, list[str]] = defaultdict(list)
        for leak in self.leaks:
            kinds[leak.row].append(leak.kind)
        return kinds

    def _named(self) -> str:
        rows = self.by_row()
        more = [f"and {len(rows) - NAMED} more"] if len(rows) > NAMED else []
        return ", ".join([f"{row} ({', '.join(kinds)})" for row, kinds in [*rows.items()][:NAMED]] + more)

    def summary(self) -> str:
        """Say how many rows leak, and name the first of them."""
        return f"{len(self.by_row())} of {self.rows} rows leak held-out tasks: {self._named()}"

    def check(self) -> None:
        """Raise WorkError that names what leaks, InputError where too little was compared to tell."""
        if self.leaks:
            raise WorkError(self.summary())
        if not self.rows:
            raise InputError(f"no row in {', '.join(self.data) or 'no data'}: there is nothing to compare")
        for kind, rows in self.unknown.items():
            raise InputError(
                f"{len(rows)} of {self.rows} rows are of an unknown {kind} ({', '.join(rows[:NAMED])}): "
                "give --store with their episodes, or --tasks with their tasks"
            )


def find_leaks(path: Path, split: str, source: str | None = None, *stores: Store) -> LeakReport:
    """Compare the rows of an export, or all that a checkpoint and its ancestors saw, with held-out tasks.

    ``split`` is one of SPLITS of the tasks at ``source``, or a place of tasks itself; ``stores`` tell the
    tasks of episodes. Raises InputError for a place that holds nothing to compare, and for a split of tasks
    that are not given.
    """
    datasets, elsewhere = training_data(path)
    return compare_data(datasets, elsewhere, *held_out_tasks(split, source), *stores)


def compare_data(
    datasets: Sequence[Dataset],
    elsewhere: list[str],
    tasks: Sequence[Task],
    others: Sequence[Task],
    *stores: Store,
) -> LeakReport:
    """Compare the rows of data with held-out tasks; ``others`` are those that rows may be of."""
    held_out, sources = HeldOutIndex(tasks), RowSources()
    sources.add_tasks([*others, *tasks])
    report = LeakReport([str(data.folder) for data in datasets], elsewhere, len(tasks), held_out.counts)
    for data in datasets:
        for store in stores:
            sources.add_episodes(store, {i for row in data.rows() for i in row.episode_ids})
        for row in data.rows():
            compare_row(row, f"{data.folder.name}/{row.place}", sources.of(row), held_out, report)
    return report


def compare_row(
    row: DataRow, place: str, sources: Sequence[TaskSource], held_out: HeldOutIndex, report: LeakReport
) -> None:
    """Compare one row with the held-out tasks, in every way in which something is held out."""
    report.rows += 1
    if report.held_out["database"] and not any(source.databases for source in sources):
        report.unknown.setdefault("database", []).append(place)
    if report.held_out["family"] and all(source.families is None for source in sources):
        report.unknown.setdefault("family", []).append(place)
    for kind, find in KINDS.items():
        if match := find(held_out, row, sources):
            report.leaks.append(Leak(place, kind, match.task_id, match.why, report.rows))


def held_out_tasks(split: str, source: str | None = None) -> tuple[list[Task], list[Task]]:
    """Return the held-out tasks, and the source's others.

    Raises UnknownName for what is neither a split nor a place, InputError for a split without a source, and
    where none is held out.
    """
    if split not in SPLITS:
        if not Path(split).exists() and not split.startswith(("hub:", "suite:")):
            raise UnknownName("split", split, [*SPLITS, "a folder of tasks"])
        tasks, others = load(split), load(source) if source else []
    elif not source:
        raise InputError(f"say with --tasks where the tasks are whose split {split!r} is held out")
    else:
        every = load(source)
        tasks = [task for task in every if task.split == split]
        others = [task for task in every if task.split != split]
    if not tasks:
        raise InputError(f"no task of split {split!r} in {source or split}: there is nothing to compare")
    return tasks, others


def training_data(path: Path) -> tuple[list[Dataset], list[str]]:
    """Return the data at a path, or all the data behind a checkpoint; and the models it was tuned from.

    Rows that the training of a checkpoint left out are not behind it. Raises InputError: neither there, or
    data or ancestors that are gone or changed.
    """
    if (path / CERTIFICATE).is_file():
        return [Dataset(path)], []
    if not any(any(folder.glob(WEIGHTS)) for folder in (path, path / "model")):
        raise InputError(f"{path} is neither an export (no {CERTIFICATE}) nor a checkpoint (no safetensors)")
    checkpoint = lineage(path)
    if problems := list(checkpoint.every_problem()):
        raise InputError(f"what {path} was trained on cannot be told: {'; '.join(problems)}")
    line = list(_line(checkpoint))
    datasets = dict.fromkeys(each.data.dataset() for each in line if each.data)
    return list(datasets), [each.checkpoint for each in line if each.recipe is None]


def _line(checkpoint: CheckpointLineage | None) -> Iterator[CheckpointLineage]:
    """Yield a checkpoint and its ancestors. Raises InputError where one of them, or its data, is gone."""
    while checkpoint is not None:
        if checkpoint.gone:
            raise InputError(
                f"checkpoint {checkpoint.checkpoint} is gone, and what it was trained on with it"
            )
        if checkpoint.data is not None and checkpoint.data.state == GONE:
            raise InputError(
                f"the data of checkpoint {checkpoint.checkpoint}, {checkpoint.data.folder}, is {GONE}"
            )
        yield checkpoint
        checkpoint = checkpoint.parent
