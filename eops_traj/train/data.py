"""The data of a run: a certified export, opened for as long as the run takes."""

import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eops_traj.train.config import RecipeConfig
from eops_traj.train.run_folder import certified, check_free, checkpoint_to_resume

if TYPE_CHECKING:
    from datasets import Dataset


@dataclass(frozen=True)
class Data:
    """Rows with their certificate, and the checkpoint to go on from where a run is resumed."""

    rows: "Dataset"
    certificate: dict[str, Any]
    checkpoint: Path | None

    @property
    def format(self) -> str:
        """The format that the rows were exported in."""
        return str(self.certificate["format"])


@contextmanager
def opened(config: RecipeConfig, formats: Collection[str], resume: bool) -> Iterator[Data]:
    """The rows of a run's data, read through a cache that is thrown away at the end.

    Raises InputError, before anything is written: data that may not be trained on, an output that is taken,
    nothing to resume, or settings that a resumed run may not change.
    """
    from datasets import load_dataset

    certificate = certified(config.data, formats)
    checkpoint = checkpoint_to_resume(config, certificate) if resume else None
    if not resume:
        check_free(config.output)
    with tempfile.TemporaryDirectory() as cache:
        rows = load_dataset(str(config.data), split="train", cache_dir=cache)
        yield Data(rows, certificate, checkpoint)
