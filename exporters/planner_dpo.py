"""Pairs of plans: of one request a plan that is proven to pass, and one that is proven to fail."""

from collections.abc import Iterator
from dataclasses import replace
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
from eops_traj.hashing import digest
from eops_traj.planner.balanced_pairs import BalancedPairs
from eops_traj.planner.plan_dataset import PlanDataset, PlanPrompt
from eops_traj.planner.plan_pairs import PlanPair, add_twin_plans, closest_pairs


class PlannerDpoOptions(PlannerOptions):
    """The planner's view, and the pairs to make."""

    max_pairs: PositiveInt = Field(2, description="The most pairs of a prompt.")
    negatives: Literal["any", "own", "written"] = Field(
        "any",
        description="Rejected plans: any that fails, those of the prompt's own episodes (none borrowed from a"
        " request of almost the same words, and none altered), or those that a planner wrote.",
    )
    balance: bool = Field(
        True,
        description="Whether pairs are chosen so that length and words do not tell the sides apart.",
    )


class PlannerDpo(PlannerRows):
    """One line a pair. Rejected is what a planner wrote, even if it is no plan, or what a failed episode did.

    To act where the request must be declined, and to decline where it can be carried out, are failures like
    any other: each is rejected against the plan that did right. Where episodes do not show it, the plan of a
    twin does (:mod:`eops_traj.planner.plan_pairs`), and what would tell the sides apart by its looks is
    balanced (:mod:`eops_traj.planner.balanced_pairs`).
    """

    title = "Pairs of plans, one that passes and one that fails"
    rows = "pairs of plans"
    takes = PlannerDpoOptions
    options: PlannerDpoOptions
    _pairs: dict[str, list[PlanPair]]
    """By the digest of the prompt and its tasks: what is shown may leave out what tells requests apart."""
    features = (
        *ABOUT,
        text_column("chosen_origin"),
        text_column("rejected_origin"),
        text_column("chosen_outcome"),
        text_column("rejected_outcome"),
        message_column("prompt"),
        message_column("chosen"),
        message_column("rejected"),
    )

    def kind(self, record: dict[str, Any]) -> str:
        """Return the origin and the outcome of the rejected plan."""
        return f"rejected {record['rejected_origin']} {record['rejected_outcome']}"

    def prompts(self, dataset: PlanDataset) -> list[PlanPrompt]:
        """Return the prompts, with plans borrowed from neighbours where wanted, and pair their plans."""
        prompts, options = super().prompts(dataset), self.options
        if options.negatives == "any":
            prompts = add_twin_plans(prompts, self.evaluator)
        elif options.negatives == "written":
            prompts = [_without_failures_of_others(prompt) for prompt in prompts]
        if options.balance:
            alter = options.negatives == "any"
            chosen = BalancedPairs(prompts, self.evaluator, options.max_pairs, self.counts, alter).choose()
        else:
            chosen = [closest_pairs(p.passed(), p.failed(), options.max_pairs) for p in prompts]
        self._pairs = {_key(p): pairs for p, pairs in zip(prompts, chosen, strict=True)}
        return prompts

    def records(self, prompt: PlanPrompt) -> Iterator[dict[str, Any]]:
        """Yield the pairs of a prompt."""
        for chosen, rejected in self._pairs[_key(prompt)]:
            yield {
                **origin_columns(prompt, (*chosen.episodes, *rejected.episodes)),
                "chosen_origin": chosen.origin,
                "rejected_origin": rejected.origin,
                "chosen_outcome": chosen.outcome,
                "rejected_outcome": rejected.outcome,
                "prompt": prompt.prompt,
                "chosen": reply_messages(chosen.text),
                "rejected": reply_messages(rejected.text),
            }


def _key(prompt: PlanPrompt) -> str:
    return digest(prompt.prompt, list(prompt.tasks))


def _without_failures_of_others(prompt: PlanPrompt) -> PlanPrompt:
    """Return a prompt with those plans that pass, and of the others those that a planner wrote."""
    return replace(prompt, plans=tuple(p for p in prompt.plans if p.passed or p.origin == "written"))
