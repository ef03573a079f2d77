"""Evaluation of a model that acts: rollouts at tasks that it is not trained on, judged as in training.

The likeliest replies are taken. Tools, template, budget and engine are those of training.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from eops_traj.hashing import canonical_json
from eops_traj.planner.plan_check import PlanResult
from eops_traj.schema import Task
from eops_traj.store.arrow import to_row
from eops_traj.train.judge import Tried
from eops_traj.train.plan_eval import PlanEval, Rates
from eops_traj.train.rollout_env import acting_row
from eops_traj.train.rollout_trainer import attempt_all


@dataclass(frozen=True)
class ActingTasks:
    """Tasks of a held-out split, as rows for a model that acts."""

    tasks: Sequence[Task]
    rows: Sequence[dict[str, Any]]
    root: Path | None
    batch_size: int

    @classmethod
    def of(cls, plans: PlanEval) -> "ActingTasks":
        """Take the tasks of an evaluation of plans, and the policy that their planner is shown."""
        pairs = zip(plans.requests, plans.tasks, strict=True)
        rows = [acting_row(each.messages, canonical_json(to_row(task)), plans.root) for each, task in pairs]
        return cls(plans.tasks, rows, plans.root, plans.batch_size)

    def by(self, trainer: Any, fits: Sequence[bool]) -> "ActingEval":
        """Return the exam of a trainer's model; ``fits`` says which tasks there is room to try."""
        return ActingEval(self, trainer, fits)


@dataclass(frozen=True)
class ActingEval:
    """An exam of the model that a trainer has, by its own rollouts.

    A task whose prompt leaves no room for a rollout is failed, and counts as cut.
    """

    exam: ActingTasks
    trainer: Any
    fits: Sequence[bool]
    what: ClassVar[str] = "rollouts"
    """What is examined, as the log names it."""

    def rates(self, *_: Any) -> Rates:
        """Return the rates of a rollout at each task."""
        rows = [row for row, fits in zip(self.exam.rows, self.fits, strict=True) if fits]
        rollouts = attempt_all(self.trainer, rows, self.exam.batch_size, greedy=True)
        tried = [next(rollouts) if fits else Tried("failure", cut=True) for fits in self.fits]
        proofs = [PlanResult("", each.outcome, each.passed, "") for each in tried]
        return Rates.of(self.exam.tasks, proofs, [each.cut for each in tried])
