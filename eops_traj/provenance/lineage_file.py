"""The file of a checkpoint's origin: ``lineage.json`` beside its weights.

::

    {"checkpoint": "9f2c...",   the hash of this checkpoint, checkpoint.checkpoint_hash
     "parent": "51aa...",       what it was trained from: a hash, a name on the hub, or null (from scratch)
     "data": {"folder", "format", "content_hash", "selection", "store", "store_version"},
     "recipe": "dpo",
     "config": {...},           the recipe's settings, every default filled in
     "leaks": {...}}            what its data had in common with held-out tasks
"""

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError, field_validator

from eops_traj.config import Settings, problems
from eops_traj.errors import FormatError, InputError
from eops_traj.files import write_json
from eops_traj.provenance.checkpoint import WEIGHTS, checkpoint_hash
from eops_traj.untrusted.text_file import read_text

LINEAGE = "lineage.json"
MOST_ANCESTORS = 100
"""How many checkpoints a line is followed back: a file may name any parent, its own checkpoint too."""


class TrainedOn(Settings):
    """The export that a checkpoint was trained on, as its certificate names it."""

    folder: str
    format: str
    content_hash: str
    selection: str
    store: str
    store_version: int


class Lineage(Settings):
    """The origin of a checkpoint."""

    checkpoint: str
    parent: str | None
    data: TrainedOn | None
    """None for a checkpoint that saw no episode: pre-training on made-up sequences."""
    recipe: str
    config: dict[str, Any]
    leaks: dict[str, Any] | None = None
    """What a comparison with held-out tasks found before the first step; None where nothing says so."""

    @field_validator("leaks")
    @classmethod
    def _rows_have_numbers(cls, leaks: dict[str, Any] | None) -> dict[str, Any] | None:
        numbers = (leaks or {}).get("left_out", [])
        if not isinstance(numbers, list) or any(type(number) is not int for number in numbers):
            raise ValueError(f"left_out is a list of rows' numbers, and not {str(numbers)[:80]}")
        return leaks

    def left_out(self) -> frozenset[int]:
        """Return the numbers, from 1, of the rows that the training went without, since they leak."""
        return frozenset((self.leaks or {}).get("left_out", ()))

    def resolve(self, path: str, folder: Path) -> Path:
        """Resolve a path that was given to the training of the checkpoint in ``folder``.

        A relative one starts where the run's output started, which moves with the checkpoint, or else in the
        working directory.
        """
        output = Path(str(self.config.get("output", ""))).parts
        here = folder.resolve().parent.parts
        if output and here[-len(output) :] == output and not Path(path).is_absolute():
            moved = Path(*here[: -len(output)], path)
            return moved if moved.exists() else Path(path)
        return Path(path)

    def parent_folder(self, folder: Path) -> Path | None:
        """Return the parent of the checkpoint in ``folder``, if it is still where the recipe read it."""
        model = self.config.get("model")
        if self.parent is None or model is None:
            return None
        parent = self.resolve(str(model), folder)
        return parent if any(parent.glob(WEIGHTS)) and checkpoint_hash(parent) == self.parent else None


def checkpoint_folder(path: Path) -> Path:
    """Return the checkpoint of a path: a folder with weights, or a run's output, whose ``model`` it is.

    Raises InputError where there is neither.
    """
    for folder in (path, path / "model"):
        if any(folder.glob(WEIGHTS)):
            return folder
    raise InputError(f"{str(path)!r} is no checkpoint: it holds no safetensors, nor does its folder 'model'")


def write_lineage(
    folder: Path,
    parent: str | None,
    data: TrainedOn | None,
    config: BaseModel,
    leaks: dict[str, Any] | None = None,
) -> Lineage:
    """Write lineage.json beside the weights, once they are all there. ``config`` names its ``recipe``."""
    settings = config.model_dump(mode="json")
    lineage = Lineage(
        checkpoint=checkpoint_hash(folder),
        parent=parent,
        data=data,
        recipe=settings["recipe"],
        config=settings,
        leaks=leaks,
    )
    write_json(folder / LINEAGE, lineage.model_dump(mode="json"))
    return lineage


def read_lineage(folder: Path) -> Lineage:
    """Read lineage.json. Raises InputError where there is none, FormatError where it is malformed."""
    path = folder / LINEAGE
    if not path.exists():
        raise InputError(f"{folder} has no {LINEAGE}: `eops-traj train` did not make it")
    try:
        return Lineage.model_validate_json(read_text(path))
    except ValidationError as error:
        raise FormatError(f"{path}: {'; '.join(problems(error))}") from error
