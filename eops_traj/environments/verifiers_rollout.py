"""A rollout of verifiers at a gym task: its sandbox while it runs, and what it was worth."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from eops_traj.environments.episode import Judgement
from eops_traj.environments.served_tasks import Selection
from eops_traj.environments.service import GymService


@dataclass(frozen=True)
class GymRollout:
    """An episode of a service, and the tools that its model is shown, in the function format."""

    service: GymService
    episode_id: str
    tools: tuple[dict[str, Any], ...]

    @classmethod
    async def begin(cls, service: GymService, task_id: str) -> Self:
        """Open a task's sandbox. Raises what `GymService.begin` raises."""
        episode = await service.begin(Selection(task_id=task_id))
        return cls(service, episode.id, service.view(episode).tools)

    async def call(self, name: str, arguments: Mapping[str, Any]) -> str:
        """Call a tool and return the text of its answer, a refusal included."""
        return (await self.service.call(self.episode_id, name, arguments)).text

    async def judge(self, replies: Sequence[Any]) -> Judgement:
        """Judge the rollout by its last reply, an assistant's message; one with calls is no answer."""
        last = replies[-1] if replies else None
        answer = "" if last is None or last.tool_calls else last.content or ""
        return await self.service.finish(self.episode_id, answer)

    async def close(self) -> None:
        """Close the sandbox."""
        await self.service.close(self.episode_id)

    def __deepcopy__(self, memo: object) -> Self:
        """Return the rollout itself: a trace may be copied, a sandbox cannot."""
        return self
