"""Import: foreign result files become episodes in the store, each exactly once."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from eops_traj.bundle import EpisodeBundle
from eops_traj.errors import FormatError
from eops_traj.interchange.base import Importer
from eops_traj.store.store import Store

TOGETHER = 16
"""Files whose episodes become durable in one journal transaction."""


@dataclass
class ImportReport:
    """What an import did: files read, episodes found, how many were new, and which files were unreadable."""

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
    """Read files into the store; what the store has is left alone, a file that cannot be read is reported.

    ``done`` is called with a number of files once their episodes are durable.
    """
    report = ImportReport()
    for paths in (files[i : i + TOGETHER] for i in range(0, len(files), TOGETHER)):
        found = list(_read(paths, importer, report))
        report.files += len(paths)
        report.episodes += len(found)
        report.new += store.append(
            [f.episode for f in found],
            prompts=[f.prompt for f in found],
            toolsets=[f.toolset for f in found],
            runs=[f.run for f in found],
        )
        done(len(paths))
    store.flush()
    return report


def _read(paths: Iterable[Path], importer: Importer, report: ImportReport) -> Iterator[EpisodeBundle]:
    for path in paths:
        try:
            yield from importer.read(path)
        except FormatError as error:
            report.problems.append(str(error))
