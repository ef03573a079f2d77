"""Publish a selection: build the dataset, let the gate check it, and put it in its place.

::

    README.md                                  the card
    croissant.json                             the same for machines
    certificates/episodes-train.json           the checks, of each split of each configuration
    episodes/train-00000-of-00001.parquet      the rows

Everything is built in a temporary folder. Where the gate stops a row, nothing of it stays.
"""

import tempfile
from dataclasses import dataclass
from pathlib import Path

from eops_traj import __version__
from eops_traj.errors import InputError
from eops_traj.export.card import CARD
from eops_traj.export.run import Progress, hidden_progress
from eops_traj.files import put_in_place, require_no_file, work_folder
from eops_traj.publish import hub
from eops_traj.publish.build import BuiltDataset, build_dataset
from eops_traj.publish.gate import GateReport
from eops_traj.publish.request import PublishRequest
from eops_traj.publish.staging import StagedNote, Staging
from eops_traj.workers.engine import HERE, Engine

HUB = "hub:"


@dataclass(frozen=True)
class Publication:
    """A request with its destination: a folder that is not there yet, or ``hub:ORG/NAME``."""

    request: PublishRequest
    to: str
    public: bool = False
    engine: Engine = HERE
    """Where plans are proven, and rows searched for secrets and personal data."""

    def run(self, progress: Progress = hidden_progress) -> tuple[str, BuiltDataset]:
        """Publish, and return the dataset's place.

        Raises InputError for bad input, NotPublished where the gate stops a row (nothing goes out then), and
        WorkError where an upload breaks off, with which the same call goes on.
        """
        self.check()
        if self.to.startswith(HUB):
            return self._upload(progress)
        with work_folder(Path(self.to)) as folder:
            dataset = build_dataset(self.request, folder, progress, self.engine)
            dataset.require_passed()
            put_in_place(folder, Path(self.to))
        return self.to, dataset

    def rehearse(self, progress: Progress = hidden_progress) -> BuiltDataset:
        """Build everything, and return it with the gate's report; the files are thrown away."""
        self.check()
        with tempfile.TemporaryDirectory() as folder:
            return build_dataset(self.request, Path(folder), progress, self.engine)

    def check(self) -> None:
        """Raise InputError where something asked for is not there, or where the destination is taken."""
        self.request.check()
        if self.to.startswith(HUB):
            hub.check_name(self.to.removeprefix(HUB))
        elif Path(self.to).exists():
            raise InputError(f"{self.to} is there already; choose another folder")
        else:
            require_no_file(Path(self.to))

    def _upload(self, progress: Progress) -> tuple[str, BuiltDataset]:
        """Upload the dataset, built now or by an earlier call that broke off."""
        api, name = hub.connect(), self.to.removeprefix(HUB)
        hub.check_access(api, name)
        staging = Staging.of(self.request.dependencies())
        message = f"{self.request.selection} by eops-traj {__version__}"
        with staging.alone():
            note, dataset = self._read_staged(staging) or self._build_staged(staging, progress)
            place = hub.upload(api, staging.data, name, note.files, public=self.public, message=message)
            staging.clear()
        return place, dataset

    def _build_staged(self, staging: Staging, progress: Progress) -> tuple[StagedNote, BuiltDataset]:
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary) / "data"
            folder.mkdir()
            dataset = build_dataset(self.request, folder, progress, self.engine)
            dataset.require_passed()
            note = staging.put(folder, dataset.parts, dataset.report.rows)
        return note, dataset

    def _read_staged(self, staging: Staging) -> tuple[StagedNote, BuiltDataset] | None:
        """Read the dataset that an earlier call built, and the gate let pass."""
        note = staging.read_note()
        if note is None:
            return None
        card = (staging.data / CARD).read_text(encoding="utf-8")
        return note, BuiltDataset(note.parts, GateReport(note.rows), card)
