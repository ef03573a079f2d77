"""Plans to imitate: for each request the plan that a good episode followed, proven by running it."""

from collections.abc import Iterator
from typing import Any

from pydantic import Field, PositiveInt

from eops_traj.bundle import EpisodeBundle
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
from eops_traj.schema import PASSED


class PlannerSftOptions(PlannerOptions):
    """The planner's view, and the number of plans of a prompt."""

    max_plans: PositiveInt | None = Field(None, description="The most plans of a prompt, the shortest first.")


class PlannerSft(PlannerRows):
    """One line a prompt and a plan of it: TRL's prompt and completion.

    Episodes that ended in success or in a safe refusal are looked at, and no others.
    """

    title = "Planner prompts and plans"
    rows = "plans to imitate"
    takes = PlannerSftOptions
    options: PlannerSftOptions
    features = (
        *ABOUT,
        text_column("origin"),
        text_column("outcome"),
        message_column("prompt"),
        message_column("completion"),
    )

    def add(self, bundle: EpisodeBundle, dataset: PlanDataset) -> None:
        """Add the plan of an episode that ended well."""
        if bundle.episode.outcome in PASSED:
            dataset.add(bundle)
        else:
            self.counts["episodes that did not end well"] += 1
            dataset.register(bundle)  # a plan has to pass on its task too, where the prompt is the same

    def records(self, prompt: PlanPrompt) -> Iterator[dict[str, Any]]:
        """Yield a row for each distinct plan."""
        for plan in prompt.passed()[: self.options.max_plans]:
            yield {
                **origin_columns(prompt, plan.episodes),
                "origin": plan.origin,
                "outcome": plan.outcome,
                "prompt": prompt.prompt,
                "completion": reply_messages(plan.text),
            }
