"""Import foreign result files: they become episodes in the store, each exactly once."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from eops_traj.bundle import EpisodeBundle, check_bundle
from eops_traj.errors import FormatError, first_of
from eops_traj.interchange.base import Importer
from eops_traj.privacy.redact import scrub
from eops_traj.store.store import Store

TOGETHER = 16
"""Files whose episodes become durable in one journal transaction."""


@dataclass
class ImportReport:
    """The result of an import: files read, episodes in them, how many were new, and unreadable files."""

    files: int = 0
    episodes: int = 0
    new: int = 0
    problems: list[str] = field(default_factory=list)


def import_files(
    files: Sequence[Path],
    importer: Importer,
    store: Store,
    *,
    done: Callable[[int], None] = lambda count: None,
) -> ImportReport:
    """Read files into the store; skip what it has already, and report a file that cannot be read.

    ``done`` is called with a number of files once their episodes are durable.
    """
    report = ImportReport()
    for paths in (files[i : i + TOGETHER] for i in range(0, len(files), TOGETHER)):
        bundles = list(_read(paths, importer, report))
        report.files += len(paths)
        report.episodes += len(bundles)
        report.new += append_bundles(store, bundles)
        done(len(paths))
    store.flush()
    return report


def check_some_episode(files: Sequence[Path], importer: Importer, paths: Iterable[Path]) -> None:
    """Raise FormatError where no file holds an episode that can be read: then no store is made for them."""
    where = first_of([str(path) for path in paths])
    if not files:
        raise FormatError(f"no files to import in {where}")
    problems = []
    for path in files:
        try:
            if read_file(path, importer):
                return
        except FormatError as error:
            problems.append(str(error))
    why = first_of(problems) if problems else f"no episode in {where}"
    raise FormatError(f"{why}: nothing was imported")


def append_bundles(store: Store, bundles: Sequence[EpisodeBundle]) -> int:
    """Append episodes with their records to a store; return how many were new."""
    return store.append(
        [bundle.episode for bundle in bundles],
        prompts=[bundle.prompt for bundle in bundles],
        toolsets=[bundle.toolset for bundle in bundles],
        runs=[bundle.run for bundle in bundles if bundle.run is not None],
    )


def read_file(path: Path, importer: Importer) -> list[EpisodeBundle]:
    """Read the episodes of one file, without secrets, each of them what a store can hold.

    Raises FormatError naming the file, and the field where one does not fit: then all of it is refused.
    """
    try:
        bundles = [scrub(bundle) for bundle in importer.read(path)]
    except (
        LookupError,
        ArithmeticError,
        RecursionError,
    ) as error:  # no reader foresees all of them
        raise FormatError(f"{path}: {type(error).__name__}: {error}") from error
    for bundle in bundles:
        try:
            check_bundle(bundle)
        except FormatError as error:
            raise FormatError(f"{path}: {error}") from None
    return bundles


def _read(paths: Iterable[Path], importer: Importer, report: ImportReport) -> Iterator[EpisodeBundle]:
    for path in paths:
        try:
            yield from read_file(path, importer)
        except FormatError as error:
            report.problems.append(str(error))
