"""The best model of a run so far, by the share of its plans that passed; of equals it is the earlier one."""

import json
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from eops_traj.train.plan_eval import Rates

EVALUATIONS, EVALUATION = "evaluations.jsonl", "evaluation.json"


@dataclass(frozen=True)
class Best:
    """A folder ``best-STEP`` in a run's output, with the model and its rates; ``model`` in the end."""

    output: Path

    @property
    def model(self) -> Path:
        """Where the best model of a whole run is."""
        return self.output / "model"

    def folder(self) -> Path | None:
        """Where the best model is so far; None before the first evaluation."""
        found = (path.parent for path in self.output.glob(f"*/{EVALUATION}"))
        return max((path for path in found if path.suffix != ".tmp"), key=_worth, default=None)

    def beaten_by(self, rates: Rates) -> bool:
        """Whether these rates are better than those of the best so far."""
        best = self.folder()
        return best is None or rates.verified > _worth(best)[0]

    def note(self, step: int, rates: Rates) -> None:
        """Add an evaluation to the log of the run."""
        with (self.output / EVALUATIONS).open("a", encoding="utf-8") as lines:
            lines.write(json.dumps({"step": step, **asdict(rates)}) + "\n")

    def keep(self, saved: Path, step: int, rates: Rates) -> None:
        """Make a folder just saved the best one, and only then drop the one before it."""
        said = {"step": step, **asdict(rates)}
        (saved / EVALUATION).write_text(json.dumps(said) + "\n", encoding="utf-8")
        former, new = self.folder(), self.output / f"best-{step:06d}"
        if new.exists():  # a run that was killed and resumed comes by the same step again
            shutil.rmtree(new)
        saved.rename(new)
        if former and former not in (new, self.model):
            shutil.rmtree(former)

    def publish(self) -> None:
        """Give the best model its final name, once its card is written: the last step of a run."""
        best = self.folder()
        if best is None or best == self.model:
            return
        if self.model.exists():
            shutil.rmtree(self.model)
        best.rename(self.model)


def evaluation(folder: Path) -> dict[str, Any]:
    """The step and rates of a model that was kept."""
    said: dict[str, Any] = json.loads((folder / EVALUATION).read_text(encoding="utf-8"))
    return said


def _worth(folder: Path) -> tuple[float, int]:
    said = evaluation(folder)
    return said["verified"], -said["step"]
