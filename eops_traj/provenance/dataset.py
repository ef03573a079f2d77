"""An export in a folder: its certificate, and the rows that are there."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from eops_traj.errors import FormatError
from eops_traj.export.base import data_lines
from eops_traj.export.certificate_file import CertificateFile, read_certificate
from eops_traj.export.certified_copy import certified_copy
from eops_traj.export.checks import MESSAGES
from eops_traj.messages import Message
from eops_traj.untrusted.json_text import parse_json


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
        return [i for i in (ids if isinstance(ids, list) else [ids]) if isinstance(i, str)]

    @property
    def task_hashes(self) -> list[str]:
        """The tasks that it is made of, by their content."""
        hashes = self.record.get("task_hashes")
        return [one for one in hashes if isinstance(one, str)] if isinstance(hashes, list) else []

    @property
    def messages(self) -> Iterator[Message]:
        """Every message in it, prompts and replies alike."""
        for column in MESSAGES:
            messages = self.record.get(column)
            yield from (m for m in messages if isinstance(m, dict)) if isinstance(messages, list) else ()

    @cached_property
    def requests(self) -> list[str]:
        """The user's messages in it, each in normal form: its words, one space between."""
        from eops_traj.filter.held_out import normalized

        texts = (m.get("content") for m in self.messages if m.get("role") == "user")
        return [normalized(text) for text in dict.fromkeys(t for t in texts if isinstance(t, str))]


@dataclass(frozen=True)
class Dataset:
    """An export in a folder, or what a training took of it."""

    folder: Path
    left_out: frozenset[int] = frozenset()
    """The numbers, from 1, of the rows that the training went without."""

    @cached_property
    def certificate(self) -> CertificateFile:
        """The content of certificate.json. Raises InputError where there is none that may be relied on."""
        return read_certificate(self.folder)

    def rows(self) -> Iterator[DataRow]:
        """Yield the certified rows, in the order of the files, but for those left out.

        Raises InputError before the first row where the data is not what the certificate certifies, and
        FormatError where the rows are not lines of JSON.
        """
        with certified_copy(self.folder, self.certificate) as copy:
            for number, (place, line) in enumerate(data_lines(copy.folder, copy.files), 1):
                if number not in self.left_out:
                    yield DataRow(place, _record(self.folder, place, line))


def _record(folder: Path, place: str, line: str) -> dict[str, Any]:
    path, _, number = place.rpartition(":")
    try:
        record = parse_json(line)
    except FormatError as error:
        raise FormatError(f"{folder / path}, line {number}: {error}") from error
    if not isinstance(record, dict):
        raise FormatError(f"{folder / path}, line {number}: not an object")
    return record
