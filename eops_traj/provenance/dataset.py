"""An export as it lies in a folder: what its certificate says, and the rows that are there."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from eops_traj.errors import FormatError
from eops_traj.export.certificate import content_hash, read_certificate
from eops_traj.messages import Message

MESSAGES = ("messages", "prompt", "completion", "chosen", "rejected")
"""The columns that hold messages, whatever the format."""


@dataclass(frozen=True)
class DataRow:
    """A row to train on: where it stands, what it holds, and whose it is where it says so."""

    place: str
    record: dict[str, Any]

    @property
    def task_id(self) -> str | None:
        """The task that it is about."""
        found = self.record.get("task_id")
        return found if isinstance(found, str) else None

    @property
    def episode_ids(self) -> list[str]:
        """The episodes behind it: one; or more, where several agree or are held against each other."""
        found = self.record.get("episode_ids") or self.record.get("episode_id") or []
        return [found] if isinstance(found, str) else list(found)

    @property
    def messages(self) -> Iterator[Message]:
        """Every message in it, prompts and replies alike."""
        for column in MESSAGES:
            yield from self.record.get(column) or ()

    @cached_property
    def asked(self) -> list[str]:
        """What a user says in it, each message in normal form: its words, one space between."""
        from eops_traj.filter.held_out import normalized

        said = (m["content"] for m in self.messages if m["role"] == "user" and isinstance(m["content"], str))
        return [normalized(text) for text in dict.fromkeys(said)]


@dataclass(frozen=True)
class Dataset:
    """An export in a folder."""

    folder: Path

    @cached_property
    def certificate(self) -> dict[str, Any]:
        """What certificate.json says. Raises InputError where there is none, or not of an export."""
        return read_certificate(self.folder)

    @cached_property
    def content_hash(self) -> str:
        """The hash of the data as it is now."""
        return content_hash(self.folder, self.certificate["data_files"])

    def rows(self) -> Iterator[DataRow]:
        """The rows, in the order of the files. Raises FormatError where they are not lines of JSON."""
        for path in sorted(self.folder.glob(self.certificate["data_files"])):
            with path.open(encoding="utf-8", newline="\n") as lines:
                for number, line in enumerate(lines, 1):
                    yield DataRow(
                        f"{path.relative_to(self.folder).as_posix()}:{number}", _record(path, number, line)
                    )


def _record(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except ValueError as error:
        raise FormatError(f"{path}, line {number}: not JSON ({error})") from error
    if not isinstance(record, dict):
        raise FormatError(f"{path}, line {number}: not an object")
    return record
