"""An export in a folder: its certificate, and the rows that are there."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from eops_traj.errors import FormatError
from eops_traj.export.base import data_lines
from eops_traj.export.certificate import content_hash, read_certificate
from eops_traj.messages import Message

MESSAGES = ("messages", "prompt", "completion", "chosen", "rejected")
"""The columns that hold messages, whatever the format."""


@dataclass(frozen=True)
class DataRow:
    """A row to train on: its place, its content, and its episode and task where it names them."""

    place: str
    record: dict[str, Any]

    @property
    def task_id(self) -> str | None:
        """The task that it is about."""
        task_id = self.record.get("task_id")
        return task_id if isinstance(task_id, str) else None

    @property
    def episode_ids(self) -> list[str]:
        """The episodes behind it: one; or several, where they agree or are compared with each other."""
        ids = self.record.get("episode_ids") or self.record.get("episode_id") or []
        return [ids] if isinstance(ids, str) else list(ids)

    @property
    def messages(self) -> Iterator[Message]:
        """Every message in it, prompts and replies alike."""
        for column in MESSAGES:
            yield from self.record.get(column) or ()

    @cached_property
    def requests(self) -> list[str]:
        """The user's messages in it, each in normal form: its words, one space between."""
        from eops_traj.filter.held_out import normalized

        texts = (m["content"] for m in self.messages if m["role"] == "user" and isinstance(m["content"], str))
        return [normalized(text) for text in dict.fromkeys(texts)]


@dataclass(frozen=True)
class Dataset:
    """An export in a folder."""

    folder: Path

    @cached_property
    def certificate(self) -> dict[str, Any]:
        """The content of certificate.json. Raises InputError where there is none, or not of an export."""
        return read_certificate(self.folder)

    @cached_property
    def content_hash(self) -> str:
        """The hash of the data as it is now."""
        return content_hash(self.folder, self.certificate["data_files"])

    def rows(self) -> Iterator[DataRow]:
        """Yield the rows, in the order of the files. Raises FormatError where they are not lines of JSON."""
        for place, line in data_lines(self.folder, sorted(self.folder.glob(self.certificate["data_files"]))):
            yield DataRow(place, _record(self.folder, place, line))


def _record(folder: Path, place: str, line: str) -> dict[str, Any]:
    path, _, number = place.rpartition(":")
    try:
        record = json.loads(line)
    except ValueError as error:
        raise FormatError(f"{folder / path}, line {number}: not JSON ({error})") from error
    if not isinstance(record, dict):
        raise FormatError(f"{folder / path}, line {number}: not an object")
    return record
