"""What the rows for planners are checked for: every plan by execution, as it stands in the file."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from eops_traj.errors import InputError
from eops_traj.export.checks import CHECKS, Check, Seen
from eops_traj.export.row_masks import REPLIES
from eops_traj.hashing import digest
from eops_traj.planner.plan_check import prove
from eops_traj.planner.plan_dataset import Prover
from eops_traj.schema import Task
from eops_traj.store.arrow import from_row

EVERY_ROW = ("reads_as_written", "loss_mask", "no_secrets")
"""The checks of conversations that rows of any kind have to pass."""


@dataclass
class PlanChecks:
    """The checks of one inspection. A text that was run when the row was written is not run a second time."""

    prover: Prover
    _seen: set[str] = field(default_factory=set)

    def of(self, columns: Sequence[str]) -> Mapping[str, Check]:
        """The checks for rows that have these columns."""
        wanted: dict[str, Check] = {}
        if "label" in columns:
            wanted["label_is_proven"] = self.label_is_proven
        elif "completion" in columns:
            wanted["completion_passes"] = self.completion_passes
        if "rejected" in columns:
            wanted |= {
                "chosen_passes": self.chosen_passes,
                "rejected_fails": self.rejected_fails,
                "sides_differ": sides_differ,
            }
        if "task" in columns:
            wanted["task_scores"] = self.task_scores
        else:
            wanted["prompt_holds_no_answer"] = prompt_holds_no_answer
        wanted["no_duplicates"] = self.no_duplicates
        return {**wanted, **{name: CHECKS[name] for name in EVERY_ROW}}

    def completion_passes(self, seen: Seen) -> str | None:
        """The plan, as it stands in the row, was run on its task, and the verifiers passed it."""
        return self._comes_to(seen, "completion", True)

    def chosen_passes(self, seen: Seen) -> str | None:
        """The chosen plan, as it stands in the row, was run on its task, and the verifiers passed it."""
        return self._comes_to(seen, "chosen", True)

    def rejected_fails(self, seen: Seen) -> str | None:
        """The rejected plan, as it stands in the row, was run on its task: it is no plan, or did not pass."""
        return self._comes_to(seen, "rejected", False)

    def label_is_proven(self, seen: Seen) -> str | None:
        """The plan, as it stands in the row, was run on its task, and passed just where the label says so."""
        return self._comes_to(seen, "completion", seen.as_read.record["label"])

    def _comes_to(self, seen: Seen, side: str, passes: bool) -> str | None:
        """To pass is to pass on every task of the prompt."""
        record = seen.as_read.record
        proofs = [self.prover.prove(task, said(record[side])) for task in record["task_hashes"]]
        if all(proof.passed for proof in proofs) == passes:
            return None
        wrong = next((proof for proof in proofs if not proof.passed), proofs[0])
        return f"its {side} proves as {wrong.outcome}" + (f" ({wrong.error})" if wrong.error else "")

    def task_scores(self, seen: Seen) -> str | None:
        """The task opens from the row alone, and to decline it passes only where it cannot be done."""
        task = from_row(Task, json.loads(seen.as_read.record["task"]))
        try:
            proof = prove("REFUSE: not now", task, self.prover.root)
        except InputError as error:
            return f"its task cannot be run: {error}"
        declinable = task.feasible is False
        return None if proof.passed == declinable else f"to decline it proves as {proof.outcome}"

    def no_duplicates(self, seen: Seen) -> str | None:
        """No other row has the same prompt and the same replies; where there are none, the same task."""
        record = seen.as_read.record
        replies = [said(record[side]) for side in REPLIES if side in record] or [record["task"]]
        content = digest(record["prompt"], replies)
        if content in self._seen:
            return "a row before it says the same"
        self._seen.add(content)
        return None


def sides_differ(seen: Seen) -> str | None:
    """Chosen and rejected are not the same text."""
    record = seen.as_read.record
    same = said(record["chosen"]).split() == said(record["rejected"]).split()
    return "both sides say the same" if same else None


def prompt_holds_no_answer(seen: Seen) -> str | None:
    """The prompt does not hold the reply that is to be learnt."""
    record = seen.as_read.record
    told = "\n".join(message["content"] for message in record["prompt"])
    side = "chosen" if "chosen" in record else "completion"
    learnt = record.get("label", True)
    return f"its {side} stands in the prompt" if learnt and said(record[side]) in told else None


def said(reply: Sequence[Mapping[str, Any]]) -> str:
    """The text of a reply."""
    return "".join(message["content"] for message in reply)
