"""What is held out stays out of training: by the splits of the rows, and by what they hold.

The certificate counts the rows of each split. The held-out tasks that a run knows of, of ``held_out`` and of
``evaluate`` in its config, are compared with every row, as ``eops-traj leaks`` does.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from eops_traj.errors import InputError, WorkError
from eops_traj.export.certificate_file import CertificateFile
from eops_traj.provenance.contamination import LeakReport, compare_data, training_data
from eops_traj.schema import Task
from eops_traj.tasks.catalog import load
from eops_traj.tasks.splits import held_out_counts, split_name, spoken
from eops_traj.train.config import Evaluate, RecipeConfig
from eops_traj.train.exam_tasks import exam_tasks


@dataclass(frozen=True)
class LeakCheck:
    """What was compared, and what was found, as lineage and model card say it."""

    tasks: str | None = None
    """The place of the held-out tasks, or both; None where the run knows of none and compared nothing."""
    splits: list[str] = field(default_factory=list)
    held_out: int = 0
    rows: int = 0
    leaks: dict[str, int] = field(default_factory=dict)
    """By kind the rows that leak and are trained on; all of them of a kind that was allowed."""
    unknown: dict[str, int] = field(default_factory=dict)
    """By kind the rows that could not be compared."""
    left_out: list[int] = field(default_factory=list)
    """The numbers, from 1, of the rows that leak and that the run goes without."""


def check_splits(config: RecipeConfig, certificate: CertificateFile) -> None:
    """Raise InputError where the data is of splits that the config does not ask for, or nothing tells."""
    splits = certificate.rows_by.get("split")
    if splits is None:
        raise InputError(f"{config.data}: its certificate counts no splits; export it again")
    if held_out := held_out_counts(splits, config.splits):
        asked = ",".join([*config.splits, *held_out])
        raise InputError(
            f"{config.data} has held-out rows: {spoken(held_out)}; leave them out, or ask for them by name:"
            f" splits=[{asked}]"
        )


def check_leaks(config: RecipeConfig) -> LeakCheck:
    """Compare the data of a run with the held-out tasks it knows of.

    Raises InputError where there are no tasks for its exam, WorkError that names the rows that leak in a way
    that the config neither allows nor leaves out.
    """
    suites = _suites(config)
    if not suites:
        return LeakCheck()
    held_out, others = _divided(config, suites)
    places, splits = ", ".join(suites), sorted({split_name(task.split) for task in held_out})
    if not held_out:
        return LeakCheck(places)
    report = compare_data(*training_data(config.data), held_out, others)
    left_out = {leak.number for leak in report.leaks if leak.kind in config.held_out.leave_out}
    report = replace(report, leaks=[leak for leak in report.leaks if leak.number not in left_out])
    _raise_for_leaks(report, config)
    return LeakCheck(
        places, splits, len(held_out), report.rows, _rows_by_kind(report),
        {kind: len(rows) for kind, rows in report.unknown.items()}, sorted(left_out),
    )  # fmt: skip


def _suites(config: RecipeConfig) -> dict[str, list[Task]]:
    """Load the tasks of the places that a run knows of, by place."""
    place, exam = config.held_out.tasks, _exam(config)
    suites = {exam.tasks: exam_tasks(exam)} if exam else {}
    return {place: load(place), **suites} if place and place not in suites else suites


def _exam(config: RecipeConfig) -> Evaluate | None:
    return getattr(config, "evaluate", None)


def _divided(config: RecipeConfig, suites: Mapping[str, list[Task]]) -> tuple[list[Task], list[Task]]:
    """Divide the tasks of all places into those that are held out, each once, and the others."""
    held_out, others = dict[Task, None](), dict[Task, None]()
    for place, tasks in suites.items():
        for task in tasks:
            (held_out if _is_held_out(config, place, task) else others)[task] = None
    return [*held_out], [*others]


def _is_held_out(config: RecipeConfig, place: str, task: Task) -> bool:
    """Check whether a task is of a split that is not trained on.

    Beside the place of ``held_out`` another place of an exam holds out the split of the exam, and no more.
    """
    exam, split = _exam(config), split_name(task.split)
    if exam and config.held_out.tasks not in (None, place):
        return split == exam.split
    return split not in config.splits


def _rows_by_kind(report: LeakReport) -> dict[str, int]:
    return dict(Counter(leak.kind for leak in report.leaks))


def _raise_for_leaks(report: LeakReport, config: RecipeConfig) -> None:
    unwanted = replace(report, leaks=[k for k in report.leaks if k.kind not in config.held_out.allow])
    if unwanted.leaks:
        found, every = (",".join(sorted(_rows_by_kind(each))) for each in (unwanted, report))
        raise WorkError(
            f"{config.data}: {unwanted.summary()}; go without them, held_out.leave_out=[{found}], or allow it"
            f" by name, held_out.allow=[{every}]"
        )
