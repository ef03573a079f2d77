"""Environments of online training: a task's sandbox in this process, for a model that acts in it.

The tools of a task are methods of its environment. Tasks that show the same tools share a class, which TRL
makes instances of and resets for each rollout. TRL keeps those instances for as long as a run lasts, so a
sandbox is closed as soon as its rollout has been judged.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

from eops_traj.errors import InputError
from eops_traj.hashing import digest
from eops_traj.messages import Message
from eops_traj.planner.plan_check import SessionContext
from eops_traj.planner.prompt import PlannerView
from eops_traj.sandbox.open import open_task
from eops_traj.schema import Task
from eops_traj.store.arrow import from_row
from eops_traj.tasks.toolset import ToolsetCache
from eops_traj.train.tool_methods import tool_method

Schemas = tuple[dict[str, Any], ...]


class Environment:
    """One rollout at a task after another. Its subclasses have the tools as methods.

    TRL offers every other method as a tool whose name does not begin with an underscore.
    """

    _schemas: ClassVar[Schemas] = ()
    _root: ClassVar[Path | None] = None
    _context: SessionContext | None = None

    def reset(self, task: str, **_: Any) -> None:
        """Open a fresh sandbox of a task, which comes as JSON; the prompt is known already."""
        self._close()
        parsed = parse_task(task)
        self._context = SessionContext(parsed, open_task(parsed, self._root))

    def _call(self, name: str, arguments: Mapping[str, Any]) -> str:
        """Call a tool and return the text of its answer, a refusal included."""
        assert self._context is not None
        return self._context.call_tool(name, arguments).text

    def _outcome(self, answer: str) -> str:
        """Return the outcome of the rollout, after the last reply of the model, and close it."""
        assert self._context is not None
        try:
            return self._context.outcome(answer)
        finally:
            self._close()

    def _close(self) -> None:
        if self._context is not None:
            self._context.session.close()
            self._context = None


Environments = dict[str, type[Environment]]


@lru_cache(maxsize=4096)
def parse_task(text: str) -> Task:
    """Parse the task that a row of data holds as JSON."""
    return from_row(Task, json.loads(text))


def make_environments(tasks: Iterable[Task], root: Path | None = None) -> dict[str, type[Environment]]:
    """Make the environments of tasks, by `environment_name`. Raises InputError where one cannot be opened."""
    classes: dict[str, type[Environment]] = {}
    toolsets = ToolsetCache()
    for task in tasks:
        name = environment_name(task, root)
        if name not in classes:
            with open_task(task, root) as session:
                tools = toolsets.get(task, session.list_tools).functions
            methods = {tool["function"]["name"]: tool_method(tool) for tool in tools}
            members = {**methods, "_schemas": tools, "_root": root}
            classes[name] = type("Environment", (Environment,), members)
    return classes


def environment_name(task: Task, root: Path | None = None) -> str:
    """Return the name of a task's environment: the same for tasks of one root that show the same tools."""
    servers = [server.name for server in task.servers]
    return digest(servers, task.tools, task.restricted_tools, str(root))


TOLD = {"policy": "whole", "values": "plain"}
"""The view of planners whose policy serves a model that acts: it writes values itself, not their numbers."""


def check_acting_view(view: PlannerView, where: str, option: str) -> None:
    """Raise InputError for a view of planners that is no policy for a model that acts.

    ``option`` is what gives a part of another view where this one comes from.
    """
    if wrong := [name for name, needed in TOLD.items() if getattr(view, name) != needed]:
        shown = ", ".join(f"{name}={getattr(view, name)}" for name in wrong)
        given = " ".join(f"{option} {name}={TOLD[name]}" for name in wrong)
        raise InputError(
            f"{where} shows {shown}, which is for planners; act=tools needs prompts exported with {given}"
        )


def acting_row(planner_prompt: Sequence[Message], text: str, root: Path | None = None) -> dict[str, Any]:
    """Turn the prompt of a task's planner into a row for a model that acts, with the task's text as it is."""
    task = parse_task(text)
    prompt = acting_prompt(planner_prompt, task)
    return {"prompt": prompt, "task": text, "environment": environment_name(task, root)}


def acting_prompt(planner_prompt: Sequence[Message], task: Task) -> list[Message]:
    """Build the prompt of an acting model from a planner's: the policy, and the request as it is.

    The planner's view is one that `check_acting_view` lets pass.
    """
    policy = [message for message in planner_prompt if message["role"] == "system"]
    return [*policy, {"role": "user", "content": task.user_prompt}]
