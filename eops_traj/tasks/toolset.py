"""The tools that a task shows: which ones in each mode, and in which form.

The distractors of a mode come from the task's own servers and are the same at every time.
"""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from eops_traj.errors import InputError, UnknownName
from eops_traj.gym import registry
from eops_traj.llm.harness_schemas import harness_functions, harness_tool
from eops_traj.messages import function_tools
from eops_traj.protocol import ROBUST, RunProtocol
from eops_traj.schema import Task, ToolSet

MODES = {"oracle": 0, "plus_5_tools": 5, "plus_10_tools": 10, "plus_15_tools": 15, "all": None}
"""How many tools each mode shows beyond those that the gold plan takes; all of them for None."""


def check_modes(names: Iterable[str]) -> None:
    """Check the names of modes. Raises UnknownName for one that is not of MODES."""
    for name in names:
        if name not in MODES:
            raise UnknownName("mode", name, MODES)


def in_mode(task: Task, mode: str) -> Task:
    """Return the task in a mode. Its ``tools`` are those of the oracle mode, or it is in the mode already.

    The distractors of a larger mode include those of a smaller one; tools stand in the order in which the
    servers list them, so that their place tells nothing. Raises UnknownName for a mode that is not one of
    MODES, or where the task is available in another mode only.
    """
    check_modes([mode])
    if mode == task.mode:
        return task
    if task.mode != "oracle":
        raise UnknownName(f"mode of a task that is at hand as {task.mode}", mode, [task.mode])
    if not task.tools:  # it shows them all
        return replace(task, mode=mode)
    listed = list(dict.fromkeys(t for s in task.servers for t in registry.server(s.name).tools))
    others = [tool for tool in listed if tool not in task.tools and tool not in task.restricted_tools]
    Random(f"{task.task_id}:distractors").shuffle(others)
    names = {*task.tools, *others[: MODES[mode]]}
    foreign = [tool for tool in task.tools if tool not in listed]
    return replace(task, mode=mode, tools=tuple(t for t in (*listed, *foreign) if t in names))


@dataclass(frozen=True)
class VisibleTools:
    """The tools that a task shows: as the store keeps them, as models get them, and their names."""

    toolset: ToolSet
    functions: tuple[dict[str, Any], ...]
    names: frozenset[str]
    listing: tuple[Mapping[str, Any], ...] = ()
    """As their servers list them, properties in the servers' order."""
    missing: tuple[str, ...] = ()
    """The tools that the task names and the sandbox lacks, where that is taken."""


class ToolsetCache:
    """A cache of the tools that tasks show. Tasks that show the same ones share them."""

    def __init__(self, protocol: RunProtocol = ROBUST, size: int = 256) -> None:
        """Make an empty cache of ``size`` tool sets, shown as a protocol has them."""
        self._protocol, self._size = protocol, size
        self._cache: dict[tuple[Any, ...], VisibleTools] = {}
        self._lock = threading.Lock()

    def get(self, task: Task, list_tools: Callable[[], Sequence[Mapping[str, Any]]]) -> VisibleTools:
        """Return a task's tools, out of those that its sandbox lists.

        Raises InputError where it lacks one, unless the protocol takes that.
        """
        key = (task.tools, task.restricted_tools, tuple(server.name for server in task.servers))
        with self._lock:
            tools = self._cache.pop(key, None)
        tools = tools or _visible_tools(task, list_tools(), self._protocol)
        with self._lock:
            self._cache[key] = tools  # the one used last is the last to go
            if len(self._cache) > self._size:
                del self._cache[next(iter(self._cache))]
        return tools


def _visible_tools(task: Task, listed: Sequence[Mapping[str, Any]], protocol: RunProtocol) -> VisibleTools:
    missing = missing_tools(task, {tool["name"] for tool in listed})
    if missing and not protocol.lenient_tasks:
        raise InputError(f"task {task.task_id}: the sandbox has no tool {', '.join(missing)}")
    names = set(task.tools or (tool["name"] for tool in listed)) - set(task.restricted_tools) - set(missing)
    listing = tuple(tool for tool in listed if tool["name"] in names)
    if protocol.flat_schemas:
        flat = [harness_tool(tool) for tool in listing]
        toolset, functions = ToolSet.of(flat, ordered=True), harness_functions(flat)
    else:
        toolset = ToolSet.of([dict(tool) for tool in listing])
        functions = tuple(function_tools(toolset))
    return VisibleTools(toolset, functions, frozenset(names), listing, tuple(missing))


def missing_tools(task: Task, available: set[str]) -> list[str]:
    """Return the tools that a task shows and a sandbox with these has not."""
    return sorted(set(task.tools) - available)
