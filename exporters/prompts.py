"""Prompts for online reinforcement learning: a planner's question, and the task that scores its answer."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from eops_traj.bundle import EpisodeBundle
from eops_traj.export.plan_rows import ABOUT, PlannerRows, message_column, text_column
from eops_traj.hashing import canonical_json
from eops_traj.planner.plan_dataset import PlanDataset, PlanPrompt
from eops_traj.schema import Task
from eops_traj.store.arrow import to_row


class Prompts(PlannerRows):
    """One line a task, with it as JSON: `eops_traj.planner.plan_check.evaluate_plan` scores plans by it."""

    title = "Planner prompts with the tasks that score the plans"
    rows = "prompts"
    trains = False
    features = (*ABOUT, message_column("prompt"), text_column("task"))

    def add(self, bundle: EpisodeBundle, dataset: PlanDataset) -> None:
        """Add the task of an episode, however it ended."""
        dataset.register(bundle)

    def records(self, prompt: PlanPrompt) -> Iterator[dict[str, Any]]:
        """Yield a row for each task, although tasks may share a prompt."""
        for task_hash, task in prompt.tasks.items():
            yield {
                "task_id": task.task_id,
                "task_hashes": [task_hash],
                "domain": task.domain,
                "episode_ids": [prompt.episodes[task_hash]],
                "prompt": prompt.prompt,
                "task": canonical_json(to_row(self._scored(task))),
            }

    def _scored(self, task: Task) -> Task:
        """Return a task as it scores plans: without its policy, unless that tells what numbers stand for."""
        return replace(task, system_prompt="") if self.options.values == "plain" else task
