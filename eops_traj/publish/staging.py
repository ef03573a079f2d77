"""The staging folder of data on its way to the Hub: kept until the upload is done, so that it can be resumed.

::

    CACHE/eops-traj/publish/KEY/data         the dataset, as it will lie on the Hub
    CACHE/eops-traj/publish/KEY/told.json    the SHA-256 of its files (it is whole if they agree), its parts
    CACHE/eops-traj/publish/KEY.lock         while a process builds or uploads it

KEY is a digest of all that the dataset depends on, so that the data is never another request's.
"""

import hashlib
import os
import shutil
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eops_traj.config import Settings
from eops_traj.files import alone
from eops_traj.hashing import digest


class StagedNote(Settings):
    """What is known of a staged dataset: the SHA-256 of its files by path, its parts, and its rows."""

    files: dict[str, str]
    parts: list[dict[str, Any]]
    rows: int


@dataclass(frozen=True)
class Staging:
    """The staging folder of one dataset."""

    folder: Path

    @classmethod
    def of(cls, request: Mapping[str, Any]) -> "Staging":
        """Return the staging folder of a request."""
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        return cls(cache / "eops-traj" / "publish" / digest(dict(request)))

    @property
    def data(self) -> Path:
        """The folder to upload."""
        return self.folder / "data"

    def alone(self) -> AbstractContextManager[None]:
        """Hold it alone. Raises InputError where another process does."""
        lock = self.folder.with_name(f"{self.folder.name}.lock")
        return alone(lock, "another process publishes the same data; wait for its end")

    def read_note(self) -> StagedNote | None:
        """Read the note on the dataset here; None where there is none, or it is not whole and unchanged."""
        try:
            note = StagedNote.model_validate_json((self.folder / "told.json").read_bytes())
        except (OSError, ValueError):
            return None
        return note if note.files == _hashes(self.data) else None

    def put(self, dataset: Path, parts: list[dict[str, Any]], rows: int) -> StagedNote:
        """Move a finished dataset in, in the place of the previous one, and return the note on it."""
        self.clear()
        self.folder.mkdir(parents=True)
        note = StagedNote(files=_hashes(dataset), parts=parts, rows=rows)
        shutil.move(dataset, self.data)
        (self.folder / "told.json").write_text(note.model_dump_json(), encoding="utf-8")
        return note

    def clear(self) -> None:
        """Delete the dataset."""
        shutil.rmtree(self.folder, ignore_errors=True)


def _hashes(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of every file, by its path, without hidden folders, where libraries keep notes."""
    paths = (path.relative_to(folder) for path in sorted(folder.rglob("*")) if path.is_file())
    names = [path for path in paths if not path.parts[0].startswith(".")]
    return {path.as_posix(): hashlib.sha256((folder / path).read_bytes()).hexdigest() for path in names}
