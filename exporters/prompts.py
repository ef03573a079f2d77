"""Prompts for online reinforcement learning: what a planner is asked, and the task that scores its answer."""

from collections.abc import Iterator
from typing import Any

from eops_traj.bundle import EpisodeBundle
from eops_traj.export.plan_rows import ABOUT, PlannerRows, message_column, text_column
from eops_traj.hashing import canonical_json
from eops_traj.planner.plan_dataset import Asked, Planned
from eops_traj.store.arrow import to_row


class Prompts(PlannerRows):
    """One line a task, which is in it as JSON: `eops_traj.planner.plan_check.prove` scores a completion by it."""

    title = "Planner prompts with the tasks that score the plans"
    rows = "prompts"
    trains = False
    features = (*ABOUT, message_column("prompt"), text_column("task"))

    def add(self, sample: EpisodeBundle, planned: Planned) -> None:
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
