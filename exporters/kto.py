"""Plans with a label, unpaired: whether each, run by itself, was proven to pass."""

from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import Field, PositiveInt

from eops_traj.export.plan_rows import (
    ABOUT,
    PlannerOptions,
    PlannerRows,
    about,
    message_column,
    reply,
    text_column,
)
from eops_traj.planner.plan_dataset import Asked

WITH_LABEL = {True: "rows with a plan that passes", False: "rows with a plan that fails"}


class KtoOptions(PlannerOptions):
    """What the planner is shown, and how many plans a prompt has."""

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
        """Either label, where no row has it: one alone teaches nothing."""
        there = {record["label"] for record in records}
        return next((name for label, name in WITH_LABEL.items() if label not in there), None)

    def kind(self, record: dict[str, Any]) -> str:
        """What the plan comes to."""
        return str(record["outcome"])

    def records(self, asked: Asked) -> Iterator[dict[str, Any]]:
        """A row for each distinct plan."""
        most = self.options.max_plans
        for plan in (*asked.passed()[:most], *asked.failed()[:most]):
            yield {
                **about(asked, plan.episodes),
                "origin": plan.origin,
                "outcome": plan.outcome,
                "prompt": asked.prompt,
                "completion": reply(plan.text),
                "label": plan.passed,
            }
