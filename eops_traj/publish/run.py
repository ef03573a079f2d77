"""Publish a selection: make the dataset, let the gate look at it, and put it where it shall be.

::

    README.md                                  the card
    croissant.json                             the same for machines
    certificates/episodes-train.json           what was checked, of each split of each configuration
    episodes/train-00000-of-00001.parquet      the rows

Everything is made in a temporary folder. Where the gate stops a row, nothing of it stays.
"""

import tempfile
from dataclasses import dataclass
from pathlib import Path

from eops_traj import __version__
from eops_traj.errors import InputError
from eops_traj.export.card import CARD
from eops_traj.export.run import Progress, no_progress, workshop
from eops_traj.publish import hub
from eops_traj.publish.build import Made, make
from eops_traj.publish.gate import Report
from eops_traj.publish.request import Request
from eops_traj.publish.staging import Staging

HUB = "hub:"


@dataclass(frozen=True)
class Publication:
    """What to publish, and where to: a folder that is not there yet, or ``hub:ORG/NAME``."""

    request: Request
    to: str
    public: bool = False

    def run(self, progress: Progress = no_progress) -> tuple[str, Made]:
        """Publish, and say where the dataset is now.

        Raises InputError for bad input and WorkError where the gate stops a row, and nothing goes out then;
        WorkError, too, where an upload breaks off, with which the same call goes on.
        """
        self.check()
        if self.to.startswith(HUB):
            return self._upload(progress)
        with workshop(Path(self.to)) as folder:
            made = make(self.request, folder, progress)
            made.report.raise_stops()
            folder.rename(self.to)
        return self.to, made

    def rehearse(self, progress: Progress = no_progress) -> Made:
        """Make everything, and say what the gate says of it; what was made is thrown away."""
        self.check()
        with tempfile.TemporaryDirectory() as folder:
            return make(self.request, Path(folder), progress)

    def check(self) -> None:
        """Raises InputError where something asked for is not there, or where the destination is taken."""
        self.request.check()
        if self.to.startswith(HUB):
            hub.check_name(self.to.removeprefix(HUB))
        elif Path(self.to).exists():
            raise InputError(f"{self.to} is there already; choose another folder")

    def _upload(self, progress: Progress) -> tuple[str, Made]:
        """Upload the dataset, made now or by an earlier call that broke off."""
        api, name = hub.hub(), self.to.removeprefix(HUB)
        hub.greet(api, name)
        staging = Staging.of(self.request.depends_on())
        made = self._waiting(staging) or self._staged(staging, progress)
        message = f"{self.request.selection} by eops-traj {__version__}"
        place = hub.upload(api, staging.data, name, public=self.public, message=message)
        staging.clear()
        return place, made

    def _staged(self, staging: Staging, progress: Progress) -> Made:
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary) / "data"
            folder.mkdir()
            made = make(self.request, folder, progress)
            made.report.raise_stops()
            staging.put(folder, {"parts": made.parts, "rows": made.report.rows})
        return made

    def _waiting(self, staging: Staging) -> Made | None:
        """What an earlier call made, and the gate let pass."""
        note = staging.waiting()
        if note is None:
            return None
        return Made(note["parts"], Report(note["rows"]), (staging.data / CARD).read_text(encoding="utf-8"))
