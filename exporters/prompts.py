"""Prompts for online reinforcement learning: what a planner is asked, and the task that scores its answer."""

from collections.abc import Iterator
from typing import Any

from eops_traj.arrow import to_row
from eops_traj.canonical import canonical_json
from eops_traj.formats import Sample
from eops_traj.planned import Asked, Planned
from eops_traj.planner_rows import ABOUT, PlannerRows, message_column, text_column


class Prompts(PlannerRows):
    """One line a task, which is in it as JSON: `eops_traj.planner.proof.prove` scores a completion by it."""

    title = "Planner prompts with the tasks that score the plans"
    rows = "prompts"
    trains = False
    features = (*ABOUT, message_column("prompt"), text_column("task"))

    def add(self, sample: Sample, planned: Planned) -> None:
        """Add the task of an episode, however it ended."""
        planned.meet(sample)

    def records(self, asked: Asked) -> Iterator[dict[str, Any]]:
        """A row for each task, although tasks may share a prompt."""
        for task_hash, task in asked.tasks.items():
            yield {
                "task_id": task.task_id,
                "task_hashes": [task_hash],
                "domain": task.domain,
                "episode_ids": [asked.episodes[task_hash]],
                "prompt": asked.prompt,
                "task": canonical_json(to_row(task)),
            }
