"""Online training: environments for a model that acts, and rewards for what it does or plans.

An environment is a task's sandbox in this process, its tools as methods. Tasks that show the same tools share
a class, which TRL makes an instance of for each rollout and resets for each task. The verifiers judge a
rollout by its final state and by its last reply, as they judge an episode; a reward is 1 where the strict
verifiers pass, right refusals included, and 0 elsewhere.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from eops_traj.hashing import digest
from eops_traj.llm.reply_parser import parse_reply
from eops_traj.messages import Message
from eops_traj.planner.plan_check import SessionContext, evaluate_plan
from eops_traj.sandbox.open import open_task
from eops_traj.schema import PASSED, Task
from eops_traj.store.arrow import from_row
from eops_traj.tasks.toolset import ToolsetCache
from eops_traj.train.tool_methods import tool_method

Reward = Callable[..., list[float | None]]


class Environment:
    """One rollout at a task after another. Its subclasses have the tools as methods.

    TRL offers every other method as a tool whose name does not begin with an underscore.
    """

    _root: Path | None = None
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

    def _passed(self, answer: str) -> bool:
        """Check whether the rollout passes, now that the model has given its last reply."""
        assert self._context is not None
        return self._context.outcome(answer) in PASSED

    def _close(self) -> None:
        if self._context is not None:
            self._context.session.close()
            self._context = None


@lru_cache(maxsize=4096)
def parse_task(text: str) -> Task:
    """Parse the task that a row of data holds as JSON."""
    return from_row(Task, json.loads(text))


def make_environments(tasks: Iterable[Task], root: Path | None = None) -> dict[str, type[Environment]]:
    """Make the environments of tasks, by `environment_name`. Raises InputError where one cannot be opened."""
    classes: dict[str, type[Environment]] = {}
    toolsets = ToolsetCache()
    for task in tasks:
        name = environment_name(task)
        if name not in classes:
            with open_task(task, root) as session:
                tools = toolsets.get(task, session.list_tools).functions
            methods = {tool["function"]["name"]: tool_method(tool) for tool in tools}
            classes[name] = type("Environment", (Environment,), {**methods, "_root": root})
    return classes


def environment_name(task: Task) -> str:
    """Return the name of a task's environment: the same for tasks that show the same tools."""
    return digest([server.name for server in task.servers], task.tools, task.restricted_tools)


def acting_prompt(planner_prompt: list[Message], task: Task) -> list[Message]:
    """Build the prompt of an acting model from a planner's: the policy, and the request as it is."""
    policy = [message for message in planner_prompt if message["role"] == "system"]
    return [*policy, {"role": "user", "content": task.user_prompt}]


def plan_reward(root: Path | None) -> Reward:
    """Score plans, each run on its row's task; ``root`` is the folder that seed files are named from."""

    def verified(completions: Sequence[list[Message]], task: Sequence[str], **_: Any) -> list[float | None]:
        plans = [parse_reply(messages[-1]["content"]).text.strip() for messages in completions]
        return [
            float(evaluate_plan(plan, parse_task(text), root).passed)
            for plan, text in zip(plans, task, strict=True)
        ]

    return verified


def verified(
    completions: Sequence[list[Message]], environments: Sequence[Environment], **_: Any
) -> list[float | None]:
    """Score rollouts by their environments and last replies; TRL logs a reward under its function's name."""
    pairs = zip(environments, completions, strict=True)
    return [float(environment._passed(last_reply(messages))) for environment, messages in pairs]


def last_reply(messages: Sequence[Message]) -> str:
    """Return a model's text in the end; nothing where its last message is a call that led on."""
    last = messages[-1]
    answers = last["role"] == "assistant" and not last.get("tool_calls")
    return parse_reply(str(last["content"])).text.strip() if answers else ""
