"""An index of held-out tasks, with which rows of training data are compared."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from eops_traj.provenance.dataset import DataRow
from eops_traj.provenance.held_out_text import HeldOutText, plan_facts
from eops_traj.provenance.row_sources import TaskSource, task_source
from eops_traj.schema import Task

if TYPE_CHECKING:
    from eops_traj.filter.held_out import HeldOut
    from eops_traj.filter.similarity import Index
    from eops_traj.provenance.held_out_wording import HeldOutWording

OOD = "test_ood"
ALIKE, WORDS = 0.8, 3
"""Requests whose runs of three words are alike to this Jaccard similarity count as the same: these the filter
``decontaminate`` drops by default. Two tasks of one family of ours reach 0.65."""


@dataclass(frozen=True)
class HeldOutMatch:
    """A held-out task that a row gives away, and how."""

    task_id: str
    why: str


@dataclass(frozen=True)
class HeldOutIndex:
    """Held-out tasks. The families of those of the split ``test_ood`` are held out as well."""

    tasks: Sequence[Task]
    _near: "dict[str, tuple[str, float] | None]" = field(default_factory=dict)

    def by_task(self, row: DataRow, sources: Sequence[TaskSource]) -> HeldOutMatch | None:
        """Match a row that is of a held-out task."""
        held = row.task_id in self._ids and row.task_id
        return HeldOutMatch(held, "its task is held out") if held else None

    def by_twin(self, row: DataRow, sources: Sequence[TaskSource]) -> HeldOutMatch | None:
        """Match a row of a held-out task's twin: the same but for one fact, with the other answer."""
        twin = self._twins.get(row.task_id or "")
        return HeldOutMatch(twin, f"its task {row.task_id} is the twin of a held-out one") if twin else None

    def by_prompt(self, row: DataRow, sources: Sequence[TaskSource]) -> HeldOutMatch | None:
        """Match a row that holds a held-out request, word for word, or nearly so, in whatever column."""
        from eops_traj.filter.held_out import normalized

        requests = dict.fromkeys([*row.requests, *(normalized(s.request) for s in sources)])
        for text in requests:
            for request, task_id in self._held.requests.items():
                if f" {request} " in f" {text} ":
                    return HeldOutMatch(task_id, "it holds that task's request")
        for text in requests:
            if near := self._nearest(text):
                return HeldOutMatch(
                    self._held.requests[near[0]], f"its request is {near[1]:.2f} like that task's"
                )
        held = self._text.request_in(row.record)
        return HeldOutMatch(held, "one of its columns holds that task's request") if held else None

    def by_wording(self, row: DataRow, sources: Sequence[TaskSource]) -> HeldOutMatch | None:
        """Match a row that tells values by their numbers and is, those aside, a held-out request."""
        held = self._wording.task_of(row)
        return HeldOutMatch(held, "its request is that task's but for the values") if held else None

    def by_database(self, row: DataRow, sources: Sequence[TaskSource]) -> HeldOutMatch | None:
        """Match a row whose task starts from a held-out task's database: same people and records."""
        for name in sorted({name for s in sources for name in s.databases} & self._databases.keys()):
            return HeldOutMatch(self._databases[name], f"it starts from that task's database, {name}")
        return None

    def by_family(self, row: DataRow, sources: Sequence[TaskSource]) -> HeldOutMatch | None:
        """Match a row whose task's family only the out-of-distribution split may have."""
        for name in sorted({name for s in sources for name in s.families or ()} & self._families.keys()):
            return HeldOutMatch(self._families[name], f"its task is of that task's family, {name}")
        return None

    def by_plan(self, row: DataRow, sources: Sequence[TaskSource]) -> HeldOutMatch | None:
        """Match a row that holds the gold plan of a held-out task, in whatever column and words."""
        held = self._text.plan_in(row.record)
        return HeldOutMatch(held, "it holds that task's gold plan") if held else None

    @property
    def counts(self) -> dict[str, int]:
        """The number of held-out facts of each kind."""
        return {
            "task": len(self._ids),
            "twin": len(self._twins),
            "prompt": len(self._held.requests),
            "wording": len(self._wording.tasks),
            "database": len(self._databases),
            "family": len(self._families),
            "plan": sum(bool(plan_facts(task.plan or "")) for task in self.tasks),
        }

    @cached_property
    def _ids(self) -> set[str]:
        return {task.task_id for task in self.tasks}

    @cached_property
    def _twins(self) -> dict[str, str]:
        recipes = ((json.loads(task.details).get("made", {}), task) for task in self.tasks)
        return {recipe["twin"]: task.task_id for recipe, task in recipes if recipe.get("twin")}

    @cached_property
    def _held(self) -> "HeldOut":
        from eops_traj.filter.held_out import HeldOut

        held = HeldOut()
        for task in self.tasks:
            held.add(task.task_id, task.user_prompt)
        return held

    @cached_property
    def _index(self) -> "Index":
        from eops_traj.filter.similarity import Index, signature

        index = Index(ALIKE)
        for request in self._held.requests:
            index.add(request, signature(request, WORDS))
        return index

    def _nearest(self, text: str) -> tuple[str, float] | None:
        """Return the held-out request that is most like a text; many rows share one request."""
        from eops_traj.filter.similarity import signature

        if text not in self._near:
            self._near[text] = self._index.nearest(signature(text, WORDS))
        return self._near[text]

    @cached_property
    def _databases(self) -> dict[str, str]:
        return {name: task.task_id for task in self.tasks for name in task_source(task).databases}

    @cached_property
    def _families(self) -> dict[str, str]:
        held = [task for task in self.tasks if task.split == OOD]
        return {name: task.task_id for task in held for name in task_source(task).families or ()}

    @cached_property
    def _wording(self) -> "HeldOutWording":
        from eops_traj.provenance.held_out_wording import HeldOutWording

        return HeldOutWording(self.tasks)

    @cached_property
    def _text(self) -> HeldOutText:
        requests = {task.task_id: task.user_prompt for task in self.tasks}
        return HeldOutText(requests, {task.task_id: task.plan or "" for task in self.tasks})


KINDS: dict[str, Callable[[HeldOutIndex, DataRow, Sequence[TaskSource]], HeldOutMatch | None]] = {
    "task": HeldOutIndex.by_task,
    "twin": HeldOutIndex.by_twin,
    "prompt": HeldOutIndex.by_prompt,
    "wording": HeldOutIndex.by_wording,
    "database": HeldOutIndex.by_database,
    "family": HeldOutIndex.by_family,
    "plan": HeldOutIndex.by_plan,
}
"""The kinds of facts about a held-out task that a row may give away."""
