"""Which tools an episode shows: those of the task's mode, as the sandbox lists them."""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from eops_traj.errors import InputError
from eops_traj.messages import function_tools
from eops_traj.schema import Task, ToolSet


@dataclass(frozen=True)
class Shown:
    """The tools shown, as the store keeps them, as models are given them, and their names."""

    toolset: ToolSet
    functions: tuple[dict[str, Any], ...]
    names: frozenset[str]


class Showcase:
    """The tools that tasks show. Tasks that show the same ones share them."""

    def __init__(self, most: int = 256) -> None:
        """``most`` tool sets are kept at hand."""
        self._most = most
        self._kept: dict[tuple[Any, ...], Shown] = {}
        self._lock = threading.Lock()

    def shown(self, task: Task, listed: Callable[[], Sequence[Mapping[str, Any]]]) -> Shown:
        """The tools of a task, out of those that its sandbox lists. Raises InputError where it lacks one."""
        key = (task.tools, task.restricted_tools, tuple(server.name for server in task.servers))
        with self._lock:
            found = self._kept.pop(key, None)
        found = found or _shown(task, listed())
        with self._lock:
            self._kept[key] = found  # the one used last is the last to go
            if len(self._kept) > self._most:
                del self._kept[next(iter(self._kept))]
        return found


def _shown(task: Task, listed: Sequence[Mapping[str, Any]]) -> Shown:
    missing = lacking(task, {tool["name"] for tool in listed})
    if missing:
        raise InputError(f"task {task.task_id}: the sandbox has no tool {', '.join(missing)}")
    wanted = set(task.tools or (tool["name"] for tool in listed)) - set(task.restricted_tools)
    toolset = ToolSet.of([dict(tool) for tool in listed if tool["name"] in wanted])
    return Shown(toolset, tuple(function_tools(toolset)), frozenset(wanted))


def lacking(task: Task, there: set[str]) -> list[str]:
    """The tools that a task shows and a sandbox with these has not."""
    return sorted(set(task.tools) - there)
