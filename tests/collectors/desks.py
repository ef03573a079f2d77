"""The engine's own desk in an embedded sandbox, with models that give scripted replies."""

import asyncio
import json

from eops_traj.collect.episode_recorder import AttemptEnvironment, EpisodeRecorder, Limits
from eops_traj.sandbox.options import EmbeddedOptions
from eops_traj.schema import Episode, Json, ToolCall, Turn
from eops_traj.tasks.toolset import ToolsetCache
from tests.episodes import episode


class Role:
    """A model that gives the replies of a script, and notes what it was asked."""

    def __init__(self, role, replies, asked):
        self.model, self._role, self._replies, self._asked = "scripted", role, replies, asked

    async def reply(self, request):
        self._asked.append((list(request.messages), self._role, bool(request.tools)))
        return next(self._replies)

    async def close(self):
        pass


class Desk(EpisodeRecorder):
    """An attempt at a task. ``asked`` is what the models were asked: messages, role, whether with tools."""

    def __init__(self, task, replies=(), attempt=1, turns=200):
        sandbox = EmbeddedOptions().open(None, 1)
        self.session, self.asked, script = sandbox.open(task), [], iter(replies)
        place = AttemptEnvironment(self.session, sandbox, ToolsetCache().get(task, self.session.list_tools))
        models = {role: Role(role, script, self.asked) for role in ("planner", "executor")}
        super().__init__(task, attempt, place, models, Limits(turns=turns))

    def work(self, orchestrator):
        """Have an orchestrator work the task, and give its final answer."""
        asyncio.run(orchestrator.work(self))
        return self.turns[-1].text

    def episode(self) -> Episode:
        """What was recorded, as an episode that diagnose can read."""
        return episode(
            "e", turns=tuple(self.turns), user_prompt=self.task.user_prompt, servers=self.task.servers,
            feasible=self.task.feasible, changeset=b"", stop_reason="completed",
        )  # fmt: skip


def says(text="", **calls):
    """A scripted reply: its text and its calls, ``tool=arguments``."""
    asked = tuple(ToolCall(id=f"c{n}", name=n, arguments=Json(json.dumps(a))) for n, a in calls.items())
    return Turn(text=text, tool_calls=asked)
