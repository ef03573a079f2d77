"""The best model of a run so far, by the share of its plans that passed; of equals it is the earlier one."""

import json
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from eops_traj.train.plan_eval import Rates

EVALUATIONS, EVALUATION = "evaluations.jsonl", "evaluation.json"


@dataclass(frozen=True)
class BestCheckpoint:
    """A folder ``best-STEP`` in a run's output, with the model and its rates; ``model`` in the end."""

    output: Path

    @property
    def model(self) -> Path:
        """The folder of the best model of a whole run."""
        return self.output / "model"

    def folder(self) -> Path | None:
        """Return the folder of the best model so far; None before the first evaluation."""
        folders = (path.parent for path in self.output.glob(f"*/{EVALUATION}"))
        return max((path for path in folders if path.suffix != ".tmp"), key=_worth, default=None)

    def beaten_by(self, rates: Rates) -> bool:
        """Check whether these rates are better than those of the best so far."""
        best = self.folder()
        return best is None or rates.verified > _worth(best)[0]

    def log(self, step: int, rates: Rates) -> None:
        """Add an evaluation to the log of the run."""
        with (self.output / EVALUATIONS).open("a", encoding="utf-8") as lines:
            lines.write(json.dumps({"step": step, **asdict(rates)}) + "\n")

    def keep(self, saved: Path, step: int, rates: Rates) -> None:
        """Make a folder just saved the best one, and only then drop the one before it."""
        record = json.dumps({"step": step, **asdict(rates)}) + "\n"
        (saved / EVALUATION).write_text(record, encoding="utf-8")
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


def read_evaluation(folder: Path) -> dict[str, Any]:
    """Read the step and the rates of a model that was kept."""
    evaluation: dict[str, Any] = json.loads((folder / EVALUATION).read_text(encoding="utf-8"))
    return evaluation


def _worth(folder: Path) -> tuple[float, int]:
    evaluation = read_evaluation(folder)
    return evaluation["verified"], -evaluation["step"]
