"""Pairs of plans: of one request a plan that is proven to pass, and one that is proven to fail."""

from collections.abc import Iterator
from typing import Any, Literal

from pydantic import Field, PositiveInt

from eops_traj.export.plan_rows import (
    ABOUT,
    PlannerOptions,
    PlannerRows,
    message_column,
    origin_columns,
    reply_messages,
    text_column,
)
from eops_traj.planner.plan_dataset import PlanDataset, PlanPrompt
from eops_traj.planner.plan_pairs import add_twin_plans, closest_pairs


class PlannerDpoOptions(PlannerOptions):
    """The planner's view, and the pairs to make."""

    max_pairs: PositiveInt = Field(2, description="The most pairs of a prompt.")
    negatives: Literal["any", "own", "written"] = Field(
        "any",
        description="Rejected plans: any that fails, those of the prompt's own episodes (none borrowed from a"
        " request of almost the same words), or those that a planner wrote.",
    )


class PlannerDpo(PlannerRows):
    """One line a pair. Rejected is what a planner wrote, even if it is no plan, or what a failed episode did.

    To act where the request must be declined, and to decline where it can be carried out, are failures like
    any other: each is rejected against the plan that did right. Where episodes do not show it, the plan of a
    twin does (:mod:`eops_traj.planner.plan_pairs`).
    """

    title = "Pairs of plans, one that passes and one that fails"
    rows = "pairs of plans"
    takes = PlannerDpoOptions
    options: PlannerDpoOptions
    features = (
        *ABOUT,
        text_column("chosen_origin"),
        text_column("rejected_origin"),
        text_column("rejected_outcome"),
        message_column("prompt"),
        message_column("chosen"),
        message_column("rejected"),
    )

    def kind(self, record: dict[str, Any]) -> str:
        """Return the origin and the outcome of the rejected plan."""
        return f"rejected {record['rejected_origin']} {record['rejected_outcome']}"

    def prompts(self, dataset: PlanDataset) -> list[PlanPrompt]:
        """Return the prompts, with plans borrowed from neighbours where they are wanted."""
        own = super().prompts(dataset)
        return add_twin_plans(own, self.evaluator) if self.options.negatives == "any" else own

    def records(self, prompt: PlanPrompt) -> Iterator[dict[str, Any]]:
        """Yield the pairs of a prompt."""
        written = self.options.negatives == "written"
        failed = [plan for plan in prompt.failed() if plan.origin == "written" or not written]
        for chosen, rejected in closest_pairs(prompt.passed(), failed, self.options.max_pairs):
            yield {
                **origin_columns(prompt, (*chosen.episodes, *rejected.episodes)),
                "chosen_origin": chosen.origin,
                "rejected_origin": rejected.origin,
                "rejected_outcome": rejected.outcome,
                "prompt": prompt.prompt,
                "chosen": reply_messages(chosen.text),
                "rejected": reply_messages(rejected.text),
            }
