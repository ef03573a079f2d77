"""A session of OpenEnv's protocol: one client, and the episode that it is at, if any."""

from collections.abc import Mapping
from typing import Any

from eops_traj.environments.episode import Episode, EpisodeOver
from eops_traj.environments.openenv_actions import (
    Answer,
    CallTool,
    Wire,
    listing,
    observed_call,
    observed_end,
    observed_reset,
    observed_tools,
    parse_action,
    state_of,
)
from eops_traj.environments.served_tasks import Selection
from eops_traj.environments.service import GymService
from eops_traj.errors import InputError
from eops_traj.sandbox.session import ToolResult


class OpenEnvSession:
    """What a client may do: reset, step, ask for the state, and leave."""

    def __init__(self, service: GymService) -> None:
        self._service = service
        self.episode: Episode | None = None

    async def reset(self, data: Mapping[str, Any]) -> Wire:
        """Begin an episode, and close the one before. Raises what `GymService.begin` raises.

        ``data`` says which task (``task_id``, ``index`` or ``seed``) and under which ``episode_id``.
        """
        await self.close()
        self.episode = await begin(self._service, data)
        return observed_reset(self.episode, self._service.view(self.episode))

    async def step(self, data: Any) -> Wire:
        """Take an action. Raises FormatError for one that does not parse, and what the service raises."""
        return await step(self._service, self._running(), data)

    def state(self) -> Wire:
        """Return the state."""
        return state_of(self.episode)

    async def tools(self) -> list[Wire]:
        """Return the tools of the task. Raises EpisodeOver where no episode runs."""
        return listing(self._service.view(self._running()))

    async def call(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Call a tool. Raises what `GymService.call` raises."""
        return await self._service.call(self._running().id, name, arguments)

    async def close(self) -> None:
        """Close the episode."""
        if self.episode is not None:
            episode, self.episode = self.episode, None
            await self._service.close(episode.id)

    def _running(self) -> Episode:
        if self.episode is None or self.episode.over:
            raise EpisodeOver("no episode is running; reset first")
        return self.episode


async def begin(service: GymService, data: Mapping[str, Any]) -> Episode:
    """Begin the episode that a reset asks for; what it says beside is not looked at, as in OpenEnv itself."""
    episode_id = data.get("episode_id")
    if episode_id is not None and not isinstance(episode_id, str):
        raise InputError(f"episode_id is {episode_id!r}, which is no str")
    return await service.begin(Selection.of(data), episode_id)


async def step_by_id(service: GymService, episode_id: str, data: Any) -> Wire:
    """Take an action in the episode of an id; an answer to one that was judged is worth what that was.

    So a client that lost the reply to its last step may ask again. Raises UnknownEpisode, EpisodeOver.
    """
    judgement = service.pool.judged(episode_id)
    if judgement is not None and isinstance(parse_action(data), Answer):
        return observed_end(episode_id, judgement)
    return await step(service, service.pool.find(episode_id), data)


async def step(service: GymService, episode: Episode, data: Any) -> Wire:
    """Take an action in an episode."""
    action = parse_action(data)
    if isinstance(action, Answer):
        return observed_end(episode.id, await service.finish(episode.id, action.text))
    if isinstance(action, CallTool):
        result = await service.call(episode.id, action.tool_name, action.arguments)
        return observed_call(episode, action, result)
    return observed_tools(episode, service.view(episode))
