"""The contract with importers, the files of ``collectors/importers/``, and how one is opened."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self

from eops_traj.instances import choices, load
from eops_traj.schema import Task

if TYPE_CHECKING:
    from eops_traj.bundle import EpisodeBundle

KIND = "source"
"""The name of importers among the instances."""
HARNESS = "enterpriseops"
"""The benchmark's own harness, whose files are no format of exchange."""


class Importer(Protocol):
    """Reads the files of one harness or format."""

    @classmethod
    def open(cls, tasks: Sequence[Task], tools: Iterable[Path]) -> Self:
        """Return an importer that joins tasks and tool declarations (of files) to what it reads.

        Of a task there may be one for each mode. Raises InputError where the files tell both for themselves
        and either is given.
        """

    def recognises(self, record: Any) -> bool:
        """Check whether a record looks like one of these files', right or wrong in detail."""

    def files(self, paths: Iterable[Path]) -> list[Path]:
        """List the files to read, searching folders. Raises FormatError for a path that is not there."""

    def read(self, path: Path) -> "list[EpisodeBundle]":
        """Read the episodes of one file. Raises FormatError naming the file and what is wrong with it."""


def open_importer(name: str, tasks: Sequence[Task] = (), tools: Iterable[Path] = ()) -> Importer:
    """Open the importer of a source. Raises UnknownName, which lists the sources, and its own errors."""
    cls: type[Importer] = load(KIND, name)
    return cls.open(tasks, tools)


def exchange_formats() -> list[str]:
    """List the formats that go both ways."""
    return [name for name in choices(KIND) if name != HARNESS and name in choices("format")]
