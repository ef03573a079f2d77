"""Plans with a label, unpaired: each labelled by whether it was proven to pass, run by itself."""

from collections.abc import Iterator, Sequence
from typing import Any

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
from eops_traj.planner.plan_dataset import PlanPrompt

WITH_LABEL = {True: "rows with a plan that passes", False: "rows with a plan that fails"}


class KtoOptions(PlannerOptions):
    """The planner's view, and the number of plans of a prompt."""

    max_plans: PositiveInt = Field(
        4, description="The most plans of a prompt with either label, the shortest first."
    )


class Kto(PlannerRows):
    """One line a plan: TRL's prompt, completion and label."""

    title = "Planner prompts, plans and whether they pass"
    rows = "labelled plans"
    takes = KtoOptions
    options: KtoOptions
    features = (
        *ABOUT,
        text_column("origin"),
        text_column("outcome"),
        message_column("prompt"),
        message_column("completion"),
        {"name": "label", "dtype": "bool"},
    )

    def lacking(self, records: Sequence[dict[str, Any]]) -> str | None:
        """Return the label that no row has, if any: one alone teaches nothing."""
        there = {record["label"] for record in records}
        return next((name for label, name in WITH_LABEL.items() if label not in there), None)

    def records(self, prompt: PlanPrompt) -> Iterator[dict[str, Any]]:
        """Yield a row for each distinct plan."""
        most = self.options.max_plans
        for plan in (*prompt.passed()[:most], *prompt.failed()[:most]):
            yield {
                **origin_columns(prompt, plan.episodes),
                "origin": plan.origin,
                "outcome": plan.outcome,
                "prompt": prompt.prompt,
                "completion": reply_messages(plan.text),
                "label": plan.passed,
            }
