"""Plans to imitate: for each request the plan that a good episode followed, proven by running it."""

from collections.abc import Iterator
from typing import Any

from pydantic import Field, PositiveInt

from eops_traj.bundle import EpisodeBundle
from eops_traj.export.plan_rows import (
    ABOUT,
    PlannerOptions,
    PlannerRows,
    about,
    message_column,
    reply,
    text_column,
)
from eops_traj.planner.plan_dataset import Asked, Planned
from eops_traj.schema import PASSED


class PlannerSftOptions(PlannerOptions):
    """What the planner is shown, and how many plans a prompt has."""

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

    def add(self, sample: EpisodeBundle, planned: Planned) -> None:
        """Add the plan of an episode that ended well."""
        if sample.episode.outcome in PASSED:
            planned.add(sample)
        else:
            self.counts["episodes that did not end well"] += 1
            planned.meet(sample)  # a plan has to pass on its task too, where the prompt is the same

    def kind(self, record: dict[str, Any]) -> str:
        """What the plan comes to."""
        return str(record["outcome"])

    def records(self, asked: Asked) -> Iterator[dict[str, Any]]:
        """A row for each distinct plan."""
        for plan in asked.passed()[: self.options.max_plans]:
            yield {
                **about(asked, plan.episodes),
                "origin": plan.origin,
                "outcome": plan.outcome,
                "prompt": asked.prompt,
                "completion": reply(plan.text),
            }
