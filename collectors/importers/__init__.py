"""Where episodes come from: one source a file. Here, the files that others wrote."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from eops_traj.errors import InputError
from eops_traj.schema import Episode, Prompt, Run, Task, ToolSet

if TYPE_CHECKING:
    from eops_traj.interchange.reader import Reader


class Imported(NamedTuple):
    """An episode with the records that it refers to."""

    episode: Episode
    prompt: Prompt
    toolset: ToolSet
    run: Run


class Importer(Protocol):
    """Reads the files that one harness writes."""

    def files(self, paths: Iterable[Path]) -> list[Path]:
        """The files to read, where folders may be named. Raises FormatError for a path that is not there."""

    def read(self, path: Path) -> list[Imported]:
        """The episodes of one file. Raises FormatError naming the file and what is wrong with it."""


def enterpriseops(tasks: Mapping[str, Task], tools: Iterable[Path]) -> Importer:
    """Result files of ServiceNow's EnterpriseOps-Gym."""
    from eops_traj.collectors.importers.enterpriseops import Reader, load_tools

    return Reader(tasks, load_tools(tools))


READERS = {
    "atif": ("atif", "AtifReader"),
    "nemo_gym": ("nemo_gym", "NemoGymReader"),
    "openai": ("openai", "ChatReader"),
    "sharegpt": ("sharegpt", "ShareGptReader"),
    "token_ids": ("token_ids", "TokenIdsReader"),
}
"""The formats of exchange: each with the module here that reads it, and its class."""


def reader(name: str) -> "Reader":
    """The reader of a format, imported at this moment. Raises KeyError for a name that is not in READERS."""
    module, cls = READERS[name]
    made: Reader = getattr(import_module(f"eops_traj.collectors.importers.{module}"), cls)()
    return made


def _exchange(name: str, tasks: Mapping[str, Task], tools: Iterable[Path]) -> Importer:
    """Files of a format of exchange, which say for themselves what was asked, with which tools."""
    if tasks or list(tools):
        raise InputError(f"{name} files join no tasks and no tools; leave --tasks and --tools out")
    return reader(name)


IMPORTERS: dict[str, Callable[[Mapping[str, Task], Iterable[Path]], Importer]] = {
    "enterpriseops": enterpriseops,
    **{name: partial(_exchange, name) for name in READERS},
}
"""The sources that ``eops-traj import`` knows."""
