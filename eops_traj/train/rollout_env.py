"""Environments for a model that learns by acting: a task's sandbox in this process, its tools as methods.

Tasks that show the same tools share a class, which TRL makes an instance of for each rollout and resets for
each task. The verifiers judge a rollout by its final state and by its last reply, as they judge an episode.
"""

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from eops_traj.hashing import digest
from eops_traj.messages import Message
from eops_traj.planner.plan_check import SessionDesk
from eops_traj.sandbox.open import open_task
from eops_traj.schema import PASSED, Task
from eops_traj.store.arrow import from_row
from eops_traj.tasks.toolset import ToolsetCache
from eops_traj.train.tool_methods import tool_method


class Environment:
    """One rollout at a task after another. Its subclasses have the tools as methods.

    TRL offers every other method as a tool whose name does not begin with an underscore.
    """

    _root: Path | None = None
    _desk: SessionDesk | None = None

    def reset(self, task: str, **_: Any) -> None:
        """Open a fresh sandbox of a task, which comes as JSON; the prompt says all there is to say."""
        self._close()
        wanted = task_of(task)
        self._desk = SessionDesk(wanted, open_task(wanted, self._root))

    def _call(self, name: str, arguments: Mapping[str, Any]) -> str:
        """The text that a tool answers with, a refusal included."""
        assert self._desk is not None
        return self._desk.call_tool(name, arguments).text

    def _passed(self, answer: str) -> bool:
        """Whether all is as it should be, now that the model has said its last."""
        assert self._desk is not None
        return self._desk.outcome(answer) in PASSED

    def _close(self) -> None:
        if self._desk is not None:
            self._desk.session.close()
            self._desk = None


@lru_cache(maxsize=4096)
def task_of(text: str) -> Task:
    """The task that a row of data holds as JSON."""
    return from_row(Task, json.loads(text))


def environments(tasks: Iterable[Task], root: Path | None = None) -> dict[str, type[Environment]]:
    """The environments of tasks, by `environment_name`. Raises InputError where one cannot be opened."""
    found: dict[str, type[Environment]] = {}
    showcase = ToolsetCache()
    for task in tasks:
        name = environment_name(task)
        if name not in found:
            with open_task(task, root) as session:
                tools = showcase.get(task, session.list_tools).functions
            methods = {tool["function"]["name"]: tool_method(tool) for tool in tools}
            found[name] = type("Environment", (Environment,), {**methods, "_root": root})
    return found


def environment_name(task: Task) -> str:
    """The same for tasks that show the same tools."""
    return digest([server.name for server in task.servers], task.tools, task.restricted_tools)


def acting_prompt(planner_prompt: list[Message], task: Task) -> list[Message]:
    """What an acting model is told, from what a planner was asked: the policy, and the request as it is."""
    policy = [message for message in planner_prompt if message["role"] == "system"]
    return [*policy, {"role": "user", "content": task.user_prompt}]
