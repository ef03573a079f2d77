"""The checks of rows for planners: every plan by execution, as it is in the file."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from eops_traj.errors import InputError
from eops_traj.export.checks import CHECKS, Check, CheckedRow
from eops_traj.export.row_masks import REPLIES
from eops_traj.hashing import digest
from eops_traj.planner.plan_check import evaluate_plan
from eops_traj.planner.plan_evaluator import PlanEvaluator
from eops_traj.schema import REFUSALS, Task
from eops_traj.store.arrow import from_row

DECLINED = REFUSALS - {"over_refusal"}
"""The outcomes of an attempt that declined what cannot be done."""
EVERY_ROW = ("reads_as_written", "loss_mask", "no_secrets")
"""The checks of conversations that rows of any kind have to pass."""


@dataclass
class PlanChecks:
    """The checks of one inspection. A text that was run when the row was written is not run again."""

    evaluator: PlanEvaluator
    _seen: set[str] = field(default_factory=set)

    def of(self, columns: Sequence[str]) -> Mapping[str, Check]:
        """Return the checks for rows that have these columns."""
        checks: dict[str, Check] = {}
        if "label" in columns:
            checks["label_is_proven"] = self.label_is_proven
        elif "completion" in columns:
            checks["completion_passes"] = self.completion_passes
        if "rejected" in columns:
            checks |= {
                "chosen_passes": self.chosen_passes,
                "rejected_fails": self.rejected_fails,
                "sides_differ": sides_differ,
            }
        if "task" in columns:
            checks["task_scores"] = self.task_scores
        else:
            checks["prompt_holds_no_answer"] = prompt_holds_no_answer
        checks["no_duplicates"] = self.no_duplicates
        return {**checks, **{name: CHECKS[name] for name in EVERY_ROW}}

    def completion_passes(self, checked: CheckedRow) -> str | None:
        """The plan, as it stands in the row, was run on its task, and the verifiers passed it."""
        return self._check_outcome(checked, "completion", True)

    def chosen_passes(self, checked: CheckedRow) -> str | None:
        """The chosen plan, as it stands in the row, was run on its task, and the verifiers passed it."""
        return self._check_outcome(checked, "chosen", True)

    def rejected_fails(self, checked: CheckedRow) -> str | None:
        """The rejected plan, as it stands in the row, was run on its task: it is no plan, or did not pass."""
        return self._check_outcome(checked, "rejected", False)

    def label_is_proven(self, checked: CheckedRow) -> str | None:
        """The plan, as it stands in the row, was run on its task, and passed just where the label says so."""
        return self._check_outcome(checked, "completion", checked.as_read.record["label"])

    def _check_outcome(self, checked: CheckedRow, side: str, passes: bool) -> str | None:
        """Check the outcome of a reply: to pass is to pass on every task of the prompt."""
        record = checked.as_read.record
        results = [self.evaluator.evaluate(task, reply_text(record[side])) for task in record["task_hashes"]]
        if all(result.passed for result in results) == passes:
            return None
        wrong = next((result for result in results if not result.passed), results[0])
        return f"its {side} proves as {wrong.outcome}" + (f" ({wrong.error})" if wrong.error else "")

    def task_scores(self, checked: CheckedRow) -> str | None:
        """The task opens from the row alone, and to decline it is right only where it cannot be done."""
        task = from_row(Task, json.loads(checked.as_read.record["task"]))
        try:
            result = evaluate_plan("REFUSE: not now", task, self.evaluator.root)
        except InputError as error:
            return f"its task cannot be run: {error}"
        if (
            task.feasible is False and result.outcome in DECLINED
        ):  # without a look, where that is asked, blindly
            return None
        if task.feasible is not False and not result.passed:
            return None
        return f"to decline it proves as {result.outcome}"

    def no_duplicates(self, checked: CheckedRow) -> str | None:
        """No other row has the same prompt and the same replies; where there are none, the same task."""
        content = content_hash(checked.as_read.record)
        if content in self._seen:
            return "a row before it says the same"
        self._seen.add(content)
        return None


def content_hash(record: Mapping[str, Any]) -> str:
    """Return the hash of what a row says: its prompt and its replies; where it has none, its task."""
    replies = [reply_text(record[side]) for side in REPLIES if side in record] or [record["task"]]
    return digest(record["prompt"], replies)


def sides_differ(checked: CheckedRow) -> str | None:
    """Chosen and rejected are not the same text."""
    record = checked.as_read.record
    same = reply_text(record["chosen"]).split() == reply_text(record["rejected"]).split()
    return "both sides say the same" if same else None


def prompt_holds_no_answer(checked: CheckedRow) -> str | None:
    """The prompt does not hold the reply that is to be learnt."""
    record = checked.as_read.record
    prompt = "\n".join(message["content"] for message in record["prompt"])
    side = "chosen" if "chosen" in record else "completion"
    learnt = record.get("label", True)
    return f"its {side} stands in the prompt" if learnt and reply_text(record[side]) in prompt else None


def reply_text(reply: Sequence[Mapping[str, Any]]) -> str:
    """Return the text of a reply."""
    return "".join(message["content"] for message in reply)
