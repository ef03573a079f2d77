"""The tasks that are served: which one a client gets, and what it is shown of it.

A client sees the policy, the request and the tools. What would give the answer away stays here: verifiers,
the gold plan, seeds, and whether the task can be done at all.
"""

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

from eops_traj.collect.conversation import opening_messages
from eops_traj.errors import FormatError, InputError, UnknownName
from eops_traj.messages import Message
from eops_traj.sandbox.open import open_task
from eops_traj.schema import Task
from eops_traj.tasks.catalog import find_tasks, root_of
from eops_traj.tasks.sampling import sample
from eops_traj.tasks.splits import TRAIN, split_name
from eops_traj.tasks.toolset import ToolsetCache, VisibleTools
from eops_traj.verify.verifier_kinds import kind_of

_TOOL_SETS = 1024  # kept at a time: those of a suite in one mode fit
_NAMED = 5  # choices that a message names


@dataclass(frozen=True)
class Selection:
    """Which task a client asks for: by id, by place, by seed; with none of them, the next in turn."""

    task_id: str | None = None
    index: int | None = None
    seed: int | None = None

    @classmethod
    def of(cls, fields: Mapping[str, Any]) -> "Selection":
        """Read a selection from fields of a request. Raises InputError for one of another type."""
        values = {name: fields.get(name) for name in ("task_id", "index", "seed")}
        for name, kind in (("task_id", str), ("index", int), ("seed", int)):
            if values[name] is not None and (
                not isinstance(values[name], kind) or isinstance(values[name], bool)
            ):
                raise InputError(f"{name} is {values[name]!r}, which is no {kind.__name__}")
        return cls(**values)


@dataclass(frozen=True)
class TaskView:
    """What a client sees of a task."""

    task_id: str
    domain: str
    split: str
    mode: str
    messages: tuple[Message, ...]
    """The policy, where there is one, and the request."""
    tools: tuple[dict[str, Any], ...]
    """In the function format, with the schemas that the servers list, unchanged."""


class ServedTasks:
    """The tasks of a serving process, in order."""

    def __init__(self, tasks: Sequence[Task], root: Path | None = None) -> None:
        """Serve these tasks; seed files are named from ``root``. Raises FormatError where two have one id."""
        self.tasks, self.root, self.left_out = tuple(tasks), root, 0
        self._by_id = {task.task_id: task for task in tasks}
        if not tasks:
            raise FormatError("no tasks to serve")
        if len(self._by_id) < len(tasks):
            raise FormatError(f"{len(tasks) - len(self._by_id)} tasks have the id of another")
        self._toolsets, self._turns, self._lock = ToolsetCache(size=_TOOL_SETS), count(), threading.Lock()

    @classmethod
    def find(
        cls, where: str, *, mode: str = "oracle", splits: Collection[str] = (TRAIN,),
        domains: Collection[str] = (), limit: int | None = None, seed: int = 0,
    ) -> "ServedTasks":  # fmt: skip
        """Serve the tasks of a place, of these splits (``none`` for tasks without one), at most ``limit``.

        Tasks with a verifier that asks a model are left out and counted: without one nobody passes them.
        Raises UnknownName for a mode, split or domain that there is none of, FormatError for files with
        problems.
        """
        found = find_tasks(where, mode=mode, domains=domains)
        there = {split_name(task.split) for task in found}
        for split in splits:
            if split not in there:
                raise UnknownName("split", split, there)
        chosen = [task for task in found if split_name(task.split) in splits]
        able = [task for task in chosen if not any(kind_of(v.kind).judge == "always" for v in task.verifiers)]
        served = cls(able if limit is None else sample(able, limit, seed), root_of(where))
        served.left_out = len(chosen) - len(able)
        return served

    def choose(self, selection: Selection) -> Task:
        """Return the task of a selection; a seed always means the same task of the same list.

        Raises UnknownName for an id that is not served, InputError for a place beyond the last.
        """
        if selection.task_id is not None:
            return self._named(selection.task_id)
        if selection.index is not None:
            return self._at(selection.index)
        if selection.seed is not None:
            return self.tasks[Random(selection.seed).randrange(len(self.tasks))]
        with self._lock:
            return self.tasks[next(self._turns) % len(self.tasks)]

    def splits(self) -> list[str]:
        """Return the splits of the tasks, each once."""
        return list(dict.fromkeys(split_name(task.split) for task in self.tasks))

    def of_split(self, split: str) -> list[Task]:
        """Return the tasks of a split. Raises UnknownName for one that none is of."""
        if split not in self.splits():
            raise UnknownName("split", split, self.splits())
        return [task for task in self.tasks if split_name(task.split) == split]

    def tools(self, task: Task, list_tools: Callable[[], Sequence[Mapping[str, Any]]]) -> VisibleTools:
        """Return the tools of a task out of those that its session lists; those of another one are kept."""
        return self._toolsets.get(task, list_tools)

    def view(self, task: Task) -> TaskView:
        """Return what a client sees of a task; a session is opened for it where its tools are not known."""

        def listed() -> Sequence[Mapping[str, Any]]:
            with open_task(task, self.root) as session:
                return session.list_tools()

        return TaskView(
            task.task_id,
            task.domain,
            split_name(task.split),
            task.mode,
            tuple(opening_messages(task, task.user_prompt)),
            self.tools(task, listed).functions,
        )

    def _named(self, task_id: str) -> Task:
        if task_id not in self._by_id:
            first = [*list(self._by_id)[:_NAMED], "..."] if len(self._by_id) > _NAMED else self._by_id
            raise UnknownName("task", task_id[:200], first)
        return self._by_id[task_id]

    def _at(self, index: int) -> Task:
        if not 0 <= index < len(self.tasks):
            raise InputError(f"index is {index}; the tasks served are 0 to {len(self.tasks) - 1}")
        return self.tasks[index]
