"""The base class of readers of foreign formats: the contract with the files of ``collectors/importers/``."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

from pydantic import ValidationError

from eops_traj.bundle import EpisodeBundle
from eops_traj.config import problems
from eops_traj.errors import FormatError, InputError
from eops_traj.export.certificate import CERTIFICATE
from eops_traj.files import read_json
from eops_traj.interchange.episode_from_conversation import with_failure_modes
from eops_traj.interchange.extension_key import KEY, apply_extension
from eops_traj.interchange.loss_report import LOSS
from eops_traj.privacy.redact import scrub
from eops_traj.schema import Task
from eops_traj.untrusted.json_text import parse_json

Record = dict[str, Any]
SUFFIXES = (".json", ".jsonl")
ASIDE = (CERTIFICATE, LOSS)
"""Files beside the data, in the folders that we write."""


class Reader(ABC):
    """Reads one format: a JSON file holds one record or a list of them, a JSON Lines file one a line."""

    name: ClassVar[str]
    """The format's name on the command line."""

    @classmethod
    def open(cls, tasks: Sequence[Task], tools: Iterable[Path]) -> Self:
        """Return a reader. Raises InputError for tasks or tools: a record has its own."""
        if [*tasks, *tools]:
            raise InputError(f"{cls.name} files join no tasks and no tools; leave --tasks and --tools out")
        return cls()

    @abstractmethod
    def recognises(self, record: Record) -> bool:
        """Check whether a record looks like one of this format, right or wrong in detail."""

    @abstractmethod
    def bare(self, record: Record) -> EpisodeBundle:
        """Return the episode that any reader would find in a record, without our own key.

        Raises ValueError (a pydantic ValidationError is one) or FormatError where there is none in it.
        """

    def extension(self, record: Record) -> tuple[Record, Any]:
        """Return a record without our own key, and the value under it."""
        return {name: value for name, value in record.items() if name != KEY}, record.get(KEY)

    def episode(self, record: Record) -> EpisodeBundle:
        """Return the episode of a record: whole where we wrote it, else as much as it holds."""
        rest, ours = self.extension(record)
        bare = self.bare(rest)
        return with_failure_modes(bare) if ours is None else apply_extension(bare, ours)

    def files(self, paths: Iterable[Path]) -> list[Path]:
        """Return the data files of paths. Raises FormatError for a path that is missing or holds none."""
        return data_files(paths)

    def read(self, path: Path) -> "list[EpisodeBundle]":
        """Return the episodes of one file, without secrets. Raises FormatError naming place and problem."""
        return [scrub(self.at(place, record)) for place, record in records(path)]

    def at(self, place: str, record: Any) -> EpisodeBundle:
        """Return the episode of the record at a place. Raises FormatError naming the place."""
        try:
            if not isinstance(record, dict):
                raise FormatError("not an object")
            return self.episode(record)
        except ValidationError as error:
            wrong = "; ".join(problems(error)[:3])
            raise FormatError(f"{place}: not {self.name}: {wrong}") from error
        except KeyError as error:
            raise FormatError(f"{place}: not {self.name}: no {error.args[0]!r}") from error
        except (FormatError, ValueError, TypeError, AttributeError) as error:
            raise FormatError(f"{place}: not {self.name}: {error}") from error


def records(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield the records of a file, each with its place. Raises FormatError for what is not JSON."""
    if path.suffix != ".jsonl":
        content = read_json(path)
        if isinstance(content, list):
            yield from ((f"{path} record {number}", record) for number, record in enumerate(content, 1))
        else:
            yield str(path), content
        return
    try:
        with path.open(encoding="utf-8-sig", newline="\n") as lines:  # some editors put a mark first
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield f"{path}:{number}", _value(f"{path}:{number}", line)
    except OSError as error:
        raise FormatError(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: not UTF-8 text ({error.reason})") from error


def _value(place: str, line: str) -> Any:
    try:
        return parse_json(line)
    except FormatError as error:
        raise FormatError(f"{place}: {error}") from error


def data_files(paths: Iterable[Path]) -> list[Path]:
    """Return the data files of paths: files as they are, folders searched (an export's as a certified copy).

    Raises FormatError for a path that is not there, or a folder without a JSON or JSON Lines file.
    """
    return [file for path in paths for file in _files(path)]


def _files(path: Path) -> list[Path]:
    if not path.exists():
        raise FormatError(f"{path} does not exist")
    if not path.is_dir():
        return [path]
    files = sorted(
        p for p in path.rglob("*") if p.suffix in SUFFIXES and p.name not in ASIDE and not p.is_fifo()
    )
    if not files:
        raise FormatError(f"{path} holds no .json or .jsonl file")
    return files
