"""The staging folder of data on its way to the Hub: kept until the upload is done, so that it can be resumed.

::

    CACHE/eops-traj/publish/KEY/data         the dataset, as it will lie on the Hub
    CACHE/eops-traj/publish/KEY/told.json    the SHA-256 of its files (it is whole if they agree), and a note

KEY is a digest of all that the dataset depends on, so that the data is never another request's.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eops_traj.hashing import digest


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

    def read_note(self) -> Any:
        """Read the note on the dataset here; None where there is none, or it is not whole and unchanged."""
        try:
            state = json.loads((self.folder / "told.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return state["note"] if state["files"] == _hashes(self.data) else None

    def put(self, dataset: Path, note: Any) -> None:
        """Move a finished dataset in, with a note, in the place of the previous one."""
        self.clear()
        self.folder.mkdir(parents=True)
        shutil.move(dataset, self.data)
        state = json.dumps({"files": _hashes(self.data), "note": note})
        (self.folder / "told.json").write_text(state, encoding="utf-8")

    def clear(self) -> None:
        """Delete the dataset."""
        shutil.rmtree(self.folder, ignore_errors=True)


def _hashes(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of every file, by its path, without hidden folders, where libraries keep notes."""
    paths = (path.relative_to(folder) for path in sorted(folder.rglob("*")) if path.is_file())
    names = [path for path in paths if not path.parts[0].startswith(".")]
    return {path.as_posix(): hashlib.sha256((folder / path).read_bytes()).hexdigest() for path in names}
