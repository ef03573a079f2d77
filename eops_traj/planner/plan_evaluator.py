"""The results of plans on tasks, each text run once on each task."""

from dataclasses import dataclass, field, replace
from pathlib import Path

from eops_traj.bundle import EpisodeBundle
from eops_traj.plan import parse, render
from eops_traj.planner.plan_check import PlanResult, evaluate_plan, prune_plan, shown_task
from eops_traj.planner.prompt import PlannerView
from eops_traj.sandbox.open import open_task
from eops_traj.schema import Task
from eops_traj.tasks.from_episode import task_of_episode

OnTask = tuple[str, str]
"""A task's hash and a text."""


@dataclass
class PlanEvaluator:
    """A cache of plans' results, each text run once on each task; seed files are named from ``root``.

    Plans are read as a planner of ``view`` writes them.
    """

    root: Path | None = None
    view: PlannerView = field(default_factory=PlannerView)
    tasks: dict[str, Task] = field(default_factory=dict)
    """Those added, by task hash."""
    opened: set[str] = field(default_factory=set)
    """The hashes of tasks that are known to open."""
    results: dict[OnTask, PlanResult] = field(default_factory=dict)
    pruned: dict[OnTask, str] = field(default_factory=dict)
    written: dict[OnTask, str] = field(default_factory=dict)
    """Plans as planners of the view write them."""
    meant: dict[OnTask, str] = field(default_factory=dict)
    """The plans that such texts stand for."""

    def add_task(self, bundle: EpisodeBundle) -> None:
        """Add a bundle's task to evaluate plans on. Raises InputError where it cannot be opened."""
        task_hash = bundle.episode.task_hash
        if task_hash not in self.tasks:
            task = bundle_task(bundle)
            if task_hash not in self.opened:
                open_task(task, self.root).close()
            self.opened.add(task_hash)
            self.tasks[task_hash] = task

    def evaluate(self, task_hash: str, text: str) -> PlanResult:
        """Return the result of a text on a task that was added."""
        task, text = self.tasks[task_hash], self._read(task_hash, text)
        if (task_hash, text) not in self.results:
            self.results[task_hash, text] = evaluate_plan(text, task, self.root)
        return self.results[task_hash, text]

    def _read(self, task_hash: str, text: str) -> str:
        """Return a text as the plan that it stands for; those of this view are read once on each task."""
        if (task_hash, text) not in self.meant:
            task = self.tasks[task_hash]
            self.meant[task_hash, text] = self.view.read_plan(text, task.system_prompt, task.user_prompt)
        return self.meant[task_hash, text]

    def write(self, task_hash: str, text: str) -> str:
        """Return a plan as a planner of the view writes it on a task that was added."""
        if (task_hash, text) not in self.written:
            task = self.tasks[task_hash]
            self.written[task_hash, text] = self.view.write_plan(text, task.system_prompt, task.user_prompt)
        return self.written[task_hash, text]

    def prune(self, task_hash: str, text: str) -> str:
        """Prune a plan that passes on a task that was added."""
        if (task_hash, text) not in self.pruned:
            plan = prune_plan(parse(text), self.tasks[task_hash], self.root)
            self.pruned[task_hash, text] = render(plan)
        return self.pruned[task_hash, text]


def bundle_task(bundle: EpisodeBundle) -> Task:
    """Return a bundle's task with the tools that were shown; with all where only those called are known."""
    listed = bundle.toolset.origin == "listed"
    task = shown_task(bundle.episode, bundle.toolset) if listed else task_of_episode(bundle.episode)
    return replace(task, system_prompt=bundle.system_prompt)
